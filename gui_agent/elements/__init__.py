"""Shared knowledge about a screen's elements: roles, text, matching, describing, searching, abstraction."""
