"""Replays exported answers at the seeds of their episodes, and checks that they earn the same rewards.

Usage: python eval/practice/replay.py RUN, where RUN is the folder of a MiniWoB++ run with `--trace all`. Each
answer is one that `guiagent export --format verl-sft` writes, and is parsed like a model's answer.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from guiagent_eval.benchmark import Case, Episode
from guiagent_eval.cli.recipe import open_policy
from guiagent_eval.episodes import Solver, WatchedComputer, run_episode
from guiagent_eval.exports.verl_sft import chat
from guiagent_eval.miniwob import MiniWob
from guiagent_eval.practice.kept import kept_runs
from guiagent_eval.practice.turns import conversation

from gui_agent import wiring
from gui_agent.core.dialogue import Reply
from gui_agent.core.trajectory import Trajectory
from gui_agent.planners.llm import AnswerForm, ModelPlanner
from gui_agent.settings import Settings, override
from gui_agent.testing import ScriptedModel


@dataclass
class Replaying(Solver):
    """A solver that repeats recorded answers."""

    said: dict[Case, Sequence[str]]

    def solve(self, episode: Episode, case: Case) -> Trajectory:
        """Work on one episode with its exported answers."""
        settings = override(
            Settings(), {"trace": {"folder": ""}, "guard": open_policy(), "limits": {"steps": 100}}
        )
        model = ScriptedModel([Reply(text) for text in self.said[case]])
        planner = ModelPlanner(model, pictures=0, answer=AnswerForm("json"))
        watched = WatchedComputer(episode)
        agent = wiring.build(
            settings, watched, planner=planner, guard=wiring.make_guard(settings, None), observers=[]
        )
        watched.stop = agent.control.stop
        return agent.run(episode.task, None).trajectory


def main(folder: str) -> int:
    said: dict[Case, Sequence[str]] = {}
    rewards: dict[Case, float] = {}
    for kept in kept_runs([folder], pictures=False):
        told = conversation(kept)
        if told is not None and kept.record is not None:
            answers = [one["content"] for one in chat(told.messages) if one["role"] == "assistant"]
            said[kept.record.case], rewards[kept.record.case] = answers, kept.reward
    pages, solver, same = MiniWob(pictures=False), Replaying(said), 0
    pages.setup()
    try:
        for case, before in rewards.items():
            record = run_episode(pages, solver, case)
            same += record.raw == before
            if record.raw != before:
                print(f"{case}: {before} then, {record.raw} now: {record.reason} {record.actions}")
    finally:
        pages.teardown()
    print(f"{same} of {len(rewards)} episodes earn the same reward again")
    return 0 if same == len(rewards) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
