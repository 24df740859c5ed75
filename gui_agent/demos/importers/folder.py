"""A folder with recordings of one task, whoever made them: what can be learned from, and what cannot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gui_agent.core.demonstration import Demonstration
from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import why
from gui_agent.core.texts import normal
from gui_agent.demos.importers.files import SCRIPTS, Recorded, beside, read_recording
from gui_agent.demos.importers.imported import Imported
from gui_agent.demos.importers.miniwob_recorder import Failed, UnknownChoice
from gui_agent.demos.induce.instructions import read_instructions

_FILES = re.compile(rf"\.jsonx*(\.gz)?$|({'|'.join(map(re.escape, SCRIPTS))})$")
"""What is looked into; the recorder's server appends an `x` to a name that is taken."""
_LISTED = 5
"""So many names are told of those that have the same reason."""


@dataclass(frozen=True, slots=True)
class Collected:
    """The demonstrations in a folder, and a line for each thing in it that is not among them as it was."""

    demonstrations: tuple[Demonstration, ...] = ()
    told: tuple[str, ...] = ()


def collect(folder: Path, most: int) -> Collected:
    """The first demonstrations of a folder, by name; what cannot be used is told and takes nobody's place.

    Looked into are demonstrations of this project, recordings of MiniWoB++ and of DevTools (`.json`, also
    packed as `.json.gz`), and scripts of Playwright's code generator. For those that do not say what they do,
    the instruction is read from `<name>.txt` beside them.

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


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A recording in which something was chosen that it does not keep."""

    recorded: Recorded
    unknown: UnknownChoice

    @property
    def said(self) -> str:
        """Its instruction."""
        return self.recorded.recording.utterance if self.recorded.recording else ""


class _Collector:
    """What was found in a folder so far."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.usable: list[Demonstration | _Waiting] = []
        self._told: list[str] = []
        self._failed: list[str] = []
        self._guessed: list[str] = []

    def take(self, path: Path) -> None:
        """Take one file in; what is wrong with it is told."""
        source = f"{self._name}/{path.name}"
        try:
            recorded = read_recording(path, _instruction(path), source)
            try:
                self._keep(recorded.source, recorded.imported())
            except UnknownChoice as unknown:
                self.usable.append(_Waiting(recorded, unknown))
        except Failed:
            self._failed.append(path.name)
        except ConfigError as error:
            self._told.append(str(error))

    def _keep(self, source: str, imported: Imported) -> None:
        self.usable.append(imported.demonstration)
        self._tell(source, imported)

    def _tell(self, source: str, imported: Imported) -> None:
        changed = [remark for remark in imported.remarks if not remark.needless]
        if changed:
            more = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
            self._told.append(f"{source} line {changed[0]}{more}")

    def collected(self) -> Collected:
        """The demonstrations, with the choices that can be told from where the instructions differ."""
        said = [one.said for one in self.usable if isinstance(one, _Waiting)]
        found = [one if isinstance(one, Demonstration) else self._completed(one, said) for one in self.usable]
        if self._guessed:
            listed = ", ".join(f'"{option}"' for option in self._guessed[:_LISTED])
            self._told.append(
                f"{self._name}: choices in lists are not recorded, taken from the instructions: {listed}"
            )
        if self._failed:
            count, names = len(self._failed), ", ".join(self._failed[:_LISTED])
            which = f"{count} recordings do" if count > 1 else "1 recording does"
            more = ", ..." if count > _LISTED else ""
            self._told.append(f"{self._name}: {which} not end with reward 1, not learned from: {names}{more}")
        return Collected(tuple(one for one in found if one is not None), tuple(self._told))

    def _completed(self, one: _Waiting, said: Sequence[str]) -> Demonstration | None:
        try:
            chosen = told_choices(one.said, said, one.unknown)
            imported = one.recorded.imported(chosen)
        except ConfigError as error:
            self._told.append(str(error))
            return None
        self._guessed += chosen
        return imported.demonstration


def told_choices(said: str, others: Sequence[str], unknown: UnknownChoice) -> tuple[str, ...]:
    """What was chosen in the lists of a recording: the parts by which its instruction differs from others.

    The recorder keeps that a list was used, and not what was chosen. A recording that succeeded did what its
    instruction asks for.

    Args:
        said: the instruction of the recording.
        others: those of all such recordings.

    Raises:
        UnknownChoice: the instruction does not differ in as many parts as there are lists.
    """
    wordings = list(dict.fromkeys([said, *others]))
    if len(wordings) < 2:
        raise unknown
    typed = {normal(text) for text in unknown.written}
    values = read_instructions(wordings, [()] * len(wordings)).values[0].values()
    left = [value for value in values if normal(value) not in typed]
    if len(left) != len(unknown.begun):
        raise unknown
    pairs = zip(left, unknown.begun, strict=True)
    if not all(normal(value).startswith(normal(begun)) for value, begun in pairs):
        raise unknown
    return tuple(left)


def _instruction(path: Path) -> str:
    """What stands in the text file beside a recording; empty when there is none."""
    try:
        with beside(path).open(encoding="utf-8") as file:
            return " ".join(file.read(4000).split())
    except (OSError, UnicodeDecodeError):
        return ""
