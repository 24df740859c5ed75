"""OSWorld as a benchmark: each worker has a guest of its own, which is reset for every episode."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from guiagent_platforms.remote.client import GuestClient
from guiagent_platforms.remote.computer import RemoteComputer

from gui_agent.computers.desktop.computer import DesktopComputer
from gui_agent.core.errors import BenchmarkError, ComputerLost, ConfigError, GuiAgentError
from gui_agent.core.protocols import Computer
from gui_agent.core.trajectory import EndingKind, Task, Trajectory
from guiagent_eval.apps import SAVING
from guiagent_eval.benchmark import Case, Grade, Needs
from guiagent_eval.content import content
from guiagent_eval.osworld.person import PersonFile, SimulatedPerson
from guiagent_eval.osworld.place import LOCAL, QEMU, REMOTE, GuestPlace
from guiagent_eval.osworld.task_classes import ClassDescription, read_description, read_score
from guiagent_eval.osworld.task_classes import release as task_release
from guiagent_eval.osworld.tasks import (
    OsWorldTask,
    TaskFile,
    choose_tasks,
    human_steps,
    read_tasks,
    task_folder,
)
from guiagent_eval.osworld.windows import windows_computer
from guiagent_eval.summary import HUMAN

if TYPE_CHECKING:
    from PIL.Image import Image

RESTING, BETWEEN_LOOKS = 15.0, 0.3
BEFORE_SCORING = 20.0
"""Seconds between the agent's ending and OSWorld's evaluators, as in its own runner.

Programs write pending data within that time: Chromium its preferences ten seconds after a change.
"""


class GuestScreen(RemoteComputer):
    """A guest whose screen can also be captured beside the agent."""

    def __init__(self, name: str, *, guest_token: str = "") -> None:
        super().__init__(name, guest_token=guest_token)
        self._pictures = GuestClient(name, guest_token)

    def grab(self) -> Image:
        """The current screen. Raises ComputerLost: the guest shows none."""
        from PIL import Image, UnidentifiedImageError

        reply = self._pictures.get("/screenshot")
        try:
            return Image.open(io.BytesIO(reply.data)).convert("RGB")
        except (UnidentifiedImageError, OSError) as error:
            raise ComputerLost(f"the guest returns no picture: {reply.line}") from error

    def close(self) -> None:
        """Close both connections."""
        self._pictures.close()
        super().close()


class OsWorldEpisode:
    """One task on a guest in its first state."""

    def __init__(self, task: OsWorldTask, place: GuestPlace) -> None:
        self.file, self._place = task, place
        said: TaskFile | ClassDescription = task.file
        there = task.file.person
        self._later = 0
        """Maximum number of further phases."""
        if task.is_class:
            said, there = read_description(place.told)
            self._later = max(0, said.phases - 1)
        self.task = Task(said.commands if place.plain and said.commands else said.instruction)
        self.last = "DONE"
        self.said: EndingKind = "done"
        self._proved = False
        """Whether an oracle did it, to which the person says nothing."""
        self.person = self._player(there)
        self.policy = there.policy if there is not None else ""
        self._begun = "" if not task.own else place.fingerprint(task.file.evaluator.checks)

    def _player(self, there: PersonFile | None) -> SimulatedPerson | None:
        if there is None:
            return None
        answers = self._answer if self.file.is_class else None
        return SimulatedPerson(there, plain=self._place.plain, respond=answers)

    def _answer(self, question: str) -> str | None:
        """The answer of a task's simulated user, if there is one."""
        told = self._place.process.ask("respond", question=question)
        return None if told is None else str(told)

    def advance(self, trajectory: Trajectory) -> bool:
        """Go on to the next phase of the task, on the guest as it is; returns whether there is one.

        Raises:
            BenchmarkError: the set-up failed.
        """
        if not self._later:
            return False
        self._later -= 1
        self.ended(trajectory)
        told = self._place.process.ask("next_phase", last=self.last)
        if told is None:
            return False
        said, there = read_description(told)
        asked = self.person.asked if self.person is not None else []
        self.task = Task(said.commands if self._place.plain and said.commands else said.instruction)
        self.person = self._player(there)
        if self.person is not None:
            self.person.asked[:0] = asked
        return True

    @cached_property
    def computer(self) -> RemoteComputer | DesktopComputer:
        """The guest's screen."""
        make = windows_computer if self.file.windows else GuestScreen
        return make(self._place.address, guest_token=self._place.token)

    def keeps(self) -> bool:
        """Whether its guest can be saved; tasks in several phases begin again."""
        return self._place.keeps and not self._later

    def keep(self, folder: Path) -> None:
        """Save the guest in a folder, between two actions."""
        self._place.keep(folder)

    def go_back(self, folder: Path) -> None:
        """Continue with a saved guest."""
        self.close()
        self._place.go_back(folder)
        at_rest(self.computer)

    def close(self) -> None:
        """Release the screen; it is opened again on demand."""
        if computer := self.__dict__.pop("computer", None):
            computer.close()

    def end_reason(self) -> str:
        """Always empty: only the agent ends an episode."""
        return ""

    def ended(self, trajectory: Trajectory) -> None:
        """Store the agent's ending: giving up claims that the task is infeasible."""
        self.last = "FAIL" if trajectory.ending and trajectory.ending.kind == "not_done" else "DONE"

    def solve(self) -> None:
        """Change the files as the task demands: the proof that its checks can hold.

        Raises:
            BenchmarkError: no oracle is known.
        """
        self._proved = True
        if self.file.infeasible:
            self.said = "not_done"
        elif self.file.name in self._place.oracles:
            for command in self._place.oracles[self.file.name]:
                self._place.step("execute", {"command": command, "shell": True})
        elif self.file.file.oracle:
            self._place.change(self.file.file.oracle)
        else:
            raise BenchmarkError(f"{self.file.name} comes without an oracle; give one with --oracles")

    def look(self) -> None:
        """Look, and do nothing: the proof that the task is not done from the start."""
        self.computer.observe(picture=False)

    def grade(self) -> Grade:
        """The score, with the steps that a person needed, if known."""
        grade, steps = self._score(), self._place.human.get(self.file.name, self.file.human_steps)
        return replace(grade, details={**grade.details, HUMAN: steps}) if steps else grade

    def _score(self) -> Grade:
        """The score of its own checks, or of OSWorld's evaluator."""
        if self.file.is_class:
            return read_score(self._place.process.ask("score_class", last=self.last)).grade()
        if not self.file.own:
            if not self.file.infeasible:
                time.sleep(BEFORE_SCORING)
            score = float(self._place.process.ask("score", last=self.last))
            return Grade(score >= 1.0, score > 0.0, score, score)
        for step in self.file.file.evaluator.postconfig:
            self._place.step(step.type, step.parameters)
        deadline = time.monotonic() + SAVING
        while (fault := self._place.fault(self.file.file.evaluator.checks)) and time.monotonic() < deadline:
            time.sleep(0.25)
        untouched = bool(fault) and self._begun == self._place.fingerprint(self.file.file.evaluator.checks)
        fault = fault or (self.person.missing() if self.person is not None and not self._proved else "")
        won = not fault and self.last != "FAIL"
        told = f"nothing was saved: {fault}" if untouched else f"not as asked: {fault}"
        return Grade(won, won, float(won), float(won), reason=told if fault else "", unsaved=untouched)


def at_rest(computer: Computer) -> None:
    """Wait until the set-up is visible: a window's title appears before its content.

    OSWorld's own runner sleeps for a minute here.
    """
    until, shown = time.monotonic() + RESTING, 0
    while time.monotonic() < until:
        computer.settle()
        now = len(computer.observe(picture=False).elements)
        if now == shown > 0:
            return
        shown = now
        time.sleep(BETWEEN_LOOKS)


def _oracles(more: str) -> dict[str, list[str]]:
    """Commands that do tasks, by name: the shipped ones, and those of a file."""
    found: dict[str, list[str]] = json.loads(content("osworld/oracles.json").read_text(encoding="utf-8"))
    return {**found, **(json.loads(Path(more).read_text(encoding="utf-8")) if more else {})}


class OsWorld:
    """The tasks of a folder, on local guests or on a remote one."""

    name = "osworld"

    def __init__(
        self,
        *,
        tasks: str = "",
        guest: str = LOCAL,
        checkout: str = "",
        evaluators: str = "",
        oracles: str = "",
        human: str = "",
        goal: bool = False,
        release: str = "",
    ) -> None:
        """
        Args:
            tasks: folder of the tasks; empty for our own suite.
            guest: local, docker or docker:IMAGE, qemu:IMAGE, or remote:URL.
            checkout: of OSWorld, for its evaluators; empty if they are installed.
            evaluators: folder of the isolated environment.
            oracles: a JSON file with commands that do tasks, by name, besides the shipped ones.
            human: a folder of OSWorld-Human's files, which say how many steps people needed.
            release: of the second generation's tasks; any other release is refused.
            goal: give the agent the goal, as for a model, and not the plain commands.
        """
        self._folder = task_folder(tasks)
        if release and release != task_release(self._folder):
            raise ConfigError(f"{tasks} is not the release {release} of the run's start")
        self._guest, self._checkout, self._goal = guest, checkout, goal
        self._evaluators = Path(evaluators) if evaluators else Path("/nonexistent")
        self._oracles = oracles
        self._human = human
        self._place: GuestPlace | None = None

    @cached_property
    def by_name(self) -> dict[str, OsWorldTask]:
        """All tasks by name."""
        return read_tasks(self._folder)

    def tasks(self, suite: str) -> Sequence[str]:
        """The names of a suite.

        Raises:
            ConfigError: there is no such suite.
        """
        return choose_tasks(self.by_name, suite, self._folder)

    def check_guest(self, names: Sequence[str]) -> None:
        """Check that guests of this kind may run Windows if a task needs it.

        Raises:
            ConfigError: they never do; the message names the first such task.
        """
        strange = [name for name in names if self.by_name[name].windows]
        if strange and not self._guest.startswith((QEMU, REMOTE)):
            raise ConfigError(
                f"{strange[0]} needs a Windows guest, and {self._guest} is Linux; use --guest remote:URL"
            )

    def needs(self) -> Needs:
        """A local guest takes two processors and some memory; a remote one takes nothing."""
        memory = (4 if self._guest.startswith(QEMU) else 2) << 30
        return Needs() if self._guest.startswith(REMOTE) else Needs(2.0, memory, 1)

    def setup(self) -> None:
        """Does nothing: the first episode starts a guest."""

    def teardown(self) -> None:
        """End guest and evaluators."""
        place, self._place = self._place, None
        if place is not None:
            place.close()

    @contextmanager
    def episode(self, case: Case) -> Iterator[OsWorldEpisode]:
        """Reset the guest and set a task up."""
        if case.task not in self.by_name:
            raise ConfigError(f"there is no task {case.task!r}; guiagent eval osworld --list names all")
        task = self.by_name[case.task]
        self.check_guest([case.task])
        with ExitStack() as stack:
            try:
                if self._place is None:
                    self._place = GuestPlace(self._guest, self._evaluators, self._checkout, not self._goal)
                    self._place.oracles = _oracles(self._oracles)
                    self._place.human = human_steps(Path(self._human)) if self._human else {}
                self._place.begin(task)
                episode = OsWorldEpisode(task, self._place)
                stack.callback(episode.close)
                if task.file.config or task.is_class:
                    at_rest(episode.computer)
            except ConfigError:
                raise
            except GuiAgentError as error:
                raise BenchmarkError(f"{case.task}: {error}") from error
            yield episode
