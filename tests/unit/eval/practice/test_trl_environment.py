"""TRL's contract without TRL: tools with types and descriptions, a reset that tells, and a reward."""

from __future__ import annotations

import inspect
import re

import doors
from guiagent_eval.practice.stepping import Served
from guiagent_eval.practice.trl import OVER, MiniWobTools


class DoorTools(MiniWobTools):
    _served = Served("doors:Doors")


def test_each_tool_says_what_it_and_each_of_its_arguments_is() -> None:
    tools = {
        name: tool
        for name, tool in inspect.getmembers(MiniWobTools, inspect.isfunction)
        if not name.startswith("_") and name not in ("reset", "get_reward")
    }
    assert set(tools) == {"click", "type", "choose", "press", "scroll", "finish"}
    for tool in tools.values():
        kinds = inspect.signature(tool, eval_str=True).parameters
        about = inspect.getdoc(tool) or ""
        for name, kind in list(kinds.items())[1:]:
            assert kind.annotation in (int, str)
            assert re.search(rf"^    {name}: \w", about, re.MULTILINE)


def test_an_episode_earns_its_reward_and_one_that_was_left_earns_none() -> None:
    env = DoorTools()
    told = env.reset(task="open", seed=3, prompt=[])
    right = re.search(r"door (\w+)", told)
    assert right is not None and told.startswith("Task: Open the door")
    assert "It failed" in env.click(99)
    assert env.get_reward() == 0.0
    assert env.click(doors.mark_of(told, right[1])).startswith(OVER)
    assert env.get_reward() == 1.0
    assert env.click(1) == OVER
    env.reset(task="open", seed=4)
    assert env.get_reward() == 0.0
