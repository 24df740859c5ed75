"""The settings of a benchmark run reach the traces of its episodes: each question to a model is kept."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from guiagent_eval.benchmark import Case, Grade
from guiagent_eval.cli.demonstrations import Knowledge
from guiagent_eval.cli.recipe import Recipe, open_policy
from guiagent_eval.cli.solver import AgentSolver

from gui_agent.core.dialogue import Reply, Request, Traits, Usage
from gui_agent.core.protocols import Computer
from gui_agent.core.trajectory import Task
from gui_agent.testing import FakeComputer, button, screen


class GivesUp:
    """A model that sees at once that it cannot be done."""

    name, traits = "own/gives-up", Traits()

    def complete(self, request: Request) -> Reply:
        said = '{"thought": "There is no lamp.", "end": {"kind": "give_up", "reason": "no lamp"}}'
        return Reply(said, usage=Usage(read=12, wrote=3), model="gives-up-1")


@dataclass
class OneScreen:
    """An episode on a screen that holds a button."""

    task: Task = field(default_factory=lambda: Task("Buy a lamp"))
    computer: Computer = field(default_factory=lambda: FakeComputer(screen(button("Next"))))

    def end_reason(self) -> str:
        return ""

    def grade(self) -> Grade:
        return Grade(False)


def test_questions_to_a_model_are_kept_with_the_trace_of_an_episode(tmp_path: Path) -> None:
    settings = {"model": {"name": f"{__name__}:GivesUp"}, "trace": {"requests": True}, "guard": open_policy()}
    recipe = Recipe("toy", str(tmp_path), settings, planner="model", trace="all")
    solver, case = AgentSolver(recipe, Knowledge(recipe)), Case("buy", 1)
    solver.prepare(case)
    solver.solve(OneScreen(), case)
    (path,) = (tmp_path / "traces" / "buy" / "1").glob("requests.jsonl")
    (line,) = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert (line["role"], line["model"], line["usage"]["read"]) == ("planner", "gives-up-1", 12)
    assert "Buy a lamp" in line["messages"][0]["parts"][0]
