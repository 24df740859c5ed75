"""The store that comes with the project is whole, tells nothing of a machine, and does its tasks."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from gui_agent.cli.check import check
from gui_agent.cli.memory import memory
from gui_agent.content import content
from gui_agent.core.codec import decode
from gui_agent.core.observation import Observation
from gui_agent.core.trajectory import Task
from gui_agent.memory.entry import Entry
from gui_agent.procedures.library.memory import Memory
from gui_agent.procedures.library.recognise import recognise
from tests.contract.desktop.private import needs
from tests.end_to_end.desktop.effects import wait_for
from tests.starter.table import TABLE, WORKS
from tests.starter.work import PEOPLE, Work

FILES = sorted((content("memory") / "starter").glob("*.jsonl"))
LINES = [line for path in FILES for line in path.read_text("utf-8").splitlines()[1:]]
ENTRIES = [decode(Entry, line) for line in LINES]
OF_THIS_MACHINE = re.compile(r"/(tmp|work|root|var|run|mnt|opt)/|/home/(?!ada\b|grace\b)|\broot@|\\\\home")
WORDINGS = [
    (name, wording)
    for line in (Path(__file__).parent / "wordings.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
    for name, _, wording in [line.partition(" | ")]
]
FOUND, SHOWN = 0, 9
"""Of the other wordings: those that are replayed, and those for which a model is shown the right task."""
SLOWEST = 240.0
"""Seconds for one task on a busy machine."""


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory into which the store was imported, once and again."""
    path = tmp_path_factory.mktemp("starter") / "memory.db"
    command = ["import", "starter", "--set", f"memory.path={path}"]
    first, again = (CliRunner().invoke(memory, command, catch_exceptions=False) for _ in range(2))
    assert first.output == f"{len(ENTRIES)} added, 0 known already\n"
    assert again.output == f"0 added, {len(ENTRIES)} known already\n"
    return path


def test_every_task_of_the_table_is_in_the_store_as_often_as_it_was_shown() -> None:
    assert Counter(entry.family for entry in ENTRIES) == {work.name: len(work.shown) for work in WORKS}
    assert [path.stem for path in FILES] == sorted(TABLE)


def test_every_entry_holds_its_trajectory_and_its_values() -> None:
    shown = {(one.name, one.task.format(**values)): values for one in WORKS for values in one.shown}
    for entry in ENTRIES:
        assert shown[entry.family, entry.task].items() <= entry.values.items()
        assert entry.demonstration is not None and entry.demonstration.steps
        assert entry.demonstration.task == entry.task
        assert all(step.screen is not None for step in entry.demonstration.steps)


def test_nothing_in_the_store_tells_on_which_machine_it_was_recorded() -> None:
    assert [found.group() for line in LINES if (found := OF_THIS_MACHINE.search(line))] == []


def test_a_file_of_the_name_is_a_file_like_others_and_waits_for_approval(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("starter").write_text("\n".join([*FILES[0].read_text("utf-8").splitlines()[:2], ""]))
    given = ["import", "starter", "--set", "memory.path=mine.db"]
    assert "1 added" in CliRunner().invoke(memory, given, catch_exceptions=False).output
    assert [bool(entry.quarantined) for entry in Memory("mine.db").exemplars.store.entries()] == [True]


@pytest.mark.nightly
def test_every_task_is_found_with_other_values_and_none_is_mistaken_for_another(imported: Path) -> None:
    known = Memory(imported)
    for work in WORKS:
        chosen = recognise(Task(work.asked(2)), known).choice
        assert chosen is not None and chosen.procedure.name == work.name, work.asked(2)
        assert work.other.items() <= chosen.values.items()
    assert len(known.procedures()) == len(WORKS)
    known.close()


def families_shown(known: Memory, wanted: str, wording: str) -> set[str]:
    """The procedures that a model is shown in a run on the first screen of each program of the task."""
    shown = next(entry.demonstration for entry in ENTRIES if entry.family == wanted)
    screens = [step.screen for step in shown.steps if step.screen is not None] if shown else []
    programs = {screen.place.app: screen for screen in reversed(screens)}
    found: set[str] = set()
    for number, screen in enumerate(reversed(programs.values())):
        seen = Observation(screen.size, screen.elements, screen.place)
        recalled = known.exemplars.recall(Task(wording), seen, wording if number else None)
        found |= {known.exemplars.store.entry(one.id).family for one in recalled}
    return found


@pytest.mark.nightly
def test_other_wordings_find_their_task_or_none_and_a_model_is_shown_the_right_one(imported: Path) -> None:
    """Of the ten, written before any was tried, these many are replayed without a model and shown to one."""
    known = Memory(imported)
    replayed, shown = set(), set()
    for wanted, wording in WORDINGS:
        chosen = recognise(Task(wording), known).choice
        assert chosen is None or chosen.procedure.name == wanted, wording
        replayed |= {wanted} if chosen is not None else set()
        shown |= {wanted} if wanted in families_shown(known, wanted, wording) else set()
    known.close()
    assert (len(replayed), len(shown)) == (FOUND, SHOWN), (sorted(replayed), sorted(shown))


@pytest.mark.nightly
@pytest.mark.timeout(SLOWEST)
@pytest.mark.parametrize("work", [pytest.param(work, id=work.name) for work in WORKS])
def test_a_procedure_does_its_task_with_other_values(work: Work, imported: Path, tmp_path: Path) -> None:
    needs("Xvfb", "openbox", "dbus-daemon", *work.needs)
    home = work.prepare(tmp_path, 2)
    given = [f"{name}={value}" for name, value in work.other.items()]
    settings = [f"memory.path={imported}", f"computer.options.home={home}", "computer.options.observe=tree"]
    command = [work.name, "--on", "virtual", "--yes", "--json", "--runs", str(tmp_path / "runs")]
    done = CliRunner().invoke(
        check,
        [*command, *(word for one in (*settings, *given) for word in ("--set", one))],
        catch_exceptions=False,
        standalone_mode=False,
    )
    told = json.loads(done.stdout)
    lost = [step for step in told["steps"] if step["passed"] is False]
    assert told["passed"], (told["reason"], lost)
    assert wait_for(work.effect(work.other), home), sorted(map(str, home.rglob("*")))[:40]


def test_the_person_it_is_checked_with_is_nowhere_in_the_store() -> None:
    assert not any(f"/home/{PEOPLE[2]}" in line for line in LINES)
