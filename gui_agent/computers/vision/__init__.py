"""Vision: finds elements in the picture of a screen alone, by text and outlines."""
