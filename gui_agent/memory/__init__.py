"""The exemplar memory: stores verified runs in one file, and finds those similar to a task."""
