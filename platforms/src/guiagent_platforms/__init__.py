"""Screens of one system or of one maker, each behind an entry point: the product works without them."""
