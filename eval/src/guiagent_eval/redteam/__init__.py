"""Attacks on the guard and everyday steps as data, and the code that runs both on real screens."""
