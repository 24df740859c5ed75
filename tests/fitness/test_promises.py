"""What a release promised works in the next one, or has been deprecated for a release (CONTRIBUTING.md)."""

from __future__ import annotations

import json

import pytest
from promises import PROMISED, all_names

PROMISES = json.loads(PROMISED.read_text("utf-8"))
DEPRECATED: frozenset[str] = frozenset()
"""What worked with a warning in the release before, such as `python Browser.old_name`, and may go now."""


@pytest.mark.parametrize("kind", PROMISES)
def test_nothing_that_was_promised_is_gone(kind: str) -> None:
    offered, gone = all_names()[kind], []
    for name, parts in PROMISES[kind].items():
        gone += (
            [name] if name not in offered else [f"{name}.{one}" for one in parts if one not in offered[name]]
        )
    kept = [one for one in gone if f"{kind} {one}" not in DEPRECATED]
    assert kept == [], "let these work, with a warning, for one release; then list them as deprecated"
