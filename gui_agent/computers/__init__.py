"""Devices: each turns a screen with keyboard and pointer into a `core.protocols.Computer`."""
