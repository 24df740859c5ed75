"""A Wayland session: screen and input through its portals, elements through AT-SPI, positioned by vision."""
