"""Episodes that an outside client steps through: each look at a screen is a question, each answer a decision.

The agent's own loop does the rest, so that guard, grounding, limits and rewards are those of any other run.
"""

from __future__ import annotations

import base64
import contextlib
import multiprocessing
import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from typing import Any, Protocol

from gui_agent import plugins, wiring
from gui_agent.agent.limits import Limits, identity
from gui_agent.agent.loop import Agent
from gui_agent.content import LEFT_OUT
from gui_agent.core.errors import BadReply, BenchmarkError, ConfigError
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import Decision, GiveUp, Step, Trajectory
from gui_agent.planners.llm.rendering import screen_text
from gui_agent.planners.llm.replies import decision
from gui_agent.settings import Settings, override
from guiagent_eval.benchmark import Case, Episode
from guiagent_eval.cli import PERSON
from guiagent_eval.cli.recipe import open_policy
from guiagent_eval.episodes import Solver, WatchedComputer
from guiagent_eval.practice.spoken import reply_of
from guiagent_eval.records import Record
from guiagent_eval.schedule import Assignment, WorkerFailure
from guiagent_eval.worker import LEAVING, Bench, kill_group

Moment = dict[str, Any]
"""The client's view, in OpenEnv's form: `observation`, `reward` and `done`."""
BATCH = 5
"""Maximum number of actions of one answer."""
FAULTS = 10
"""Number of unreadable answers in a row after which the episode ends."""
UNREAD = "not understood: "
"""Begins the error for an unreadable answer."""
PIXELS = {"min_pixels": 3136, "max_pixels": 2116800}
"""The picture sizes that ARPO's environment requests."""
STARTING, ANSWERING = 120.0, 300.0
"""Maximum seconds of a worker's start, and of carrying out an answer."""


@dataclass(frozen=True, slots=True)
class Served:
    """The served benchmark and its options; picklable."""

    benchmark: str
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the benchmark."""
    steps: int = 50
    """Maximum number of actions of an episode."""
    pictures: bool = False


class Asks(Protocol):
    """The source of answers."""

    def ask(self, moment: Moment) -> str | None:
        """The answer to the client's view; None if the episode is abandoned."""


class AskingPlanner:
    """Decides by an outside client's answers, which have the form of a model's answers."""

    name = "outside"

    def __init__(self, line: Asks) -> None:
        self._line = line

    def decide(self, situation: Situation) -> Decision:
        """Ask until an answer can be read."""
        fault = _fault(situation.last)
        seen = situation.observation
        for asked in range(1, FAULTS + 1):
            told = observation_of(seen, situation.task.text, fault)
            said = self._line.ask({"observation": told, "reward": 0.0, "done": False})
            if said is None:
                return Decision(end=GiveUp("the episode was abandoned"), planner=self.name)
            try:
                read = decision(reply_of(said, seen.size), batch=BATCH, name=self.name, screen=seen.size)
                return replace(read, calls=asked)  # so that its "done" counts like a model's
            except BadReply as error:
                fault = f"{UNREAD}{error}"
        return Decision(end=GiveUp(f"{FAULTS} answers could not be read: {fault}"), planner=self.name)


def observation_of(seen: Observation, goal: str, fault: str = "", ending: str = "") -> dict[str, Any]:
    """A screen under BrowserGym's names for the same data."""
    shot = seen.screenshot
    return {
        "goal": goal,
        "text": screen_text(seen, goal),
        "url": seen.place.url,
        "screenshot": base64.b64encode(shot.data).decode() if shot else None,
        "last_action_error": fault,
        "state": identity(seen),
        "ending": ending,
    }


def _fault(last: Step | None) -> str:
    if last is None or last.outcome.good:
        return ""
    return f"{last.outcome.kind}: {last.outcome.summary or last.error}"


class SteppedSolver(Solver):
    """Works on episodes with an outside client's answers."""

    def __init__(self, line: Asks, *, steps: int, pictures: bool = False) -> None:
        self._line, self._pictures = line, pictures
        self._settings = override(Settings(), {"trace": {"folder": ""}, "guard": open_policy()})
        self._limits = Limits(steps=steps, seconds=float(24 * 3600))  # A trainer may take its time.
        self._last: Trajectory | None = None

    def solve(self, episode: Episode, case: Case) -> Trajectory:
        """Work on one episode until it is over or abandoned."""
        watched = WatchedComputer(episode)
        agent = Agent(
            watched,
            AskingPlanner(self._line),
            guard=wiring.make_guard(self._settings),
            limits=self._limits,
            picture=self._pictures,
        )
        watched.stop = agent.control.stop
        self._last = agent.run(episode.task).trajectory
        return self._last

    def last_moment(self, record: Record) -> Moment:
        """The ending of an episode, with its reward before any discount for time."""
        told: dict[str, Any] = {}
        if self._last is not None and self._last.turns:
            turn, step = self._last.turns[-1], self._last.steps[-1] if self._last.steps else None
            seen = turn.steps[-1].after if turn.steps else turn.observation
            ending = f"{record.verdict}: {record.reason}".removesuffix(": ")
            told = observation_of(seen, record.instruction, _fault(step), ending)
        return {"observation": told, "reward": record.raw or float(record.success), "done": True}


class _Line:
    """A worker's end of the pipe: cases and answers come in, moments go out."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._next: Case | None = None

    def ask(self, moment: Moment) -> str | None:
        """Send the view; None if another episode is to begin, or the client has disconnected."""
        self.say(moment)
        told = self._hear()
        self._next = told if isinstance(told, Case) else None
        return told if isinstance(told, str) else None

    def case(self) -> Case | None:
        """The next episode; None if there is no more work."""
        told, self._next = self._next or self._hear(), None
        while isinstance(told, str):  # The answer came after the end.
            self.say(WorkerFailure("the episode is over; reset first"))
            told = self._hear()
        return told

    def say(self, what: Moment | WorkerFailure | None) -> None:
        """Send it, if the client is still connected."""
        with contextlib.suppress(OSError):
            self._pipe.send(what)

    def _hear(self) -> Case | str | None:
        try:
            heard: Case | str | None = self._pipe.recv()
        except (EOFError, OSError):
            return None
        return heard

    @property
    def waits(self) -> bool:
        """Whether the client waits for the episode's ending."""
        return self._next is None


def _work(pipe: Connection, served: Served) -> None:
    """The life of a worker: episode after episode, until the client disconnects."""
    LEFT_OUT.update(PERSON.values())
    os.setpgrp()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    line = _Line(pipe)
    solver = SteppedSolver(line, steps=served.steps, pictures=served.pictures)
    bench = Bench(lambda: (plugins.make("benchmarks", served.benchmark, served.options), solver))
    try:
        opened = bench.open()
        line.say(opened if isinstance(opened, WorkerFailure) else None)
        while not isinstance(opened, WorkerFailure) and (case := line.case()) is not None:
            told = bench.run(Assignment(case))
            if not line.waits:
                continue
            if isinstance(told, WorkerFailure):
                line.say(told)
            elif told.is_counted:
                line.say(solver.last_moment(told))
            else:
                line.say(WorkerFailure(told.reason))
    finally:
        bench.close()


class StepWorker:
    """A process with a benchmark whose episodes a client steps through, one at a time."""

    def __init__(self, served: Served) -> None:
        """Start the process.

        Raises:
            ConfigError, BenchmarkError: the process does not start.
        """
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, served), daemon=False)
        self._process.start()
        theirs.close()
        self.alive = True
        try:
            self._hear(STARTING, "starting")
        except Exception:
            self.close()
            raise

    def reset(self, case: Case) -> Moment:
        """Begin an episode; a running one is abandoned.

        Raises:
            ConfigError: there is no such task.
            BenchmarkError: the worker is gone, or its machinery failed.
        """
        return self._say(case)

    def step(self, answer: str) -> Moment:
        """Answer the last view; raises like `reset`."""
        return self._say(answer)

    def close(self) -> None:
        """End the process and everything that it has started; safe to call twice."""
        if not self.alive:
            return
        with contextlib.suppress(OSError):
            self._pipe.send(None)
        self._process.join(LEAVING)
        self._kill()

    def _say(self, what: Case | str) -> Moment:
        with contextlib.suppress(OSError):  # The worker has died; the next read notices it.
            self._pipe.send(what)
        return self._hear(ANSWERING, "carrying out an answer")

    def _hear(self, seconds: float, what: str) -> Moment:
        try:
            if not self._pipe.poll(seconds):
                self._kill()
                raise BenchmarkError(f"the worker was killed: {what} took longer than {seconds:g} s")
            heard = self._pipe.recv()
        except (EOFError, OSError) as error:
            self._kill()
            raise BenchmarkError(f"the worker process died while {what}") from error
        if isinstance(heard, WorkerFailure):
            raise (ConfigError if heard.fix else BenchmarkError)(heard.reason)
        return heard or {}

    def _kill(self) -> None:
        self.alive = False
        kill_group(self._process, self._pipe)


class EnvWorker:
    """An environment for ARPO's trainer, for an actor of Ray; raises like `StepWorker`."""

    def __init__(self, number: int, served: Served) -> None:
        """Args: number: its unique number, as `env_idx`."""
        self._number, self._served = number, served
        self._worker: StepWorker | None = None
        self._moment: Moment = {}

    def reset(self, task_config: Mapping[str, Any]) -> dict[str, Any]:
        """Begin an episode, with the `task` and `seed` of the configuration."""
        if self._worker is None or not self._worker.alive:
            self._worker = StepWorker(self._served)
        return self._as_arpo(
            self._worker.reset(Case(str(task_config["task"]), int(task_config.get("seed", 0))))
        )

    def step(self, prediction: str) -> dict[str, Any]:
        """Do a model's answer.

        Raises:
            BenchmarkError: no episode is running, or the machinery failed.
        """
        if self._worker is None:
            raise BenchmarkError("no episode is running; reset first")
        return self._as_arpo(self._worker.step(prediction))

    def evaluate(self) -> float:
        """The reward of the episode; a running one is ended first, as if the model had said so."""
        if self._worker is not None and not self._moment.get("done", True):
            self.step('{"end": {"kind": "finish"}}')
        return float(self._moment.get("reward", 0.0))

    def _as_arpo(self, moment: Moment) -> dict[str, Any]:
        self._moment, seen = moment, moment["observation"]
        fault = seen.get("last_action_error", "")
        text = "\n".join(filter(None, (f"Task: {seen.get('goal', '')}", fault, seen.get("text", ""))))
        shot = [{"type": "image", "image": f"data:image/png;base64,{seen['screenshot']}", **PIXELS}]
        content = [{"type": "text", "text": text}, *(shot if seen.get("screenshot") else [])]
        return {
            "env_idx": self._number,
            "obs_messages": [{"role": "user", "content": content}],
            "is_done": moment["done"],
            "format_reward": -1.0 if fault.startswith(UNREAD) else 0.0,
        }
