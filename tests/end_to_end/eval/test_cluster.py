"""The same runner on a local Ray cluster, with a worker killed in the middle."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from guiagent_eval.benchmark import Case
from guiagent_eval.cluster import run_on_ray
from guiagent_eval.records import EvalFolder, Record, open_cases
from guiagent_eval.schedule import Pace

from gui_agent.core.errors import BenchmarkError

sys.path.insert(0, str(Path(__file__).parent))
from test_runner import setup, setup_that_fails

pytestmark = pytest.mark.nightly

PACE = Pace(workers=2, episode_seconds=30, attempts=2, start_seconds=90)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'guiagent[ray]'")
    # Workers unpickle the toy benchmark by the name of its module, which they have to find.
    environment = {"env_vars": {"PYTHONPATH": str(Path(__file__).parent)}}
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
