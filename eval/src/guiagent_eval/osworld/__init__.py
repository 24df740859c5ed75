"""OSWorld: its task files, its evaluators in an environment of their own, and our suite in its format."""
