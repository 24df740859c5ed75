"""Farama's `miniwob` environment (Selenium) solving three tasks for bench_miniwob.py: JSON in, times out."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import gymnasium
import miniwob
from miniwob.action import ActionTypes

gymnasium.register_envs(miniwob)


def solved(env: Any, task: str, seed: int) -> None:
    """Solve one episode by the obvious script."""
    seen, _ = env.reset(seed=seed)
    say = seen["utterance"]
    over = False
    while not over:
        step = next_step(env, task, say, seen["dom_elements"])
        seen, _, over, _, _ = env.step(step)


def next_step(env: Any, task: str, say: str, elements: Any) -> Any:
    """The action for the screen."""
    make = env.unwrapped.create_action

    def click(element: Any) -> Any:
        return make(ActionTypes.CLICK_ELEMENT, ref=element["ref"])

    buttons = [one for one in elements if one["tag"] == "button"]
    if task == "click-button":
        wanted = say.split('"')[1]
        return click(next(one for one in buttons if one["text"] == wanted))
    if task == "enter-text":
        text = say.split('"')[1]
        field = next(one for one in elements if one["tag"] == "input_text")
        if field["value"] == text:
            return click(buttons[-1])
        return make(ActionTypes.FOCUS_ELEMENT_AND_TYPE_TEXT, ref=field["ref"], text=text)
    wanted = say.removeprefix("Select ").removesuffix(" and click Submit.").split(", ")
    labels = {}
    for one in elements:
        if one["tag"] == "label":
            box = next(e for e in elements if e["tag"] == "input_checkbox" and e["parent"] == one["ref"])
            text = next(
                (e["text"] for e in elements if e["tag"] == "t" and e["parent"] == one["ref"]), one["text"]
            )
            labels[text.strip()] = box
    for name in wanted:
        if name in labels and not labels[name]["value"]:
            return click(labels[name])
    return click(buttons[-1])


def main() -> None:
    open_: dict[tuple[str, bool], Any] = {}
    for line in sys.stdin:
        task, episodes, picture = json.loads(line)
        if (task, picture) not in open_:
            for env in open_.values():
                env.close()
            open_.clear()
            env = gymnasium.make(f"miniwob/{task}-v1", render_mode=None)
            env.unwrapped.set_record_screenshots(picture)
            open_[(task, picture)] = env
            solved(env, task, 1)
        env = open_[(task, picture)]
        began = time.perf_counter()
        for seed in range(episodes):
            solved(env, task, seed)
        print("seconds", time.perf_counter() - began, flush=True)
    for env in open_.values():
        env.close()


if __name__ == "__main__":
    main()
