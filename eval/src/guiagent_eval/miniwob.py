"""MiniWoB++: small web pages with an instruction, a seed and a reward (Farama package `miniwob`, MIT).

The agent sees the screen, its elements and the instruction, never the page's own answer fields. Success
is strict: raw reward 1 within the page's own time limit.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import tempfile
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from gui_agent.computers.browser.cdp.sender import translate_errors, value_of
from gui_agent.core.actions import Action
from gui_agent.core.errors import ActionFailed, BenchmarkError, ConfigError, GuiAgentError, MissingExtra
from gui_agent.core.observation import Observation, Size
from gui_agent.core.trajectory import Task
from gui_agent.elements.roles import word_set
from guiagent_eval.benchmark import Case, Grade, suite_tasks
from guiagent_eval.episodes import TIMED_OUT
from guiagent_eval.page_computer import PageComputer

if TYPE_CHECKING:
    from playwright.async_api import Page

    from gui_agent.computers.browser.controller import Browsing


SIZE = Size(160, 210)
"""Size of a task page in pixels."""

LEAKING = word_set(
    "book-flight book-flight-nodelay choose-date choose-date-easy choose-date-medium drag-cube"
    " scroll-text scroll-text-2 terminal use-autocomplete-nodelay use-colorwheel use-colorwheel-2"
)
"""Tasks whose pages keep state of the last episode when restarted in place; these are loaded again."""

_LEFT = {"done": False, "raw": 0.0, "reward": 0.0, "reason": "the page of the task was left"}
DRAWING = 2000
"""Maximum milliseconds in which a problem with animations is drawn; its time runs during that."""


class MiniWobEpisode:
    """A started instance of one page."""

    def __init__(self, computer: PageComputer, task: Task, page: TaskPage) -> None:
        self.computer = computer
        self.task = task
        self._page = page

    def end_reason(self) -> str:
        """Why the page has ended the episode; empty while it continues.

        Raises:
            BenchmarkError: the page does not answer.
        """
        seen = self._state()
        return str(seen["reason"] or "the page saw its end") if seen["done"] else ""

    def play(self, script: Script, *, picture: bool = True) -> None:
        """Let a script act at full speed: it gets each screen at once, settled or not.

        Args:
            script: returns the action for a screen, or None to stop. It is called in the browser's own thread
                and must not use the computer itself.
            picture: whether the screens have one.

        Raises:
            As `Computer.perform` and `Computer.observe`, and whatever the script raises.
        """
        self._page.play(script, picture=picture)

    def grade(self) -> Grade:
        """The reward, read from the page.

        Raises:
            BenchmarkError: the page does not answer.
        """
        seen = self._state()
        raw, done = float(seen["raw"] or 0.0), bool(seen["done"])
        return Grade(
            success=done and raw == 1.0,
            lenient=done and raw > 0,
            reward=float(seen["reward"] or 0.0),
            raw=raw,
            finished=done,
            timed_out=seen["reason"] == TIMED_OUT,
            reason=seen["reason"],
        )

    def _state(self) -> dict[str, Any]:
        # The page's report of its end is final, but may arrive a moment late.
        return self._page.ended or self._page.ask("grade()") or _LEFT


class MiniWob:
    """The MiniWoB++ pages in one browser that is reused for all episodes."""

    name = "miniwob"

    def __init__(
        self,
        *,
        headless: bool = True,
        mode: str = "test",
        reload: bool = False,
        slowness: float = 1.0,
        pictures: bool = True,
        pages: str = "",
    ) -> None:
        """
        Args:
            pages: folder of task pages in place of the installed ones; all that it holds are its tasks.
            mode: data mode of the pages; `test` holds paraphrases and sizes that `train` does not.
            reload: load the page anew for every episode, much slower.
            slowness: factor on the pages' own time limits, which are 7 to 30 seconds.
            pictures: whether the agent looks at pictures, for which the browser draws without waiting for the
                screen's rhythm; for agents that look at elements only, that would just cost computing power.
        """
        self._forks: MiniWob | None = None
        self._headless = headless
        self._mode = mode
        self._reload = reload or bool(pages)  # Nothing is known about the state that such pages keep.
        self._own = Path(pages) if pages else None
        self._made: tempfile.TemporaryDirectory[str] | None = None
        self._slowness = slowness
        self._pictures = pictures
        self._computer: PageComputer | None = None
        self._page: TaskPage | None = None
        self._loaded = ""

    def tasks(self, suite: str) -> Sequence[str]:
        """The tasks of a suite in `eval/miniwob/`, or of a folder of pages.

        Raises:
            ConfigError: there is no such suite.
        """
        return suite_tasks("miniwob", suite) if self._own is None else own_tasks(self._own, suite)

    def setup(self) -> None:
        """Start the browser.

        Raises:
            BenchmarkError: the browser does not start.
        """
        page_folder()
        try:
            self._computer = PageComputer(
                headless=self._headless,
                size=(SIZE.width, SIZE.height),
                timezone="UTC",
                fast_frames=self._pictures,
                direct=True,
            )
            script = (files("guiagent_eval") / "miniwob.js").read_text(encoding="utf-8")
            self._computer.call(lambda page: page.context.add_init_script(script))
        except ConfigError:
            raise
        except GuiAgentError as error:
            raise BenchmarkError(f"the browser did not start: {error}") from error
        self._loaded = ""

    def teardown(self) -> None:
        """Close the browser."""
        forks, self._forks = self._forks, None
        if forks is not None:
            forks.teardown()
        computer, self._computer, self._page = self._computer, None, None
        if computer is not None:
            computer.close()
        if self._made is not None:
            self._made.cleanup()
            self._made = None

    @contextmanager
    def episode(self, case: Case) -> Iterator[MiniWobEpisode]:
        """Start one instance, in the loaded page if that leaves nothing of the last one behind."""
        if self._computer is None:
            self.setup()
        computer = self._computer
        assert computer is not None
        began = None if self._stale(case) else self._start(case.seed)
        if began is None:
            self._load(computer, case.task)
            began = self._start(case.seed, fresh=True)
        page = self._page
        if began is None or page is None:
            raise BenchmarkError(f"{case.task}: the page cannot be started")
        if began["moving"]:
            page.ask(f"drawn({DRAWING})")
        computer.forget_elements()
        yield MiniWobEpisode(computer, Task(str(began["text"])), page)

    def fork(self, case: Case) -> AbstractContextManager[MiniWobEpisode]:
        """Start the instance once more, in a second browser."""
        if self._forks is None:
            self._forks = copy(self)
            self._forks._computer = self._forks._page = None
        return self._forks.episode(case)

    def _folder(self) -> Path:
        """The folder of the pages; own ones are put beside the installed scripts that they link to."""
        if self._own is None:
            return page_folder()
        if (self._own.parent / "core").is_dir():
            return self._own
        if self._made is None:
            self._made = tempfile.TemporaryDirectory(prefix="guiagent-pages-")
            root = Path(self._made.name)
            for folder in (*page_folder().parent.iterdir(), self._own.resolve()):
                if folder != page_folder():
                    (root / folder.name).symlink_to(folder, target_is_directory=True)
        return Path(self._made.name, self._own.resolve().name)

    def _stale(self, case: Case) -> bool:
        """Whether the page must be loaded again in any case."""
        page = self._page
        if self._reload or page is None or not page.usable:
            return True
        return self._loaded != case.task or case.task in LEAKING

    def _start(self, seed: int, *, fresh: bool = False) -> dict[str, Any] | None:
        """Begin an episode in the loaded page; None if it must be loaded again first."""
        assert self._page is not None
        return self._page.start(seed, self._mode, fresh=fresh)

    def _load(self, computer: PageComputer, task: str) -> None:
        path = self._folder() / f"{task}.html"
        if not path.exists():
            raise ConfigError(f"MiniWoB++ has no task {task!r}; `guiagent eval miniwob --list` names them")
        self._loaded = ""
        answer_of(lambda: computer.call(_close_others))
        page = self._page
        try:
            computer.start(path.as_uri())
            if page is None or not page.is_of(computer):
                page = self._page = TaskPage(computer, SIZE)
                if self._pictures:
                    # Pictures of a tab's first document may take half as long again while it lives, because
                    # the browser then draws its own window along with each. Later documents are not affected.
                    computer.start(path.as_uri())
        except GuiAgentError as error:
            raise BenchmarkError(f"{task}: the page did not load: {error}") from error
        if not page.prepare(self._slowness):
            raise BenchmarkError(f"{task}: the page is not ready")
        # The first instance after a load may be observed before its pictures are there.
        self._start(0, fresh=True)
        page.ask(f"drawn({DRAWING})")
        computer.settle()
        self._loaded = task


def page_folder() -> Path:
    """The folder of the task pages inside the installed package, without importing the package.

    Raises:
        MissingExtra: the package is not installed.
    """
    spec = importlib.util.find_spec("miniwob")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra("eval", "MiniWoB++")
    return Path(spec.submodule_search_locations[0]) / "html" / "miniwob"


REVERSED = "-reverse"
"""Suffix of CompWoB's tasks whose instruction names the parts in another order."""


def own_tasks(pages: Path, suite: str) -> tuple[str, ...]:
    """The tasks in a folder of pages: `all`, or CompWoB's own two lists, `compwob` and `compwob-reverse`.

    Raises:
        ConfigError: there is no such folder or suite, or it holds no page.
    """
    if suite not in ("all", "compwob", "compwob-reverse"):
        raise ConfigError(f"pages of your own have the suites all, compwob and compwob-reverse, not {suite}")
    names = sorted(path.stem for path in pages.glob("*.html"))
    if not names:
        raise ConfigError(f"{pages} holds no task pages (*.html)")
    reverse = suite == "compwob-reverse"
    return tuple(name for name in names if suite == "all" or name.endswith(REVERSED) == reverse)


def known_tasks() -> tuple[str, ...]:
    """All task pages of the installed package.

    Raises:
        MissingExtra: the package is not installed.
    """
    return tuple(sorted(path.stem for path in page_folder().glob("*.html")))


async def _close_others(page: Page) -> None:
    for other in page.context.pages:
        if other is not page:
            await other.close()


T = TypeVar("T")
Script = Callable[[Observation], Action | None]
"""Returns the action for a screen, or None if there is nothing to do. Called in the thread of the browser."""
ANSWERING = 30.0
"""Seconds within which a page must answer."""
PLAYING = 300.0
"""Maximum seconds of a script; the pages themselves end episodes sooner."""
SAYING = 0.001
"""Seconds in which a page usually reports that an action has ended its episode."""
BINDING = "episodeEnded"
"""The function by which a page reports that its episode has ended."""
_HERE = 'window[Symbol.for("gui_agent.miniwob")]'
_ASK = "typeof core === 'undefined' || !%s ? null : %s.%s"


class TaskPage:
    """A loaded task page, which also answers in the background and reports the end of its episode."""

    def __init__(self, computer: PageComputer, size: Size) -> None:
        self.ended: dict[str, Any] | None = None
        """The result of the current episode, as reported by the page."""
        self._computer = computer
        self._page = computer.page
        self._line = computer.line
        self._corner = (size.width - 1, size.height - 1)
        self._number = 0
        self._ending: asyncio.Future[None]

        self._line.listen("Runtime.bindingCalled", self._take_event)

    def is_of(self, computer: PageComputer) -> bool:
        """Whether this computer shows it."""
        return self._computer is computer and not self._page.is_closed() and self._line is computer.line

    @property
    def usable(self) -> bool:
        """Whether it is the only page and still open."""
        return not self._page.is_closed() and len(self._page.context.pages) == 1

    def prepare(self, slowness: float) -> bool:
        """Prepare the loaded document for episodes.

        Args:
            slowness: factor on the page's own time limit.

        Returns:
            Whether the document is a task's page, and ready.

        Raises:
            BenchmarkError: the page does not answer.
        """

        async def prepare(_: Browsing) -> bool:
            await self._line.send("Runtime.addBinding", {"name": BINDING})  # A new document has none.
            return bool(await self._value(f"prepare({slowness})"))

        return bool(self._do(prepare))

    def start(self, seed: int, mode: str, *, fresh: bool) -> dict[str, Any] | None:
        """Move the pointer away and begin an episode.

        Returns:
            None if the page must be loaded again first.

        Raises:
            BenchmarkError: the page does not answer.
        """
        self._number += 1
        self.ended = None
        given = ", ".join(json.dumps(one) for one in (self._number, seed, mode, fresh))

        async def start(browsing: Browsing) -> Any:
            self._ending = asyncio.get_running_loop().create_future()
            await browsing.preview.drop()
            away = self._computer.put_pointer(*self._corner)
            began, _ = await asyncio.gather(self._value(f"start({given})"), away)
            return began

        return cast("dict[str, Any] | None", self._do(start))

    def play(self, script: Script, *, picture: bool) -> None:
        """Let a script act on its screens until the episode has ended or the script stops.

        Raises:
            As `Computer.perform` and `Computer.observe`, and whatever the script raises.
        """

        async def play(browsing: Browsing) -> None:
            screen: Observation | None = await browsing.observe(picture)
            while screen is not None and (action := script(screen)) is not None:
                await browsing.perform(action, None)
                screen = await self._watch(browsing.observe(picture), SAYING if picture else 0.0)

        self._computer.on_loop(play, PLAYING)

    async def _watch(self, look: Coroutine[Any, Any, Observation], before: float) -> Observation | None:
        """The result of a look; None if the episode has ended.

        No question is needed: the page's report arrives before its answer to the look.

        Args:
            before: seconds to wait for the report first; a needless picture would delay the next episode.
        """
        if before:
            await asyncio.wait((self._ending,), timeout=before)
        looking = asyncio.ensure_future(look)
        if not self._ending.done():
            await asyncio.wait((looking, self._ending), return_when=asyncio.FIRST_COMPLETED)
        if not self._ending.done():
            return looking.result()
        looking.cancel()
        return None

    def ask(self, question: str) -> Any:
        """The answer of the page's part of the harness; None if the page is gone.

        Raises:
            BenchmarkError: the page does not answer.
        """
        return None if self._page.is_closed() else self._do(lambda _: self._value(question))

    def _value(self, question: str) -> Coroutine[Any, Any, Any]:
        return value_of(self._line, _ASK % (_HERE, _HERE, question))

    def _take_event(self, event: dict[str, Any]) -> None:
        if event["name"] != BINDING:
            return
        number, state = json.loads(event["payload"])
        if number == self._number:
            self.ended = state
            self._ending.set_result(None)

    def _do(self, work: Callable[[Browsing], Coroutine[Any, Any, Any]]) -> Any:
        """The result of work on the browser's own loop; its preparation for the next look is kept."""

        async def hand_over(browsing: Browsing) -> Any:
            with translate_errors("the page's part of the harness failed"):
                return await work(browsing)

        return answer_of(lambda: self._computer.on_loop(hand_over, ANSWERING))


def answer_of(work: Callable[[], T]) -> T:
    """The result of work with the browser.

    Raises:
        BenchmarkError: the work failed.
    """
    try:
        return work()
    except GuiAgentError as error:
        who = "page" if isinstance(error, ActionFailed) else "browser"
        raise BenchmarkError(f"the {who} does not answer: {error}") from error
