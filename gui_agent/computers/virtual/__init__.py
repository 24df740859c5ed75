"""Private displays: Xvfb, window manager, session bus and programs of their own; nothing is left after."""
