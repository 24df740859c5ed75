"""Carries out actions on a page: pointer, keyboard, form controls, dialogs, navigation."""
