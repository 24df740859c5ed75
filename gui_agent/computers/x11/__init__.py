"""X11 displays: picture, XTEST input, windows and clipboard, for any number of displays in one process."""
