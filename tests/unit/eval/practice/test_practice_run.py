"""Tasks practised: which are tried again, and what of them is remembered."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import ClassVar

import pytest
from click.testing import CliRunner
from guiagent_eval.cli.practice import practice

from gui_agent.core.actions import Click
from gui_agent.core.observation import Words
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import Decision, Finish, Planned
from gui_agent.procedures.library.memory import Memory
from gui_agent.testing import FakeComputer, button, screen, text, when

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
