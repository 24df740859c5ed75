"""Demonstrations: from finished runs, completed, and checked for what they do not tell."""
