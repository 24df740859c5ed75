"""What clicked targets say about a monitor."""

from __future__ import annotations

import pytest
from PIL import Image, ImageDraw

from gui_agent.cli.screen_check import judged
from gui_agent.computers.desktop.target import COLOR, SIDE, TargetHit, find, places
from gui_agent.core.geometry import Box, Point

AT = Point(100, 50)


def test_clicks_that_arrive_are_fine() -> None:
    finding = judged("monitor 1", "800 x 600", [TargetHit(AT, AT, AT), TargetHit(AT, AT, Point(101, 50))])
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
    finding = judged("monitor 2", "800 x 600", [TargetHit(AT, AT, AT), hit])
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
