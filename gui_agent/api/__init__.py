"""Small steps from Python: screens that act, read, check, find and run, mixed with other code."""
