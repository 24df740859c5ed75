"""The trained networks of the eyes, which are too large for the product's own package."""

from __future__ import annotations

from pathlib import Path


def weights() -> Path:
    """The folder of `controls.onnx` and `icons.onnx`."""
    return Path(__file__).parent
