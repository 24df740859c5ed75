"""Attacks on the guard as data, everyday steps beside them, and what runs both on real screens."""
