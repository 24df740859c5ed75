"""Tasks practised: which are tried again, and what of them is remembered."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import ClassVar

import pytest
from click.testing import CliRunner
from guiagent_eval.cli.practice import practice
from guiagent_eval.practice.explore import practise
from guiagent_eval.task_list import TaskList

from gui_agent import wiring
from gui_agent.core.actions import Click
from gui_agent.core.observation import Words
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import Decision, Finish, GiveUp, Planned, Task
from gui_agent.procedures.library.memory import Memory
from gui_agent.settings import Settings, override
from gui_agent.testing import FakeComputer, button, checkbox, field, link, screen, text, when

TABLE = """[{0}]
task = "{0} the lamp"
start = "dark"
check = 'check "Light" is shown'
"""
TASKS = "".join(map(TABLE.format, ("Own", "Try", "Miss")))


class Room(FakeComputer):
    def __init__(self) -> None:
        lit = screen(text("Light"), app="lamps.example")
        dark = screen(button("Switch"), button("Knob"), app="lamps.example")
        super().__init__({"dark": dark, "lit": lit}, [when("click", "Switch", go="lit")])


class Coin:
    """Right for one task always, for the next every other time, for the third never; it always says done."""

    name = "coin"
    tries: ClassVar[Counter[str]] = Counter()

    def decide(self, situation: Situation) -> Decision:
        if situation.turns:
            return Decision(end=Finish(), planner=self.name)
        what = situation.task.text.split()[0]
        self.tries[what] += 1
        right = what == "Own" or (what == "Try" and self.tries[what] % 2 == 0)
        return Decision(planned=(Planned(Click(Words("Switch" if right else "Knob"))),), planner=self.name)


@pytest.mark.parametrize("untrusted", [False, True])
def test_what_succeeds_sometimes_is_tried_again_and_what_is_verified_remembered(
    tmp_path: Path, untrusted: bool
) -> None:
    Coin.tries.clear()
    file, kept = tmp_path / "tasks.toml", tmp_path / "memory.db"
    file.write_text(TASKS)
    settings = [f"memory.path={kept}", f"computer.kind={__name__}:Room", "trace.folder=", "model.name=none"]
    settings += ['memory.untrusted=["lamps.example"]'] * untrusted
    given = ["run", str(file), "--planner", f"{__name__}:Coin", "--rounds", "2", "--group", "4"]
    said = CliRunner().invoke(practice, [*given, *(part for one in settings for part in ("--set", one))])
    assert said.exit_code == 0, (said.output, said.exception)
    assert Coin.tries == {"Own": 4, "Try": 8, "Miss": 4}
    assert "Try: 2 of 4 verified" in said.output and "Miss: 0 of 4 verified, 0 new" in said.output
    with closing(Memory(kept)) as memory:
        entries = memory.exemplars.store.entries()
    assert {one.task for one in entries} == {"Own the lamp", "Try the lamp"}
    assert all(bool(one.quarantined) == untrusted for one in entries)


class Reader:
    """A planner of one's own: reads what it is shown of earlier runs, and gives up."""

    name = "reader"
    shown: ClassVar[list[str]] = []

    def decide(self, situation: Situation) -> Decision:
        self.shown.extend(one.task for one in situation.exemplars)
        return Decision(end=GiveUp("read"), planner=self.name)


class Shop(FakeComputer):
    def __init__(self) -> None:
        form = screen(field("Name"), app="lamps.example")
        super().__init__(
            {"home": screen(button("Details"), app="lamps.example"), "form": form},
            [when("click", "Details", go="form")],
        )


def test_what_was_practised_as_commands_is_done_in_words_with_another_value_and_no_model(
    tmp_path: Path,
) -> None:
    file, shop = tmp_path / "tasks.toml", Shop()
    table = {
        "task": 'click "Details", type "Ada" into "Name" textbox',
        "start": "home",
        "check": 'check "Name" textbox is "Ada"',
        "words": ['The field Name ought to hold "Ada"'],
    }
    file.write_text("[one]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items()))
    kept = {"memory": {"path": str(tmp_path / "memory.db")}, "trace": {"folder": ""}}
    own = override(Settings(), {**kept, "model": {"name": "none"}})

    def ask() -> bool:
        asked = Task('The field Name ought to hold "Grace"', "home")
        run = wiring.run(asked, settings=own, computer=shop)
        return run.ok and run.trajectory.steps[-1].after.elements[0].value == "Grace"

    assert not ask()
    benchmark = TaskList(str(file), f"{__name__}:Shop")
    benchmark.setup()
    assert list(practise(benchmark, own, rounds=1, group=2)) == [("one", 2, 1)]
    assert ask()
    Reader.shown.clear()
    other = {"model": {"name": "http://127.0.0.1:9/v1#any"}, "planner": {"kind": f"{__name__}:Reader"}}
    wiring.run(Task('I would like "Grace" as the name', "home"), settings=override(own, other), computer=shop)
    assert Reader.shown == ['The field Name ought to hold "Ada"']


class Admin(FakeComputer):
    """Two lists of records: behind one is a form, in the other a record can be chosen."""

    def __init__(self) -> None:
        top = [link("Users"), link("Groups")]
        screens = {
            "home": screen(*top, text("Welcome"), app="admin.example", title="Home"),
            "users": screen(*top, text("› Users"), link("Add user"), app="admin.example", title="Users"),
            "form": screen(*top, text("› Add user"), field("Name"), app="admin.example", title="New"),
            "groups": screen(*top, text("› Groups"), checkbox("Crime"), app="admin.example", title="Groups"),
            "one": screen(
                *top, text("1 of 2 selected"), checkbox("Crime", on=True), app="admin.example", title="Groups"
            ),
        }
        pages = {"Users": "users", "Groups": "groups", "Add user": "form", "Crime": "one"}
        super().__init__(
            screens,
            [when(kind, name, go=page) for name, page in pages.items() for kind in ("click", "check")],
        )


def test_goals_of_one_wording_that_are_reached_in_other_ways_are_kept_apart(tmp_path: Path) -> None:
    goals = {
        "1 of 2 selected": 'click "Groups" link, tick "Crime" checkbox',
        "› Add user": 'click "Users" link, click "Add user" link',
    }
    file, admin = tmp_path / "tasks.toml", Admin()
    tables = [
        {
            "task": task,
            "start": "home",
            "check": f'check "{goal}" is shown',
            "words": [f'Get to where it says "{goal}"'],
        }
        for goal, task in goals.items()
    ]
    lines = [[f"{key} = {json.dumps(value)}" for key, value in table.items()] for table in tables]
    file.write_text("\n".join("\n".join((f"[task-{number}]", *each)) for number, each in enumerate(lines)))
    kept = {"memory": {"path": str(tmp_path / "memory.db")}, "trace": {"folder": ""}}
    own = override(Settings(), {**kept, "model": {"name": "none"}})
    benchmark = TaskList(str(file), f"{__name__}:Admin")
    benchmark.setup()
    assert [kept for *_, kept in practise(benchmark, own, rounds=1, group=1)] == [1, 1]
    for goal in goals:
        run = wiring.run(Task(f'Get to where it says "{goal}"', "home"), settings=own, computer=admin)
        assert any(one.name == goal for one in run.trajectory.steps[-1].after.elements), (goal, run.reason)
