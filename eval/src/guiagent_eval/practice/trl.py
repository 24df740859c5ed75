"""MiniWoB++ for TRL as `GRPOTrainer(environment_factory=MiniWobTools)`, whose public methods are tools.

It does not depend on TRL. Each object has a worker process with a browser of its own.
"""

from __future__ import annotations

import json
import weakref
from typing import Any

from gui_agent.core.errors import BenchmarkError
from guiagent_eval.benchmark import Case
from guiagent_eval.practice.stepping import Moment, Served, StepWorker

SLOWNESS = 20.0
"""Factor on the pages' time limits, because a trainer thinks longer than a person."""
OVER = "The episode is over."


class MiniWobTools:
    """One episode of MiniWoB++ after the other; each row of the data names its `task` and `seed`."""

    _served = Served("miniwob", {"slowness": SLOWNESS, "pictures": False})

    def __init__(self) -> None:
        self._worker: StepWorker | None = None
        self._moment: Moment = {"observation": {}, "reward": 0.0, "done": True}
        self._end: weakref.finalize[Any, Any] | None = None

    def reset(self, task: str = "click-button", seed: int = 0, **row: Any) -> str:
        """Begin an episode, and return the task and the screen.

        Args:
            task: The name of the task.
            seed: The number of its instance; the same number gives the same instance.
            row: The other columns of a row of the data.
        """
        if self._worker is None or not self._worker.alive:
            self._worker = StepWorker(self._served)
            self._end = weakref.finalize(self, self._worker.close)
        self._moment = self._worker.reset(Case(task, int(seed)))
        return f"Task: {self._moment['observation']['goal']}\n{self._screen()}"

    def get_reward(self) -> float:
        """The reward of the episode; 0 for one that has not ended."""
        return float(self._moment["reward"])

    def click(self, element: int) -> str:
        """Click on an element of the screen.

        Args:
            element: The number of the element in the list.

        Returns:
            The screen after that.
        """
        return self._act(kind="click", at={"mark": element})

    def type(self, element: int, text: str) -> str:
        """Type a text into a field, in place of its value.

        Args:
            element: The number of the field in the list.
            text: The text.

        Returns:
            The screen after that.
        """
        return self._act(kind="type", at={"mark": element}, text=text, replace=True)

    def choose(self, element: int, option: str) -> str:
        """Choose an option of a list.

        Args:
            element: The number of the list of options.
            option: The name of the option.

        Returns:
            The screen after that.
        """
        return self._act(kind="choose", at={"mark": element}, option=option)

    def press(self, keys: str) -> str:
        """Press a key, or several at once.

        Args:
            keys: The names of the keys, such as `enter` or `ctrl+a`.

        Returns:
            The screen after that.
        """
        return self._act(kind="press", keys=keys.split("+"))

    def scroll(self, down: int) -> str:
        """Turn the wheel in the middle of the screen.

        Args:
            down: How far, in pixels; less than 0 is up.

        Returns:
            The screen after that.
        """
        return self._act(kind="scroll", down=down)

    def finish(self, answer: str = "") -> str:
        """Say that the task is done.

        Args:
            answer: The answer, if the task asks for one.

        Returns:
            The ending of the episode.
        """
        return self._say({"end": {"kind": "finish", "answer": answer}})

    def _act(self, **action: Any) -> str:
        return self._say({"actions": [action]})

    def _say(self, answer: dict[str, Any]) -> str:
        if self._worker is None or self._moment["done"]:
            return OVER
        try:
            self._moment = self._worker.step(json.dumps(answer))
        except BenchmarkError as error:  # The machinery failed, which must not end the training.
            self._moment = {"observation": {}, "reward": 0.0, "done": True}
            return f"{OVER} {error}"
        return f"{OVER} {self._moment['observation']['ending']}" if self._moment["done"] else self._screen()

    def _screen(self) -> str:
        told = self._moment["observation"]
        fault = f"It failed: {told['last_action_error']}\n" if told["last_action_error"] else ""
        return f"{fault}{told['text']}"
