"""The MiniWoB++ pages as a benchmark run has them, for tests that hold with pictures and without."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from guiagent_eval.miniwob import MiniWob


@pytest.fixture(scope="module", params=[False, True], ids=["elements", "pictures"])
def pictures(request: pytest.FixtureRequest) -> bool:
    """Whether the pages are looked at, too, and not only their elements."""
    looked_at: bool = request.param
    return looked_at


@pytest.fixture(scope="module")
def benchmark(pictures: bool) -> Iterator[MiniWob]:
    """One browser for all tests of a file."""
    one = MiniWob(pictures=pictures, slowness=10)
    yield one
    one.teardown()
