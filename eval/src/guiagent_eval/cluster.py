"""The runner's second engine: workers on the machines of a Ray cluster, with the same results and resume."""

from __future__ import annotations

import io
import math
import os
import shutil
import tarfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from platform import node
from typing import Any

from gui_agent import plugins
from gui_agent.core.errors import BenchmarkError, ConfigError, MissingExtra
from gui_agent.core.texts import shorten
from gui_agent.trace.writer import versions_of
from guiagent_eval.benchmark import ONE, Case, Needs, needs_of
from guiagent_eval.episodes import Setup, failure_record
from guiagent_eval.live import LiveFile
from guiagent_eval.practice.stepping import EnvWorker, Served
from guiagent_eval.records import JOURNAL, Record
from guiagent_eval.schedule import FALSE_STARTS, POLL, Assignment, Ready, RunLimits, Schedule, WorkerFailure
from guiagent_eval.worker import Bench

GUEST = "guest"
"""The resource of a machine that says how many guests it can run: `ray start --resources '{"guest": 4}'`."""
PLACING = 600.0
"""Seconds that a run without any worker waits for a free CPU; a cluster may have to grow first."""
ALIKE = ("guiagent", "miniwob", "playwright")
"""Packages that must have the same version on all machines."""
NOWHERE = Path(os.devnull)


def run_on_ray(
    cases: Sequence[Case],
    setup: Setup,
    pace: RunLimits,
    keep: Callable[[Record], None],
    *,
    address: str = "",
    needs: Needs = ONE,
    folder: Path = NOWHERE,
    connected: Any = None,
) -> None:
    """Run all cases on a cluster and hand every record to `keep` here, in the order they finish.

    The cluster is asked for all workers at once. Workers without a free CPU wait, and do not replace others.

    Args:
        address: of the cluster, `auto` for the one that this machine belongs to; empty starts one that
            ends with the run. All machines need the same installation.
        needs: of each worker; no machine gets more workers than it can run.
        folder: of the run; machines that do not share it send their traces through Ray's object store.
        connected: Ray's module, if it is already connected to a cluster.

    Raises:
        MissingExtra: Ray is not installed.
        ConfigError: the address does not answer, or a setting must be corrected.
        BenchmarkError: no worker can be started.
        BudgetSpent: the budget of the episodes is spent; the running ones were finished.
    """
    with nullcontext(connected) if connected else _cluster(address, pace.workers, needs) as ray:
        schedule = Schedule(cases, pace, keep)
        crew = [_Actor(ray, setup, pace, needs, folder) for _ in range(min(pace.workers, len(cases)))]
        try:
            while schedule.going:
                for actor in crew:
                    if actor.idle and (given := schedule.take(actor.task)) is not None:
                        actor.give(given)
                calls = [actor.call for actor in crew if actor.call is not None]
                done, _ = ray.wait(calls, timeout=POLL)
                for actor in list(crew):
                    others = any(one.placed for one in crew if one is not actor)
                    if actor.call in done or actor.is_late(others):
                        _take(actor, schedule, others)
                    if actor.gone:
                        actor.kill()
                        crew.remove(actor)
                        crew += [] if actor.unfit else [_Actor(ray, setup, pace, needs, folder)]
            schedule.finish()
        finally:
            for actor in crew:
                actor.kill()


def _take(actor: _Actor, schedule: Schedule, others: bool) -> None:
    """Handle an actor's answer, its death or its silence.

    Args:
        others: whether there is another worker; then one that still waits for a place is no failed start.

    Raises:
        ConfigError, BenchmarkError: the run cannot continue.
    """
    waited = not actor.placed
    match actor.answer():
        case None:
            actor.open()
        case Ready():
            schedule.started()
        case WorkerFailure(reason, fix=True) if not others:
            raise ConfigError(reason)
        case WorkerFailure(reason, fix=True):
            actor.unfit = True
            warnings.warn(f"a worker was left out: {reason}", stacklevel=2)
        case WorkerFailure(reason) if not (waited and others):
            schedule.did_not_start(reason)
        case Record() as record:
            schedule.came(record)


class FarBench(Bench):
    """A bench on a machine of a cluster."""

    def __init__(self, setup: Setup, folder: Path, versions: Mapping[str, str]) -> None:
        """Args: folder, versions: of the run and of the machine that started it."""
        super().__init__(setup)
        self._folder, self._versions = folder, versions

    def open(self) -> Ready | WorkerFailure:
        """Start everything, unless a package has another version on this machine."""
        here = versions_of(ALIKE)
        other = [f"{name} {here.get(name)}" for name, one in self._versions.items() if here.get(name) != one]
        if other:
            wanted = ", ".join(f"{name} {one}" for name, one in self._versions.items())
            return WorkerFailure(
                f"{node()} has {' and '.join(other)}; the run was started with {wanted}", fix=True
            )
        told: Ready | WorkerFailure = _with_machine(super().open())
        return told

    def run_for(self, given: Assignment) -> tuple[Record | WorkerFailure, bytes]:
        """The record of one episode, and its trace as an archive if this machine lacks the run's folder."""
        told = _with_machine(self.run(given))
        trace = told.trace if isinstance(told, Record) else ""
        if not trace or (self._folder / JOURNAL).exists():
            return told, b""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            archive.add(self._folder / trace, trace)
        shutil.rmtree(self._folder / trace)
        return told, packed.getvalue()


def _with_machine(told: Any) -> Any:
    """The failure with the name of the machine."""
    return replace(told, reason=f"{told.reason} (on {node()})") if isinstance(told, WorkerFailure) else told


class _Actor:
    """A worker on the cluster, as the runner sees it."""

    def __init__(self, ray: Any, setup: Setup, pace: RunLimits, needs: Needs, folder: Path) -> None:
        self._ray, self._pace, self._needs, self._folder = ray, pace, needs, folder
        own = {name: one for name, one in versions_of(ALIKE).items() if name in ALIKE}
        self._bench = ray.remote(**_placing(needs))(FarBench).remote(setup, folder, own)
        self._live = LiveFile(folder, f"ray-{id(self)}")
        self.call: Any = self._bench.__ray_ready__.remote()
        self._deadline = time.monotonic() + PLACING
        self.placed = False
        """Whether a machine has accepted it; the time limit of its start begins then."""
        self._given: Assignment | None = None
        self.task = ""
        self.gone = self.unfit = False

    @property
    def idle(self) -> bool:
        return self.call is None and not self.gone

    def is_late(self, others: bool) -> bool:
        """Whether it takes too long; while there are others it may wait for a place."""
        if others and not self.placed:
            self._deadline = time.monotonic() + PLACING
        return self.call is not None and time.monotonic() > self._deadline

    def open(self) -> None:
        """Let it start its resources, now that it has a place."""
        self.placed = True
        self._deadline = time.monotonic() + self._pace.start_seconds
        self.call = self._bench.open.remote()

    def give(self, given: Assignment) -> None:
        """Send a case."""
        self._given, self.task = given, given.case.task
        self._deadline = time.monotonic() + self._pace.episode_seconds
        self.call = self._bench.run_for.remote(given)
        self._live.begin(given, "on the cluster")

    def answer(self) -> Ready | Record | WorkerFailure | None:
        """Its message, or a failure if it died; None once it has found a place."""
        call, self.call = self.call, None
        given, self._given = self._given, None
        try:
            said = self._ray.get(call, timeout=0)
            if given is not None:
                said = self._unpack(*said)
        except self._ray.exceptions.GetTimeoutError:
            self.gone = True
            return self._loss(given, "exceeded its time limit and was killed")
        except self._ray.exceptions.RayTaskError as error:
            self.gone = True
            last = str(error).strip().splitlines()[-1]
            if given is None:
                return WorkerFailure(last)
            return failure_record(given.case, "crashed", f"a fault: {shorten(last, 200)}", given.attempt)
        except self._ray.exceptions.RayError as error:
            self.gone = True
            return self._loss(given, "died", str(error).strip().rpartition("\n")[2])
        self.gone = isinstance(said, WorkerFailure)
        return said if self.placed else None

    def _unpack(self, told: Record | WorkerFailure, packed: bytes) -> Record | WorkerFailure:
        if packed:
            with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
                archive.extractall(self._folder, filter="data")
        self._live.finish(told if isinstance(told, Record) else None)
        return told

    def _loss(self, given: Assignment | None, how: str, last: str = "") -> Record | WorkerFailure:
        if not self.placed:
            lacks = f"; each needs {GUEST}={self._needs.guests} of a machine" if self._needs.guests else ""
            why = f": {shorten(last, 200)}" if last else ""
            return WorkerFailure(f"a worker {how} while it waited for a free CPU of the cluster{lacks}{why}")
        if given is None:
            return WorkerFailure(f"a worker {how} while it was starting")
        return failure_record(given.case, "infrastructure", f"the worker {how}", given.attempt)

    def kill(self) -> None:
        """End it with everything it has open: a browser ends with the process that drives it."""
        self._live.close()
        self._ray.kill(self._bench, no_restart=True)


def _is_refused(error: Exception, ray: Any) -> bool:
    """Whether a cluster rejects this machine; Ray says so in the cause of another error."""
    return isinstance(error, ray.exceptions.AuthenticationError) or "AuthToken" in str(error.__cause__)


def _placing(needs: Needs) -> dict[str, Any]:
    """How Ray places a worker: on the machine with the most free resources that has what it needs."""
    room = {"num_cpus": needs.cpus, **({"memory": needs.memory} if needs.memory else {})}
    held = {"resources": {GUEST: needs.guests}} if needs.guests else {}
    return {**room, **held, "scheduling_strategy": "SPREAD", "max_restarts": 0}


class EnvPool:
    """Environment workers on the machines of a cluster, for trainers: each is leased for an episode.

    A worker is an actor with the methods of `EnvWorker`. One that has died is replaced.
    """

    def __init__(self, ray: Any, served: Served, count: int) -> None:
        """
        Args:
            count: workers; those without room on any machine wait.
            count: workers; those for which no machine has room yet wait for one.
        """
        needs = needs_of(plugins.make("benchmarks", served.benchmark, served.options))
        self._ray, self._made = ray, 0
        self._kind = ray.remote(**_placing(needs))(EnvWorker)
        self._served = ray.put(served)
        self._free: dict[Any, Any] = {}
        """The workers that are not leased, by the object that says that they can work."""
        self._leased: list[Any] = []
        for _ in range(count):
            self._hire()

    def _hire(self) -> None:
        worker = self._kind.remote(self._made, self._served)
        self._made += 1
        self._free[worker.__ray_ready__.remote()] = worker

    def lease(self, seconds: float = PLACING) -> Any:
        """A worker for one episode.

        Raises:
            BenchmarkError: all are leased, none found room within `seconds`, or they die.
        """
        deadline, lost = time.monotonic() + seconds, 0
        while (left := deadline - time.monotonic()) > 0 and self._free and lost <= FALSE_STARTS:
            for answer in self._ray.wait(list(self._free), timeout=left)[0]:
                worker = self._free.pop(answer)
                try:
                    self._ray.get(answer)
                except self._ray.exceptions.RayError as error:
                    self._hire()
                    lost, last = lost + 1, str(error)
                else:
                    self._leased.append(worker)
                    return worker
        told = f"all die: {shorten(last, 300)}" if lost > FALSE_STARTS else f"none is free for {seconds:g} s"
        raise BenchmarkError(f"environment workers: {told}")

    def give_back(self, worker: Any) -> None:
        """Return a worker for others; a dead one is replaced at the next lease."""
        self._leased.remove(worker)
        self._free[worker.__ray_ready__.remote()] = worker

    def close(self) -> None:
        """End all workers with everything they have started."""
        for worker in (*self._free.values(), *self._leased):
            self._ray.kill(worker, no_restart=True)


@contextmanager
def _cluster(address: str, workers: int, needs: Needs) -> Iterator[Any]:
    """Ray, connected; a cluster that was started here is ended."""
    try:
        import ray
        import ray.exceptions
    except ImportError as error:
        raise MissingExtra("ray", "running on a cluster") from error
    mine = not ray.is_initialized()
    if mine:
        own = {
            "num_cpus": max(1, math.ceil(workers * needs.cpus)),
            "resources": {GUEST: workers * needs.guests},
        }
        start: dict[str, Any] = {"address": address} if address else own
        try:
            ray.init(
                **start, include_dashboard=None if address else False, log_to_driver=False, logging_level=40
            )
        except (ConnectionError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
            if _is_refused(error, ray):
                raise ConfigError(
                    f"the Ray cluster at {address or 'this machine'} refused the token of this machine: set "
                    "RAY_AUTH_MODE=token and RAY_AUTH_TOKEN (or ~/.ray/auth_token) as on the cluster"
                ) from error
            raise ConfigError(
                f"no Ray cluster answers at {address or 'this machine'}: {shorten(str(error), 120)}; "
                "start one with `ray start --head`, or leave --address out"
            ) from error
    try:
        yield ray
    finally:
        if mine:
            ray.shutdown()
