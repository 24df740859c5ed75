"""A benchmark that trainers step through: rewards, refusals, and what a kill leaves behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import doors
import pytest
from guiagent_eval.benchmark import Case
from guiagent_eval.episodes import run_episode
from guiagent_eval.practice.stepping import SteppedSolver
from test_miniwob_kills import below, running
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from gui_agent import plugins

sys.path.append(str(Path(__file__).parents[3] / "eval/practice"))
import sessions

SOON = 2.0
"""Seconds in which an error is to come."""


class Client:
    """Speaks as OpenEnv's client does."""

    def __init__(self, address: str) -> None:
        self.line: ClientConnection = connect(address.replace("http://", "ws://") + "/ws").__enter__()

    def say(self, kind: str, **data: Any) -> dict[str, Any]:
        self.line.send(json.dumps({"type": kind, "data": data}))
        told: dict[str, Any] = json.loads(self.line.recv(timeout=200))
        return told

    def play(self, case: Case, policy: Callable[[str, str], dict[str, Any]]) -> float:
        seen = self.say("reset", task=case.task, seed=case.seed)["data"]
        for _ in range(60):  # an end that is not believed is asked for again, up to the limit of steps
            if seen["done"]:
                break
            told = seen["observation"]
            seen = self.say("step", **policy(told["goal"], told["text"]))["data"]
        assert seen["done"], seen
        reward: float = seen["reward"]
        return reward


@pytest.fixture
def serving() -> Iterator[Callable[..., tuple[subprocess.Popen[str], str]]]:
    begun: list[subprocess.Popen[str]] = []

    def serve(*arguments: str) -> tuple[subprocess.Popen[str], str]:
        path = f"{Path(doors.__file__).parent}:{os.environ.get('PYTHONPATH', '')}"
        process = subprocess.Popen(
            [sys.executable, "-m", "gui_agent", "eval", "serve", *arguments],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        begun.append(process)
        assert process.stdout is not None
        return process, process.stdout.readline().strip()

    yield serve
    for process in begun:
        process.terminate()
        process.wait(60)
        assert process.stdout is not None
        process.stdout.close()


@pytest.mark.parametrize(
    "benchmark, tasks, policy, sizes",
    [
        ("doors:Doors", doors.TASKS, doors.policy, (4, 5)),
        pytest.param(
            "miniwob",
            sessions.TASKS,
            lambda goal, text: sessions.answer(goal, text, ' = "' in text),
            (8, 10),
            marks=[pytest.mark.nightly, pytest.mark.timeout(600)],
        ),
    ],
)
def test_more_sessions_than_workers_earn_the_rewards_of_the_local_runner(
    serving: Any, benchmark: str, tasks: tuple[str, ...], policy: Any, sizes: tuple[int, int]
) -> None:
    many, each = sizes
    cases = [[Case(tasks[n % len(tasks)], 100 * one + n) for n in range(each)] for one in range(many)]
    _, address = serving("--benchmark", benchmark, "--tasks", ",".join(tasks), "--pool", "2")

    def session(mine: list[Case]) -> dict[Case, float]:
        client = Client(address)
        return {case: client.play(case, policy) for case in mine}

    with ThreadPoolExecutor(many) as threads:
        served = {case: won for part in threads.map(session, cases) for case, won in part.items()}

    class Here:
        def ask(self, moment: dict[str, Any]) -> str | None:
            return json.dumps(policy(moment["observation"]["goal"], moment["observation"]["text"]))

    made, solver = plugins.make("benchmarks", benchmark, {}), SteppedSolver(Here(), steps=50)
    made.setup()
    try:
        here = {case: run_episode(made, solver, case).raw for case in served}
    finally:
        made.teardown()
    assert served == here
    assert len(set(served.values())) > 1


@pytest.mark.nightly
def test_killed_workers_and_servers_are_errors_at_once_and_leave_nothing(serving: Any) -> None:
    process, address = serving("--benchmark", "doors:Doors", "--pool", "1")
    client = Client(address)
    client.say("reset", task="open", seed=1)
    (worker,) = (pid for pid, said in below(process.pid).items() if "spawn_main" in said)
    os.kill(worker, signal.SIGKILL)
    began = time.monotonic()
    told = client.say("step", **doors.click(1))
    assert (told["type"], told["data"]["code"]) == ("error", "EXECUTION_ERROR")
    assert "died" in told["data"]["message"] and time.monotonic() - began < SOON
    assert client.play(Case("open", 1), doors.policy) == 1.0  # by a new one

    client.say("reset", task="open", seed=2)
    left = below(process.pid)
    assert sum("spawn_main" in said for said in left.values()) == 1
    process.kill()
    began = time.monotonic()
    with pytest.raises(ConnectionClosed):
        client.say("step", **doors.click(1))
    assert time.monotonic() - began < SOON
    while any(running(pid, said) for pid, said in left.items()):
        assert time.monotonic() - began < 20
        time.sleep(0.05)


@pytest.mark.nightly
def test_what_cannot_be_done_is_said_and_strangers_are_kept_out(serving: Any) -> None:
    _, address = serving("--benchmark", "doors:Doors", "--pool", "1", "--pictures", "--max-steps", "3")
    client = Client(address)
    codes = [
        client.say("step", action_str="{}"),
        client.say("reset", task="windows"),
        client.say("reset", seed="many"),
        client.say("jump"),
    ]
    assert [one["data"]["code"] for one in codes] == [
        "EXECUTION_ERROR",
        "VALIDATION_ERROR",
        "VALIDATION_ERROR",
        "UNKNOWN_TYPE",
    ]
    client.line.send("{")
    assert json.loads(client.line.recv())["data"]["code"] == "INVALID_JSON"
    begun = client.say("reset", task="open", seed=1, episode_id="mine")["data"]
    assert begun["observation"]["screenshot"] and not begun["done"]
    told = client.say("step", action_str="I would rather not")["data"]
    assert "no JSON object" in told["observation"]["last_action_error"] and not told["done"]
    state = {"episode_id": "mine", "step_count": 1, "task": "open", "seed": 1}
    assert client.say("state") == {"type": "state", "data": state}
    over = client.say("step", end={"kind": "finish"})["data"]
    assert (over["done"], over["reward"]) == (True, 0.0) and "wrong" in over["observation"]["ending"]

    for other, origin in ((address + "x", None), (address, "https://elsewhere.test")):
        with pytest.raises(InvalidStatus):
            connect(other.replace("http://", "ws://") + "/ws", origin=origin).__enter__()  # type: ignore[arg-type]
