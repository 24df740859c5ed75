"""Does goals on applications with a model, scripted or real, and counts what the way to it costs."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

from gui_agent import wiring
from gui_agent.core.errors import ConfigError
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Step, Trajectory
from gui_agent.settings import Settings, override
from guiagent_eval.app_catalogue import asked_wording, task_called
from guiagent_eval.app_data import fill_in
from guiagent_eval.apps import AppEpisode
from guiagent_eval.benchmark import Case, Episode
from guiagent_eval.content import content
from guiagent_eval.episodes import Solver
from guiagent_eval.model_path.answerer import KINDS, SLIP, AnswerScript
from guiagent_eval.model_path.service import AnswerService
from guiagent_eval.records import Record

_PICTURE = re.compile(r"sha256-[0-9a-f]{24}")
_PROMPT = ("system", "instructions", "messages", "input")
"""The fields of a request, in the formats of all services, that hold the prompt."""
_TOKENS = ("prompt_tokens", "completion_tokens", "input_tokens", "output_tokens")


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads(content("model_path.toml").read_text("utf-8"))


def goals(suite: str) -> list[str]:
    """The goals of `ten`, `forty` or `all`, or the named ones.

    Raises:
        ConfigError: no way is known for a goal.
    """
    ways: Mapping[str, Any] = _table()["ways"]
    known: list[str] = []
    for app, own in ways.items():
        known += [f"{app}.{task}" for task in own]
    named = known if suite == "all" else _table().get(suite) or [one.strip() for one in suite.split(",")]
    if strange := [one for one in named if one not in known]:
        raise ConfigError(
            f"no way is known for {strange[0]}; goals are ten, forty, all or {', '.join(known)}"
        )
    return list(named)


def _way(task: str, names: Mapping[str, str]) -> list[str]:
    app, _, name = task.partition(".")
    return [str(fill_in(step, names)) for step in _table()["ways"][app][name]]


def script(case: Case, names: Mapping[str, str]) -> AnswerScript:
    """The script of a case: its seed chooses the kind of answers; a misled model knows a neighbour's way."""
    kind = KINDS[case.seed % len(KINDS)]
    app, _, name = case.task.partition(".")
    others = [f"{app}.{one}" for one in _table()["ways"][app] if one != name]
    if kind != "misled" or not others:
        return AnswerScript(_way(case.task, names), kind)
    other = others[len(name) % len(others)]
    values = asked_wording(task_called(other)[1], 0, goal=True)[1]
    return AnswerScript(_way(case.task, names), kind, _way(other, {**names, **values}))


class PathSolver(Solver):
    """Does each goal as `guiagent run` would, with learning; without a model in the settings, by script."""

    def __init__(self, settings: Mapping[str, Any], folder: str) -> None:
        self._settings, self._folder = override(Settings(), settings), Path(folder) / "path"
        self._service = None if self._settings.model.name else AnswerService()
        self._counted: dict[Case, dict[str, Any]] = {}

    def solve(self, episode: Episode, case: Case) -> Trajectory:
        """Run the goal, and count what its requests held and what became of the answers."""
        assert isinstance(episode, AppEpisode)
        given, folder = script(case, episode.names), self._folder / f"{case.task}.{case.seed}"
        shutil.rmtree(folder, ignore_errors=True)
        sections: dict[str, Any] = {
            "model": {"tape": str(folder)},
            "memory": {"path": str(folder / "memory.db"), "embedder": "lexical", "learn": "verified"},
            "trace": {"folder": str(folder)},
        }
        if self._service is not None:
            self._service.script, sections["model"]["name"] = given, self._service.name
        ended, fault = _Ended(), ""
        try:
            wiring.run(
                episode.task,
                settings=override(self._settings, sections),
                computer=episode.computer,
                planner="model",
                observers=[ended],
            )
        except Exception as error:  # what breaks a run that is over is counted, and does not end the count
            if ended.trajectory is None:
                raise
            fault = shorten(f"{type(error).__name__}: {error}", 200)
        assert ended.trajectory is not None
        self._counted[case] = {
            "kind": "model" if self._service is None else given.kind,
            "fewest": len(given.way),
            "crash": fault,
            **request_figures(folder / "models.jsonl"),
            **answer_figures(ended.trajectory),
        }
        return ended.trajectory

    def file_record(self, record: Record) -> Record:
        """The record with the counts, and the tokens that services told."""
        counted = self._counted.pop(record.case, {})
        return replace(record, details={**record.details, **counted}, tokens=counted.pop("tokens", 0))


class _Ended:
    """Keeps the trajectory of a run, also if something after its end breaks."""

    trajectory: Trajectory | None = None

    def ended(self, trajectory: Trajectory) -> None:
        self.trajectory = trajectory


def request_figures(tape: Path) -> dict[str, Any]:
    """What the requests on the tape of a run hold, one by one: characters, pictures, shares.

    A request for a decision is one with a system prompt. Text is the conversation as JSON with the system
    prompt, tools and parameters apart, as a cache of prompts reads it. A request's share is how much of its
    tools and text the one before begins with too; what is kept of the one before is the same in shares of
    that.
    """
    lines = tape.read_text("utf-8").splitlines() if tape.exists() else []
    traffic = [json.loads(line) for line in lines]
    asked = [entry["body"] for entry in traffic if _is_decision(entry["body"])]
    texts = [json.dumps([*map(body.get, _PROMPT)], ensure_ascii=False) for body in asked]
    tools = [json.dumps(body.get("tools", [])) for body in asked]
    bare = [_PICTURE.sub("", text) for text in texts]
    whole = [*map("".join, zip(tools, bare, strict=True))]
    alike = [(_common(*pair), pair) for pair in pairwise(whole)]
    return {
        "calls": len(asked),
        "other_calls": len(traffic) - len(asked),
        "text": [*map(len, bare)],
        "tools": [*map(len, tools)],
        "pictures": [len(_PICTURE.findall(text)) for text in texts],
        "shares": [round(same / len(now), 3) for same, (_, now) in alike],
        "kept": [round(same / len(before), 3) for same, (before, _) in alike],
        "tokens": sum(map(_tokens, traffic)),
    }


def _common(before: str, now: str) -> int:
    """The number of characters with which both begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, now, strict=False)))


def _tokens(entry: Mapping[str, Any]) -> int:
    used = entry.get("answer", {}).get("usage") or {}
    return sum(used.get(name, 0) for name in _TOKENS)


def _is_decision(body: Mapping[str, Any]) -> bool:
    first = (body.get("messages") or [{}])[0]
    return bool(
        body.get("system") or body.get("instructions") or first.get("role") in ("system", "developer")
    )


def answer_figures(trajectory: Trajectory) -> dict[str, Any]:
    """What became of the answers: refused actions, calls lost by the product, and actions that were done.

    A call is lost if its answer was right and yet not carried out: an action failed that was no slip, or the
    answer had to be given again.
    """
    right = [turn for turn in trajectory.turns if not turn.decision.thought.startswith(SLIP)]
    refused: list[str] = []
    lost = sum(max(0, turn.decision.calls - 1) for turn in trajectory.turns)
    for turn in right:
        faults = [step for step in turn.steps if step.outcome.kind == "failed" and not _is_look(step)]
        refused += [shorten(f"{step.planned.action}: {step.outcome.summary}", 300) for step in faults]
        lost += bool(faults)
    done = [step for step in trajectory.steps if step.action is not None and not _is_look(step)]
    slips = len(trajectory.turns) - len(right)
    return {"refused": refused, "lost": lost, "actions": len(done), "slips": slips}


def _is_look(step: Step) -> bool:
    return step.planned.action.kind in ("wait", "scroll")
