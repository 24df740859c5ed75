"""The exemplar memory: verified runs kept in one file, and the ones found again that resemble a task."""
