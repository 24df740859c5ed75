"""The same runner on a local Ray cluster, with a worker killed in the middle."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from guiagent_eval import cluster as engine
from guiagent_eval.benchmark import Benchmark, Case
from guiagent_eval.cluster import run_on_ray
from guiagent_eval.episodes import Solver
from guiagent_eval.live import workers
from guiagent_eval.records import EvalFolder, Record, open_cases
from guiagent_eval.schedule import RunLimits

from gui_agent.core.errors import BenchmarkError, ConfigError

sys.path.insert(0, str(Path(__file__).parent))
from test_runner import ToyBenchmark, ToySolver, setup, setup_that_fails

pytestmark = pytest.mark.nightly

PACE = RunLimits(workers=2, episode_seconds=30, attempts=2, start_seconds=90)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'guiagent[ray]'")
    # Workers unpickle the toy benchmark by the name of its module, which they have to find.
    environment = {"env_vars": {"PYTHONPATH": ":".join(sys.path)}}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=environment)
    yield ray
    ray.shutdown()


@pytest.mark.timeout(300)
def test_workers_of_a_cluster_run_every_case_and_a_killed_one_is_replaced(
    cluster: Any, tmp_path: Path
) -> None:
    cases = [Case("plain", seed) for seed in range(4)] + [Case("dies-once", 2), Case("is-a-bug", 2)]
    run = EvalFolder.create(tmp_path / "run", {})
    seen: list[Record] = []

    def keep(record: Record) -> None:
        run.append(record)
        seen.append(record)
        if len(seen) == 2:
            raise KeyboardInterrupt

    marks = tmp_path / "marks"
    marks.mkdir()
    with pytest.raises(KeyboardInterrupt):
        run_on_ray(cases, functools.partial(setup, str(marks)), PACE, keep)
    left = open_cases(cases, run.records())
    assert len(left) == 4
    run_on_ray(left, functools.partial(setup, str(marks)), PACE, run.append)
    records = sorted(run.records(), key=lambda record: (record.task, record.seed))
    assert [(one.task, one.seed, one.verdict) for one in records] == [
        ("dies-once", 2, "success"),
        ("is-a-bug", 2, "crashed"),
        *(("plain", seed, "unknown" if seed % 2 else "success") for seed in range(4)),
    ]
    assert records[1].reason.endswith("ZeroDivisionError: a bug in the planner")


@pytest.mark.timeout(300)
def test_workers_of_a_cluster_that_cannot_start_end_the_run(cluster: Any) -> None:
    with pytest.raises(BenchmarkError, match="no worker can start: the machine does not start"):
        run_on_ray([Case("plain", 2)], functools.partial(setup_that_fails, "", False), PACE, print)


class KeepingSolver(ToySolver):
    """Keeps traces in the run's folder, as its machine sees it."""

    def file_record(self, record: Record) -> Record:
        trace = f"traces/{record.task}/{record.seed}"
        Path("run", trace).mkdir(parents=True)
        Path("run", trace, "ending.json").write_text(record.verdict)
        return replace(record, trace=trace)


def setup_elsewhere(disk: str) -> tuple[Benchmark, Solver]:
    """As on a machine with a disk of its own, where the same path leads somewhere else."""
    os.chdir(disk)
    return ToyBenchmark(disk), KeepingSolver()


@pytest.mark.timeout(300)
def test_traces_of_machines_with_disks_of_their_own_come_back_and_the_run_can_be_watched(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    near, far = tmp_path / "near", tmp_path / "far"
    near.mkdir()
    far.mkdir()
    monkeypatch.chdir(near)
    run = EvalFolder.create(Path("run"), {})
    cases = [Case("plain", seed) for seed in range(6)]

    def keep(record: Record) -> None:
        assert f"{record.case}: {record.verdict}" in {one.doing for one in workers(run)}
        run.append(record)

    run_on_ray(cases, functools.partial(setup_elsewhere, str(far)), PACE, keep, folder=run.folder)
    kept = {one.seed: (run.folder / one.trace / "ending.json").read_text() for one in run.records()}
    assert kept == {seed: "unknown" if seed % 2 else "success" for seed in range(6)}
    assert not list(far.rglob("ending.json")), "nothing is left on the other disk"
    assert not list(workers(run))


@pytest.mark.timeout(300)
def test_machines_with_another_version_are_refused(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "versions_of", lambda names: {"guiagent": "9.9"})
    with pytest.raises(ConfigError, match=r"has guiagent \S+; the run was started with guiagent 9\.9"):
        run_on_ray([Case("plain", 2)], functools.partial(setup, str(tmp_path)), PACE, print)
