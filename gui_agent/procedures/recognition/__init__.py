"""Finds the procedure that an instruction asks for, and its values."""
