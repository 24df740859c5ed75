"""Elements of Linux programs, as they tell them over the accessibility bus (AT-SPI 2)."""
