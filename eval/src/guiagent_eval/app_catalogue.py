"""The applications of `guiagent eval apps` and their tasks, as `eval/apps/<name>/app.toml` describes them."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import TypeAdapter, ValidationError

from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import STRICT
from gui_agent.core.parsing import parse_toml
from gui_agent.core.texts import suggestion
from gui_agent.core.validation_errors import explain
from guiagent_eval.app_data import fill_in
from guiagent_eval.content import content

WORDINGS = ("first", "second", "third")
"""The wordings of a task as plain commands, in the order in which they were written down."""


@dataclass(frozen=True, slots=True)
class AppTask:
    """One task: its wordings, and the checks on the application's data that hold once it is done."""

    id: str
    goal: str
    """The request to a person, with `{name}` in place of a value."""
    first: str
    second: str
    third: str
    check: tuple[Mapping[str, Any], ...]
    oracle: tuple[Mapping[str, Any], ...]
    """Steps that change the data as the task demands."""
    before: tuple[Mapping[str, Any], ...] = ()
    """Steps that change the data before the task begins."""
    changed: tuple[Mapping[str, Any], ...] = ()
    """Steps that change the data again in all variants but the first, so that a recording meets new data."""
    start: str = ""
    """Path of the page, or command of the program; empty for the application's own."""
    values: tuple[Mapping[str, str], ...] = ({},)
    """The values for the names in the texts, one table per variant."""
    means: Mapping[str, str] = field(default_factory=dict)
    """Words of a step, and how a person who sees the picture describes the control that they mean; with
    names of values in both."""
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class App:
    """An application: its parts, its start, and the way back to its first state."""

    name: str
    title: str
    kind: Literal["web", "desktop", "phone"]
    folder: Path
    """The folder with its description and its other files."""
    tasks: tuple[AppTask, ...]
    pip: tuple[str, ...] = ()
    npm: tuple[str, ...] = ()
    debian: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    """Programs that must be there, which the packages in `debian` install."""
    build: tuple[tuple[str, ...], ...] = ()
    """Commands that run once after the installation."""
    prepare: tuple[tuple[str, ...], ...] = ()
    """Commands that make the first data in `{data}`, run whenever a worker begins with the application."""
    seed: tuple[Mapping[str, Any], ...] = ()
    """Steps that make the first data of a desktop program, besides the files in the folder `data`."""
    command: tuple[str, ...] = ()
    """The command that starts the server of a web application on `{port}`."""
    environment: Mapping[str, str] = field(default_factory=dict)
    ready: str = "/"
    """Path at which the server answers once it is ready."""
    start: str = "/"
    database: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    reset: Literal["files", "database", "restart"] = "restart"
    """How the first state is restored: by its files or its database while the server runs, or by a restart of
    the server. Only a server that certainly keeps no other state may do without a restart."""
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    def missing(self, cache: Path) -> str:
        """The missing parts, and how to install them; empty if everything is there."""
        lacking = [name for name in self.programs if shutil.which(name) is None]
        if lacking:
            names = " ".join(self.debian or lacking)
            return f"{', '.join(lacking)} is missing: apt-get install {names}"
        module, extra = {"phone": ("adbutils", "android"), "desktop": ("Xlib", "desktop")}.get(
            self.kind, ("click", "")
        )
        if find_spec(module) is None:
            return f"{module} is missing: pip install 'guiagent[{extra}]'"
        if (self.pip or self.npm) and not self.is_installed(cache):
            return "is not installed: add --install"
        return ""

    def is_installed(self, cache: Path) -> bool:
        """Whether exactly this version was installed."""
        mark = cache / self.name / MARK
        return mark.is_file() and mark.read_text(encoding="utf-8") == self.requirement

    @property
    def requirement(self) -> str:
        """The parts to install, as the note of an installation names them."""
        return "\n".join([*self.pip, *self.npm, *(" ".join(one) for one in self.build)])


MARK = "installed.txt"
_READ = TypeAdapter(App)


def read_app(folder: Path) -> App:
    """The application described in a folder.

    Raises:
        ConfigError: the description is wrong; the message says where.
    """
    path = folder / "app.toml"
    try:
        table = parse_toml(path.read_text(encoding="utf-8"))
        tasks = table.pop("task", [])
        return _READ.validate_python({**table, "name": folder.name, "folder": folder, "tasks": tasks})
    except ValidationError as error:
        raise ConfigError(f"{path}: {explain(error)}") from error
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error


@cache
def applications(root: Path | None = None) -> Mapping[str, App]:
    """All applications by name.

    Raises:
        ConfigError: a description is wrong.
    """
    root = root or content("apps")
    return {path.parent.name: read_app(path.parent) for path in sorted(root.glob("*/app.toml"))}


def task_called(name: str, root: Path | None = None) -> tuple[App, AppTask]:
    """The task `application.task`.

    Raises:
        ConfigError: there is no task of this name.
    """
    known = applications(root)
    app, _, task = name.partition(".")
    if app not in known:
        raise ConfigError(f"there is no application {app!r}{suggestion(app, known)}")
    tasks = {one.id: one for one in known[app].tasks}
    if task not in tasks:
        raise ConfigError(f"{app} has no task {task!r}{suggestion(task, tasks)}")
    return known[app], tasks[task]


def task_names(apps: Sequence[App]) -> tuple[str, ...]:
    """The names of all tasks of these applications."""
    return tuple(f"{app.name}.{task.id}" for app in apps for task in app.tasks)


def asked_wording(task: AppTask, seed: int, *, goal: bool) -> tuple[str, Mapping[str, str]]:
    """The wording of an episode, and the values of its variant.

    The seeds 0, 1 and 2 are the three wordings with the first values, 3, 4 and 5 with the second, and so on;
    after the last values the first come again.
    """
    variant, wording = divmod(seed, len(WORDINGS))
    values = task.values[variant % len(task.values)]
    text = task.goal if goal else (task.first, task.second, task.third)[wording]
    return str(fill_in(text, values)), values
