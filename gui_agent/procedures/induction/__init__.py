"""Induction: from what demonstrations did to the application to the shortest program that does the same."""
