"""MobileWorld: an agent for its runner, which asks for one action at a time and returns the result.

`MobileWorldAgent(tools)` is an agent for the runner, with or without tools. The run continues in a
thread of its own: each of its actions is one answer to `predict`, and a question to the person is `ask_user`.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from gui_agent.computers.desktop.computer import encode_picture
from gui_agent.core.actions import Action, Drag, Swipe
from gui_agent.core.errors import ActionFailed, ComputerLost
from gui_agent.core.observation import Element, Observation, Size
from gui_agent.core.protocols import Settled
from gui_agent.settings import Settings, load, override
from gui_agent.wiring.running import run
from guiagent_eval.androidworld import BenchmarkPhone, action_words

PATIENCE = 1800.0
"""Seconds for which one side waits for the other."""


class _Turns:
    """Passes actions to the runner, and their results back to the run."""

    def __init__(self) -> None:
        self.actions: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self.seen: queue.SimpleQueue[Mapping[str, Any] | None] = queue.SimpleQueue()

    def take(self, action: dict[str, Any]) -> Mapping[str, Any]:
        """Let the runner carry out an action; returns its observation afterwards.

        Raises:
            ComputerLost: the runner has ended the episode.
        """
        self.actions.put(action)
        return self.next()

    def next(self) -> Mapping[str, Any]:
        """The runner's observation.

        Raises:
            ComputerLost: the runner has ended the episode.
        """
        try:
            seen = self.seen.get(timeout=PATIENCE)
        except queue.Empty:
            seen = None
        if seen is None:
            raise ComputerLost("MobileWorld has ended the episode")
        return seen


class MobileWorldComputer(BenchmarkPhone):
    """The phone behind the runner: pictures only, so a model that points at them or vision is needed."""

    def __init__(self, turns: _Turns) -> None:
        self._turns = turns
        self._seen = turns.next()

    def observe(self, *, picture: bool = True) -> Observation:
        """The picture after the last action."""
        shot = self._seen["screenshot"]
        return Observation(
            Size(shot.width, shot.height), (), screenshot=encode_picture(shot, "jpeg") if picture else None
        )

    def perform(self, action: Action, expected: Element | None = None) -> None:
        """Hand an action to the runner.

        Raises:
            ActionFailed: the runner has no such action.
            ComputerLost: the runner has ended the episode.
        """
        if isinstance(action, (Drag, Swipe)):
            start, end = (
                {f"{e}_x": p.x, f"{e}_y": p.y} for e, p in (("start", action.at), ("end", action.to))
            )
            self._seen = self._turns.take({"action_type": "drag", **start, **end})
            return
        shot = self._seen["screenshot"]
        for given in action_words(action, expected, Size(shot.width, shot.height)):
            self._seen = self._turns.take(given)

    def ask(self, question: str) -> str:
        """The answer of the benchmark's person to a question."""
        self._seen = self._turns.take({"action_type": "ask_user", "text": question})
        return str(self._seen.get("ask_user_response") or "")

    def call(self, tool: str, given: Mapping[str, Any]) -> Any:
        """The result of a tool of the benchmark.

        Raises:
            ActionFailed: the tool returned nothing.
        """
        self._seen = self._turns.take({"action_type": "mcp", "action_name": tool, "action_json": dict(given)})
        if self._seen.get("tool_call") is None:
            raise ActionFailed(f"the tool {tool} gave nothing")
        return self._seen["tool_call"]

    def settle(self) -> Settled:
        """Does nothing: the runner waits after each action."""
        return Settled(0.0, quiet=True)


class MobileWorldAgent:
    """An agent for MobileWorld's runner; the methods are those of its `MCPAgent`."""

    def __init__(
        self,
        tools: Sequence[Mapping[str, Any]] = (),
        *_: Any,
        settings: Settings | Mapping[str, Any] | None = None,
        make_action: Callable[..., Any] | None = None,
        work: Callable[[str, MobileWorldComputer], str | None] | None = None,
        **__: Any,
    ) -> None:
        """
        Args:
            tools: the benchmark's tools beside the screen, in its format.
            settings: of the agent, such as `{"model": {"name": ...}}`.
            make_action: the class of actions; by default that of the installed package.
            work: does the task instead of a run, and may call tools; returns the answer, None if not done.
        """
        self.tools = list(tools)
        self.instruction: str | None = None
        self._settings = settings if isinstance(settings, Settings) else override(load(), settings or {})
        self._make = make_action
        self._work = work or self._run
        self._turns = _Turns()
        self._ended: tuple[str, str] | None = None

    def initialize(self, instruction: str) -> bool:
        """Begin a task."""
        self._stop()
        self.instruction, self._turns, self._ended = instruction, _Turns(), None
        given = (instruction, self._turns)
        threading.Thread(target=self._begin, args=given, daemon=True, name="mobileworld").start()
        return True

    def predict(self, observation: Mapping[str, Any]) -> tuple[str, Any]:
        """The next action for the current observation; at the end `answer`, `finished`, or `unknown`."""
        make = self._make or import_module("mobile_world.runtime.utils.models").JSONAction
        if self._ended is None:
            self._turns.seen.put(observation)
            action = self._turns.actions.get(timeout=PATIENCE)
            if action is not None:
                return str(action), make(**action)
        kind, why = self._ended or ("unknown", "")
        return why or kind, make(action_type=kind, **({"text": why} if kind == "answer" else {}))

    def reset_tools(self, tools: Sequence[Mapping[str, Any]]) -> None:
        """Take other tools."""
        self.tools = list(tools)

    def done(self) -> None:
        """The runner has ended the task."""
        self.reset()

    def reset(self) -> None:
        """Forget the task."""
        self._stop()
        self.instruction = None

    def get_total_token_usage(self) -> dict[str, int]:
        """Empty: the run's own report has its tokens."""
        return dict.fromkeys(("completion_tokens", "prompt_tokens", "cached_tokens", "total_tokens"), 0)

    def _stop(self) -> None:
        self._turns.seen.put(None)

    def _begin(self, instruction: str, turns: _Turns) -> None:
        ended = ("unknown", "the run crashed")
        try:
            answer = self._work(instruction, MobileWorldComputer(turns))
            ended = ("answer", answer) if answer else ("finished", "")
            ended = ("unknown", "not done") if answer is None else ended
        except (ActionFailed, ComputerLost) as error:
            ended = ("unknown", str(error))
        finally:
            if turns is self._turns:
                self._ended = ended
            turns.actions.put(None)

    def _run(self, instruction: str, computer: MobileWorldComputer) -> str:
        result = run(instruction, settings=self._settings, computer=computer, ask=computer.ask, yes=True)
        if not result.ok:
            raise ActionFailed(result.ending.reason or result.ending.kind)
        return result.answer or ""
