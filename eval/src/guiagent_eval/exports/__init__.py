"""Runs as files that trainers read: one module a format, each with its rows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from gui_agent.core.errors import ConfigError, GuiAgentError, MissingExtra
from gui_agent.core.os_errors import private_folder, why
from gui_agent.core.texts import table

if TYPE_CHECKING:
    from gui_agent.core.observation import Screenshot
    from guiagent_eval.exports.template import ChatTemplate
    from guiagent_eval.practice.turns import Conversation

FORMATS = table("trl=trl verl-sft=verl_sft verl-rl=verl_rl openenv=openenv arpo=arpo os-genesis=os_genesis")
"""The module of each format."""
IMAGES = "images"
METADATA = "metadata.json"
"""The options of the export; OpenEnv's collector writes a file of this name too."""
ENDINGS = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}


class Format(Protocol):
    """The contents of a format's module."""

    FILE: str
    """The file that it writes; the ending chooses JSON lines or Parquet."""
    CALLS: bool
    """Whether its answers may be calls of tools, and not only text."""

    def rows(self, told: Conversation, pictures: Pictures) -> Iterator[Mapping[str, Any]]:
        """The rows of a run."""


def find_format(name: str) -> Format:
    """The module of a format."""
    return cast(Format, import_module(f"{__name__}.{FORMATS[name]}"))


@dataclass
class Pictures:
    """The pictures of an export, each stored once under a name made of its content."""

    folder: Path
    kept: dict[str, Screenshot] = field(default_factory=dict)

    def name(self, picture: Screenshot) -> str:
        """The path of a picture within the export; the picture is written there."""
        digest = hashlib.sha256(picture.data).hexdigest()[:24]
        name = f"{IMAGES}/{digest}.{ENDINGS[picture.media_type]}"
        if name not in self.kept:
            self.kept[name] = picture
            (self.folder / IMAGES).mkdir(mode=0o700, exist_ok=True)
            (self.folder / name).write_bytes(picture.data)
        return name


def write(
    told: Iterable[Conversation],
    form: Format,
    folder: Path,
    given: Mapping[str, Any],
    template: ChatTemplate | None = None,
) -> tuple[Path, int]:
    """Write the runs in a format; returns the file and the number of its rows.

    Args:
        given: the options of the export.
        template: what every row is tried with first.

    Raises:
        ConfigError: the folder already holds such a file, or cannot be written; or the template does not pass
            on what a row teaches. No file is left then.
    """
    path = folder / form.FILE
    if path.exists():
        raise ConfigError(f"{path} exists; give another --out")
    try:
        private_folder(folder)
        rows = _rows(told, form, Pictures(folder), template)
        count = _write_parquet(path, list(rows)) if path.suffix == ".parquet" else _write_lines(path, rows)
        about = json.dumps({"env": "guiagent", **given, "rows": count}, indent=2, ensure_ascii=False)
        (folder / METADATA).write_text(about + "\n", "utf-8")
    except OSError as error:
        raise ConfigError(f"{folder} cannot be written: {why(error)}") from error
    except GuiAgentError:
        path.unlink(missing_ok=True)
        raise
    return path, count


def _rows(
    told: Iterable[Conversation], form: Format, pictures: Pictures, template: ChatTemplate | None
) -> Iterator[Mapping[str, Any]]:
    for row in chain.from_iterable(form.rows(one, pictures) for one in told):
        if template is not None:
            template.demand(row)
        yield row


def _write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    from gui_agent.trace.events import json_line

    count = 0
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json_line(row) + "\n")
            count += 1
    return count


def _write_parquet(path: Path, rows: Sequence[Mapping[str, Any]]) -> int:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra("parquet", f"writing {path.name}") from error
    parquet.write_table(pyarrow.Table.from_pylist([dict(row) for row in rows]), path)
    return len(rows)
