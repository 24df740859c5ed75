"""What all desktops share: one computer put together from a device and the sources that see its elements."""
