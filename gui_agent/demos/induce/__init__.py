"""Finding the simplest program that is consistent with all demonstrations of a task."""
