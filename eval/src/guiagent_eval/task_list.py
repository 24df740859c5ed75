"""A benchmark from a file of tasks in words, each with its check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gui_agent import plugins
from gui_agent.agent.loop import Agent
from gui_agent.core.errors import ConfigError, Unavailable
from gui_agent.core.protocols import Computer
from gui_agent.core.texts import suggestion
from gui_agent.core.trajectory import Task
from gui_agent.planners.commands import PlainPlanner, Unparsed, parse
from gui_agent.settings import read_toml
from guiagent_eval.benchmark import Case, Grade

KEYS = ("task", "start", "check", "words")


@dataclass(frozen=True, slots=True)
class ListedTask:
    """One running task of the file."""

    computer: Computer
    task: Task
    check: str
    words: str = ""
    """The purpose of the task, if it is written as commands."""

    def end_reason(self) -> str:
        """Always empty: only the agent ends it."""
        return ""

    def grade(self) -> Grade:
        """Whether the check holds."""
        result = Agent(self.computer, PlainPlanner(waits=(0.5,)), picture=False).run(Task(self.check))
        reward = float(result.ok)
        return Grade(result.ok, result.ok, reward, reward, finished=True, reason=result.reason)


class TaskList:
    """The tasks of a TOML file: a table `[NAME]` each, with `task`, `start`, `check` and `words`.

    `check` is plain commands, such as `check "Thank you" is shown`; a page is looked for beside the file.
    """

    name = "tasks"

    def __init__(self, file: str, computer: str = "browser") -> None:
        """
        Args:
            file: the TOML file.
            computer: the kind of screen that the tasks need.

        Raises:
            ConfigError: the file cannot be read, or a task in it is wrong.
        """
        self._kind, self._folder = computer, Path(file).absolute().parent
        self._tasks: Mapping[str, Any] = read_toml(Path(file))
        for name, table in self._tasks.items():
            keys = set(table) if isinstance(table, dict) else set()
            if keys - set(KEYS) or not {"task", "check"} <= keys:
                raise ConfigError(f"{file}: write [{name}] with the keys {', '.join(KEYS)}, and no others")
            if isinstance(fault := parse(str(table["check"])), Unparsed):
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

    @contextmanager
    def episode(self, case: Case) -> Iterator[ListedTask]:
        """Begin a task afresh at its start."""
        if self._computer is None:
            raise Unavailable("the benchmark is not set up")
        table = self._tasks[case.task]
        start = str(table.get("start", ""))
        if (self._folder / start).is_file():
            start = str(self._folder / start)
        if start:
            self._computer.start(start)
        task, check, words = (str(table.get(name, "")) for name in ("task", "check", "words"))
        yield ListedTask(self._computer, Task(task, start), check, words)

    def teardown(self) -> None:
        """Close the screen."""
        if self._computer is not None:
            self._computer.close()
        self._computer = None
