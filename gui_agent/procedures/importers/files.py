"""Reads recordings of other tools, recognizes them by their content, and limits their size."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from gui_agent import plugins
from gui_agent.core.codec import decode
from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import file_errors
from gui_agent.core.parsing import parse_json
from gui_agent.core.trajectory import Demonstration
from gui_agent.procedures.importers._devtools_recorder import import_devtools
from gui_agent.procedures.importers._playwright_codegen import import_playwright
from gui_agent.procedures.importers._selenium_ide import import_selenium_ide, is_selenium_project
from gui_agent.procedures.importers.imported import Imported, Incomplete
from gui_agent.procedures.importers.robot_framework import import_robot

_PLAYWRIGHT = (".py", ".js", ".ts", ".mjs")
SCRIPTS = (*_PLAYWRIGHT, ".robot", ".yaml", ".yml")
LARGEST = 32 * 1024 * 1024
"""Bytes of one unpacked recording; long recordings have a few MB."""
LONGEST_SCRIPT = 512 * 1024
"""Bytes of one script, which holds no pictures; a recorded script has some ten thousand."""


class Importer(Protocol):
    """Reads one kind of JSON file; registered as an entry point of `gui_agent.importers`."""

    def reads(self, data: Any) -> bool:
        """Whether the importer can read this parsed JSON."""

    def read(self, data: Any, task: str, source: str) -> Imported:
        """The demonstration; its task is empty if neither the recording nor `task` describes what was done.

        Raises:
            Failed: the recorded run did not succeed at its task.
            Incomplete: other recordings of the same task are needed to fill a gap.
            ConfigError: nothing can be learned from it; the one-line message names `source`.
        """


class FileImporter(Protocol):
    """Reads files that are not JSON; also registered as an entry point of `gui_agent.importers`."""

    suffixes: Sequence[str]

    def read_file(self, text: str, task: str, path: Path, source: str) -> Imported:
        """The demonstration in a file; raises like `Importer.read`."""


class Untold(ConfigError):
    """The recording does not describe its task."""

    def __init__(self, source: str, path: Path) -> None:
        super().__init__(
            f"{source}: it does not describe its task; write the task into {instruction_file(path).name}"
        )


def read_recording(path: Path, task: str = "", source: str = "") -> Imported:
    """Read a demonstration, or a recording of another tool.

    Args:
        path: JSON or a script; JSON may be packed (`.gz`).
        task: description of what was done, for recordings without one.
        source: name of the file in messages; by default the file's own name.

    Raises:
        Untold: neither the recording nor `task` describes what was done.
        Failed, Incomplete: see `Importer.read`.
        ConfigError: the file is unreadable, too large or of another kind; the message is one line.
    """
    source = source or path.name
    text = _text(path, source)
    if not text.strip():
        raise ConfigError(f"{source}: the file is empty; give a recording or a demonstration")
    try:
        if path.suffix == ".robot":
            imported = import_robot(text, task, source)
        elif path.suffix in _PLAYWRIGHT:
            imported = import_playwright(text, task, source)
        elif importer := next(
            (one for one in _plugged_in() if path.suffix in getattr(one, "suffixes", ())), None
        ):
            imported = importer.read_file(text, task, path, source)
        else:
            imported = _from_json(_json(text, source), text, task, source)
    except RecursionError as error:  # some parsers overflow the stack on deeply nested scripts
        raise ConfigError(f"{source}: brackets are nested too deeply; simplify the script") from error
    except Incomplete as incomplete:
        if not incomplete.said:
            raise Untold(source, path) from incomplete
        raise
    if not imported.demonstration.task:
        raise Untold(source, path)
    return imported


def _plugged_in() -> Iterator[Any]:
    return (plugins.find("importers", name)() for name in plugins.installed_parts("importers"))


def _from_json(data: Any, text: str, task: str, source: str) -> Imported:
    if _is_devtools(data):
        return import_devtools(text, task, source)
    if is_selenium_project(data):
        return import_selenium_ide(data, task, source)
    for importer in _plugged_in():
        if hasattr(importer, "reads") and importer.reads(data):
            imported: Imported = importer.read(data, task, source)
            return imported
    if not isinstance(data, dict) or not data.keys() & {"task", "steps"}:
        raise ConfigError(f"{source}: not a demonstration nor a format listed in docs/formats.md")
    demonstration: Demonstration = decode(Demonstration, text, source=source)
    if not demonstration.steps:
        raise ConfigError(f"{source}: it has no steps, so nothing can be learned from it")
    return Imported(demonstration)


def instruction_file(path: Path) -> Path:
    """The text file beside a recording that holds its instruction if the recording itself does not."""
    return path.with_name(path.name.partition(".")[0] + ".txt")


def _text(path: Path, source: str) -> str:
    most = LONGEST_SCRIPT if path.suffix in SCRIPTS else LARGEST
    with file_errors(f"{source}: cannot be read"):
        try:
            with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
                data = file.read(most + 1)
            if len(data) > most:
                raise ConfigError(f"{source}: too large: more than {most // 1024} kB")
            return data.decode("utf-8-sig")
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ConfigError(f"{source}: cannot be unpacked: {error}") from error


def _json(text: str, source: str) -> Any:
    try:
        return parse_json(text)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{source} line {error.lineno}: not JSON: {error.msg}") from error
    except ValueError as error:
        raise ConfigError(f"{source}: not JSON: {error}") from error


def _is_devtools(data: Any) -> bool:
    try:
        first = data["steps"][0]
        return "type" in first and "action" not in first
    except (LookupError, TypeError):
        return False
