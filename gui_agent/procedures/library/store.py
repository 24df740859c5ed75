"""Demonstrations and programs on disk: one JSON file each, readable and editable."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from gui_agent.core.codec import decode, encode
from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import replace_file, why
from gui_agent.core.parsing import parse_json
from gui_agent.core.trajectory import Demonstration
from gui_agent.procedures.language.program import Program

T = TypeVar("T")


def load_demonstration(path: Path | str) -> Demonstration:
    return _load(Demonstration, Path(path), "demonstration")


def save_demonstration(path: Path | str, demonstration: Demonstration) -> None:
    """Write a demonstration; an existing file is replaced in one go."""
    _save(Path(path), encode(demonstration, indent=1))


def load_program(path: Path | str) -> Program:
    return _load(Program, Path(path), "program")


def load_known(path: Path | str) -> Demonstration | Program:
    """Read whichever of the two the file holds; raises like the functions for one of them."""
    try:
        head = parse_json(Path(path).read_bytes())
    except (OSError, ValueError):
        head = {}
    program = isinstance(head, dict) and str(head.get("format", "")).startswith("guiagent-program")
    return load_program(path) if program else load_demonstration(path)


def _load(kind: type[T], path: Path, what: str) -> T:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot read the {what} {path}: {why(error)}") from error
    return decode(kind, data, source=f"{what} {path}")


def _save(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, data)
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {why(error)}") from error
