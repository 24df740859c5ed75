"""Records a person's work in a browser by listening in every tab and frame."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import queue
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from gui_agent.computers.browser._tab import Tab
from gui_agent.computers.browser.cdp.isolated_world import NAME, FrameGone, IsolatedWorld, script
from gui_agent.computers.browser.cdp.sender import Sender, errors, is_moved_on
from gui_agent.computers.browser.controller import Browsing
from gui_agent.computers.recording import events as event
from gui_agent.computers.recording.events import Answered, Filed, Heard, Marked, Moved, Spot, meant_control
from gui_agent.computers.recording.secrets import Secrecy
from gui_agent.computers.recording.steps import StepRecorder
from gui_agent.core.actions import Action, Back, Button, Navigate, Press, Switch
from gui_agent.core.errors import ActionFailed, ComputerLost
from gui_agent.core.keys import canonical
from gui_agent.core.observation import Observation, Place, Point, Size, Words
from gui_agent.core.trajectory import Task, Trajectory
from gui_agent.scene import Scene

if TYPE_CHECKING:
    from gui_agent.computers.browser.computer import BrowserComputer

PATIENCE = 15.0


class BrowserRecorder(StepRecorder):
    """Records a person's actions in a browser window from its creation on.

    No other program may act on the browser meanwhile. Text typed into password fields is kept in memory only,
    to find and replace it wherever else it appears.
    """

    def __init__(
        self, computer: BrowserComputer, secrecy: Secrecy | None = None, bar: Mapping[str, str] | None = None
    ) -> None:
        """
        Args:
            bar: shows a bar in the page, with these words in place of the English ones.
        """
        super().__init__(computer, secrecy)
        self._bar = bar
        self._computer = computer
        self._heard: queue.SimpleQueue[Heard | Marked] = queue.SimpleQueue()
        self._listener = computer.on_loop(self._begin, PATIENCE)
        latest = self._listener.latest
        self.start = "" if latest is None or latest.place.url.startswith("about:") else latest.place.url

    @property
    def open(self) -> bool:
        return not (self._listener.ended or self._is_done)

    def stop(self, task: Task) -> Trajectory:
        try:
            self._computer.on_loop(lambda _: self._listener.finish(), PATIENCE)
        except (ComputerLost, ActionFailed):
            self._listener.ended = True  # the window was closed: the last look at rest is the end
        self._take()
        return self._steps.trajectory(task, self._listener.latest)

    async def _begin(self, browsing: Browsing) -> PageListener:
        listener = PageListener(browsing, self._heard.put, bar_script(self._bar))
        await listener.begin()
        return listener

    def _take(self, seconds: float = 0.0) -> None:
        waiting = seconds
        while True:
            try:
                event = self._heard.get(timeout=waiting) if waiting else self._heard.get_nowait()
            except queue.Empty:
                return
            waiting = 0.0
            if isinstance(event, Marked):
                self.mark(event)
            else:
                self._steps.hear(event)


BUTTONS: tuple[Button, ...] = ("left", "middle", "right")

Message = Mapping[str, Any]
Finder = Callable[[Message], Spot | None]
_LOG = logging.getLogger(__name__)
BINDING = "guiagentTold"
LISTENING = (Path(__file__).parent / "listening.js").read_text(encoding="utf-8")
BAR = (Path(__file__).parent / "bar.js").read_text(encoding="utf-8")
EVERY = 0.3
"""Seconds between looks while no message arrives."""
KEPT = 60
"""Number of looks kept for late messages."""
BRINGING = ("down", "press", "type")
"""Messages that show which tab the person uses."""


def bar_script(words: Mapping[str, str] | None) -> str:
    """The script of the bar with these words; empty without a bar."""
    return "" if words is None else f"globalThis.guiagentBarWords = {json.dumps(dict(words))};\n{BAR}"


class PageListener:
    """Installs the listening script in every frame and passes on its messages."""

    def __init__(self, browsing: Browsing, hear: Callable[[Heard | Marked], None], bar: str = "") -> None:
        self._script = f"{bar}\n{LISTENING}"
        self._browsing = browsing
        self._hear = hear
        self._travels: dict[Tab, Travels] = {}
        self._sessions: set[Sender] = set()
        self._undoing: list[Callable[[], Awaitable[Any]]] = []
        self._finding: list[asyncio.Task[None]] = []
        self._looks: dict[str, Observation] = {}
        self._titles: dict[Tab, str] = {}
        self._watching: asyncio.Task[None] | None = None
        self.latest: Observation | None = None
        self.ended = False

    async def begin(self) -> None:
        self._browsing.session.reopening = False
        await self._attend_new_frames()
        await self._look()
        self._watching = asyncio.create_task(self._watch())

    async def finish(self) -> Observation | None:
        """Stop listening, and return the last look; unfinished typing is reported first."""
        if self._watching is not None:
            self._watching.cancel()
        for tab in () if self._browsing.session.dialog else tuple(self._browsing.session.tabs):
            for world in await self._browsing.snapshot.worlds(tab.page):
                with contextlib.suppress(FrameGone, ActionFailed, ComputerLost, errors()):
                    await world.run("globalThis.guiagentBar?.stop(), globalThis.guiagentListening?.stop()")
        await asyncio.gather(*self._finding)
        with contextlib.suppress(ComputerLost):
            await self._look()
        self.ended = self._browsing.session.reopening = True
        for undo in self._undoing:
            with contextlib.suppress(errors()):  # closed pages need no cleanup
                await undo()
        return self.latest

    async def _watch(self) -> None:
        session = self._browsing.session
        while not self.ended:
            await session.changes.wait(EVERY)
            if session.lost or not session.tabs:
                self.ended = True
                return
            try:
                await self._attend_new_frames()
                await self._look()
            except ComputerLost as error:
                _LOG.info("no look was possible: %s", error)
                await asyncio.sleep(EVERY)

    async def _look(self) -> None:
        self.latest = await self._browsing.observe(False)
        self._titles[self._browsing.session.current] = self.latest.place.title

    async def _attend_new_frames(self) -> None:
        for tab in tuple(self._browsing.session.tabs):
            if tab.dialog is not None:
                continue
            with contextlib.suppress(ActionFailed, ComputerLost, errors()):
                for world in await self._browsing.snapshot.worlds(tab.page):
                    if world.session not in self._sessions:
                        self._sessions.add(world.session)
                        await self._install(tab, world)
            if tab not in self._travels:
                await self._follow(tab)

    async def _follow(self, tab: Tab) -> None:
        """Listen to the tab's dialogs and addresses, too."""

        def take_answer(closed: dict[str, Any]) -> None:
            self._note_answer(tab, closed)

        travels = self._travels[tab] = Travels(tab, self._note_travel, fresh=self._watching is not None)
        tab.cdp.listen("Page.javascriptDialogClosed", take_answer)
        await travels.begin()

        async def undo() -> None:
            tab.cdp.remove_listener("Page.javascriptDialogClosed", take_answer)
            travels.end()

        self._undoing.append(undo)

    async def _install(self, tab: Tab, world: IsolatedWorld) -> None:
        session = world.session

        def take_call(called: dict[str, Any]) -> None:
            self._take_message(tab, session, called)

        session.listen("Runtime.bindingCalled", take_call)
        await session.send("Page.enable")
        await session.send("Runtime.enable")
        await session.send("Runtime.addBinding", {"name": BINDING, "executionContextName": NAME})
        both = f"{script()};\n{self._script}"
        adding = "Page.addScriptToEvaluateOnNewDocument"
        added = await session.send(adding, {"source": both, "worldName": NAME})

        async def undo() -> None:
            session.remove_listener("Runtime.bindingCalled", take_call)
            await session.send("Runtime.removeBinding", {"name": BINDING})
            await session.send("Page.removeScriptToEvaluateOnNewDocument", added)

        self._undoing.append(undo)
        tree = await session.send("Page.getFrameTree")
        for frame in _frames(tree["frameTree"]):
            with contextlib.suppress(FrameGone, errors()):  # a frame may disappear at any moment
                await IsolatedWorld(session, frame).run(self._script)

    def _take_message(self, tab: Tab, session: Sender, called: dict[str, Any]) -> None:
        if called["name"] != BINDING:
            return
        message: Message = json.loads(called["payload"])
        kind = message["kind"]
        if kind == "fault":
            _LOG.warning("the recorder missed something: %s", message["text"])
        elif kind == "look":
            self._keep(tab, message)
        elif kind == "mark":
            marked = self._mark(message)
            self._hear(marked)
            answering = self._answer(session, called["executionContextId"], marked)
            self._finding.append(asyncio.get_running_loop().create_task(answering))
        else:
            told = event_of(message, self._spot)
            if told is None:
                return
            if tab in self._travels:
                self._travels[tab].touched = time.monotonic()
            if kind in BRINGING:
                self._bring_to_front(tab)
            if isinstance(told, Filed):
                finding = self._find_files(session, called["executionContextId"], told)
                self._finding.append(asyncio.get_running_loop().create_task(finding))
                return
            self._hear(told)
            self._browsing.session.changes.ring()

    def _mark(self, message: Message) -> Marked:
        """What the person marked with the bar, in words and with its text."""
        spot, act = self._spot(message), message["act"]
        element = None if spot is None else meant_control(spot.before, spot.ids)
        if spot is None or element is None:
            return Marked(act)
        if act in ("check", "read"):  # the text itself, not the control around it
            element = next(filter(None, map(spot.before.by_id, spot.ids)), element)
        scene = Scene.from_screen(spot.before)
        name = element.name or scene.label_of(element)
        alike = [
            one.id for one in spot.before.elements if (one.role, one.name) == (element.role, element.name)
        ]
        rank = alike.index(element.id) + 1 if len(alike) > 1 and element.id in alike else 0
        hidden = "password" in element.states
        return Marked(
            act, str(Words(name, element.role, rank)), "" if hidden else element.value or name, name
        )

    async def _answer(self, session: Sender, context: int, told: Marked) -> None:
        """Show in the bar what was understood."""
        text = told.words if told.act == "name" else told.text
        call = {"expression": f"globalThis.guiagentBar?.say({json.dumps(text)})", "contextId": context}
        with contextlib.suppress(errors()):
            await session.send("Runtime.evaluate", call)

    async def _find_files(self, session: Sender, context: int, told: Filed) -> None:
        """Report files with their paths, which the page itself does not get."""
        files = list(told.files)
        for place in range(len(files)):
            with contextlib.suppress(errors()):
                asking = {"expression": f"guiagentListening.file({place})", "contextId": context}
                given = await session.send("Runtime.evaluate", asking)
                found = await session.send("DOM.getFileInfo", {"objectId": given["result"]["objectId"]})
                files[place] = found["path"] or files[place]
        self._hear(replace(told, files=tuple(files)))

    def _keep(self, tab: Tab, message: Message) -> None:
        browsing = self._browsing
        seen = browsing.snapshot.read(tab.page, json.loads(message["seen"]))
        width, height = seen.viewport.width * seen.ratio, seen.viewport.height * seen.ratio
        others = tuple(
            self._titles.get(one) or one.title or one.page.url
            for one in browsing.session.tabs
            if one is not tab
        )
        place = Place(urlsplit(seen.url).netloc, seen.title, seen.url, others)
        size = Size(round(width), round(height))
        self._looks[message["look"]] = Observation(size, seen.elements, place, None, seen.more, seen.left_out)
        self._titles[tab] = seen.title
        if len(self._looks) > KEPT:
            del self._looks[next(iter(self._looks))]

    def _spot(self, message: Message) -> Spot | None:
        before = self._looks.get(message.get("look", "")) or self.latest
        if before is None:
            return None
        ids = self._browsing.snapshot.ids(message["document"], message["ids"])
        point = Point(round(message["x"]), round(message["y"])) if "x" in message else None
        return Spot(before, ids, point)

    def _bring_to_front(self, tab: Tab) -> None:
        session = self._browsing.session
        if tab is session.current or self.latest is None:
            return
        self._hear(Moved(Switch(self._titles.get(tab) or tab.title or tab.page.url), self.latest))
        session.show(tab)

    def _note_travel(self, action: Action) -> None:
        if self.latest is not None:
            self._hear(Moved(action, self.latest))

    def _note_answer(self, tab: Tab, closed: dict[str, Any]) -> None:
        if tab.dialog is None:
            return
        before = self._browsing.dialog_observation()
        self._hear(Answered(before, bool(closed["result"]), str(closed.get("userInput") or "")))
        self._browsing.session.closed_dialog(tab.dialog)


def _frames(tree: dict[str, Any]) -> list[str]:
    found: list[str] = [tree["frame"]["id"]]
    for child in tree.get("childFrames", ()):
        found += _frames(child)
    return found


BY_HAND = frozenset({"typed", "generated", "auto_bookmark", "keyword", "keyword_generated"})
"""Transition types of navigations that begin in the browser's own window, as in its history."""
EFFECT = 1.5
"""Seconds within which a history step is the page's reaction to an action on it."""
QUESTIONS = 40
"""Maximum attempts to reach a page that is changing its document."""
EMPTY = ("about:", "chrome:", "chrome-search:", "edge:")


class Travels:
    """Follows the history of one tab."""

    def __init__(self, tab: Tab, moved: Callable[[Action], None], *, fresh: bool) -> None:
        self._tab = tab
        self._moved = moved
        self._known: list[int] = []
        self._index = -1
        self._fresh = fresh
        self.touched = 0.0
        """When the person last acted on the page."""
        self._asking: set[asyncio.Task[None]] = set()

    async def begin(self) -> None:
        """Follow it from now on; an address typed into a new tab counts as one."""
        self._tab.cdp.listen("Page.frameNavigated", self._note_navigation)
        self._tab.cdp.listen("Page.navigatedWithinDocument", self._note_navigation)
        await self._look(first=True)

    def end(self) -> None:
        """Stop following it."""
        self._tab.cdp.remove_listener("Page.frameNavigated", self._note_navigation)
        self._tab.cdp.remove_listener("Page.navigatedWithinDocument", self._note_navigation)

    def _note_navigation(self, told: dict[str, Any]) -> None:
        if told.get("frame", {}).get("parentId"):
            return
        task = asyncio.get_running_loop().create_task(self._look())
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def _look(self, *, first: bool = False) -> None:
        for _ in range(QUESTIONS):
            try:
                self._compare(await self._tab.cdp.send("Page.getNavigationHistory"), first=first)
                return
            except errors() as error:
                if not is_moved_on(error):
                    return
                # The page is moving to another process, where it soon answers again.
                await asyncio.sleep(0.025)

    def _compare(self, history: dict[str, Any], *, first: bool) -> None:
        index, entries = history["currentIndex"], history["entries"]
        entry = entries[index]
        known, before = self._known, self._index
        self._known, self._index = [one["id"] for one in entries], index
        if entry["url"].startswith(EMPTY):
            return
        fresh, self._fresh = self._fresh, False
        same = index == before and entry["id"] in known
        if same or (first and not fresh):
            return
        alone = time.monotonic() - self.touched > EFFECT
        if entry["id"] not in known:
            if entry["transitionType"] in BY_HAND:
                self._moved(Navigate(entry["userTypedURL"] or entry["url"], new_tab=fresh))
        elif alone and not first:
            self._moved(Back() if index < before else Press(("alt", "right")))


def event_of(message: Message, spot_of: Finder) -> Heard | None:
    """The event of a message; None if the message is not recorded."""
    match message["kind"]:
        case "up" | "drop" as kind:
            there = spot_of(message)
            inside = () if there is None else there.ids
            return (event.Up if kind == "up" else event.Dropped)(_point(message), inside)
        case "double":
            return event.Double()
        case "typed":
            return event.Typed(message["visit"])
    spot = spot_of(message)
    if spot is None:
        return None
    match message["kind"]:
        case "down" if message["button"] < len(BUTTONS):
            keys, button, shows = tuple(message["keys"]), BUTTONS[message["button"]], message["shows"]
            return event.Down(spot, button, keys, message["field"], time.monotonic(), shows)
        case "type":
            told = {name: message[name] for name in ("visit", "was", "text", "secret", "field")}
            return event.Typing(spot, **told)
        case "choose":
            return event.Chose(spot, message["option"], message["field"])
        case "check":
            return event.Ticked(spot, bool(message["on"]))
        case "files":
            return Filed(spot, tuple(message["files"]))
        case "press":
            return _press_of(message, spot)
    return None


def _press_of(message: Message, spot: Spot) -> event.Pressed | None:
    *held, key = cast("list[str]", message["keys"])
    try:
        name = canonical(key)
    except ActionFailed:
        return None  # a key that only this keyboard has
    name = name.lower() if held and len(name) == 1 else name
    return event.Pressed(spot, (*held, name), bool(message["activates"]), time.monotonic())


def _point(message: Message) -> Point:
    return Point(round(message["x"]), round(message["y"]))
