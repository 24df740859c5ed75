"""Demonstrations: made from finished runs, completed, and checked for gaps."""
