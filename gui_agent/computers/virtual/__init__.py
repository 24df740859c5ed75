"""Private displays with their own Xvfb, window manager, session bus and programs, all ended together."""
