"""Settings that hold for all tests."""

from __future__ import annotations

from hypothesis import settings

# The machines that run the tests are shared: how long one example takes says nothing about the code.
settings.register_profile("shared", deadline=None)
settings.load_profile("shared")
