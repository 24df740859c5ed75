"""Eyes with trained networks, to be compared with those of the product."""
