"""The task files of OSWorld's first generation and of WindowsAgentArena: reads, checks and sorts them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import why
from gui_agent.core.parsing import parse_json
from gui_agent.core.texts import suggestion
from gui_agent.core.validation_errors import explain
from gui_agent.elements.roles import word_set
from guiagent_eval.content import content
from guiagent_eval.osworld.person import PersonFile
from guiagent_eval.osworld.task_classes import class_needs, task_files

STEPS = frozenset(
    (
        *("download", "launch", "open", "execute", "execute_with_verification", "command", "sleep", "files"),
        *("activate_window", "close_window", "upload_file", "change_wallpaper", "chrome_open_tabs", "login"),
        *word_set("chrome_close_tabs googledrive update_browse_history proxy tidy_desktop act replay"),
        *word_set("create_folder create_file recycle_file close_all set_default_browser edge_open_tabs"),
        "update_browse_history_edge",
    )
)
"""Kinds of set-up steps; `files` is our own suite's, the last seven are WindowsAgentArena's."""
OWN = "guiagent"
"""The evaluator of our own suite: checks on saved files, by our own code."""
INFEASIBLE = "infeasible"
PROGRAMS = {
    "chrome": ("chromium", "google-chrome"),
    "gimp": ("gimp",),
    **{f"libreoffice_{name}": ("libreoffice", "soffice") for name in ("calc", "impress", "writer")},
    "thunderbird": ("thunderbird",),
    "vlc": ("vlc",),
    "vs_code": ("code",),
}
_WEB = re.compile(r"https?://(?!localhost|127\.0\.0\.1)[^\s\"'\\]+")
_FETCHES = re.compile(r"\b(?:curl|wget|git|pip3?|npm|snap|urllib|requests|urlopen)\b")
_HUB = re.compile(r"https?://huggingface\.co/[^\s\"'\\]+")
FETCHED = ("download", "cloud_file")
"""Kinds of steps and getters whose addresses are those of files."""
ARENA = "src/win-arena-container/client"
"""The folder of a checkout of WindowsAgentArena that has its tasks and evaluators."""
PLACES = (
    *(
        "evaluation_examples/task_class",
        "task_class",
        "",
        "evaluation_examples",
        "evaluation_examples_windows",
    ),
    f"{ARENA}/evaluation_examples_windows",
)
"""Folders of a checkout in which tasks may be."""
WINDOWS = "_windows"
"""The end of the name of a folder whose tasks are for Windows."""


class SetupStep(BaseModel):
    """One step of a set-up."""

    model_config = ConfigDict(extra="forbid")
    type: str
    parameters: dict[str, Any] = {}

    @model_validator(mode="before")
    @classmethod
    def _leave_comments(cls, told: Any) -> Any:
        """Leave out keys like `_comment`."""
        return {key: told[key] for key in told if key[:1] != "_"} if isinstance(told, dict) else told

    @model_validator(mode="after")
    def _check_kind(self) -> SetupStep:
        if self.type not in STEPS:
            raise ValueError(f"no step is called {self.type!r}")
        return self


class Evaluator(BaseModel):
    """How a task is scored."""

    model_config = ConfigDict(extra="ignore")
    func: str | list[str]
    result: Any = None
    expected: Any = None
    options: Any = None
    conj: Literal["and", "or"] = "and"
    postconfig: list[SetupStep] = []
    checks: list[dict[str, Any]] = []

    @model_validator(mode="after")
    def _even(self) -> Evaluator:
        if isinstance(self.func, list):
            for name in ("result", "expected", "options"):
                given = getattr(self, name)
                if given and (not isinstance(given, list) or len(given) != len(self.func)):
                    raise ValueError(f"{name} must be a list as long as func")
        if self.func == OWN and not self.checks:
            raise ValueError("there is nothing to check")
        return self


class TaskFile(BaseModel):
    """One task, as its file describes it."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)
    id: str
    instruction: str
    snapshot: str = ""
    config: list[SetupStep] = []
    evaluator: Evaluator
    related_apps: list[str] = []
    proxy: bool = False
    fixed_ip: bool = False
    shown: dict[str, list[Any]] = Field(default={}, alias="human-ground-truth")
    """A person's actions, in OSWorld-Human's files: `single-action`, and the same in groups."""
    oracle: list[dict[str, Any]] = []
    """Only ours: steps on the files that do the task."""
    commands: str = ""
    """Only ours: the task in plain commands."""
    person: PersonFile | None = None
    """Only ours: the person, with messages and answers."""


@dataclass(frozen=True)
class OsWorldTask:
    """A task and its source."""

    app: str
    path: Path
    file: TaskFile

    @property
    def name(self) -> str:
        """Indexes name the file; in WindowsAgentArena an id may differ, or be another task's."""
        return f"{self.app}/{self.file.id if self.is_class else self.path.stem}"

    @property
    def windows(self) -> bool:
        """Whether it is for a Windows guest."""
        return any(folder.name.endswith(WINDOWS) for folder in self.path.parents[1:3])

    @property
    def own(self) -> bool:
        """Whether our own checks score it."""
        return self.file.evaluator.func == OWN

    @property
    def is_class(self) -> bool:
        """Whether it is of the second generation, a class that only the isolated process loads."""
        return self.path.suffix == ".py"

    @property
    def infeasible(self) -> bool:
        return self.file.evaluator.func == INFEASIBLE

    @cached_property
    def raw(self) -> dict[str, Any]:
        """The unchanged content of the file."""
        read: dict[str, Any] = parse_json(self.path.read_text(encoding="utf-8"))
        return read

    @property
    def human_steps(self) -> int:
        """Actions that a person needed; 0 if unknown."""
        return len(self.file.shown.get("single-action", ()))

    def lacks(self) -> tuple[str, ...]:
        """Its needs that a local guest on this machine lacks; empty if it can run."""
        if self.is_class:
            return class_needs(self.path)
        evaluator = self.raw["evaluator"]
        told = json.dumps([self.raw.get("config", []), evaluator])
        steps = [*self.raw.get("config", []), *evaluator.get("postconfig", [])]
        scored = [evaluator.get(part) for part in ("result", "expected", "options")]
        files = _file_addresses([*steps, *scored])
        addresses = set(_WEB.findall(json.dumps([list(filter(_visits, steps)), scored])))
        kinds = {step.type for step in (*self.file.config, *self.file.evaluator.postconfig)}
        opened = kinds & {"chrome_open_tabs"} & _opens(self)
        needed = {
            "a Windows guest": self.windows,
            "files of a hub": files or _HUB.search(told),
            "a website": addresses - files - set(_HUB.findall(told)) or self.file.proxy or opened,
            "an account": kinds & {"googledrive", "login"} or self.file.fixed_ip,
        }
        found = [name for name, is_needed in needed.items() if is_needed]
        if not self.windows:
            apps = {self.app, *self.file.related_apps} & PROGRAMS.keys()
            found += [PROGRAMS[app][0] for app in apps if not any(map(shutil.which, PROGRAMS[app]))]
        return tuple(dict.fromkeys(found))


def _file_addresses(parts: Sequence[Any]) -> set[str]:
    """The addresses of files in steps and getters; a getter may be a list of getters."""
    one_by_one = chain.from_iterable(part if isinstance(part, list) else [part] for part in parts)
    told = [one for one in one_by_one if isinstance(one, dict) and one.get("type") in FETCHED]
    return set(_WEB.findall(json.dumps(told)))


def _visits(step: Mapping[str, Any]) -> bool:
    """Whether a step goes to the addresses in it; a command may just write them into a file."""
    return step.get("type") not in ("execute", "command") or bool(_FETCHES.search(json.dumps(step)))


def _opens(task: OsWorldTask) -> set[str]:
    """The step that opens tabs, if one of them is on the web."""
    for step in task.file.config:
        if step.type == "chrome_open_tabs" and _WEB.search(json.dumps(step.parameters)):
            return {step.type}
    return set()


def task_folder(given: str) -> Path:
    """The folder with an index and the tasks of each application.

    Args:
        given: that folder, a checkout of OSWorld or WindowsAgentArena, or empty for our own suite.

    Raises:
        ConfigError: the folder has no tasks.
    """
    if not given:
        return content("osworld")
    for folder in (Path(given) / place for place in PLACES):
        if (folder / "examples").is_dir() or task_files(folder):
            return folder
    raise ConfigError(f"--tasks {given}: no folder `examples` there; give a checkout of OSWorld")


def checkout_of(given: str) -> str:
    """The folder with the evaluators of these tasks: a checkout, or the folder above its tasks; or empty."""
    for folder in (Path(given) / ARENA, *(Path(given).resolve() / "_").parents[:3]) if given else ():
        if (folder / "desktop_env").is_dir():
            return str(folder.resolve())
    return ""


def read_tasks(folder: Path) -> dict[str, OsWorldTask]:
    """All tasks of a folder by name.

    Raises:
        ConfigError: a task cannot be read or does not fit the format; the message names the file.
    """
    if classes := task_files(folder):
        nothing = TaskFile(id="", instruction="(known after the set-up)", evaluator=Evaluator(func="class"))
        return {
            f"v2/{name}": OsWorldTask("v2", path, nothing.model_copy(update={"id": name}))
            for name, path in classes.items()
        }
    examples = folder / "examples" if (folder / "examples").is_dir() else folder
    found = {}
    for path in sorted(examples.glob("*/*.json")):
        try:
            file = TaskFile.model_validate_json(path.read_bytes())
        except OSError as error:
            raise ConfigError(f"{path}: {why(error)}") from error
        except ValidationError as error:
            raise ConfigError(f"{path}: {explain(error)}") from error
        task = OsWorldTask(path.parent.name, path, file)
        found[task.name] = task
    if not found:
        raise ConfigError(f"{folder} holds no tasks; give a checkout of OSWorld")
    return found


def human_steps(folder: Path) -> dict[str, int]:
    """The actions that people needed, by the name of a task, from files that describe how they did it.

    Raises:
        ConfigError: there are no such files, or one cannot be read.
    """
    found = {name: task.human_steps for name, task in read_tasks(folder).items() if task.human_steps}
    if not found:
        raise ConfigError(f"--human {folder}: no file there describes how a person did a task")
    return found


def choose_tasks(tasks: Mapping[str, OsWorldTask], suite: str, folder: Path) -> list[str]:
    """The names of a suite: `all`, `offline`, an index file `test_NAME.json`, applications, or single tasks.

    Raises:
        ConfigError: there is no such suite.
    """
    if suite in ("", "all"):
        return list(tasks)
    if suite == "offline" and not (folder / "test_offline.json").exists():
        return [name for name, task in tasks.items() if not task.lacks()]
    index = folder / f"test_{suite}.json"
    if index.exists():
        try:
            listed: dict[str, list[str]] = parse_json(index.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ConfigError(f"{index}: not JSON: {error}") from error
        return [name for app, ids in listed.items() for one in ids if (name := f"{app}/{one}") in tasks]
    names: list[str] = []
    for word in filter(None, (part.strip() for part in suite.split(","))):
        fitting = [name for name, task in tasks.items() if word in (name, task.app, task.file.id)]
        fitting = fitting or [
            n for n, one in tasks.items() if one.file.id.startswith(word) or n.startswith(word)
        ]
        if not fitting:
            raise ConfigError(f"there is no task or application {word!r}{suggestion(word, list(tasks))}")
        names += fitting
    return list(dict.fromkeys(names))


def support(tasks: Sequence[OsWorldTask]) -> dict[str, dict[str, int]]:
    """The number of tasks of each application that can run on a local guest here, and the others' needs."""
    table: dict[str, dict[str, int]] = {}
    for task in tasks:
        row = table.setdefault(task.app, {"tasks": 0, "supported": 0, INFEASIBLE: 0})
        lacks = task.lacks()
        row["tasks"] += 1
        row["supported"] += not lacks
        row[INFEASIBLE] += task.infeasible
        for one in lacks:
            row[one] = row.get(one, 0) + 1
    return table
