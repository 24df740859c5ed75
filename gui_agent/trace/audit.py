"""The audit log of a run: a chain of seals over what was done, and a seal over all files at the end.

A seal holds no secret key: it shows what was changed after it was made, and whoever keeps the last one (it is
printed by `guiagent audit verify`) elsewhere can show that nobody has made a new chain.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import why
from gui_agent.core.parsing import parse_json
from gui_agent.trace.lines import AUDIT, MOVING, REPORT, RUN, SEAL, STEPS

LATER = frozenset({AUDIT, SEAL, REPORT, MOVING})
"""Files that are written after the run, or are seals themselves."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What the seals of a run say."""

    lines: int
    files: int
    seal: str
    """The last seal, to be kept elsewhere."""
    wrong: tuple[str, ...] = ()
    """What does not fit its seal."""
    ended: bool = True
    """Whether the run was sealed at its end; a killed one is sealed line by line only."""


def seal_of(folder: Path, chain: str) -> bytes:
    """The seal over all files of a run."""
    files = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in _files(folder)}
    return json.dumps({"files": files, "chain": chain, "seal": _over(files, chain)}, indent=1).encode()


def verify(folder: Path) -> Audit:
    """Compare a run with its seals."""
    try:
        lines = _lines(folder / STEPS)
        seals = _lines(folder / AUDIT)
        if not (folder / RUN).is_file() or not (seals or (folder / SEAL).is_file()):
            raise ConfigError(f"{folder} has no audit log; it is no run, or was made by an earlier version")
        told = _object(folder / SEAL)
        files = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in _files(folder)}
    except OSError as error:
        raise ConfigError(f"{folder}: {why(error)}") from error
    wrong, chain = [], ""
    for number, line in enumerate(lines, start=1):
        chain = hashlib.sha256(chain.encode() + line).hexdigest()
        if number > len(seals) or _table(seals[number - 1]).get("chain") != chain:
            wrong.append(f"{STEPS}: line {number} is not what was sealed")
            break
    if len(seals) > len(lines):
        wrong.append(f"{STEPS}: {len(seals) - len(lines)} sealed lines are missing")
    kept = told.get("files") if told else None
    if told and isinstance(kept, dict):
        wrong += [f"{name} was changed" for name in kept.keys() & files.keys() if kept[name] != files[name]]
        wrong += [f"{name} is missing" for name in kept.keys() - files.keys()]
        wrong += [f"{name} was added" for name in files.keys() - kept.keys()]
        if told.get("chain") != chain or told.get("seal") != _over(kept, chain):
            wrong.append(f"{SEAL} does not belong to this chain")
    elif told is not None or (folder / "ending.json").exists():
        wrong.append(f"{SEAL} is missing or damaged, though the run has ended")
    seal = str(told.get("seal", chain)) if told else chain
    return Audit(len(lines), len(files), seal, tuple(wrong), ended=bool(told))


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in LATER and path.suffix != ".part":
            yield path.relative_to(folder).as_posix(), path


def _lines(path: Path) -> list[bytes]:
    """The whole lines of a file; what a kill has left half written is none."""
    return path.read_bytes().split(b"\n")[:-1] if path.is_file() else []


def _object(path: Path) -> dict[str, Any] | None:
    """The object in a file, empty when it is damaged; None when there is no file."""
    return _table(path.read_bytes()) if path.is_file() else None


def _table(data: bytes) -> dict[str, Any]:
    try:
        read = parse_json(data)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def _over(files: dict[str, str], chain: str) -> str:
    return hashlib.sha256(json.dumps([sorted(files.items()), chain]).encode()).hexdigest()
