"""Planners decide what to do next, from plain commands, demonstrations or a language model."""
