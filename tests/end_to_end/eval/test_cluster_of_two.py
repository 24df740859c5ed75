"""A cluster whose machines come and go: workers are where there is room, and each episode counts once."""

from __future__ import annotations

import functools
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from guiagent_eval.benchmark import Benchmark, Case, Needs
from guiagent_eval.cluster import EnvPool, run_on_ray
from guiagent_eval.episodes import Solver
from guiagent_eval.practice.stepping import Served
from guiagent_eval.records import Record
from guiagent_eval.schedule import RunLimits

sys.path.insert(0, str(Path(__file__).parent))
from doors import mark_of
from test_runner import ToyBenchmark, ToyEpisode, ToySolver

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(400)]

EPISODES = 100
LASTS = 0.4
"""Seconds of an episode."""
PACE = RunLimits(workers=4, episode_seconds=60, attempts=4, start_seconds=120)


@dataclass
class GuestLike(ToyBenchmark):
    """A benchmark with a guest for each worker, which notes where each episode was."""

    marks: Path

    def needs(self) -> Needs:
        return Needs(cpus=0.5, guests=1)

    @contextmanager
    def episode(self, case: Case) -> Iterator[ToyEpisode]:
        import ray

        began = time.time()
        with super().episode(case) as episode:
            time.sleep(LASTS)
            yield episode
        node = ray.get_runtime_context().get_node_id()
        line = json.dumps({"node": node, "case": str(case), "began": began, "ended": time.time()})
        with (self.marks / "ledger").open("a") as file:
            file.write(line + "\n")


def setup(marks: str) -> tuple[Benchmark, Solver]:
    return GuestLike(Path(marks)), ToySolver()


@pytest.fixture
def machines() -> Iterator[Any]:
    """A cluster with a machine that works on nothing, and one that bears two guests."""
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'guiagent[ray]'")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        cluster.first = cluster.add_node(num_cpus=4, resources={"guest": 2})
        environment = {"env_vars": {"PYTHONPATH": ":".join(sys.path)}}
        ray.init(address=cluster.address, log_to_driver=False, runtime_env=environment)
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()


def wait_for(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 300
    while not holds() and time.monotonic() < until:
        time.sleep(0.1)


def at_once(ledger: Sequence[dict[str, Any]]) -> int:
    """How many episodes were under way at the same time."""
    moments = sorted([(one["began"], 1) for one in ledger] + [(one["ended"], -1) for one in ledger])
    count = most = 0
    for _, change in moments:
        count += change
        most = max(most, count)
    return most


def test_a_machine_joins_and_one_leaves_and_each_episode_counts_once(machines: Any, tmp_path: Path) -> None:
    cases = [Case("plain", seed) for seed in range(EPISODES)]
    kept: list[Record] = []
    work = functools.partial(setup, str(tmp_path))
    needs = GuestLike(tmp_path).needs()
    with ThreadPoolExecutor(1) as thread:
        run = thread.submit(run_on_ray, cases, work, PACE, kept.append, needs=needs)
        wait_for(lambda: len(kept) >= EPISODES // 5 or run.done())
        machines.add_node(num_cpus=4, resources={"guest": 1})
        wait_for(lambda: len(kept) >= EPISODES // 2 or run.done())
        machines.remove_node(machines.first, allow_graceful=False)
        run.result()
    assert Counter(str(one.case) for one in kept) == Counter(map(str, cases))
    assert {one.verdict for one in kept} == {"success", "unknown"}, "none was given up for the lost machine"
    by_node = defaultdict(list)
    for line in (tmp_path / "ledger").read_text().splitlines():
        by_node[json.loads(line)["node"]].append(json.loads(line))
    assert sorted(at_once(ledger) for ledger in by_node.values()) == [1, 2]


def test_environment_workers_are_leased_and_one_that_died_is_replaced(machines: Any) -> None:
    import ray

    pool = EnvPool(ray, Served("doors:Doors"), 2)
    try:
        worker = pool.lease(120)
        seen = ray.get(worker.reset.remote({"task": "open", "seed": 3}))
        asked = seen["obs_messages"][0]["content"][0]["text"]
        wanted = asked.partition("Open the door ")[2].partition("\n")[0]
        assert not seen["is_done"] and seen["format_reward"] == 0.0
        assert ray.get(worker.step.remote("Hm."))["format_reward"] == -1.0
        act = {"actions": [{"kind": "click", "at": {"mark": mark_of(asked, wanted)}}]}
        assert ray.get(worker.step.remote(json.dumps(act)))["is_done"]
        assert ray.get(worker.evaluate.remote()) == 1.0
        pool.give_back(worker)
        others = [pool.lease(120), pool.lease(120)]
        ray.get(others[0].reset.remote({"task": "open", "seed": 4}))
        assert ray.get(others[0].evaluate.remote()) == 0.0, "it had not opened any door"
        ray.kill(others[1])
        with pytest.raises(ray.exceptions.RayError):
            ray.get(others[1].evaluate.remote())
        pool.give_back(others[1])
        assert ray.get(pool.lease(120).reset.remote({"task": "open", "seed": 5}))["obs_messages"]
    finally:
        pool.close()
