"""Exports procedures as code that a team can keep and run without this program."""
