"""The vocabulary of the house: plain values and protocols, no I/O, no vendor."""
