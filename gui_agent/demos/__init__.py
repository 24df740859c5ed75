"""Learning procedures from a few demonstrations, and running them, without any model."""
