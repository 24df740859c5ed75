"""`guiagent profiles`: kept logins, also beside one that cannot be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from gui_agent.integrations.logins import login_file

Guiagent = Callable[..., tuple[int, str, str]]
COOKIE: dict[str, Any] = {"domain": ".example.org", "name": "a", "value": "b", "expires": 4e9}


@pytest.mark.parametrize(
    "held",
    [
        "{", "[]", "null", "5", '"a"', json.dumps({"cookies": 5}), json.dumps({"cookies": [{}]}),
        json.dumps({"cookies": [{**COOKIE, "expires": 1e300}]}),
        json.dumps({"cookies": [{**COOKIE, "domain": 5}]}),
        json.dumps({"origins": [[]]}), json.dumps({"cookies": None}),
    ],
)  # fmt: skip
def test_a_damaged_login_is_told_and_hides_no_other(guiagent: Guiagent, held: str) -> None:
    good, damaged = login_file("work"), login_file("a")
    good.parent.mkdir(parents=True, exist_ok=True)
    good.write_text(json.dumps({"cookies": [COOKIE], "origins": []}))
    damaged.write_text(held)
    code, out, err = guiagent("profiles")
    assert (code, out) == (0, "work: example.org, used just now\n")
    assert len(err.splitlines()) == 1 and "profiles forget a" in err
    assert guiagent("profiles", "show", "a")[0] == 2
    assert guiagent("profiles", "forget", "a")[0] == 0 and not damaged.exists()
