"""Tries commands about records on generated pages, and judges which record they would act on."""

from __future__ import annotations

from collections.abc import Iterator

import record_pages
from guiagent_eval.page_computer import PageComputer
from record_pages import Command, Verdict

from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.core.actions import Navigate, Open
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Observation
from gui_agent.planners.commands.commands import Unparsed
from gui_agent.planners.commands.compiler import Planning
from gui_agent.planners.commands.parser import parse

IDS = {"Delete": "d", "Edit": "k", "checkbox": "c", "Open": "o", "select": "s"}
"""How the ids of controls begin, by the control that a command is about."""


def judge_page(computer: PageComputer, seed: int) -> Iterator[tuple[Command, Verdict, str]]:
    """Each command of a seed's page with its verdict and what it would do."""
    page = record_pages.page(seed)
    computer.evaluate("html => { document.open(); document.write(html); document.close() }", page.html)
    screen = computer.observe(picture=False)
    for command in page.commands:
        meant = _meaning(command, screen)
        yield command, _verdict(command, meant, page.rows), f"{page.shape}: {meant}"


def _verdict(command: Command, meant: str, rows: list[dict[str, str]]) -> Verdict:
    if meant.startswith("refused"):
        return "refused"
    kind, _, key = command.control.partition(":")
    if kind == "Open" and command.record is not None and meant.endswith(f' "{key}"'):
        return "right"  # the key itself
    fine = {
        _expected(command, number, rows) for number in (command.record, command.may_be) if number is not None
    }
    return "right" if meant in fine else "wrong"


def _expected(command: Command, number: int, rows: list[dict[str, str]]) -> str:
    if command.control.startswith("read:"):
        return f"read {rows[number][command.control.removeprefix('read:')]}"
    return IDS[command.control.partition(":")[0]] + str(number)


def _meaning(command: Command, screen: Observation) -> str:
    """What a command would do: the id of the control, `read VALUE`, or `refused: WHY`."""
    commands = parse(command.text)
    if isinstance(commands, Unparsed):
        return "refused: not understood"
    grounder = ScreenGrounder()
    try:
        plan = Planning(screen, grounder).plan(commands[0])
        if plan.notes:
            return f"read {next(iter(plan.notes.values()))}"
        action = plan.planned[-1].action
        if isinstance(action, Open | Navigate):
            return "refused: it opens a file or an address, and no record"
        element = grounder.locate(action.at, screen, verb=action.kind).element  # type: ignore[union-attr]
    except (NotFound, Ambiguous) as error:
        return f"refused: {error}"
    assert element is not None
    return element.attributes.get("id") or str(element)
