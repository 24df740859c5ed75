"""Against the pinned figures a loss beyond chance, harm, what was left out and slowness are told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.pins import PARTS, PINS, SPEED, losses


def figure(of: int = 100, failed: str = "", wrong: str = "") -> dict[str, Any]:
    bad = (failed.split(), wrong.split())
    return {"right": of - sum(map(len, bad)), "of": of, "failed": bad[0], "wrong": bad[1]}


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        (figure(failed="a b"), figure(failed="a b"), ""),
        (figure(failed="a b"), figure(failed="c d e"), ""),  # three lost and two gained are chance
        (figure(failed="a"), figure(failed="a b c d e f"), "lost ['b', 'c', 'd', 'e', 'f'], gained []"),
        (figure(), figure(wrong="x"), "wrong now ['x']"),
        (figure(wrong="x"), figure(wrong="x"), ""),
        (figure(of=100), figure(of=99), "something was left out"),
    ],
)
def test_what_is_worse_is_told(before: dict[str, Any], now: dict[str, Any], told: str) -> None:
    found = losses({"wordings": before}, {"wordings": now})
    assert (told in "".join(found), bool(found)) == (True, bool(told)), found


def test_a_way_that_got_slower_is_told_by_its_ratio() -> None:
    assert losses({SPEED: {"learned": 1.4}}, {SPEED: {"learned": 1.6}}) == []
    assert losses({SPEED: {"learned": 1.4}}, {SPEED: {"learned": 2.0}}) == [
        f"{SPEED}: learned takes 2.0, pinned 1.4"
    ]


def test_every_figure_is_pinned() -> None:
    pinned = json.loads(PINS.read_text("utf-8"))
    assert set(pinned) == {*PARTS, SPEED}
    assert pinned["outcomes"]["of"] > 200 and pinned["red team"]["wrong"] == []
