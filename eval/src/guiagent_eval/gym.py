"""Environments for Gymnasium: import this module, then `gymnasium.make("guiagent/Browser-v0")`.

`guiagent/MiniWoB-<task>-v0` is a task of MiniWoB++ with its own reward, `guiagent/OSWorld-v0` and
`guiagent/Apps-v0` the `task` of a guest or an application; `guiagent/Browser-v0` any page, where nothing is
done that the guard asks about or forbids.
"""

from __future__ import annotations

import io
import string
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from gui_agent import plugins
from gui_agent.agent.guard import PolicyGuard
from gui_agent.core.actions import Action, Click, Press, Scroll, TypeText
from gui_agent.core.errors import Forbidden, MissingExtra, StepFailed
from gui_agent.core.observation import Element, Observation, Point, Size
from gui_agent.core.protocols import Computer
from gui_agent.core.trajectory import Found
from gui_agent.planners.llm.rendering import screen_text
from guiagent_eval.benchmark import Benchmark, Case
from guiagent_eval.miniwob import SIZE, known_tasks

KINDS: Final = ("wait", "click", "double_click", "type", "press", "scroll_down", "scroll_up", "finish")
"""The meanings of `action["kind"]`; `finish` says that the task is done, which only some pages notice."""
KEYS: Final = ("enter", "tab", "backspace", "escape", "delete", "up", "down", "left", "right", "space")
"""The meanings of `action["key"]`."""
LETTERS: Final = frozenset(string.printable)
LISTING, TYPED = 20_000, 200
"""Maximum characters of the element list, and of a typed text."""
WHEEL = 120
Array = NDArray[np.uint8]
Spoken = dict[str, Any]


class ScreenEnv(gymnasium.Env[Spoken, Spoken]):
    """A screen as an environment: pictures and elements in, mouse and keys out."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 4}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(self, size: Size, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self._size = size
        self._seen: Observation | None = None
        self._numbers: dict[int, int] = {}
        """The element numbers of this episode, by those of the computer, which continue after a reset."""
        self.observation_space = spaces.Dict(
            {
                "screenshot": spaces.Box(0, 255, (size.height, size.width, 3), np.uint8),
                "elements": spaces.Text(LISTING, min_length=0, charset=LETTERS),
                "task": spaces.Text(LISTING, min_length=0, charset=LETTERS),
            }
        )
        self.action_space = spaces.Dict(
            {
                "kind": spaces.Discrete(len(KINDS)),
                "point": spaces.Box(0.0, 1.0, (2,), np.float32),
                "text": spaces.Text(TYPED, min_length=0, charset=LETTERS),
                "key": spaces.Discrete(len(KEYS)),
            }
        )

    def render(self) -> Any:
        """The picture of the last look."""
        return (
            self._pixels(self._seen) if self.render_mode == "rgb_array" and self._seen is not None else None
        )

    def action(self, spoken: Spoken) -> Action | None:
        """The action for the device; None waits."""
        x, y = (min(1.0, max(0.0, float(part))) for part in spoken["point"])
        size = self._seen.size if self._seen is not None else self._size
        width, height = size.width, size.height
        at = Point(min(int(x * width), width - 1), min(int(y * height), height - 1))
        match KINDS[int(spoken["kind"])]:
            case "click":
                return Click(at)
            case "double_click":
                return Click(at, "left", 2)
            case "type" if spoken["text"]:
                return TypeText(str(spoken["text"]))
            case "press":
                return Press((KEYS[int(spoken["key"])],))
            case "scroll_down" | "scroll_up" as way:
                return Scroll(at, WHEEL if way == "scroll_down" else -WHEEL)
        return None

    def _act(self, computer: Computer, wanted: Action, info: dict[str, Any]) -> None:
        try:
            computer.perform(wanted)
            computer.settle()
        except StepFailed as error:
            info["error"] = str(error)

    def _look(self, computer: Computer, task: str) -> Spoken:
        self._seen = seen = computer.observe()
        shown = replace(
            seen, elements=self._with_numbers(seen.elements), beyond=self._with_numbers(seen.beyond)
        )
        told = {"elements": screen_text(shown, task), "task": task}
        return {"screenshot": self._pixels(seen), **{name: _letters(text) for name, text in told.items()}}

    def _with_numbers(self, elements: Sequence[Element]) -> tuple[Element, ...]:
        numbers = self._numbers
        return tuple(replace(one, id=numbers.setdefault(one.id, len(numbers) + 1)) for one in elements)

    def _pixels(self, seen: Observation) -> Array:
        from PIL import Image

        size = (self._size.width, self._size.height)
        if seen.screenshot is None:
            return np.zeros((*reversed(size), 3), np.uint8)
        with Image.open(io.BytesIO(seen.screenshot.data)) as picture:
            return np.asarray(picture.convert("RGB").resize(size), np.uint8)


class BenchmarkEnv(ScreenEnv):
    """A task of a benchmark, on a screen of its own; the reward is the benchmark's, at the end."""

    def __init__(
        self,
        benchmark: str,
        task: str = "",
        size: tuple[int, int] = (1280, 800),
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """
        Args:
            task: its name; empty lets the seed choose it.
            size: of the pictures, independent of the screen's size.
            options: of the benchmark, such as `guest` or `goal`.
        """
        super().__init__(Size(*size), render_mode)
        self._benchmark: Benchmark = plugins.make("benchmarks", benchmark, options)
        self._tasks = [task] if task else list(self._benchmark.tasks("all"))
        self._open = ExitStack()
        self._episode: Any = None

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Spoken, dict[str, Any]]:
        """Begin an instance; the same seed gives the same. `options={"task": ...}` is another task."""
        super().reset(seed=seed)
        self._numbers = {}
        self._open.close()
        if self._episode is None:
            self._benchmark.setup()
        instance = int(self.np_random.integers(1 << 30))
        task = (options or {}).get("task", self._tasks[instance % len(self._tasks)])
        self._episode = self._open.enter_context(self._benchmark.episode(Case(task, instance)))
        if self._episode.task.start:
            self._episode.computer.start(self._episode.task.start)
        return self._look(self._episode.computer, self._episode.task.text), {"task": task}

    def step(self, action: Spoken) -> tuple[Spoken, float, bool, bool, dict[str, Any]]:
        """Do one action on the screen."""
        episode, info = self._episode, dict[str, Any]()
        wanted, over = (
            self.action(action),
            KINDS[int(action["kind"])] == "finish" or bool(episode.end_reason()),
        )
        if wanted is not None and not over:
            self._act(episode.computer, wanted, info)
            over = bool(episode.end_reason())
        seen = self._look(episode.computer, episode.task.text)
        return seen, float(episode.grade().reward) if over else 0.0, over, False, info

    def close(self) -> None:
        """Close the screen."""
        self._open.close()
        self._benchmark.teardown()


class BrowserEnv(ScreenEnv):
    """Any page, behind the guard; it has no reward and no end of its own."""

    def __init__(
        self,
        url: str = "about:blank",
        task: str = "",
        size: tuple[int, int] = (1280, 800),
        render_mode: str | None = None,
    ) -> None:
        from gui_agent.computers.browser import BrowserComputer

        super().__init__(Size(*size), render_mode)
        self._url, self._task = url, task
        self._computer = BrowserComputer(size=size)
        self._guard = PolicyGuard.default()

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Spoken, dict[str, Any]]:
        """Open the address again; `options={"url": ...}` another one."""
        super().reset(seed=seed)
        self._numbers = {}
        self._computer.start((options or {}).get("url", self._url))
        self._computer.settle()
        return self._look(self._computer, self._task), {}

    def step(self, action: Spoken) -> tuple[Spoken, float, bool, bool, dict[str, Any]]:
        """Do one action on the page, if the guard allows it."""
        info, wanted = dict[str, Any](), self.action(action)
        if wanted is not None and self._seen is not None:
            found = dict[str, Found]()
            if isinstance(wanted, Click | Scroll):
                found["at"] = Found(wanted.at, self._seen.smallest_at(wanted.at))
            try:
                self._guard.check(wanted, found, self._seen)
                self._act(self._computer, wanted, info)
            except Forbidden as error:
                info["error"] = str(error)
        return self._look(self._computer, self._task), 0.0, False, False, info

    def close(self) -> None:
        """Close the browser."""
        self._computer.close()


def register() -> None:
    """Make the environments known to Gymnasium; a second call changes nothing."""
    here = "guiagent_eval.gym"
    if "guiagent/Browser-v0" in gymnasium.registry:
        return
    gymnasium.register("guiagent/Browser-v0", f"{here}:BrowserEnv", max_episode_steps=100)
    for name in ("OSWorld", "Apps"):
        own = {"benchmark": name.lower(), "goal": True}
        gymnasium.register(f"guiagent/{name}-v0", f"{here}:BenchmarkEnv", kwargs=own, max_episode_steps=100)
    with suppress(MissingExtra):
        for task in known_tasks():
            page = {"benchmark": "miniwob", "task": task, "size": (SIZE.width, SIZE.height)}
            id_ = f"guiagent/MiniWoB-{task}-v0"
            gymnasium.register(id_, f"{here}:BenchmarkEnv", kwargs=page, max_episode_steps=50)


def _letters(text: str) -> str:
    """A text in the characters of the space."""
    return "".join(letter if letter in LETTERS else "?" for letter in text[:LISTING])


register()
