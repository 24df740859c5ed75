"""Desktops behind HTTP: our own guest server, and servers that speak OSWorld's protocol."""
