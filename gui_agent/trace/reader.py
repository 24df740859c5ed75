"""Reads stored runs (steps, screens, endings), and checks whether a run is complete and unchanged."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gui_agent.core.codec import decode
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Element, Observation, Screenshot, Size
from gui_agent.core.os_errors import file_errors, why
from gui_agent.core.parsing import parse_json
from gui_agent.core.trajectory import Decision, Step, Trajectory, Turn
from gui_agent.trace.lines import (
    AUDIT,
    ENDING,
    IMAGES,
    MEDIA,
    MOVING,
    OBSERVATIONS,
    REPORT,
    RUN,
    SEAL,
    STEPS,
    DecisionLine,
    EndingLine,
    Line,
    ObservationLine,
    RunMeta,
    StepLine,
)

INTERRUPTED = "interrupted (no ending was written)"
UNKNOWN = Observation(Size(0, 0))
"""Stands for a screen whose line was lost."""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run as found on disk."""

    folder: Path
    meta: RunMeta
    trajectory: Trajectory
    complete: bool
    """Whether its ending was written."""
    seconds: float = 0.0
    problems: tuple[str, ...] = ()
    """What is missing or could not be read, for people."""
    at: tuple[float, ...] = field(default=(), repr=False)
    """Seconds since the start at which each step ended."""

    @property
    def ending(self) -> str:
        """The ending in words: `done`, `not_done: there is no "Send"` ..."""
        return _ending(self.trajectory)

    @property
    def model_calls(self) -> int:
        return self.trajectory.model_calls


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One line in the list of runs."""

    id: str
    folder: Path
    task: str
    ending: str
    """Kind of the ending, or what is wrong with the folder."""
    steps: int
    seconds: float
    started: str
    """ISO 8601."""
    cost: float = 0.0
    """Dollars, for models with a known price."""
    reason: str = ""
    """Why it ended as it did, if it was not done."""


def read_run(folder: Path | str, *, pictures: bool = True) -> StoredRun:
    """Read a run, if necessary without its pictures; `problems` lists torn or missing pieces."""
    path = Path(folder)
    meta = _meta(path)
    problems: list[str] = []
    observations = _observations(path, problems, pictures=pictures)
    lines = list(_readable_lines(path / STEPS, Line, problems))
    turns = _turns(lines, observations, problems)
    ending = _ending_line(path, problems)
    at = tuple(line.at for line in lines if isinstance(line, StepLine))
    if ending:
        problems.extend(text for text in ending.problems if text not in problems)
    return StoredRun(
        path,
        meta,
        Trajectory(meta.task, turns, ending.ending if ending else None),
        ending is not None,
        ending.seconds if ending else max((line.at for line in lines), default=0.0),
        tuple(problems),
        at,
    )


def list_runs(root: Path | str) -> Sequence[RunSummary]:
    """The runs in a folder, newest first; folders that are not runs are skipped."""
    path = Path(root)
    with file_errors(f"the runs in {path} cannot be listed"):
        try:
            folders = [child for child in path.iterdir() if (child / RUN).is_file()]
        except FileNotFoundError as error:
            raise ConfigError(f"there are no runs in {path} yet; do a task with: guiagent run") from error
    return sorted((_summary(child) for child in folders), key=lambda run: (run.started, run.id), reverse=True)


def _meta(path: Path) -> RunMeta:
    if not (path / RUN).is_file():
        missing = "has no run.json" if path.is_dir() else "there is no such folder"
        raise ConfigError(
            f"{path} is not the folder of a run ({missing}); list them with: guiagent show --list"
        )
    with file_errors(f"cannot read {path / RUN}"):
        try:
            return decode(RunMeta, (path / RUN).read_bytes(), source=str(path / RUN))
        except ConfigError as error:
            raise ConfigError(f"{error}; it is damaged or from another version of guiagent") from error


def _ending(trajectory: Trajectory) -> str:
    ending = trajectory.ending
    if ending is None:
        return INTERRUPTED
    return f"{ending.kind}: {ending.reason}" if ending.reason else ending.kind


def _ending_line(path: Path, problems: list[str]) -> EndingLine | None:
    try:
        return decode(EndingLine, (path / ENDING).read_bytes(), source=ENDING)
    except FileNotFoundError:
        problems.append(INTERRUPTED)
    except OSError as error:
        problems.append(f"{ENDING} cannot be read: {why(error)}")
    except ConfigError as error:
        problems.append(f"{ENDING} is damaged: {error}")
    return None


def _readable_lines(path: Path, kind: Any, problems: list[str]) -> Iterator[Any]:
    try:
        raw = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return
    except OSError as error:
        problems.append(f"{path.name} cannot be read: {why(error)}")
        return
    for number, line in enumerate(raw, start=1):
        if not line.strip():
            continue
        try:
            yield decode(kind, line, source=f"{path.name} line {number}")
        except ConfigError as error:
            cut = number == len(raw)
            problems.append(f"the last line of {path.name} was cut off" if cut else f"left out {error}")


def _observations(path: Path, problems: list[str], *, pictures: bool) -> dict[int, Observation]:
    table: dict[int, Element] = {}
    loaded: dict[str, bytes] = {}
    found: dict[int, Observation] = {}
    for line in _readable_lines(path / OBSERVATIONS, ObservationLine, problems):
        table.update(enumerate(line.new, start=line.first))
        found[line.number] = Observation(
            line.size,
            tuple(table[place] for place in line.elements if place in table),
            line.place,
            _picture(path, line, loaded, problems) if pictures and line.picture else None,
            line.more,
            line.left_out,
            line.notices,
            console=line.console,
        )
    return found


def _picture(
    path: Path, line: ObservationLine, loaded: dict[str, bytes], problems: list[str]
) -> Screenshot | None:
    name = Path(line.picture).name
    media = MEDIA.get(Path(name).suffix)
    if name not in loaded:
        try:
            loaded[name] = (path / IMAGES / name).read_bytes()
        except OSError:
            loaded[name] = b""
            problems.append(f"the picture {name} is missing")
    if not loaded[name] or media is None:
        return None
    return Screenshot(loaded[name], line.picture_size or line.size, media)


def _turns(
    lines: Sequence[DecisionLine | StepLine], observations: dict[int, Observation], problems: list[str]
) -> tuple[Turn, ...]:
    turns: list[Turn] = []

    def screen(number: int) -> Observation:
        if number not in observations:
            problems.append(f"screen {number} is missing in {OBSERVATIONS}")
        return observations.get(number, UNKNOWN)

    for line in lines:
        if isinstance(line, DecisionLine):
            turns.append(Turn(line.decision, screen(line.observation), (), line.seconds))
            continue
        before = screen(line.before)
        if not turns:
            turns.append(Turn(Decision(thought="the decision was lost"), before))
        done = (line.outcome, line.action, line.found, line.error, line.seconds)
        told = (*done, line.requests, line.allowed, line.means)
        step = Step(line.number, line.planned, before, screen(line.after), *told)
        turns[-1] = replace(turns[-1], steps=(*turns[-1].steps, step))
    return tuple(turns)


def _summary(path: Path) -> RunSummary:
    problems: list[str] = []
    try:
        meta = _meta(path)
    except ConfigError as error:
        return RunSummary(path.name, path, "", f"unreadable: {error}", 0, 0.0, "")
    ending = _ending_line(path, problems)
    if ending:
        counted = (ending.steps, ending.seconds, meta.started, ending.cost, ending.ending.reason)
        return RunSummary(meta.id, path, meta.task.full_text, ending.ending.kind, *counted)
    lines = list(_readable_lines(path / STEPS, Line, problems))
    steps = sum(isinstance(line, StepLine) for line in lines)
    seconds = max((line.at for line in lines), default=0.0)
    return RunSummary(meta.id, path, meta.task.full_text, "interrupted", steps, seconds, meta.started)


RUNS = 20
"""How many of the latest runs are read."""
ENOUGH = 5
"""How many steps of a program are enough to know its usual time."""


def usual_settles(folder: Path, runs: int = RUNS) -> dict[str, float]:
    """Seconds within which nine of ten steps of a program settled, by application.

    Programs with few steps and unreadable runs are left out: a run can do without.
    """
    seen: dict[str, list[float]] = defaultdict(list)
    for run in sorted(folder.glob("*/steps.jsonl"), reverse=True)[:runs]:
        apps = {
            line["number"]: line["place"]["app"] for line in _json_lines(run.with_name("observations.jsonl"))
        }
        for line in _json_lines(run):
            settle = line.get("seconds", {}).get("settle") if line.get("kind") == "step" else None
            app = apps.get(line.get("after"), "")
            if settle and app:
                seen[app].append(float(settle))
    return {app: _usual(times) for app, times in seen.items() if len(times) >= ENOUGH}


def _usual(times: list[float]) -> float:
    return sorted(times)[min(len(times) - 1, int(0.9 * len(times)))]


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            told = parse_json(line)
            if isinstance(told, dict):
                yield told
    except (OSError, ValueError, KeyError):
        return


LATER = frozenset({AUDIT, SEAL, REPORT, MOVING, "run.mp4", "run.webm"})
"""Files that are written after the run, or are seals themselves."""


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of checking a run's seals."""

    lines: int
    files: int
    seal: str
    """The last seal, to be stored elsewhere."""
    wrong: tuple[str, ...] = ()
    """What does not match its seal."""
    ended: bool = True
    """Whether the run was sealed at its end; a killed run is only sealed line by line."""


def seal_of(folder: Path, chain: str) -> bytes:
    files = _digests(folder)
    return json.dumps({"files": files, "chain": chain, "seal": _seal_digest(files, chain)}, indent=1).encode()


def verify(folder: Path) -> Audit:
    """Compare a run with its seals."""
    with file_errors(str(folder)):
        lines = _whole_lines(folder / STEPS)
        seals = _whole_lines(folder / AUDIT)
        if not (folder / RUN).is_file() or not (seals or (folder / SEAL).is_file()):
            raise ConfigError(
                f"{folder} has no audit log; it is not a run, or was made by an earlier version"
            )
        told = _table((folder / SEAL).read_bytes()) if (folder / SEAL).is_file() else None
        files = _digests(folder)
    chain, wrong = _compare_lines(lines, seals)
    if told and isinstance(kept := told.get("files"), dict):
        wrong += _file_changes(kept, files)
        if told.get("chain") != chain or told.get("seal") != _seal_digest(kept, chain):
            wrong.append(f"{SEAL} does not belong to this chain")
    elif told is not None or (folder / ENDING).exists():
        wrong.append(f"{SEAL} is missing or damaged, though the run has ended")
    seal = str(told.get("seal", chain)) if told else chain
    return Audit(len(lines), len(files), seal, tuple(wrong), ended=bool(told))


def _compare_lines(lines: Sequence[bytes], seals: Sequence[bytes]) -> tuple[str, list[str]]:
    """The chain over the steps up to the first mismatch, and the mismatches."""
    wrong, chain = [], ""
    for number, line in enumerate(lines, start=1):
        chain = hashlib.sha256(chain.encode() + line).hexdigest()
        if number > len(seals) or _table(seals[number - 1]).get("chain") != chain:
            wrong.append(f"{STEPS}: line {number} is not what was sealed")
            break
    if len(seals) > len(lines):
        wrong.append(f"{STEPS}: {len(seals) - len(lines)} sealed lines are missing")
    return chain, wrong


def _file_changes(sealed: dict[str, str], files: dict[str, str]) -> Iterator[str]:
    """How the files differ from the sealed ones, both as digests by name."""
    for name in sorted(sealed.keys() | files.keys()):
        if name not in files:
            yield f"{name} is missing"
        elif name not in sealed:
            yield f"{name} was added"
        elif sealed[name] != files[name]:
            yield f"{name} was changed"


def _digests(folder: Path) -> dict[str, str]:
    """The digest of each file that the seal covers, by its name."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in LATER and path.suffix != ".part"
    }


def _whole_lines(path: Path) -> list[bytes]:
    return path.read_bytes().split(b"\n")[:-1] if path.is_file() else []


def _table(data: bytes) -> dict[str, Any]:
    try:
        read = parse_json(data)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def _seal_digest(files: dict[str, str], chain: str) -> str:
    return hashlib.sha256(json.dumps([sorted(files.items()), chain]).encode()).hexdigest()
