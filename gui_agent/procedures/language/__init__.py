"""The language of procedures: values, selectors, steps, their evaluation on a screen, their wording."""
