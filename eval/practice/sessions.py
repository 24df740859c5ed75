"""Compares the rewards of OpenEnv's client with the local runner's, with the same seeds and policy.

Usage: start `guiagent eval serve --tasks click-button,enter-text,click-dialog --pool 4`, then

    python eval/practice/sessions.py served ADDRESS --sessions 32 --episodes 50 > served.json
    python eval/practice/sessions.py local --sessions 32 --episodes 50 > local.json

The first runs in an environment with openenv-core alone, the second in one with guiagent. The policy reads
the text of the screen, and does every third instance wrong on purpose.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import time
from typing import Any

TASKS = ("click-button", "enter-text", "click-dialog")
FIRST = 10_000


def answer(goal: str, text: str, begun: bool) -> dict[str, Any]:
    """The action of the policy on a screen."""
    wrong = sum(map(ord, goal)) % 3 == 0
    if found := re.search(r'Enter "(.*?)"', goal):
        said = found[1][::-1] if wrong else found[1]
        field = mark(text, "textbox", "")
        typed = {"kind": "type", "text": said, "at": {"mark": field}, "replace": True}
        return {"actions": [{"kind": "click", "at": {"mark": mark(text, "button", "")}} if begun else typed]}
    named = re.search(r'"(.*?)" button', goal)
    name = named[1] if named else "Close"
    if wrong:
        return {"actions": [{"kind": "click", "at": {"x": 158, "y": 208}}], "end": {"kind": "finish"}}
    return {"actions": [{"kind": "click", "at": {"mark": mark(text, "button", name)}}]}


def mark(text: str, role: str, name: str) -> int:
    """The number of the first element with this role and name on a screen."""
    found = re.search(rf'^\W*(\d+)\] {role} "?{re.escape(name)}', text, re.MULTILINE | re.IGNORECASE)
    return int(found[1]) if found else 1


def cases(sessions: int, episodes: int) -> list[list[tuple[str, int]]]:
    """The episodes of each session."""
    return [
        [(TASKS[(one + number) % len(TASKS)], FIRST + one * episodes + number) for number in range(episodes)]
        for one in range(sessions)
    ]


async def play(address: str, mine: list[tuple[str, int]], rewards: dict[str, float]) -> None:
    from openenv.core import GenericEnvClient

    async with GenericEnvClient(base_url=address, message_timeout_s=600) as client:
        for task, seed in mine:
            seen = await client.reset(task=task, seed=seed)
            begun = False
            while not seen.done:
                told = seen.observation
                seen = await client.step(
                    {"action_str": json.dumps(answer(told["goal"], told["text"], begun))}
                )
                begun = True
            rewards[f"{task}/{seed}"] = seen.reward


async def play_all(address: str, given: list[list[tuple[str, int]]]) -> dict[str, float]:
    rewards: dict[str, float] = {}
    await asyncio.gather(*(play(address, mine, rewards) for mine in given))
    return rewards


def play_here(given: list[list[tuple[str, int]]]) -> dict[str, float]:
    """The rewards of the local runner, with the planner that asks a model."""
    from guiagent_eval.benchmark import Case, Episode
    from guiagent_eval.cli.recipe import open_policy
    from guiagent_eval.episodes import Solver, WatchedComputer, run_episode
    from guiagent_eval.miniwob import MiniWob

    from gui_agent import wiring
    from gui_agent.core.dialogue import Asked, Reply, Request
    from gui_agent.core.trajectory import Trajectory
    from gui_agent.planners.llm import AnswerForm, ModelPlanner
    from gui_agent.settings import Settings, override
    from gui_agent.testing import ScriptedModel

    def says(request: Request) -> Reply:
        told = [str(part) for turn in request.turns if isinstance(turn, Asked) for part in turn.parts]
        goal = re.search(r"^Task: (.*?)$", told[0], re.MULTILINE)
        assert goal is not None
        # Of a known screen only the changes are sent; the numbers of the first one stay valid.
        shown = "\n".join(part for part in told if part.startswith("The screen now"))
        begun = any(isinstance(turn, Reply) for turn in request.turns)
        return Reply(json.dumps(answer(goal[1], shown, begun)))

    class Scripted(Solver):
        def solve(self, episode: Episode, case: Case) -> Trajectory:
            settings = override(Settings(), {"trace": {"folder": ""}, "guard": open_policy()})
            planner = ModelPlanner(ScriptedModel([says]), pictures=0, answer=AnswerForm("json"))
            watched = WatchedComputer(episode)
            agent = wiring.build(settings, watched, planner=planner, guard=wiring.make_guard(settings))
            watched.stop = agent.control.stop
            return agent.run(episode.task).trajectory

    pages = MiniWob(pictures=False, slowness=20.0)
    pages.setup()
    try:
        records = [run_episode(pages, Scripted(), Case(*one)) for mine in given for one in mine]
    finally:
        pages.teardown()
    return {str(one.case): one.raw for one in records}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("where", choices=["served", "local"])
    parser.add_argument("address", nargs="?", default="")
    parser.add_argument("--sessions", type=int, default=8)
    parser.add_argument("--episodes", type=int, default=10)
    given = parser.parse_args()
    mine, began = cases(given.sessions, given.episodes), time.monotonic()
    rewards = asyncio.run(play_all(given.address, mine)) if given.where == "served" else play_here(mine)
    won = sum(reward == 1.0 for reward in rewards.values())
    print(f"{len(rewards)} episodes, {won} won, {time.monotonic() - began:.1f} s", file=sys.stderr)
    print(json.dumps(dict(sorted(rewards.items())), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
