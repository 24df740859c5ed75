"""guiagent: does a task on a screen the way a person does."""
