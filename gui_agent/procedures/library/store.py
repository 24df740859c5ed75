"""Demonstrations and programs on disk: one JSON file each, readable and editable."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from pathlib import Path
from typing import TypeGuard, TypeVar

from gui_agent.core.codec import decode, encode
from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import file_errors, save_file
from gui_agent.core.parsing import parse_json
from gui_agent.core.texts import nearest
from gui_agent.core.trajectory import Demonstration
from gui_agent.elements.roles import VALUED
from gui_agent.procedures.language.program import (
    Captioned,
    Const,
    DoStep,
    Note,
    Program,
    ReadText,
    Remember,
    Selector,
    Step,
    data_of,
    nodes,
)

T = TypeVar("T")


def load_demonstration(path: Path | str) -> Demonstration:
    return _load(Demonstration, Path(path), "demonstration")


def save_demonstration(path: Path | str, demonstration: Demonstration) -> None:
    """Write a demonstration; replaces an existing file atomically."""
    save_file(Path(path), encode(demonstration, indent=1))


def load_program(path: Path | str) -> Program:
    """The program of a file, without values that an earlier version guessed from its only demonstration."""
    return without_guesses(_load(Program, Path(path), "program"))


def without_guesses(program: Program) -> Program:
    """Restore demonstrated texts where an earlier version assumed that a program reads them.

    Raises:
        ConfigError: the answer is located by its own text, or by its position in a list.
    """
    if program.demonstrations > 1:
        return program
    if any(isinstance(node, ReadText) and _is_guessed(node.of) for node in nodes(program.answer)):
        old = "was learned by a version that located an answer by its own text"
        raise ConfigError(f'"{program.name}" {old}: teach it again, or locate its answer by a lasting name')
    taken = {step.name for step in program.steps if _is_taken(step)}
    steps = (_as_shown(step, taken) for step in program.steps if not _is_taken(step))
    return replace(program, steps=tuple(steps))


def _is_guessed(place: Selector) -> bool:
    """Whether a selector locates a text by the text itself; a field's name differs from its value."""
    named = (test for test in place.tests if isinstance(test, Captioned) and test.how == "is")
    return place.role not in VALUED and any(isinstance(test.text, Const) for test in named)


def _is_taken(step: Step) -> TypeGuard[Remember]:
    return isinstance(step, Remember) and not step.shown


def _as_shown(step: Step, taken: Set[str]) -> Step:
    """A step that types the demonstrated text if it read it from a screen; otherwise unchanged."""
    typed = data_of(step.action) if isinstance(step, DoStep) else None
    if not isinstance(step, DoStep) or not typed:
        return step
    names = {node.name for node in nodes(step.text) if isinstance(node, Note)}
    read = names & taken or any(isinstance(node, ReadText) for node in nodes(step.text))
    return replace(step, text=Const(typed)) if read else step


def load_known(path: Path | str) -> Demonstration | Program:
    """Read a demonstration or a program, whichever the file holds; raises like the function for each."""
    try:
        head = parse_json(Path(path).read_bytes())
    except (OSError, ValueError):
        head = {}
    program = isinstance(head, dict) and str(head.get("format", "")).startswith("guiagent-program")
    return load_program(path) if program else load_demonstration(path)


def _load(kind: type[T], path: Path, what: str) -> T:
    near = "" if path.is_file() else nearest(path.name, (one.name for one in path.parent.glob("*.json")), 0.5)
    hint = f' (did you mean "{path.with_name(near)}"?)' if near else ""
    with file_errors(f"cannot read the {what} {path}{hint}"):
        data = path.read_bytes()
    return decode(kind, data, source=f"{what} {path}")
