"""What a person does every day in desktop programs, and how often the guard asks about it."""
