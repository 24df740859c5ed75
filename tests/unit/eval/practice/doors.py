"""A small benchmark in memory: doors, of which a task names one; some have to be unlocked first."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from guiagent_eval.benchmark import Case, Grade

from gui_agent.core.errors import ConfigError
from gui_agent.core.trajectory import Task
from gui_agent.testing import FakeComputer, World, button, screen, text, when

DOORS = ("Ash", "Birch", "Cedar", "Douglas", "Elm")
TASKS = ("open", "unlock")


class Doors:
    """Episodes end when a door is tried: the right one earns 1, all others and locked ones nothing."""

    name = "doors"

    def __init__(self, note: str = "") -> None:
        """Args: note: stands on each screen."""
        self._note = note

    def tasks(self, suite: str) -> Sequence[str]:
        if suite != "all":
            raise ConfigError(f"there is no suite {suite}")
        return TASKS

    def setup(self) -> None: ...

    def teardown(self) -> None: ...

    @contextmanager
    def episode(self, case: Case) -> Iterator[DoorEpisode]:
        if case.task not in TASKS:
            raise ConfigError(f"there is no task {case.task}")
        yield DoorEpisode(case, self._note)


class DoorEpisode:
    def __init__(self, case: Case, note: str) -> None:
        dice = random.Random(case.seed)
        self.wanted = dice.choice(DOORS)
        self.task = Task(f"Open the door {self.wanted}" + (" of the vault" if case.task == "unlock" else ""))
        self.tried = ""
        self._locked = case.task == "unlock"
        shown = [button(name) for name in dice.sample(DOORS, len(DOORS))]
        more = [text(self._said(note))] if note else []
        self.computer = FakeComputer(
            screen(*shown, button("Key"), *more, title="Doors"),
            [
                when("click", "Key", go=self._turn),
                *(when("click", name, go=self._try(name)) for name in DOORS),
            ],
        )

    @staticmethod
    def _said(note: str) -> str:
        return note

    def _turn(self, world: World) -> None:
        self._locked = False
        world.change("Key", name="Key is turned")

    def _try(self, name: str) -> Any:
        def tried(world: World) -> None:
            self.tried = name
            world.change(name, name=f"{name} was tried")

        return tried

    def over(self) -> str:
        return f"{self.tried} was tried" if self.tried else ""

    def grade(self) -> Grade:
        won = self.tried == self.wanted and not self._locked
        return Grade(won, won, float(won), float(won), finished=bool(self.tried))


def mark_of(listing: str, name: str) -> int:
    """The number of a button in a list of elements."""
    found = re.search(rf'\[(\d+)\] button "{name}', listing)
    assert found is not None, listing
    return int(found[1])


def click(mark: int) -> dict[str, Any]:
    return {"actions": [{"kind": "click", "at": {"mark": mark}}]}


def policy(goal: str, listing: str) -> dict[str, Any]:
    """Opens the door that is named, and forgets the key."""
    named = re.search(r"door (\w+)", goal)
    assert named is not None
    return click(mark_of(listing, named[1]))
