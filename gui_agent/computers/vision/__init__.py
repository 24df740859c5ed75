"""Eyes: elements found on the picture of a screen alone, by reading its text and its outlines."""
