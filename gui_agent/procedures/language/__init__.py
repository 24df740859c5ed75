"""The language of procedures: values, selectors and steps, what they mean on a screen, and in words."""
