"""The shared part of all desktops: one computer made of a device and the sources of its elements."""
