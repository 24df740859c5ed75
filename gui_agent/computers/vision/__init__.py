"""Vision: finds elements in the picture of a screen alone, by text recognition and trained networks."""
