"""MiniWoB++: small web pages with an instruction, a seed and a reward (Farama package `miniwob`, MIT).

The agent sees the screen, its elements and the instruction, never the page's own answer fields. Success
is strict: raw reward 1 within the page's own time limit.
"""

from __future__ import annotations

import importlib.util
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gui_agent.computers.browser.computer import BrowserComputer
from gui_agent.content import content
from gui_agent.core.errors import BenchmarkError, ConfigError, GuiAgentError, MissingExtra
from gui_agent.core.geometry import Size
from gui_agent.core.trajectory import Task
from gui_agent.eval.benchmark import Case, Grade

LEAKING = frozenset(
    (
        "book-flight",
        "book-flight-nodelay",
        "choose-date",
        "choose-date-easy",
        "choose-date-medium",
        "drag-cube",
        "scroll-text",
        "use-autocomplete-nodelay",
        "use-colorwheel",
        "use-colorwheel-2",
    )
)
"""Tasks that keep something of the last episode when restarted in place; these are loaded anew."""

# The instruction is handed over as text; on the page it would only repeat itself. The reward display and
# the click canvas belong to the benchmark and are outside the 160 x 210 pixels of the task.
_HIDE = "#reward-display,#click-canvas{display:none!important}#query{visibility:hidden!important}"

_PREPARE = """() => {
  const style = document.createElement('style');
  style.textContent = %r;
  document.head.appendChild(style);
}"""

_START = """([seed, mode]) => {
  core.endEpisode(0);
  WOB_DONE_GLOBAL = false; WOB_RAW_REWARD_GLOBAL = 0; WOB_REWARD_GLOBAL = 0; WOB_REWARD_REASON = null;
  window.scrollTo(0, 0);
  Math.seedrandom(seed);
  core.setDataMode(mode);
  core.startEpisodeReal();
  const said = core.getUtterance();
  return typeof said === 'string' ? said : said.utterance;
}"""

_GRADE = """() => ({done: !!WOB_DONE_GLOBAL, raw: WOB_RAW_REWARD_GLOBAL, reward: WOB_REWARD_GLOBAL,
  reason: WOB_REWARD_REASON ? String(WOB_REWARD_REASON) : ''})"""

_READY = "() => typeof core !== 'undefined' && typeof genProblem === 'function' && WOB_TASK_READY !== false"


class MiniWobEpisode:
    """A started instance of one page."""

    def __init__(self, computer: BrowserComputer, task: Task) -> None:
        self.computer = computer
        self.task = task

    def grade(self) -> Grade:
        """Read the reward off the page.

        Raises:
            BenchmarkError: the page is gone.
        """
        seen: dict[str, Any] = _ask(self.computer, _GRADE)
        raw, done = float(seen["raw"] or 0.0), bool(seen["done"])
        return Grade(
            success=done and raw == 1.0,
            lenient=done and raw > 0,
            reward=float(seen["reward"] or 0.0),
            raw=raw,
            finished=done,
            reason=seen["reason"],
        )


class MiniWob:
    """The MiniWoB++ pages in one browser that is reused for all episodes."""

    name = "miniwob"

    def __init__(self, *, headless: bool = True, mode: str = "test", reload: bool = False) -> None:
        """
        Args:
            mode: data mode of the pages; `test` holds paraphrases and sizes that `train` does not.
            reload: load the page anew for every episode, much slower.
        """
        self._headless = headless
        self._mode = mode
        self._reload = reload
        self._computer: BrowserComputer | None = None
        self._loaded = ""

    def tasks(self, suite: str) -> Sequence[str]:
        """The tasks of a suite in `eval/miniwob/`.

        Raises:
            ConfigError: there is no such suite.
        """
        return suite_tasks("miniwob", suite)

    def setup(self) -> None:
        """Start the browser."""
        self._computer = BrowserComputer(
            headless=self._headless, size=(160, 210), locale="en-US", timezone="UTC"
        )
        self._loaded = ""

    def teardown(self) -> None:
        """Close the browser."""
        if self._computer is not None:
            self._computer.close()
            self._computer = None

    @contextmanager
    def episode(self, case: Case) -> Iterator[MiniWobEpisode]:
        """Start one instance, in the loaded page where that leaves nothing of the last one behind."""
        if self._computer is None:
            self.setup()
        assert self._computer is not None
        if self._loaded != case.task or self._reload or case.task in LEAKING:
            self._load(self._computer, case.task)
        said = _ask(self._computer, _START, [case.seed, self._mode])
        self._computer.reset_elements()
        yield MiniWobEpisode(self._computer, Task(str(said)))

    def _load(self, computer: BrowserComputer, task: str) -> None:
        page = page_folder() / f"{task}.html"
        if not page.exists():
            raise ConfigError(f"MiniWoB++ has no task {task!r}; `guiagent eval miniwob --list` names them")
        self._loaded = ""
        try:
            computer.start(page.as_uri())
        except GuiAgentError as error:
            raise BenchmarkError(f"{task}: the page did not load: {error}") from error
        _ask(computer, _PREPARE % _HIDE)
        if not _ask(computer, _READY):
            raise BenchmarkError(f"{task}: the page is not ready")
        # The first instance after a load may be looked at before its pictures are there.
        _ask(computer, _START, [0, self._mode])
        computer.settle()
        self._loaded = task


def suite_tasks(benchmark: str, suite: str) -> tuple[str, ...]:
    """The tasks named in `eval/<benchmark>/<suite>.toml`.

    Raises:
        ConfigError: there is no such suite; the message names those there are.
    """
    folder = Path(str(content("eval"))) / benchmark
    path = folder / f"{suite}.toml"
    if not path.exists():
        known = ", ".join(sorted(p.stem for p in folder.glob("*.toml")))
        raise ConfigError(f"no suite {suite!r} for {benchmark}; there are: {known}")
    with path.open("rb") as file:
        return tuple(tomllib.load(file)["tasks"])


def page_folder() -> Path:
    """The folder of the task pages inside the installed package, without importing the package.

    Raises:
        MissingExtra: it is not installed.
    """
    spec = importlib.util.find_spec("miniwob")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra("eval", "MiniWoB++")
    return Path(spec.submodule_search_locations[0]) / "html" / "miniwob"


def view_size() -> Size:
    """Size of a task page in pixels."""
    return Size(160, 210)


def _ask(computer: BrowserComputer, script: str, argument: Any = None) -> Any:
    try:
        return computer.evaluate(script, argument)
    except GuiAgentError as error:
        raise BenchmarkError(f"the page does not answer: {error}") from error
