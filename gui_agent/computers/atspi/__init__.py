"""Reads the elements of Linux programs from the accessibility bus (AT-SPI 2)."""
