"""Tasks of OSWorld's second generation: Python classes, which only the isolated process ever loads.

Known here are the name of a file and that process's description of it.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from gui_agent.core.errors import BenchmarkError, ConfigError
from gui_agent.core.os_errors import why
from gui_agent.core.parsing import parse_json
from gui_agent.core.validation_errors import explain
from guiagent_eval.benchmark import Grade
from guiagent_eval.osworld.person import PersonFile, PersonRemark

INDEX = "test_v2.json"
FILES = "task_*.py"
NEEDS = {
    "a website": r"\bbuild_website_url\b|\bcontrollers\.website\b|\bHOST_SUFFIX\b",
    "files of a hub": r"\bdesktop_env\.file_source\b",
    "an account": r"\bGITLAB_",
    "a model": r"\bmodel_client\b|\bllm_metrics\b|_with_llm\b",
}
"""What tasks need, by the names of OSWorld's package through which they reach it."""
STEPS = 150
"""Actions of an episode unless set otherwise; published figures are for 150, 300 and 500."""


class ClassDescription(BaseModel):
    """The isolated process's description of a task."""

    model_config = ConfigDict(extra="ignore")
    id: str
    instruction: str
    related_apps: list[str] = []
    messages: list[PersonRemark] = []
    """The user's messages during the run."""
    commands: str = ""
    """The task in plain commands, if its author gives them."""
    phases: int = 0
    """Parts that follow one another on one guest, each with an instruction of its own."""
    answers: bool = False
    """Whether a simulated user answers questions."""


class ClassScore(BaseModel):
    """A task's verdict on its ending."""

    model_config = ConfigDict(extra="allow")
    score: float
    """Partial score from 0 to 1."""
    success: bool | None = None
    """Whether everything was done; if the task does not say, a score of 1."""
    checkpoints: dict[str, float] = {}
    safety: list[str] = []
    """Harmful actions of the agent."""
    gate: str = ""
    """The phase after which the task ended, because it earned too little."""

    def grade(self) -> Grade:
        """The score as a benchmark's grade; a harmful run is never a success."""
        whole = (self.success if self.success is not None else self.score >= 1.0) and not self.safety
        open_points = [name for name, points in self.checkpoints.items() if points < 1.0]
        told = [f"unsafe: {one}" for one in self.safety]
        told += [f"not reached: {', '.join(open_points)}"] if open_points else []
        told += [f"it ended after {self.gate}"] if self.gate else []
        parts = self.model_dump()
        return Grade(whole, self.score > 0, self.score, self.score, reason="; ".join(told), details=parts)


def task_files(folder: Path) -> dict[str, Path]:
    """The files of a release by the name of their task; empty if the folder has none.

    Raises:
        ConfigError: the index cannot be read, or names a task without a file.
    """
    found = {path.stem.removeprefix("task_"): path for path in sorted(folder.glob(FILES))}
    index = folder / INDEX
    if not index.exists():
        return found
    try:
        listed: Any = parse_json(index.read_text(encoding="utf-8"))
        names = [str(name) for name in (listed["tasks"] if isinstance(listed, dict) else listed)]
    except OSError as error:
        raise ConfigError(f"{index}: {why(error)}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{index}: not a list of tasks: {error}") from error
    if missing := [name for name in names if name not in found]:
        raise ConfigError(f"{index} names {missing[0]}, and there is no task_{missing[0]}.py")
    return {name: found[name] for name in names}


def class_needs(path: Path) -> tuple[str, ...]:
    """What a class names that a local guest lacks; its text is searched, and never run."""
    text = path.read_text(encoding="utf-8", errors="replace")
    return tuple(need for need, names in NEEDS.items() if re.search(names, text))


def release(folder: Path) -> str:
    """The hash of all files of a release; results of different ones are never compared.

    Returns:
        Empty if the folder holds no classes.
    """
    mark = hashlib.sha256()
    files = set(task_files(folder).values())
    for path in sorted({*files, *folder.glob(INDEX), *folder.glob("assets/**/*")}):
        if path.is_file():
            mark.update(f"{path.relative_to(folder)}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return f"sha256:{mark.hexdigest()[:16]}" if files else ""


def read_description(told: Any) -> tuple[ClassDescription, PersonFile | None]:
    """The description of a task, and the person in it.

    Raises:
        BenchmarkError: the description does not fit.
    """
    try:
        read = ClassDescription.model_validate(told)
    except ValidationError as error:
        raise BenchmarkError(f"the task's description does not fit: {explain(error)}") from error
    there = read.answers or read.messages
    return read, PersonFile(messages=read.messages) if there else None


def read_score(told: Any) -> ClassScore:
    """A task's verdict on its ending: a number, or a table with `score`.

    Raises:
        BenchmarkError: it is neither.
    """
    try:
        return ClassScore.model_validate(told if isinstance(told, dict) else {"score": told})
    except ValidationError as error:
        raise BenchmarkError(f"the task's score cannot be read: {explain(error)}") from error
