"""Runs a procedure: chooses its next action, recovers if a target is missing, and decides when to stop."""
