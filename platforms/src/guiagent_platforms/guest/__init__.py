"""Guests: the server inside a desktop, and local desktops in namespaces that reset in a second."""
