"""The examples of own parts keep the contracts, and run as their first lines say."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from guiagent_eval.benchmark import check_benchmark

from gui_agent.content import content
from gui_agent.core.dialogue import Asked, Call, Reply, Request, Tool, Traits
from gui_agent.core.observation import Observation, Size
from gui_agent.core.trajectory import Decision, Ending, Task, Trajectory, Turn
from gui_agent.testing import check_computer, check_model, check_observer

pytestmark = pytest.mark.nightly

EXAMPLES = Path(str(content("examples")))


@pytest.fixture(autouse=True)
def importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(EXAMPLES))
    yield
    for name in ("own_benchmark", "own_computer", "own_model"):
        sys.modules.pop(name, None)


def guiagent(*arguments: str) -> subprocess.CompletedProcess[str]:
    keyless = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    command = [sys.executable, "-m", "gui_agent", *arguments]
    env = keyless | {"PYTHONPATH": str(EXAMPLES)}
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=110, check=False)


def test_an_own_benchmark_is_run_by_its_class() -> None:
    from own_benchmark import Greetings

    check_benchmark(Greetings)
    done = guiagent("eval", "run", "own_benchmark:Greetings", "--tasks", "greet,polite", "--quiet", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert ([one["task"] for one in told["tasks"]], told["overall"]["successes"]) == (["greet", "polite"], 2)
    unknown = guiagent("eval", "run", "own_benchmark:Greetings", "--suite", "other")
    assert (unknown.returncode, "the only one is all" in unknown.stderr) == (2, True)


def test_an_own_model_decides_by_its_class() -> None:
    from own_model import Rules

    question = Asked(('Elements:\n[3] button "Next"',))
    check_model(Rules(), Request("plan", (question,), tools=(Tool("decide", "", {}),)))
    page = str(EXAMPLES / "contact.html")
    off = ["--set", "model.verifier=false"]
    chosen = ["--model", "own_model:Rules", "--planner", "model"]
    done = guiagent("run", "please go on", "--url", page, *chosen, *off, "--json", "--quiet")
    told = json.loads(done.stdout)
    assert (told["answer"], told["model_calls"], told["steps"]) == ("clicked", 2, 1), done.stderr


@pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not installed")
def test_an_own_computer_keeps_the_contract_and_runs() -> None:
    from own_computer import Terminal

    check_computer(Terminal)
    task = 'type "echo $((40 + 2))", press Enter, check "42" is shown'
    done = guiagent("run", task, "--on", "own_computer:Terminal", "--yes", "--json", "--quiet")
    assert json.loads(done.stdout)["ok"], done.stdout
    asked = guiagent("run", task, "--on", "own_computer:Terminal", "--json", "--quiet")
    assert (asked.returncode, json.loads(asked.stdout)["error"]) == (5, "Forbidden")


def test_what_breaks_a_contract_is_named() -> None:
    ended = Trajectory(Task("t"), (Turn(Decision("x"), Observation(Size(1, 1))),), Ending("done"))

    class Silent:
        name, traits = "silent", Traits()

        def complete(self, request: Request) -> Reply:
            return Reply()

    class Invents(Silent):
        def complete(self, request: Request) -> Reply:
            return Reply(calls=(Call("1", "made_up"),))

    with pytest.raises(AssertionError, match="says nothing"):
        check_model(Silent(), Request("plan", ()))
    with pytest.raises(AssertionError, match="'made_up' was not offered"):
        check_model(Invents(), Request("plan", ()))
    with pytest.raises(AssertionError, match="none of the methods"):
        check_observer(object(), ended)
    seen: list[object] = []
    check_observer(type("Counts", (), {"decided": lambda self, turn: seen.append(turn)})(), ended)
    assert len(seen) == 2
