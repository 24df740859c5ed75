"""Induction: finds the shortest program that has the same effects as the demonstrations."""
