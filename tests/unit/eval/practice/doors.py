"""A small benchmark in memory: doors, of which a task names one; some have to be unlocked first."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from guiagent_eval.benchmark import Case, Grade

from gui_agent.core.dialogue import Asked, Reply, Request, Traits
from gui_agent.core.errors import ConfigError
from gui_agent.core.trajectory import Task
from gui_agent.testing import FakeComputer, World, button, screen, text, when

DOORS = ("Ash", "Birch", "Cedar", "Douglas", "Elm")
TASKS = ("open", "unlock")


class Doors:
    """Episodes end when a door is tried: the right one earns 1, all others and locked ones nothing."""

    name = "doors"

    def __init__(self, note: str = "", idle: bool = False) -> None:
        """Args: note: stands on each screen; idle: so does a button that does nothing."""
        self._note, self._idle = note, idle

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
        yield DoorEpisode(case, self._note, ["Idle"] if self._idle else [])


class ForkedDoors(Doors):
    """Doors whose episodes can be opened a second time."""

    def __init__(self, note: str = "", idle: bool = False, elsewhere: bool = False) -> None:
        """Args: elsewhere: a fork shows something that the episode does not."""
        super().__init__(note, idle)
        self._elsewhere, self.forked = elsewhere, 0

    def fork(self, case: Case) -> AbstractContextManager[DoorEpisode]:
        self.forked += 1
        return ForkedDoors(self._elsewhere * "Elsewhere").episode(case)


class DoorEpisode:
    def __init__(self, case: Case, note: str, idle: Sequence[str] = ()) -> None:
        dice = random.Random(case.seed)
        self.wanted = dice.choice(DOORS)
        self.task = Task(f"Open the door {self.wanted}" + (" of the vault" if case.task == "unlock" else ""))
        self.tried = ""
        self._locked = case.task == "unlock"
        shown = [button(name) for name in dice.sample(DOORS, len(DOORS))]
        more = [*map(button, idle), *([text(note)] if note else [])]
        self.computer = FakeComputer(
            screen(*shown, button("Key"), *more, title="Doors"),
            [
                when("click", "Key", go=self._turn),
                *(when("click", name, go=self._try(name)) for name in DOORS),
            ],
        )

    def _turn(self, world: World) -> None:
        self._locked = False
        world.change("Key", name="Key is turned")

    def _try(self, name: str) -> Any:
        def tried(world: World) -> None:
            self.tried = name
            world.change(name, name=f"{name} was tried")

        return tried

    def end_reason(self) -> str:
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


def words_of(request: Request) -> str:
    asked = [turn for turn in request.turns if isinstance(turn, Asked)]
    return "\n".join(part for turn in asked for part in turn.parts if isinstance(part, str))


class Pupil:
    """A model that opens what it is told to, and thinks of the key only where it is reminded."""

    name = "pupil"
    traits = Traits(tools=False)

    def complete(self, request: Request) -> Reply:
        told = words_of(request)
        goal = re.findall(r"^Task: (.*)$", told, re.MULTILINE)[0]
        if self.reminded(told, goal) and "Key is turned" not in told:
            return Reply(json.dumps(click(mark_of(told, "Key"))))
        return Reply(json.dumps(policy(goal, told)))

    def reminded(self, told: str, goal: str) -> bool:
        return "Turn the key" in told


class LuckyPupil(Pupil):
    """Happens to turn the key before some doors."""

    def reminded(self, told: str, goal: str) -> bool:
        return "Douglas" in goal


class Coin:
    """A model that is right every second time, on the average."""

    name = "coin"
    traits = Traits(tools=False)
    dice = random.Random(1)

    def complete(self, request: Request) -> Reply:
        told = words_of(request)
        named = re.search(r"door (\w+)", told)
        assert named is not None
        wrong = next(name for name in DOORS if name != named[1])
        return Reply(json.dumps(click(mark_of(told, self.dice.choice((named[1], wrong))))))


class Watchman:
    """A judge who looks which door was tried."""

    name = "watchman"
    traits = Traits()

    def complete(self, request: Request) -> Reply:
        told = words_of(request)
        named = re.search(r"door (\w+)", told)
        assert named is not None
        runs = told.split(", what was done:")[1:]
        if runs:
            right = [number for number, run in enumerate(runs, 1) if f'"{named[1]} was tried"' in run]
            return Reply(f"Difference: the door.\nBEST: {(right or [1])[0]}")
        score = 5 if f'"{named[1]} was tried"' in told else 1
        return Reply(f"Reason: the door.\nEvidence: 1\nScore: {score}")


class Teacher:
    """Sees what the good runs did and the bad ones did not."""

    name = "teacher"
    traits = Traits()

    def complete(self, request: Request) -> Reply:
        well = words_of(request).partition("went BADLY")[0]
        assert "Key" in well
        return Reply(json.dumps({"lessons": [{"text": "Turn the key before you open a door of the vault."}]}))
