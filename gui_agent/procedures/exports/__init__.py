"""Procedures as code that a team keeps and runs without this program."""
