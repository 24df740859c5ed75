"""The actions of the providers' own computer tools."""

from __future__ import annotations

from typing import Any

import pytest

from gui_agent.core.actions import Back, Click, Drag, Hold, Move, Press, Proposal, Scroll, TypeText, Wait
from gui_agent.core.observation import Box, Point, Size
from gui_agent.models import messages, responses
from gui_agent.models.codec import ModelView
from gui_agent.models.families import family
from gui_agent.models.pictures import Space

VIEW = ModelView("m", family("gpt-5.4"), "responses", space=Space(Size(1000, 800), 1000, 800))
AT = Point(10, 20)


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ({"type": "click", "x": 10, "y": 20, "button": "left"}, Click(AT)),
        (
            {"type": "click", "x": 10, "y": 20, "button": "wheel", "keys": ["CTRL"]},
            Click(AT, "middle", 1, ("ctrl",)),
        ),
        ({"type": "click", "x": 10, "y": 20, "button": "back"}, Back()),
        ({"type": "double_click", "x": 10, "y": 20}, Click(AT, "left", 2)),
        (
            {"type": "drag", "path": [{"x": 10, "y": 20}, {"x": 1, "y": 1}, {"x": 30, "y": 40}]},
            Drag(AT, Point(30, 40)),
        ),
        ({"type": "keypress", "keys": ["CTRL", "S"]}, Press(("ctrl", "S"))),
        ({"type": "move", "x": 10, "y": 20}, Move(AT)),
        ({"type": "scroll", "x": 10, "y": 20, "scroll_x": 0, "scroll_y": 240}, Scroll(AT, 240)),
        ({"type": "type", "text": "hi"}, TypeText("hi")),
        ({"type": "wait"}, Wait(2.0)),
    ],
)
def test_actions_of_the_computer_tool(action: dict[str, Any], expected: Proposal) -> None:
    call = responses.call("c", {"status": "completed", "actions": [action]}, VIEW)
    assert (call.error, call.proposals) == ("", (expected,))
    assert responses.call("c", {"action": action}, VIEW).proposals == (expected,)


@pytest.mark.parametrize(
    "item",
    [
        {},
        {"actions": []},
        {"action": {"type": "wait"}, "actions": [{"type": "wait"}]},
        {"actions": ["click"]},
        {"actions": [{"type": "click", "x": "a", "y": 1}]},
        {"actions": [{"type": "click", "x": 1, "y": 1, "button": "thumb"}]},
        {"actions": [{"type": "drag", "path": [{"x": 1, "y": 1}]}]},
        {"actions": [{"type": "wait"}, {"type": "triple_tap"}]},
        {"actions": [{"type": "keypress", "keys": []}]},
    ],
)
def test_a_wrong_batch_is_refused_as_a_whole(item: dict[str, Any]) -> None:
    call = responses.call("c", item, VIEW)
    assert call.error and not call.proposals


def test_a_screenshot_is_a_look() -> None:
    assert responses.call("c", {"actions": [{"type": "screenshot"}]}, VIEW).look


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("left_click", {"coordinate": [10, 20]}, [Click(AT)]),
        (
            "left_click",
            {"coordinate": [10, 20], "text": "ctrl+shift"},
            [Click(AT, "left", 1, ("ctrl", "shift"))],
        ),
        ("left_click", {}, [Click(Point(7, 8))]),
        ("triple_click", {"coordinate": [10, 20]}, [Click(AT, "left", 3)]),
        (
            "left_click_drag",
            {"start_coordinate": [10, 20], "coordinate": [30, 40]},
            [Drag(AT, Point(30, 40))],
        ),
        ("mouse_move", {"coordinate": [10, 20]}, [Move(AT)]),
        (
            "scroll",
            {"coordinate": [10, 20], "scroll_direction": "up", "scroll_amount": 3},
            [Scroll(AT, -360)],
        ),
        ("key", {"text": "ctrl+s", "repeat": 2}, [Press(("ctrl", "s"), 2)]),
        ("key", {"text": "Tab Return"}, [Press(("tab",)), Press(("return",))]),
        ("hold_key", {"text": "a", "duration": 2}, [Hold(("a",), 2)]),
        ("wait", {"duration": 1}, [Wait(1)]),
        ("type", {"text": "a b"}, [TypeText("a b")]),
    ],
)
@pytest.mark.parametrize("kind", ["toolset", "toolset without its name", "older tool"])
def test_actions_of_the_toolset_and_of_the_older_tool(
    name: str, given: dict[str, Any], expected: list[Proposal], kind: str
) -> None:
    block = {"id": "t", "name": name, "input": given}
    if kind == "toolset":
        block["toolset_name"] = "computer"
    elif kind == "older tool":
        block = {"id": "t", "name": "computer", "input": {"action": name, **given}}
    call = messages.call(block, VIEW, Point(7, 8))
    assert (call.error, list(call.proposals)) == ("", expected)


def test_a_zoom_is_a_look_at_a_region() -> None:
    block = {"id": "t", "name": "zoom", "toolset_name": "computer", "input": {"region": [10, 20, 110, 70]}}
    call = messages.call(block, VIEW, None)
    assert call.look and call.region == Box(10, 20, 100, 50)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("left_click", {}),
        ("left_mouse_down", {}),
        ("scroll", {"scroll_direction": "in", "scroll_amount": 1}),
        ("zoom", {"region": [1, 2]}),
        ("zoom", {"region": [50, 50, 10, 10]}),
        ("key", {"text": ""}),
        ("type", {}),
        ("jump", {}),
    ],
)
def test_what_cannot_be_done_is_told(name: str, given: dict[str, Any]) -> None:
    block = {"id": "t", "name": name, "toolset_name": "computer", "input": given}
    call = messages.call(block, VIEW, None)
    assert call.error and not call.proposals and not call.look
