"""Vision: elements found on the picture of a screen alone, from its text and its outlines."""
