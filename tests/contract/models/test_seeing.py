"""A scripted model finds the target in the picture it was sent and answers in its family's coordinates."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from gui_agent.core.actions import Click
from gui_agent.core.dialogue import Request, Tool
from gui_agent.core.observation import Observation, Point, Size
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import Task
from gui_agent.models import RemoteModel, describe_model
from gui_agent.models.families import CLAUDE
from gui_agent.models.families import FAMILIES as ROWS
from gui_agent.planners.llm import ModelPlanner
from tests.contract.models.conftest import (
    SCREEN,
    TARGET,
    Answer,
    Service,
    asking,
    chat,
    computer_call,
    member,
    messages,
    responses,
    screenshot,
    seen,
    single,
)

Say = Callable[[Any, Any], str]
CLICK = Tool("click", "Click a place.", {"type": "object", "properties": {"at": {"type": "object"}}})


def _qwen(x: Any, y: Any) -> str:
    call = {"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [x, y]}}
    return f"I click it.\n<tool_call>\n{json.dumps(call)}\n</tool_call>"


def _tars(x: Any, y: Any) -> str:
    return f"Thought: There it is.\nAction: click(start_box='({x},{y})')"


def _tars_point(x: Any, y: Any) -> str:
    return f"Thought: There it is.\nAction: click(point='<point>{x} {y}</point>')"


def _tagged(x: Any, y: Any) -> str:
    call = f"<function=click><parameter=point><point>{x} {y}</point></parameter></function>"
    return f"<gui_think>There.</gui_think><seed:tool_call>{call}</seed:tool_call>"


def _code(x: Any, y: Any) -> str:
    return (
        f"## Thought: There.\n## Action: Click it.\n## Code:\n```python\npyautogui.click(x={x}, y={y})\n```"
    )


def _boxes(x: Any, y: Any) -> str:
    return f"<|box_start|>({x - 4},{y - 4}),({x + 4},{y + 4})<|box_end|>"


FAMILIES: list[tuple[str, Size | None, str, Say]] = [
    ("UI-TARS-72B-DPO", None, "thousand", _tars),
    ("UI-TARS-1.5-7B", Size(1932, 1092), "sent", _tars),
    ("UI-TARS-1.5-7B", Size(1932, 1092), "sent", _tars_point),
    ("doubao-1-5-ui-tars", None, "thousand", _tars_point),
    ("UI-TARS-2", None, "thousand", _tagged),
    ("Qwen2.5-VL-7B-Instruct", Size(1932, 1092), "sent", _qwen),
    ("Qwen3-VL-8B-Instruct", Size(1920, 1088), "thousand", _qwen),
    ("GUI-Owl-7B", Size(1932, 1092), "sent", _qwen),
    ("GUI-Owl-1.5-8B", Size(1920, 1088), "thousand", _qwen),
    ("OpenCUA-32B", Size(1932, 1092), "sent", _code),
    ("kimi-k2.5", None, "unit", _code),
    ("Fara-7B", Size(1932, 1092), "sent", _qwen),
    ("Aguvis-7B-720P", None, "unit", _code),
]
POINTERS: list[tuple[str, str, Say]] = [
    ("GTA1-7B", "sent", lambda x, y: f"({x}, {y})"),
    ("Jedi-3B-1080p", "sent", _qwen),
    ("Holo1.5-7B", "sent", lambda x, y: f'{{"action": "click_absolute", "x": {x}, "y": {y}}}'),
    ("UI-Ins-7B", "sent", lambda x, y: f"<think>(3, 4) no</think> [{x}, {y}]"),
    ("OS-Atlas-Base-7B", "thousand", _boxes),
    ("InternVL3-8B", "thousand", lambda x, y: f"[[{x - 5}, {y - 5}, {x + 5}, {y + 5}]]"),
]


def _answering(say: Say, units: str) -> Callable[[dict[str, Any]], Any]:
    def answer(body: dict[str, Any]) -> Any:
        return chat(say(*_units(body, units)))

    return answer


def _units(body: dict[str, Any], units: str) -> tuple[Any, Any]:
    at, size = seen(body)
    if units == "sent":
        return at.x, at.y
    x, y = at.x / size.width, at.y / size.height
    return (round(x, 4), round(y, 4)) if units == "unit" else (round(x * 1000), round(y * 1000))


def test_every_family_with_a_text_form_of_its_own_is_tried_here() -> None:
    tried = {describe_model(f"http://h/v1#{name}")[1].name for name, *_ in [*FAMILIES, *POINTERS]}
    assert tried == {row.name for row in ROWS if row.dialect}


@pytest.mark.parametrize(
    ("name", "platform", "ends"),
    [
        ("UI-TARS-1.5-7B", "browser", "finished"),
        ("UI-TARS-72B-DPO", "android", "finished"),
        ("Qwen3-VL-8B-Instruct", "browser", "terminate"),
        ("GUI-Owl-1.5-8B", "android", "terminate"),
    ],
)
def test_a_family_is_asked_as_it_was_trained_with_one_way_to_end(
    opened: Callable[..., RemoteModel], service: Service, name: str, platform: str, ends: str
) -> None:
    say = _tars if ends == "finished" else _qwen
    service.script = [Answer(chat(say(10, 10)))]
    planner = ModelPlanner(opened(name), native=True)
    planner.decide(
        Situation(Task("Buy a lamp"), Observation(SCREEN, screenshot=screenshot()), platform=platform)
    )
    first, *rest = service.asked[-1].body["messages"]
    told = json.dumps([first, *rest])
    assert "DONE:" not in told and f"{ends}" in told and "Buy a lamp" in told
    assert "What stands between" in told, "the rules are there"
    if ends == "finished":
        assert [one["role"] for one in (first, *rest)] == ["user"]
        text = first["content"][0]["text"]
        assert text.startswith("You are a GUI agent.") and "## User Instruction\nTask: Buy a lamp" in text
        assert ("open_app" in text) == (platform == "android")
    else:
        function = json.loads(first["content"].partition("<tools>\n")[2].partition("\n</tools>")[0])
        named = function["function"]["name"]
        assert named == ("mobile_use" if platform == "android" else "computer_use")
        assert ends in function["function"]["parameters"]["properties"]["action"]["enum"]


def _near(place: Any) -> bool:
    return isinstance(place, Point) and abs(place.x - TARGET.x) <= 2 and abs(place.y - TARGET.y) <= 2


@pytest.mark.parametrize(("name", "size", "units", "say"), FAMILIES)
def test_a_family_with_its_own_text_form_hits_the_target(
    opened: Callable[..., RemoteModel],
    service: Service,
    name: str,
    size: Size | None,
    units: str,
    say: Say,
) -> None:
    service.script = [_answering(say, units)]
    model = opened(name)
    reply = model.complete(asking(computer=True))
    assert [call.error for call in reply.calls] == [""]
    (click,) = reply.calls[0].proposals
    assert isinstance(click, Click) and _near(click.at)
    assert size is None or seen(service.asked[0].body)[1] == size


@pytest.mark.parametrize(("name", "units", "say"), POINTERS)
def test_a_pointing_model_hits_the_target(
    opened: Callable[..., RemoteModel], service: Service, name: str, units: str, say: Say
) -> None:
    service.script = [_answering(say, units)]
    reply = opened(name).complete(asking("the magenta square", purpose="point"))
    (click,) = reply.calls[0].proposals
    assert isinstance(click, Click) and _near(click.at)
    assert "magenta" in json.dumps(service.asked[0].body)


def test_the_computer_tool_of_the_responses_api_hits_the_target(
    opened: Callable[..., RemoteModel], service: Service
) -> None:
    def answer(body: dict[str, Any]) -> Any:
        at, size = seen(body)
        assert size == SCREEN
        return responses(computer_call({"type": "click", "x": at.x, "y": at.y, "button": "left"}))

    service.script = [answer]
    reply = opened("gpt-5.4", "responses").complete(asking(computer=True))
    (click,) = reply.calls[0].proposals
    assert isinstance(click, Click) and _near(click.at)
    assert service.asked[0].body["tools"] == [{"type": "computer"}]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("claude-sonnet-5-5", "computer_toolset_20260801"),
        ("claude-opus-4-6", "computer_20251124"),
        ("claude-haiku-4-5", "computer_20250124"),
    ],
)
def test_the_computer_tools_of_the_messages_api_hit_the_target(
    opened: Callable[..., RemoteModel], service: Service, name: str, kind: str
) -> None:
    def answer(body: dict[str, Any]) -> Any:
        at, size = seen(body)
        assert size == (SCREEN if kind.startswith("computer_toolset") else CLAUDE.size(SCREEN))
        coordinate = [at.x, at.y]
        if kind.startswith("computer_toolset"):
            return messages(member("left_click", coordinate=coordinate))
        tool = body["tools"][0]
        assert (tool["display_width_px"], tool["display_height_px"]) == (size.width, size.height)
        return messages(single("left_click", coordinate=coordinate))

    service.script = [answer]
    reply = opened(name, "messages").complete(asking(computer=True))
    (click,) = reply.calls[0].proposals
    assert isinstance(click, Click) and _near(click.at)
    (asked,) = service.asked
    assert asked.body["tools"][0]["type"] == kind
    assert ("anthropic-beta" in asked.headers) is (kind != "computer_toolset_20260801")


@pytest.mark.parametrize("wire", ["responses", "chat", "messages"])
@pytest.mark.parametrize("name", ["gpt-5.4", "claude-sonnet-5-5", "gemini-3-pro", "Qwen3-VL-8B"])
@pytest.mark.parametrize("purpose", ["plan", "point"])
def test_points_in_the_arguments_of_function_tools_become_screen_pixels(
    opened: Callable[..., RemoteModel], service: Service, wire: str, name: str, purpose: str
) -> None:
    model = opened(name, wire)
    if purpose == "point" and (model.view.native or model.family.dialect):
        pytest.skip("this model points with its own computer tool")
    units = "thousand" if model.family.grid else "sent"

    def answer(body: dict[str, Any]) -> Any:
        x, y = _units(body, units)
        at: dict[str, Any] = {"x": x, "y": y}
        called, given = ("point_at", at) if purpose == "point" else ("click", {"at": at})
        if wire == "chat":
            function = {"name": called, "arguments": json.dumps(given)}
            return chat(
                None, "tool_calls", tool_calls=[{"id": "c1", "type": "function", "function": function}]
            )
        if wire == "messages":
            return messages({"type": "tool_use", "id": "c1", "name": called, "input": given})
        call = {"type": "function_call", "id": "f1", "call_id": "c1", "name": called, "status": "completed"}
        return responses({**call, "arguments": json.dumps(given)})

    service.script = [answer]
    if purpose == "point":
        (proposal,) = model.complete(asking("the square", purpose="point")).calls[0].proposals
        assert isinstance(proposal, Click) and _near(proposal.at)
        return
    reply = model.complete(asking(tools=(CLICK,)))
    assert reply.stop == "calls" and reply.calls[0].id == "c1"
    at = reply.calls[0].arguments["at"]
    assert _near(Point(at["x"], at["y"]))


def test_a_model_without_a_picture_is_not_asked_to_point(opened: Callable[..., RemoteModel]) -> None:
    from gui_agent.core.errors import ConfigError

    with pytest.raises(ConfigError, match="screenshot"):
        opened("gpt-5.4", "responses").complete(Request("point", ()))
