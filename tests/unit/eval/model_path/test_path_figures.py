"""The figures of the path to a model come from the recorded requests and from what became of the answers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from guiagent_eval.cli.model_path import path_figures
from guiagent_eval.model_path.answerer import SLIP
from guiagent_eval.model_path.solver import answer_figures, goals, request_figures
from guiagent_eval.records import Record

from gui_agent.core.actions import Click
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Mark, Point
from gui_agent.core.trajectory import Decision, Outcome, Planned, Step, Task, Trajectory, Turn
from gui_agent.testing import screen, text

SCREEN = screen(text("-"))


def body(*said: str, picture: str = "") -> dict[str, Any]:
    shown = [{"type": "image_url", "url": f"data:image/png;sha256-{picture:0>24}"}] if picture else []
    turns = [{"role": "user", "content": [{"text": one}]} for one in said]
    system = [{"role": "system", "content": "s" * 100}]
    return {
        "tools": [{"name": "decide"}],
        "messages": [*system, *turns, *([{"content": shown}] if shown else [])],
    }


def test_a_cache_serves_what_two_requests_begin_with_and_pictures_count_apart(tmp_path: Path) -> None:
    tape = tmp_path / "models.jsonl"
    usage = {"usage": {"prompt_tokens": 70, "completion_tokens": 5}}
    first, second = body("a" * 100, picture="1"), body("a" * 100, "b" * 200, picture="2")
    judged = {"messages": [{"role": "user", "content": "Is it done?"}]}
    lines = [{"body": one, "answer": usage} for one in (first, second, judged)]
    tape.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = request_figures(tape)
    assert (found["calls"], found["other_calls"], found["tokens"]) == (2, 1, 225)
    assert found["pictures"] == [1, 1] and found["text"][1] - found["text"][0] > 200
    assert found["kept"][0] > 0.7 > found["shares"][0] > 0.4


def turn(thought: str, outcome: str, calls: int = 1) -> Turn:
    planned = Planned(Click(Mark(1)))
    step = Step(1, planned, SCREEN, SCREEN, Outcome(outcome, "why"), Click(Point(1, 1)))  # type: ignore[arg-type]
    return Turn(Decision(thought, calls=calls), SCREEN, (step,))


def test_a_right_answer_that_fails_is_lost_and_a_slip_is_not() -> None:
    turns = (
        turn("", "changed"),
        turn("", "failed"),
        turn(f"{SLIP}stale mark", "failed"),
        turn("", "changed", 2),
    )
    found = answer_figures(Trajectory(Task("t"), turns))
    assert (found["lost"], len(found["refused"]), found["slips"], found["actions"]) == (2, 1, 1, 4)


def test_actions_above_the_fewest_are_counted_in_runs_that_were_right() -> None:
    details = {"crash": "", "calls": 2, "other_calls": 1, "lost": 0, "refused": [], "slips": 0, "tools": [5]}
    details |= {
        "fewest": 3,
        "actions": 4,
        "text": [9, 11],
        "pictures": [1],
        "shares": [0.5, 0.9],
        "kept": [1.0],
    }
    right = Record("app.one", 0, "success", details=details)
    wrong = replace(right, task="app.two", verdict="wrong", details={**details, "crash": "KeyError: 1"})
    found = path_figures([right, wrong])
    assert (found["right"], found["falsely"], found["crashes"], found["over"]) == (1, 1, 1, 1)
    assert (found["decide calls"], found["text"], found["share p10"]) == (4, 10, 0.5)


def test_goals_are_suites_or_names_with_a_known_way() -> None:
    assert (len(goals("ten")), len(goals("forty"))) == (10, 40) and set(goals("forty")) < set(goals("all"))
    assert goals("phone.buy-one, phone.order") == ["phone.buy-one", "phone.order"]
    with pytest.raises(ConfigError, match=r"no way is known for phone\.nothing"):
        goals("phone.nothing")
