"""A benchmark from a file of tasks in words, each with its check."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from gui_agent import plugins
from gui_agent.agent.loop import Agent
from gui_agent.core.errors import ConfigError, Unavailable
from gui_agent.core.parsing import read_toml
from gui_agent.core.protocols import Computer
from gui_agent.core.texts import suggestion
from gui_agent.core.trajectory import Task
from gui_agent.core.validation_errors import explain
from gui_agent.planners.commands import PlainPlanner, Unparsed, parse
from guiagent_eval.app_server import output_of
from guiagent_eval.benchmark import Case, Grade
from guiagent_eval.practice.records import Proposal, rows_at

KEYS = tuple(one.name for one in fields(Proposal))
_READ = TypeAdapter(dict[str, Proposal])
RESETTING = 60.0
"""Seconds in which the data are brought back."""


@dataclass(frozen=True, slots=True)
class ListedTask:
    """One running task of the file."""

    computer: Computer
    task: Task
    listed: Proposal
    rows: Counter[str]
    """The rows of its table at the beginning."""

    @classmethod
    def begin(cls, computer: Computer, listed: Proposal) -> ListedTask:
        """A task whose beginning is on the screen."""
        rows = rows_at(computer, listed.table, listed.start) if listed.table else Counter[str]()
        if listed.start:
            computer.start(listed.start)
        return cls(computer, Task(listed.task, listed.start), listed, rows)

    def end_reason(self) -> str:
        """Always empty: only the agent ends it."""
        return ""

    def grade(self) -> Grade:
        """Whether the check holds, and just the rows came and went that the task names."""
        fault, listed = "", self.listed
        if listed.check:
            result = Agent(self.computer, PlainPlanner(waits=(0.5,)), picture=False).run(Task(listed.check))
            fault = "" if result.ok else result.reason
        if listed.table and not fault:
            now = rows_at(self.computer, listed.table, self.task.start)
            came, went = sorted((now - self.rows).elements()), sorted((self.rows - now).elements())
            if (came, went) != (sorted(listed.gained), sorted(listed.lost)):
                fault = f"these rows came: {came}, and these went: {went}"
        won = not fault
        return Grade(won, won, float(won), float(won), finished=True, reason=fault)


class TaskList:
    """The tasks of a TOML file: a table `[NAME]` each, with the keys of a `Proposal`.

    `check` is plain commands, such as `check "Thank you" is shown`; a page is looked for beside the file.
    """

    name = "tasks"

    def __init__(self, file: str, computer: str = "browser", reset: str = "") -> None:
        """
        Args:
            file: the TOML file.
            computer: the kind of screen that the tasks need.
            reset: a command of the person, which is run before each task and brings back the first data.

        Raises:
            ConfigError: the file cannot be read, or a task in it is wrong.
        """
        self._kind, self._folder = computer, Path(file).absolute().parent
        self._reset = shlex.split(reset)
        try:
            self._tasks = _READ.validate_python(read_toml(Path(file)))
        except ValidationError as error:
            raise ConfigError(f"{file}: {explain(error)}; the keys are {', '.join(KEYS)}") from error
        for name, listed in self._tasks.items():
            ways = [way for way in (listed.check, listed.table) if way]
            for fault in (parse(way) for way in ways or [""]):
                if isinstance(fault, Unparsed):
                    raise ConfigError(f"{file}: the check of {name} is not understood: {fault}")
        self._computer: Computer | None = None

    def tasks(self, suite: str) -> Sequence[str]:
        """All tasks: a file is one suite, called all."""
        if suite != "all":
            raise ConfigError(f"a file of tasks has no suite {suite}{suggestion(suite, ('all',))}")
        return tuple(self._tasks)

    def setup(self) -> None:
        """Open the screen."""
        self._computer = plugins.make("computers", self._kind, {})

    def begin(self) -> Computer:
        """The screen, with the first data if there is a command for that."""
        if self._computer is None:
            raise Unavailable("the benchmark is not set up")
        if self._reset:
            output_of(self._reset, RESETTING, "the reset of the data: ")
        return self._computer

    @contextmanager
    def episode(self, case: Case) -> Iterator[ListedTask]:
        """Begin a task afresh at its start."""
        computer, listed = self.begin(), self._tasks[case.task]
        beside = self._folder / listed.start
        yield ListedTask.begin(computer, replace(listed, start=str(beside)) if beside.is_file() else listed)

    def teardown(self) -> None:
        """Close the screen."""
        if self._computer is not None:
            self._computer.close()
        self._computer = None
