"""The path of a request to a model and back, measured with scripted answers or a real model."""
