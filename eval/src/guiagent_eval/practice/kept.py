"""The kept runs that a person names, each with its benchmark record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gui_agent.cli.runs import find_run, kept_in
from gui_agent.core.errors import ConfigError
from gui_agent.core.redaction import Redactor
from gui_agent.core.trajectory import Trajectory
from gui_agent.settings import Settings, secrets
from gui_agent.trace.lines import RUN
from gui_agent.trace.reader import StoredRun, read_run
from guiagent_eval.records import JOURNAL, EvalFolder, Record


@dataclass(frozen=True, slots=True)
class KeptRun:
    """One run on disk."""

    run: StoredRun = field(repr=False)
    record: Record | None = None
    """The benchmark's record, if the run is an episode of one."""
    benchmark: str = ""

    @property
    def name(self) -> str:
        """A name that no other run read with it has."""
        return str(self.record.case) if self.record else self.run.meta.id

    @property
    def folder(self) -> Path:
        return self.run.folder

    @property
    def trajectory(self) -> Trajectory:
        return self.run.trajectory

    @property
    def is_won(self) -> bool:
        """Whether it succeeded: by the benchmark's grade, else by its own checked ending."""
        ending = self.run.trajectory.ending
        verified = ending is not None and ending.kind == "done" and ending.verified
        return self.record.success if self.record else verified

    @property
    def reward(self) -> float:
        """The reward before any discount for time, which would differ in a replay."""
        if self.record is None:
            return float(self.is_won)
        return self.record.raw or float(self.record.success)


def kept_runs(names: Sequence[str], *, pictures: bool = True) -> Iterator[KeptRun]:
    """The named runs: folders of runs, of benchmark runs, or folders that hold runs; also by id.

    Present secrets are hidden, even if they were not set during the run.

    Raises:
        ConfigError: there is no run of such a name, or a run cannot be read.
    """
    hidden = Redactor(secrets())
    for name in names:
        for folder, record, benchmark in _find_runs(name):
            run = read_run(folder, pictures=pictures)
            yield KeptRun(hidden.value(run), hidden.value(record), benchmark)


def _find_runs(name: str) -> Iterator[tuple[Path, Record | None, str]]:
    path = Path(name)
    if (path / RUN).is_file():
        yield path, None, ""
    elif (path / JOURNAL).is_file():
        yield from _episodes(EvalFolder(path))
    elif path.is_dir():
        folders = sorted(found.parent for found in path.glob(f"*/{RUN}"))
        if not folders:
            raise ConfigError(f"{path} holds no runs: no folder in it has a {RUN}")
        yield from ((folder, None, "") for folder in folders)
    else:
        yield find_run(name, kept_in(Settings())), None, ""


def _episodes(folder: EvalFolder) -> Iterator[tuple[Path, Record | None, str]]:
    """The episodes of a benchmark run whose traces were kept."""
    records = [record for record in folder.records() if record.trace and record.is_counted]
    if not records:
        raise ConfigError(f"{folder.folder} kept no traces; run it again with --trace all")
    benchmark = str(folder.journal.get("recipe", {}).get("benchmark", ""))
    yield from ((folder.folder / record.trace, record, benchmark) for record in records)
