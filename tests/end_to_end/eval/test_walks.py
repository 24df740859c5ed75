"""From an application that nobody has described to tasks done in words: explore, propose, practise, run."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from guiagent_eval.cli.practice import practice
from people import FIRST, people_server

from gui_agent import wiring
from gui_agent.core.trajectory import Task
from gui_agent.settings import Settings, override

COPY = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).backup(sqlite3.connect(sys.argv[2]))"


def practised(*given: str) -> str:
    said = CliRunner().invoke(practice, given)
    assert said.exit_code == 0, (said.output, said.exception)
    return said.output


@pytest.mark.nightly
@pytest.mark.timeout(900)
def test_records_are_added_changed_found_and_removed_in_words_after_practice(tmp_path: Path) -> None:
    walks, tasks, memory = (str(tmp_path / name) for name in ("walks", "tasks.toml", "memory.db"))
    with people_server(tmp_path) as people:
        first = people.copied(tmp_path / "first.db")
        allowed = ["--allow-writes", people.host]
        reset = ["--reset", f"{sys.executable} -c '{COPY}' {first} {people.file}"]
        practised("explore", "--url", people.address, "--steps", "12", "--seed", "1", "--out", walks)
        practised("propose", walks, "--out", tasks, "--goals", "2", *allowed, *reset)
        kinds = {one["about"].split("-")[0] for one in tomllib.loads(Path(tasks).read_text()).values()}
        assert kinds == {"find", "add", "change", "chain", "remove"}
        once = ["--rounds", "1", "--group", "1", "--set", f"memory.path={memory}", "--model", "none"]
        told = practised("run", tasks, *once, *allowed, *reset)
        assert "0 of 1" not in told
        own = {"memory": {"path": memory}, "model": {"name": "none"}, "trace": {"folder": ""}}
        settings = override(Settings(), {**own, "guard": {"yes": True}})
        for words, rows in (
            ('A new entry is to be added, with name "Zoe", born "2001-02-03" and town "Voss"', ADDED),
            ('Please correct the entry "Bo Ek" so that its born is "1999-09-09"', CHANGED),
            ('Please delete the entry "Bo Ek" for me', FIRST[:1]),
        ):
            people.reset()
            run = wiring.run(Task(words, people.address), settings=settings)
            assert run.ok and people.rows == [*rows], (words, run.reason, people.rows)


ADDED = (*FIRST, ("Zoe", "2001-02-03", "Voss"))
CHANGED = (FIRST[0], ("Bo Ek", "1999-09-09", "Bergen"))


@pytest.mark.nightly
@pytest.mark.timeout(300)
def test_without_leave_to_write_only_tasks_that_change_nothing_are_made(tmp_path: Path) -> None:
    with people_server(tmp_path) as people:
        walks, tasks = str(tmp_path / "walks"), tmp_path / "tasks.toml"
        practised("explore", "--url", people.address, "--steps", "4", "--out", walks)
        practised("propose", walks, "--out", str(tasks), "--goals", "2")
        assert people.rows == [*FIRST]
    made = tomllib.loads(tasks.read_text()).values()
    assert {one["about"].split("-")[0] for one in made} == {"find"}


def test_a_walk_holds_what_would_change_something_unless_its_host_is_named(tmp_path: Path) -> None:
    with people_server(tmp_path) as people:

        def explore(*given: str) -> str:
            walk = [
                "--url",
                f"{people.address}new",
                "--steps",
                "12",
                "--seed",
                "2",
                "--out",
                str(tmp_path / "w"),
            ]
            return practised("explore", *walk, *given)

        told = explore()
        assert people.rows == [*FIRST]
        assert (
            f"held, and not sent: 1 request to {people.host} that would" in told and "--allow-writes" in told
        )
        told = explore("--allow-writes", people.host)
        assert len(people.rows) > len(FIRST)
        assert f"sent: {len(people.rows) - len(FIRST)} request" in told and "held" not in told
    said = CliRunner().invoke(
        practice, ["explore", "--url", "x.example", "--out", "w", "--allow-writes", "http://x.example"]
    )
    assert said.exit_code and "write a host alone" in str(said.exception)
