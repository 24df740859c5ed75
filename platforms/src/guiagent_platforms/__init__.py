"""Screens of single systems or vendors, each behind an entry point: the product works without them."""
