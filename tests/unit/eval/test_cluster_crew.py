"""Workers that wait for a place on a busy cluster, played by a Ray that is told who finds one and when."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from guiagent_eval import cluster
from guiagent_eval.benchmark import Case, Needs, needs_of
from guiagent_eval.cluster import PLACING, run_on_ray
from guiagent_eval.episodes import failure_record
from guiagent_eval.osworld.benchmark import OsWorld
from guiagent_eval.records import Record
from guiagent_eval.schedule import Assignment, Ready, RunLimits, WorkerFailure

from gui_agent.core.errors import BenchmarkError, ConfigError

STEP = 10.0
"""Seconds that pass between two looks at the workers."""
PACE = RunLimits(workers=6, start_seconds=60)


class Died(Exception):
    """A worker's process has gone."""


class Call:
    """Something a worker was asked for: `answer` gives it, or raises, as soon as `ready` says so."""

    def __init__(self, ready: Callable[[], bool], answer: Callable[[], Any]) -> None:
        self.ready, self.answer = ready, answer


class PlayedRay:
    """Ray with `cpus` places; a worker keeps its place until it is killed."""

    exceptions = SimpleNamespace(
        GetTimeoutError=type("GetTimeoutError", (Exception,), {}),
        RayTaskError=type("RayTaskError", (Exception,), {}),
        RayError=Died,
    )

    def __init__(
        self, cpus: int, opened: Callable[[], Ready | WorkerFailure] = Ready, grows_at: float = 0.0
    ) -> None:
        self.cpus, self.opened, self.grows_at = cpus, opened, grows_at
        self.now = 0.0
        self.workers: list[Any] = []
        self.killed: list[Any] = []

    def monotonic(self) -> float:
        return self.now

    def remote(self, **placing: Any) -> Any:
        self.placing = placing
        return lambda bench: SimpleNamespace(remote=self._made)

    def _made(self, *given: Any) -> Any:
        worker = SimpleNamespace()
        self.workers.append(worker)

        def has_place() -> bool:
            return self.now >= self.grows_at and worker in self.workers[: self.cpus]

        def asked(ready: Callable[[], bool], answer: Callable[..., Any]) -> Any:
            return SimpleNamespace(remote=lambda *given: Call(ready, lambda: answer(*given)))

        worker.__ray_ready__ = asked(has_place, lambda: True)
        worker.open = asked(lambda: True, self.opened)
        worker.run_for = asked(lambda: True, self._episode)
        return worker

    def _episode(self, given: Assignment) -> tuple[Record, bytes]:
        return failure_record(given.case, "wrong", "not done", given.attempt), b""

    def wait(self, calls: list[Call], timeout: float) -> tuple[list[Call], list[Call]]:
        self.now += STEP
        done = [call for call in calls if call.ready()]
        return done, [call for call in calls if call not in done]

    def get(self, call: Call, timeout: float) -> Any:
        if not call.ready():
            raise self.exceptions.GetTimeoutError
        return call.answer()

    def kill(self, worker: Any, no_restart: bool) -> None:
        self.killed.append(worker)
        self.workers.remove(worker)


def ran(ray: PlayedRay, monkeypatch: pytest.MonkeyPatch, episodes: int = 200) -> list[Record]:
    monkeypatch.setattr(cluster, "time", ray)
    kept: list[Record] = []
    run_on_ray([Case("a", seed) for seed in range(episodes)], lambda: None, PACE, kept.append, connected=ray)  # type: ignore[arg-type, return-value]
    return kept


def test_workers_that_wait_for_a_free_place_neither_end_the_run_nor_are_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ray = PlayedRay(cpus=2)
    assert len(ran(ray, monkeypatch)) == 200
    assert ray.now > 10 * PACE.start_seconds
    assert len(ray.killed) == PACE.workers, "each once, at the end"


def test_a_worker_is_placed_where_what_its_benchmark_needs_is_left() -> None:
    ray, kept = PlayedRay(cpus=1), list[Record]()
    needs = needs_of(OsWorld(guest="qemu:osworld.qcow2"))
    run_on_ray([Case("a", 0)], lambda: None, PACE, kept.append, needs=needs, connected=ray)  # type: ignore[arg-type, return-value]
    assert len(kept) == 1
    taken = {"num_cpus": 2.0, "memory": 4 << 30, "resources": {"guest": 1}}
    assert ray.placing == {**taken, "scheduling_strategy": "SPREAD", "max_restarts": 0}
    assert needs_of(OsWorld(guest="remote:http://elsewhere:5000")) == needs_of(object()) == Needs()


def test_a_cluster_that_has_to_grow_first_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = PlayedRay(cpus=2, grows_at=5 * PACE.start_seconds)
    assert len(ran(ray, monkeypatch, episodes=10)) == 10


def test_a_cluster_without_a_free_place_ends_the_run_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = PlayedRay(cpus=0)
    with pytest.raises(BenchmarkError, match="waited for a free CPU of the cluster"):
        ran(ray, monkeypatch)
    assert PLACING < ray.now < 2 * PLACING


def test_workers_that_have_a_place_and_do_not_start_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BenchmarkError, match="no browser"):
        ran(PlayedRay(cpus=2, opened=lambda: WorkerFailure("no browser")), monkeypatch)


def test_a_machine_that_is_not_like_the_others_is_left_out_and_alone_ends_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = WorkerFailure("lab-3 has guiagent 0.1", fix=True)
    answers = [Ready(), told, Ready()]
    ray = PlayedRay(cpus=3, opened=lambda: answers.pop(0))
    with pytest.warns(UserWarning, match="left out: lab-3 has guiagent 0.1"):
        assert len(ran(ray, monkeypatch, episodes=3)) == 3
    assert not answers and len(ray.killed) == 3, "nobody took its place"
    with pytest.raises(ConfigError, match="lab-3"), pytest.warns(UserWarning, match="lab-3"):
        ran(PlayedRay(cpus=3, opened=lambda: told), monkeypatch, episodes=3)


def test_a_worker_that_dies_while_it_waits_is_replaced_and_counts_for_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ray = PlayedRay(cpus=1)
    made, deaths = ray._made, [*range(10)]

    def dying(*given: Any) -> Any:
        worker = made(*given)
        if len(ray.workers) > 1 and deaths:
            deaths.pop()

            def died() -> bool:
                raise Died

            worker.__ray_ready__ = SimpleNamespace(remote=lambda: Call(lambda: True, died))
        return worker

    monkeypatch.setattr(ray, "_made", dying)
    assert len(ran(ray, monkeypatch)) == 200 and not deaths


@pytest.mark.parametrize(
    ("below", "told"),
    [
        ("Connection refused", "no Ray cluster answers at 10.0.0.1:6379"),
        ("RPC error: InvalidAuthToken", "refused the token of this machine"),
    ],
)
def test_a_cluster_that_refuses_the_token_is_told_apart_from_one_that_is_not_there(
    below: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'guiagent[ray]'")

    def init(**_: Any) -> None:
        raise ConnectionError("Failed to connect to Ray cluster") from RuntimeError(below)

    monkeypatch.setattr(ray, "init", init)
    with pytest.raises(ConfigError, match=told):
        run_on_ray([], lambda: None, PACE, print, address="10.0.0.1:6379")  # type: ignore[arg-type, return-value]
