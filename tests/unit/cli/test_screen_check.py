"""What clicked targets say about a monitor."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest
from PIL import Image, ImageDraw

from gui_agent.cli.screen_check import COLOR, SIDE, TargetHit, TkTarget, find, finding_of, places
from gui_agent.core.observation import Box, Point

AT = Point(100, 50)


def test_clicks_that_arrive_are_fine() -> None:
    finding = finding_of("monitor 1", "800 x 600", [TargetHit(AT, AT, AT), TargetHit(AT, AT, Point(101, 50))])
    assert finding.state == "ok" and "error at most 1 pixels" in finding.detail


@pytest.mark.parametrize(
    ("hit", "told"),
    [
        (TargetHit(AT, AT, Point(125, 62)), "error at most 25 pixels, at the point"),
        (TargetHit(AT, None, None), "is not in the picture"),
        (TargetHit(AT, AT, None), "no click arrived"),
    ],
)
def test_clicks_that_go_astray_are_told_with_what_to_do(hit: TargetHit, told: str) -> None:
    finding = finding_of("monitor 2", "800 x 600", [TargetHit(AT, AT, AT), hit])
    assert finding.state == "missing" and told in finding.detail and finding.fix


def test_a_target_is_found_where_it_was_drawn() -> None:
    picture = Image.new("RGB", (300, 200), "white")
    corner = (AT.x - SIDE // 2, AT.y - SIDE // 2)
    assert find(picture) is None
    ImageDraw.Draw(picture).rectangle((*corner, corner[0] + SIDE - 1, corner[1] + SIDE - 1), COLOR)
    assert find(picture) == AT


def test_targets_lie_on_their_monitor() -> None:
    monitor = Box(1920, -200, 1280, 1024)
    found = list(places(monitor))
    assert len(found) == 5 and all(monitor.contains(place) for place in found)


class FakeTk:
    """What is drawn on the one window of tkinter, and what is clicked there; in its own coordinates."""

    def __init__(self) -> None:
        self.place = ""
        self.drawn: list[tuple[int, ...]] = []
        self.heard: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *given, **named: None

    def geometry(self, place: str) -> None:
        self.place = place

    def create_rectangle(self, *sides: int, **_: Any) -> None:
        self.drawn = [sides]

    def bind(self, event: str, heard: Any) -> None:
        self.heard = [heard]


@pytest.mark.parametrize(("scale", "corner"), [(1.0, (0, 0)), (2.0, (-400, 30))])
def test_targets_are_drawn_and_heard_where_the_picture_has_them(
    monkeypatch: pytest.MonkeyPatch, scale: float, corner: tuple[int, int]
) -> None:
    """A Retina screen has two pixels per point, and its first point may lie left of the main monitor."""
    window = FakeTk()
    made = SimpleNamespace(Tk=lambda: window, Canvas=lambda *_, **__: window)
    monkeypatch.setitem(sys.modules, "tkinter", made)
    monkeypatch.setattr("gui_agent.cli.screen_check.DRAWING", 0.0)
    monitor = Box(800, 100, 1600, 1200)
    target = TkTarget(monitor, corner, scale)
    width, height = round(monitor.width / scale), round(monitor.height / scale)
    left, top = round(monitor.left / scale) + corner[0], round(monitor.top / scale) + corner[1]
    assert window.place == f"{width}x{height}{left:+d}{top:+d}"
    for place in places(monitor):
        target.draw(place)
        (sides,) = window.drawn
        middle = [(one + other) // 2 for one, other in zip(sides[:2], sides[2:], strict=True)]
        window.heard[0](SimpleNamespace(x=middle[0], y=middle[1]))
        arrived = target.arrival()
        error = TargetHit(place, place, arrived).error
        assert error is not None and error <= scale / 2
