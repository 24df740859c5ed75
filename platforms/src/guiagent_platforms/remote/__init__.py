"""Desktops behind HTTP: our own guest server, and servers with OSWorld's protocol."""
