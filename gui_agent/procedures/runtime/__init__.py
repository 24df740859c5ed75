"""Running a procedure: its next action, what to try when something is missing, when to stop."""
