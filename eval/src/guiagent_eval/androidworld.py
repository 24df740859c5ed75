"""AndroidWorld: an agent for its runner, and its server in a container as an environment.

`AndroidWorldAgent(env)` is an agent for the runner; it hands actions over as the runner's `JSONAction`.
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from guiagent_platforms.android.hierarchy import ROLES, by_ending

from gui_agent.computers.desktop.computer import encode_picture
from gui_agent.computers.desktop.elements import Elements
from gui_agent.computers.desktop.parts import Node, ScreenReading, Window
from gui_agent.core.actions import Action, Back, Check, Click, LongPress, Open, Press, Scroll, Swipe, TypeText
from gui_agent.core.errors import ActionFailed, ComputerLost
from gui_agent.core.observation import TEXT, Box, Element, Observation, Place, Size
from gui_agent.core.protocols import Closing, Settled
from gui_agent.core.trajectory import Result
from gui_agent.elements.roles import LATCHING, TEXT_FIELDS
from gui_agent.settings import Settings, load, override
from gui_agent.wiring.running import run

ANSWERING = 60.0
"""Seconds within which the server in a container must answer."""


class BenchmarkPhone(Closing):
    """A phone that belongs to a benchmark."""

    platform = "android"

    def perform(self, action: Action, expected: Element | None = None) -> None:
        raise NotImplementedError

    def start(self, where: str) -> None:
        """Open an app."""
        if where:
            self.perform(Open(where))

    def close(self) -> None:
        """Does nothing: the benchmark still needs the phone."""


class AndroidWorldComputer(BenchmarkPhone):
    """The phone of an AndroidWorld environment, observed through its states and operated by its actions."""

    def __init__(self, env: Any, make_action: Callable[..., Any] | None = None) -> None:
        """
        Args:
            env: has `get_state(wait_to_stabilize)` and `execute_action(action)`.
            make_action: its class of actions; by default `JSONAction` of the installed package.
        """
        self._env = env
        self._make = make_action or import_module("android_world.env.json_action").JSONAction
        self._elements = Elements()
        self._state: Any = None

    def observe(self, *, picture: bool = True) -> Observation:
        """The elements and the picture of the environment's phone."""
        state, self._state = self._state or self._env.get_state(False), None
        height, width = len(state.pixels), len(state.pixels[0])
        size, front = Size(width, height), Window(1, "", "", 0, Box(0, 0, width, height), active=True)
        nodes = _nodes(state.ui_elements)
        elements, left_out = self._elements.take(ScreenReading(nodes), [front], size)
        activity = str(getattr(self._env, "foreground_activity_name", "") or "")
        return Observation(
            size=size,
            elements=elements,
            place=Place(activity.partition("/")[0], activity.rpartition(".")[2]),
            screenshot=encode_picture(_image(state.pixels), "jpeg") if picture else None,
            left_out=left_out,
        )

    def perform(self, action: Action, expected: Element | None = None) -> None:
        """Hand an action to the environment.

        Raises:
            ActionFailed: the environment has no such action.
        """
        for given in action_words(action, expected, self._size()):
            self.execute(**given)

    def execute(self, **given: Any) -> None:
        """Hand over an action in the environment's own words.

        Raises:
            ActionFailed: the environment rejects this action now.
        """
        try:
            self._env.execute_action(self._make(**given))
        except (ValueError, TypeError) as error:
            raise ActionFailed(f"the environment rejected {given}: {error}") from error

    def settle(self) -> Settled:
        """Wait, like the environment, until its screen is stable."""
        began = time.perf_counter()
        self._state = self._env.get_state(True)
        return Settled(time.perf_counter() - began, quiet=True)

    def _size(self) -> Size:
        state = self._state or self._env.get_state(False)
        return Size(len(state.pixels[0]), len(state.pixels))


class AndroidWorldAgent:
    """An agent for AndroidWorld's runner; one step of it is a whole run, within the runner's limit."""

    def __init__(
        self,
        env: Any,
        name: str = "guiagent",
        *,
        settings: Settings | Mapping[str, Any] | None = None,
        make_action: Callable[..., Any] | None = None,
    ) -> None:
        """Args: settings: of the agent, such as `{"model": {"name": ...}}`."""
        self.env, self.name = env, name
        self.transition_pause: float | None = None
        self._settings = settings if isinstance(settings, Settings) else override(load(), settings or {})
        self._make = make_action
        self._most: int | None = None
        self._ended: Result | None = None

    def set_max_steps(self, max_steps: int) -> None:
        """Set the maximum number of actions of an episode."""
        self._most = max_steps

    def reset(self, go_home: bool = False) -> None:
        """Begin a new episode."""
        self._ended = None
        self.env.reset(go_home=go_home)

    def step(self, goal: str) -> Any:
        """Work on the goal until it is done or given up; further steps of the same episode do nothing."""
        if self._ended is None:
            computer = AndroidWorldComputer(self.env, self._make)
            limits = {"limits": {"steps": self._most}} if self._most else {}
            self._ended = run(goal, settings=override(self._settings, limits), computer=computer, yes=True)
            if self._ended.ok:
                answer = self._ended.answer
                if answer:  # The runner grades questions by the answer, which must come first.
                    computer.execute(action_type="answer", text=answer)
                computer.execute(action_type="status", goal_status="complete")
        ended = self._ended
        data = {"ok": ended.ok, "reason": ended.ending.reason, "folder": str(ended.folder or "")}
        return SimpleNamespace(done=ended.ok, data=data)


@dataclass(frozen=True, slots=True)
class ContainerEnv:
    """AndroidWorld's server in a container: pictures, actions, and the tasks of its suite."""

    address: str = "http://127.0.0.1:5000"

    def reset(self, go_home: bool = False) -> None:
        """Return to the home screen."""
        self._ask("POST", "/reset", go_home=go_home)

    def get_state(self, wait_to_stabilize: bool = False) -> Any:
        """The pixels; this server returns no elements, so a model or vision is needed."""
        said = self._ask("GET", "/screenshot", wait_to_stabilize=wait_to_stabilize)
        return SimpleNamespace(pixels=said["pixels"], ui_elements=[])

    def execute_action(self, action: Any) -> None:
        """Send an action."""
        given = action if isinstance(action, dict) else action.as_dict()
        self._ask("POST", "/execute_action", body=given)

    def tasks(self) -> list[str]:
        """The names of the tasks."""
        return [str(name) for name in self._ask("GET", "/suite/task_list", max_index=-1)["task_list"]]

    def begin(self, task: str, number: int = 0) -> str:
        """Prepare a task; returns its goal."""
        self._ask("POST", "/task/initialize", task_type=task, task_idx=number)
        return str(self._ask("GET", "/task/goal", task_type=task, task_idx=number)["goal"])

    def score(self, task: str, number: int = 0) -> float:
        """The score of a task, which is then torn down."""
        score = float(self._ask("GET", "/task/score", task_type=task, task_idx=number)["score"])
        self._ask("POST", "/task/tear_down", task_type=task, task_idx=number)
        return score

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None = None, **given: Any) -> Any:
        asked = urllib.parse.urlencode(
            {key: str(value).lower() if isinstance(value, bool) else value for key, value in given.items()}
        )
        data = json.dumps(body).encode() if body is not None else None
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.address}{path}?{asked}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=ANSWERING) as answer:
                return json.load(answer)
        except (OSError, ValueError) as error:
            raise ComputerLost(f"AndroidWorld's server at {self.address} {path}: {error}") from error


def action_words(action: Action, expected: Element | None, size: Size) -> list[dict[str, Any]]:
    """An action as the benchmark's JSON actions.

    Raises:
        ActionFailed: the benchmark has no equivalent.
    """
    match action:
        case Click(at=at, button="left", clicks=clicks, modifiers=()) if clicks <= 2:
            return [{"action_type": "click" if clicks == 1 else "double_tap", "x": at.x, "y": at.y}]
        case LongPress(at=at):
            return [{"action_type": "long_press", "x": at.x, "y": at.y}]
        case Check(at=at, on=on):
            turned = expected is not None and ("checked" in expected.states) == on
            return [] if turned else [{"action_type": "click", "x": at.x, "y": at.y}]
        case TypeText(text=text, at=at, replace=replace) if text:
            place = {"x": at.x, "y": at.y} if at is not None else {}
            return [{"action_type": "input_text", "text": text, "clear_text": replace, **place}]
        case Open(name=name):
            return [{"action_type": "open_app", "app_name": name}]
        case Back():
            return [{"action_type": "navigate_back"}]
        case Press(keys=("home",)):
            return [{"action_type": "navigate_home"}]
        case Press(keys=("enter",), times=times):
            return [{"action_type": "keyboard_enter"}] * times
        case Scroll(down=down, right=right) if down or right:
            times = max(1, round(abs(down or right) / (size.height if down else size.width)))
            return [{"action_type": "scroll", "direction": _way(0 if down else right, down)}] * min(times, 20)
        case Swipe(at=at, to=to):
            return [{"action_type": "swipe", "direction": _way(to.x - at.x, to.y - at.y)}]
    raise ActionFailed(f"AndroidWorld has no action for {action.kind}; tap, type, scroll or go back")


def _way(across: int, along: int) -> str:
    if abs(across) > abs(along):
        return "right" if across > 0 else "left"
    return "down" if along > 0 else "up"


def _nodes(told: Sequence[Any]) -> tuple[Node, ...]:
    """The elements of a state; a switch without a text has the text on its left."""
    found = []
    for place, one in enumerate(told):
        box = one.bbox_pixels
        if box is None:
            continue
        area = Box(int(box.x_min), int(box.y_min), int(box.x_max - box.x_min), int(box.y_max - box.y_min))
        kind = str(one.class_name or "").rpartition(".")[2]
        role = by_ending(ROLES, kind)
        role = role or ("button" if one.is_clickable else "list" if one.is_scrollable else TEXT)
        said = one.text or one.content_description or ""
        field = role in TEXT_FIELDS
        name = one.hint_text or one.content_description or "" if field else said
        states = {name for name in STATES if getattr(one, f"is_{name}", False)}
        states |= {"disabled"} if one.is_enabled is False else set()
        known = (one.resource_name, kind, "" if field else said, place if field or not said else 0)
        value = one.text or "" if field else ""
        found.append(
            Node(
                known,
                role,
                name,
                area,
                value=value,
                states=frozenset(states),
                window=1,
                source="androidworld",
            )
        )
    return tuple(_name_bearer(node, found) for node in found)


STATES = ("checked", "selected", "focused", "scrollable")


def _name_bearer(node: Node, all_: Sequence[Node]) -> Node:
    if node.name or node.role not in LATCHING:
        return node
    middle = node.box.center.y
    beside = [it for it in all_ if it.role == TEXT and it.box.top <= middle < it.box.bottom + it.box.height]
    left = min((it for it in beside if it.box.left < node.box.left), key=lambda it: it.box.top, default=None)
    return replace(node, name=left.name) if left is not None else node


def _image(pixels: Any) -> Any:
    import numpy as np
    from PIL import Image

    return Image.fromarray(np.asarray(pixels, dtype="uint8"))
