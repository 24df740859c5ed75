"""Runs many benchmark tasks honestly and quickly, so that a run can be resumed and compared."""
