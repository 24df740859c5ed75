"""Files of other tools: what is in them is told by their content, and how much is read is limited."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gui_agent.core.codec import decode
from gui_agent.core.demonstration import Demonstration
from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import why
from gui_agent.demos.importers.devtools_recorder import import_devtools
from gui_agent.demos.importers.event_recording import (
    EventRecording,
    is_event_recording,
    read_event_recording,
)
from gui_agent.demos.importers.imported import Imported
from gui_agent.demos.importers.miniwob_recorder import import_miniwob
from gui_agent.demos.importers.playwright_codegen import import_playwright

SCRIPTS = (".py", ".js", ".ts", ".mjs")
LARGEST = 32 * 1024 * 1024
"""Bytes of one recording, unpacked; long ones have a few."""


class Untold(ConfigError):
    """The recording does not say what was done."""

    def __init__(self, source: str, path: Path) -> None:
        super().__init__(f"{source}: what it does is not told: write it into {beside(path).name}")


@dataclass(frozen=True, slots=True)
class Recorded:
    """What one file holds: a demonstration, or a recording from which one is made."""

    source: str
    ready: Imported | None = None
    recording: EventRecording | None = None

    def imported(self, chosen: Sequence[str] = ()) -> Imported:
        """The demonstration.

        Args:
            chosen: the options chosen in lists, in order, where the recording does not keep them.

        Raises:
            ConfigError: nothing can be learned from the recording.
        """
        if self.recording is not None:
            return import_miniwob(self.recording, self.source, chosen)
        assert self.ready is not None
        return self.ready


def read_recording(path: Path, task: str = "", source: str = "") -> Recorded:
    """Read a demonstration, or a recording of another tool.

    Args:
        path: JSON or a script; JSON may be packed (`.gz`).
        task: what was done, for recordings that do not say it.
        source: what the file is called in messages; by default its name.

    Raises:
        Untold: it does not say what was done, and `task` does not either.
        ConfigError: it cannot be read, is too large or holds something else; one line that names it.
    """
    source = source or path.name
    text = _text(path, source)
    if path.suffix in SCRIPTS:
        if not task:
            raise Untold(source, path)
        return Recorded(source, import_playwright(text, task, source))
    if not text.strip():
        raise ConfigError(f"{source}: the file is empty; give a recording or a demonstration")
    data = _json(text, source)
    if is_event_recording(data):
        recording = read_event_recording(data, source, task)
        if not recording.utterance:
            raise Untold(source, path)
        return Recorded(source, recording=recording)
    if _is_devtools(data):
        imported = import_devtools(text, task, source)
        if not imported.demonstration.task:
            raise Untold(source, path)
        return Recorded(source, imported)
    demonstration: Demonstration = decode(Demonstration, text, source=source)
    if not demonstration.steps:
        raise ConfigError(f"{source}: it shows no steps, so there is nothing to learn from it")
    return Recorded(source, Imported(demonstration))


def beside(path: Path) -> Path:
    """The file in which the instruction of a recording stands when the recording itself does not say it."""
    return path.with_name(path.name.partition(".")[0] + ".txt")


def _text(path: Path, source: str) -> str:
    """The text of a file, unpacked.

    Raises:
        ConfigError: it cannot be read or is too large.
    """
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise ConfigError(f"{source}: too large: more than {LARGEST // 1024**2} MB")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{source}: cannot be read: {why(error)}") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ConfigError(f"{source}: cannot be unpacked: {error}") from error
    except OSError as error:
        raise ConfigError(f"{source}: cannot be read: {why(error)}") from error


def _json(text: str, source: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{source} line {error.lineno}: not JSON: {error.msg}") from error
    except RecursionError as error:
        raise ConfigError(f"{source}: nested too deeply") from error
    except ValueError as error:
        raise ConfigError(f"{source}: not JSON: {error}") from error


def _is_devtools(data: Any) -> bool:
    """Whether JSON is a recording of DevTools: steps that have a `type` and no `action`."""
    try:
        first = data["steps"][0]
        return "type" in first and "action" not in first
    except (LookupError, TypeError):
        return False
