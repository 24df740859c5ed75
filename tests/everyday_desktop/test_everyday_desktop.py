"""Everyday steps in desktop programs pass without a question, and what cannot be undone is asked about.

The figures of today are in `figures.json`, written by `python -m tests.everyday_desktop --json FILE`: what is
needlessly asked about may only become less. All programs are tried by the slow tests, some by the quick ones.
"""

from __future__ import annotations

import json

import pytest

from tests.everyday_desktop.bed import FIGURES, WRONGS, Program, figures, judged, programs

TODAY = json.loads(FIGURES.read_text("utf-8"))
QUICK = ("zenity form", "zenity question")


def test_there_are_enough_steps_in_many_programs_and_few_are_asked_about() -> None:
    assert sum(len(one.everyday) for one in programs()) >= 150 and len(programs()) >= 20
    assert TODAY["all"]["judged"] >= 100 and len(TODAY) > 12
    assert len(TODAY["all"]["asked"]) <= 0.02 * TODAY["all"]["judged"]


def new_wrongs(program: Program) -> list[str]:
    """What is wrong now and was right in the figures of today."""
    found = figures(judged(program)).get(program.name, {})
    known = TODAY.get(program.name, {})
    return [one for wrong in WRONGS for one in found.get(wrong, ()) if one not in known.get(wrong, ())]


@pytest.mark.parametrize("name", QUICK)
def test_labels_of_fields_are_not_what_a_dialog_asks(name: str) -> None:
    program = next(one for one in programs() if one.name == name)
    if not program.is_installed:
        pytest.skip(f"{program.open.split()[0]} is not installed")
    assert new_wrongs(program) == []


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("program", programs(), ids=lambda program: program.name)
def test_no_program_is_asked_about_more_than_before(program: Program) -> None:
    if not program.is_installed:
        pytest.skip(f"{program.open.split()[0]} is not installed")
    assert new_wrongs(program) == []
