"""Measures the requests of runs on real applications: their text, tools, pictures, and what a cache serves.

    python eval/bench/bench_requests.py --apps roundup,sqliteweb,phone --cache FOLDER

A scripted model does each task by its plain commands, so no model is needed; the task that it is given is the
goal in words. Every request is read from the wire, in the order in which services read it: tools, system
prompt, conversation. The share of a request that is the beginning of the one before leaves pictures out.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

from guiagent_eval.app_catalogue import asked_wording, task_called
from guiagent_eval.app_data import fill_in
from guiagent_eval.apps import Apps
from guiagent_eval.benchmark import Case
from guiagent_eval.practice.turns import without_defaults
from scripted_model import ScriptedService, called

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.errors import GuiAgentError
from gui_agent.core.protocols import PlannerCapabilities, Situation
from gui_agent.core.trajectory import Decision, Finish, GiveUp, Task
from gui_agent.models import open_model
from gui_agent.planners.commands import PlainPlanner
from gui_agent.planners.llm import ModelPlanner
from gui_agent.testing import OpenGuard

BARS = {"text": 6_500, "tools": 4_000, "pictures": 2}
"""Medians that a request may have."""
SHARES = {"median": 0.9, "p10": 0.8}
"""Shares of a request that the one before begins with, at least."""


class Recorded(ScriptedService):
    """Answers each request with the arguments that it was given, and keeps the requests."""

    def __init__(self) -> None:
        super().__init__()
        self.bodies: list[dict[str, Any]] = []
        self.arguments: dict[str, Any] = {}

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """The prepared call."""
        self.bodies.append(body)
        return called(len(self.bodies), self.arguments)


@dataclass
class Commanded(PlannerCapabilities):
    """Asks a model through `ModelPlanner`, which answers with what plain commands would do."""

    service: Recorded
    asked: ModelPlanner
    commands: str
    decided: list[Decision] = field(default_factory=list)
    name = "model"

    def decide(self, situation: Situation) -> Decision:
        """The model's decision, with the actions of the plain commands."""
        turns = [replace(turn, decision=one) for turn, one in zip(situation.turns, self.decided, strict=True)]
        task = replace(situation.task, text=self.commands)
        wanted = PlainPlanner().decide(replace(situation, task=task, turns=tuple(turns)))
        actions = [{"action": without_defaults(one.action)} for one in wanted.planned]
        end: dict[str, Any] | None = None
        if isinstance(wanted.end, Finish | GiveUp):
            end = {"kind": "finish"} if isinstance(wanted.end, Finish) else {"kind": "give_up", "reason": "-"}
        thought = f"Step {len(turns) + 1} of the commands fits what the screen shows."
        self.service.arguments = {"thought": thought, "actions": actions, "end": end}
        model = self.asked.decide(situation)
        self.decided.append(wanted if model.calls else replace(model, planner="plain"))
        return replace(model, planned=wanted.planned, end=wanted.end) if model.calls else model


def measure(suite: str, cache: str, most: int) -> tuple[list[list[dict[str, Any]]], int]:
    """The requests of each run, and how many runs ended as done."""
    runs: list[list[dict[str, Any]]] = []
    done = 0
    for name in suite.split(","):
        apps = Apps(cache=cache)
        for task in apps.tasks(name)[:most]:
            try:
                bodies, ended = one_run(apps, task)
            except GuiAgentError as error:
                print(f"{task}: {error}", file=sys.stderr)
                continue
            runs.append(bodies)
            done += ended == "done"
            print(f"{task:<40} {len(bodies)} requests, {ended}", file=sys.stderr)
        apps.teardown()
    return [bodies for bodies in runs if bodies], done


def one_run(apps: Apps, task: str) -> tuple[list[dict[str, Any]], str]:
    """The requests of a run, and the kind of its ending."""
    service = Recorded()
    model = open_model(service.name, key=lambda variable: "")
    try:
        with apps.episode(Case(task, 0)) as episode:
            goal, values = asked_wording(task_called(task)[1], 0, goal=True)
            asked = Task(str(fill_in(goal, values)), episode.task.start)
            planner = Commanded(service, ModelPlanner(model), episode.task.text)
            agent = Agent(episode.computer, planner, guard=OpenGuard(), limits=Limits(steps=40, seconds=120))
            ending = agent.run(asked).trajectory.ending
    finally:
        model.close()
        service.close()
    return service.bodies, ending.kind if ending else "crashed"


def text_of(body: dict[str, Any]) -> str:
    """The conversation as text, with pictures by their place only."""
    return json.dumps(without_pictures(body["messages"]), ensure_ascii=False)


def without_pictures(value: Any) -> Any:
    """A part of a request without its pictures."""
    if isinstance(value, dict):
        return {key: without_pictures(item) for key, item in value.items() if key != "image_url"}
    return [without_pictures(item) for item in value] if isinstance(value, list) else value


def shared(one: dict[str, Any], other: dict[str, Any]) -> float:
    """The share of a request that is the beginning of the one before."""
    first, second = (json.dumps(body.get("tools")) + text_of(body) for body in (one, other))
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))
    return sum(1 for _ in alike) / len(second)


def report(runs: Sequence[Sequence[dict[str, Any]]], done: int) -> dict[str, Any]:
    """The figures of all requests."""
    bodies = [body for run in runs for body in run]
    shares = sorted(shared(one, other) for run in runs for one, other in pairwise(run))
    texts = sorted(len(text_of(body)) for body in bodies)
    return {
        "runs": len(runs),
        "done": done,
        "requests": len(bodies),
        "text": round(statistics.median(texts)),
        "text_p90": texts[len(texts) * 9 // 10],
        "system": len(bodies[0]["messages"][0]["content"]),
        "tools": round(statistics.median(len(json.dumps(body.get("tools"))) for body in bodies)),
        "pictures": statistics.median(json.dumps(body).count('"image_url": {') for body in bodies),
        "share_median": round(statistics.median(shares), 3),
        "share_p10": round(shares[len(shares) // 10], 3),
        "share_min": round(shares[0], 3),
    }


def main() -> int:
    """Print the report; the exit code says whether the limits are met."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--apps", default="phone")
    parser.add_argument("--cache", default="", help="folder in which the applications are installed")
    parser.add_argument("--most", type=int, default=40, help="most tasks of each application")
    parser.add_argument("--json", action="store_true", help="print one JSON value")
    parser.add_argument("--keep", default="", help="file for the requests, without pictures")
    given = parser.parse_args()
    runs, done = measure(given.apps, given.cache, given.most)
    found = report(runs, done)
    if given.keep:
        kept = [[without_pictures(body) for body in run] for run in runs]
        Path(given.keep).write_text(json.dumps(kept, ensure_ascii=False), encoding="utf-8")
    if given.json:
        print(json.dumps(found))
    else:
        for key, value in found.items():
            print(f"{key:<14} {value}")
    met = all(found[key] <= most for key, most in BARS.items())
    return 0 if met and all(found[f"share_{key}"] >= least for key, least in SHARES.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
