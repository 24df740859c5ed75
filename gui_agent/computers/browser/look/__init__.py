"""Observes a page: its elements, its picture, and whether it has come to rest."""
