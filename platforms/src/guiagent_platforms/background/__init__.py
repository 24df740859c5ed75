"""The person's own X11 desktop, used beside them with a second pointer and keyboard."""
