"""A folder with recordings of one task, whoever made them: what can be learned from, and what cannot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gui_agent.core.demonstration import Demonstration
from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import why
from gui_agent.procedures.importers.files import SCRIPTS, beside, read_recording
from gui_agent.procedures.importers.imported import Failed, Imported, Incomplete

_FILES = re.compile(rf"\.jsonx*(\.gz)?$|\.side$|({'|'.join(map(re.escape, SCRIPTS))})$")
"""What is looked into; MiniWoB++'s server appends an `x` to a name that is taken."""
_LISTED = 5
"""So many names are told of those that have the same reason."""


@dataclass(frozen=True, slots=True)
class Collected:
    """The demonstrations in a folder, and a line for each thing in it that is not among them as it was."""

    demonstrations: tuple[Demonstration, ...] = ()
    told: tuple[str, ...] = ()


def collect(folder: Path, most: int) -> Collected:
    """The first demonstrations of a folder, by name; what cannot be used is told and takes nobody's place.

    Looked into are demonstrations of this project and recordings of all tools that `read_recording` knows.
    For those that do not say what they do, the instruction is read from `<name>.txt` beside them.

    Args:
        most: so many demonstrations at most.
    """
    collector = _Collector(folder.name)
    try:
        paths = sorted(path for path in folder.iterdir() if _FILES.search(path.name) and path.is_file())
    except FileNotFoundError:
        return Collected()
    except OSError as error:
        return Collected(told=(f"{folder.name}: cannot be read: {why(error)}",))
    for path in paths:
        if len(collector.usable) >= most:
            break
        collector.take(path)
    return collector.collected()


class _Collector:
    """What was found in a folder so far."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.usable: list[Imported | Incomplete] = []
        self._told: list[str] = []
        self._failed: list[str] = []

    def take(self, path: Path) -> None:
        """Take one file in; what is wrong with it is told."""
        source = f"{self._name}/{path.name}"
        try:
            imported = read_recording(path, _instruction(path), source)
            self.usable.append(imported)
            self._tell(source, imported)
        except Incomplete as incomplete:
            self.usable.append(incomplete)
        except Failed:
            self._failed.append(path.name)
        except ConfigError as error:
            self._told.append(str(error))

    def _tell(self, source: str, imported: Imported) -> None:
        changed = [remark for remark in imported.remarks if not remark.needless]
        if changed:
            more = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
            self._told.append(f"{source} line {changed[0]}{more}")

    def collected(self) -> Collected:
        """The demonstrations, with the values that can be told from where the instructions differ."""
        said = [one.said for one in self.usable if isinstance(one, Incomplete)]
        found = [one if isinstance(one, Imported) else self._with_others(one, said) for one in self.usable]
        kept = [one for one in found if one is not None]
        inferred = [value for one in kept for value in one.inferred]
        if inferred:
            listed = ", ".join(f'"{value}"' for value in inferred[:_LISTED])
            self._told.append(f"{self._name}: not recorded, taken from the instructions: {listed}")
        if self._failed:
            count, names = len(self._failed), ", ".join(self._failed[:_LISTED])
            which = f"{count} recordings do" if count > 1 else "1 recording does"
            more = ", ..." if count > _LISTED else ""
            self._told.append(f"{self._name}: {which} not end with reward 1, not learned from: {names}{more}")
        return Collected(tuple(one.demonstration for one in kept), tuple(self._told))

    def _with_others(self, one: Incomplete, said: Sequence[str]) -> Imported | None:
        try:
            return one.fill_in(said)
        except ConfigError as error:
            self._told.append(str(error))
            return None


def _instruction(path: Path) -> str:
    """What stands in the text file beside a recording; empty when there is none."""
    try:
        with beside(path).open(encoding="utf-8") as file:
            return " ".join(file.read(4000).split())
    except (OSError, UnicodeDecodeError):
        return ""
