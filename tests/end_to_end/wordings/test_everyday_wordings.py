"""Requests in ordinary people's words are carried out on the right things, or refused, never mistaken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from guiagent_eval.page_computer import PageComputer

from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.core import actions as do
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Observation, Point, Target, on_one_line
from gui_agent.core.trajectory import Planned
from gui_agent.planners.commands import Unparsed, parse, say
from gui_agent.planners.commands.commands import Command
from gui_agent.planners.commands.compiler import Planning

pytestmark = pytest.mark.nightly

PAGE = Path(__file__).parents[2] / "pages" / "everyday.html"
REQUESTS = [
    tuple(line.split(" => "))
    for line in Path(__file__).with_name("everyday.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
"""What people say, and what it means on the page; written down before anybody looked at the grammar."""


@pytest.fixture(scope="module")
def screen() -> Iterator[Observation]:
    with PageComputer(size=(1200, 1300)) as computer:
        computer.start(PAGE.as_uri())
        yield computer.observe()


def meant(request: str, screen: Observation) -> str:
    """What a request does on the screen, in the words of the bed; `refuse` where it is not done."""
    commands = parse(request)
    if isinstance(commands, Unparsed):
        return "refuse"
    told: list[str] = []
    for command in commands:
        try:
            told.append(_command(command, screen, behind=bool(told)))
        except (NotFound, Ambiguous):
            return "refuse"
    return " ; ".join(told)


def _command(command: Command, screen: Observation, *, behind: bool) -> str:
    planning = Planning(screen, ScreenGrounder())
    try:
        plan = planning.plan(command)
    except NotFound:
        if not behind:
            raise
        return f"later {say(command)}"
    if plan.unmet:
        raise NotFound(plan.unmet)
    if plan.notes:
        return "read " + "; ".join(plan.notes.values())
    return " ; ".join(_action(one, screen) for one in plan.planned)


def _action(planned: Planned, screen: Observation) -> str:
    match planned.action:
        case do.Click(at, button, clicks):
            verb = {"right": "right", "middle": "middle"}.get(button, {2: "double"}.get(clicks, "click"))
            return f"{verb} {_thing(at, screen, 'click')}"
        case do.TypeText(text, at, replace):
            verb = "append" if not replace else "type" if text else "clear"
            return f"{verb} {_thing(at, screen, 'type')}" + f" = {text}" * bool(text)
        case do.Choose(at, option):
            return f"choose {_thing(at, screen, 'choose')} = {option}"
        case do.Check(at, on):
            return f"{'tick' if on else 'untick'} {_thing(at, screen, 'check')}"
        case do.Upload(at, files):
            return f"upload {_thing(at, screen, 'upload')} = {', '.join(files)}"
        case do.Move(at):
            return f"hover {_thing(at, screen, 'move')}"
        case do.Drag(at, to):
            return f"drag {_thing(at, screen, 'drag')} > {_thing(to, screen, 'drag')}"
        case do.Press(keys, times):
            return " ; ".join(["press " + "+".join(keys)] * times)
        case do.Scroll(_, down):
            return f"scroll {'down' if down > 0 else 'up'}"
        case do.Wait(seconds, until):
            return f"waitfor {until}" if until else f"wait {seconds:g}"
        case other:
            return other.kind


def _thing(at: Target | None, screen: Observation, verb: str) -> str:
    if at is None:
        return "focus"
    if isinstance(at, Point):
        around = screen.smallest_at(at)
        assert around is not None
        return f"{'below' if at.y > around.box.center.y else 'above'} {around.role} {around.name}"
    element = ScreenGrounder().locate(at, screen, verb=verb).element
    assert element is not None
    if element.is_text and element.role == "text":
        holders = [e for e in screen.controls if e.path == element.path and not e.is_text]
        element = holders[0] if holders else element  # a click on its text is a click on the control
    name = element.name or next(iter(element.labels), "")
    rows = [
        e.name
        for e in screen.elements
        if e.name in ("Ann Berg", "Otto Costa", "Lea Diaz")
        and e.id != element.id
        and on_one_line(e.box, element.box)
    ]
    row = f" @ {rows[0]}" if element.role == "button" and name in ("Edit", "Delete") else ""
    return f"{element.role} {name}{row}"


BAR = 0.9


def test_most_everyday_requests_are_understood_and_none_is_mistaken(screen: Observation) -> None:
    told = [(request, want, meant(request, screen)) for request, want in REQUESTS]
    mistaken = [one for one in told if one[2] not in (one[1], "refuse")]
    assert not mistaken
    right = [one for one in told if one[1] == one[2]]
    assert len(REQUESTS) > 150
    assert len(right) >= BAR * len(REQUESTS), [one for one in told if one not in right]
