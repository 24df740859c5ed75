"""Windows: SendInput for mouse and keys, UI Automation for the elements."""
