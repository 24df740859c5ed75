"""The asynchronous work of a browser computer on its private loop: look, act, settle."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, assert_never
from urllib.parse import urlsplit

from gui_agent.computers.browser._session import Session
from gui_agent.computers.browser._tab import Tab
from gui_agent.computers.browser.act import _fields as fields
from gui_agent.computers.browser.act import _pointer as pointer
from gui_agent.computers.browser.act import _tabs as tabs
from gui_agent.computers.browser.act import choosing, keyboard
from gui_agent.computers.browser.act import navigation as going
from gui_agent.computers.browser.act._control import PressCancelled
from gui_agent.computers.browser.act.choosing import check, upload
from gui_agent.computers.browser.cdp.sender import errors, is_gone, translate_errors
from gui_agent.computers.browser.look import settling
from gui_agent.computers.browser.look.preview import Preview, ignore_failure
from gui_agent.computers.browser.look.settling import SettleLimits
from gui_agent.computers.browser.look.snapshot import Seen, Snapshot, TopElement
from gui_agent.core import actions as do
from gui_agent.core.actions import Action, Click, Move, Scroll, Switch, TypeText
from gui_agent.core.aiming import places
from gui_agent.core.errors import ActionFailed, ComputerLost, Stale
from gui_agent.core.observation import Element, Observation, Place, Point, Screenshot, Size
from gui_agent.core.protocols import Settled
from gui_agent.core.texts import normal

if TYPE_CHECKING:
    from playwright.async_api import Page

    from gui_agent.computers.browser.act._pointer import Place as PointerPlace

STEPS = 3
"""Events of a movement: hover menus need to see the pointer arrive."""
NO_TOUCH = "a browser window has no touch screen; use scroll to move the page, or drag to move an element"


@dataclass(frozen=True, slots=True)
class ActionDispatcher:
    """Carries out actions on the current tab."""

    session: Session
    ratio: float
    """Screenshot pixels per CSS pixel."""
    navigation_timeout: float
    looked: Seen | None
    """The last look at the tab, if no action followed."""
    again: Callable[[], Awaitable[None]]
    """Verifies that the judged element is still there before it is acted on once more."""

    def place(self, point: Point) -> PointerPlace:
        """The point in CSS pixels of the viewport."""
        return point.x / self.ratio, point.y / self.ratio

    async def carry_out(self, action: do.Action) -> None:
        """Perform the action with real input; returns when the input is delivered."""
        if isinstance(action, do.Unplaced):
            await self._act_anywhere(action)
        else:
            await self._act_at_place(action)

    async def _act_at_place(self, action: do.Placed[Point]) -> None:
        tab = self.session.current
        match action:
            case do.Click(at, button, clicks, keys):
                await pointer.click(
                    tab, self.place(at), button=button, clicks=clicks, keys=keys, again=self.again
                )
            case do.Move(at):
                await pointer.move(tab, self.place(at), STEPS)
            case do.Drag(at, to, keys):
                await pointer.drag(tab, self.place(at), self.place(to), keys)
            case do.Scroll(at, down, right):
                await pointer.scroll(tab, self.place(at), right / self.ratio, down / self.ratio)
            case do.LongPress(at, seconds):
                await pointer.long_press(tab, self.place(at), seconds)
            case do.Swipe() | do.Pinch():
                raise ActionFailed(NO_TOUCH)
            case do.TypeText(text, at, replace):
                place = None if at is None else self.place(at)
                plain = fields.seen_plain(self.looked, action)
                await fields.type_into(tab, text, place, replace, plain, self.again)
            case do.Select(at, text):
                await fields.select_words(tab, self.place(at), text)
            case do.Choose(at, option):
                await choosing.choose(tab, self.place(at), option)
            case do.Check(at, on):
                await check(tab, self.place(at), on)
            case do.Upload(at, files):
                await upload(tab, self.place(at), files)
            case _:
                assert_never(action)

    async def _act_anywhere(self, action: do.Unplaced) -> None:
        session, timeout = self.session, self.navigation_timeout
        match action:
            case do.Press(keys, times):
                await tabs.press(session, keys, times, timeout, self.again)
            case do.Hold(keys, seconds):
                await keyboard.hold(session.current.page, keys, seconds)
            case do.Navigate(url, new_tab):
                going.address(url)  # a bad address must not leave an empty tab behind
                tab = await session.open_tab() if new_tab else session.current
                await going.go(tab.page, url, timeout)
            case do.Open(name):
                await going.go(session.current.page, name, timeout)
            case do.Back():
                await tabs.back(session.current, timeout)
            case do.Switch(to):
                await tabs.switch(session, to)
            case do.Close():
                await tabs.close_tab(session)
            case do.Rotate():
                raise ActionFailed(NO_TOUCH)
            case _:
                assert_never(action)


HOVERING = 0.2
"""Seconds for an element to be itself again after the pointer arrived over it."""


async def left_to_page(
    snapshot: Snapshot, tab: Tab, action: Action, expected: Element, looked: Seen | None, ratio: float
) -> bool:
    """Whether the page itself verifies the press as it arrives: a click into a plain text field.

    This is the latest possible check, and it need not wait for the pointer: pages learn of its movements only
    once a frame. A press that the page stops raises `control.PressCancelled`.
    """
    if not isinstance(action, TypeText) or action.at is None:
        return False
    plain = fields.seen_plain(looked, action)
    number = snapshot.number(plain.document, expected.id) if plain is not None else None
    if number is None:
        return False
    question = f"expectPress({action.at.x}, {action.at.y}, {ratio}, {number})"
    return bool(await tab.world.call(question))


async def approach(snapshot: Snapshot, tab: Tab, point: Point, expected: Element, ratio: float) -> None:
    """Move the pointer there and verify the element under it.

    An element that changes under the pointer, such as an icon whose hover picture is loading, gets a
    moment to recover: a click in between would hit nothing.
    """
    tab.hovering = (point.x / ratio, point.y / ratio)
    await pointer.move(tab, tab.hovering)
    deadline = time.monotonic() + HOVERING
    while True:
        try:
            return await confirm(snapshot, tab.page, point, expected, ratio)
        except Stale:
            if time.monotonic() > deadline:
                raise
        await asyncio.sleep(HOVERING / 10)


async def confirm(snapshot: Snapshot, page: Page, point: Point, expected: Element, ratio: float) -> None:
    """Let the action pass if the expected element, or a part of it, is on top at the point."""
    hit = await snapshot.top_element(page, point)
    if hit is None:
        raise Stale(f"{expected} is no longer at ({point.x}, {point.y}); look at the screen again")
    if hit.ratio != ratio:
        raise Stale("the page has been zoomed since the last look; look at the screen again")
    if expected.id in hit.ids and not hit.changed:
        return
    if hit.changed:
        raise Stale(f"{expected} has become {hit.description} since the last look; look at the screen again")
    if _is_redrawn(hit, expected) or _seen_through(hit, expected):
        return
    covered = f"{expected} is covered by {hit.description}; close or move that first"
    raise Stale(f"{covered}, or look at the screen again", over=hit.id)


def _is_redrawn(hit: TopElement, expected: Element) -> bool:
    return hit.id is None and hit.role == expected.role and normal(expected.name) == normal(hit.name)


def _seen_through(hit: TopElement, expected: Element) -> bool:
    """Whether only contentless layers that take the mouse for a drawing are over it."""
    return expected.role == "canvas" and hit.blank


T = TypeVar("T")
LOOKS = 3
"""Maximum attempts to look at tabs that close during the look."""
CLOSING = 0.5
"""Seconds that the event of a closed tab may lag behind the resulting error."""
ENDING = 5.0
"""Seconds for an interrupted action to end after its dialog is answered."""


@dataclass(slots=True)
class Browsing:
    """A running browser: its session, the element list, and the current action."""

    session: Session
    snapshot: Snapshot
    patience: SettleLimits
    preview: Preview
    size: Size
    ratio: float
    """Screenshot pixels per CSS pixel, as last measured."""
    picture: Screenshot | None = None
    """The last screenshot; used as the background of a dialog."""
    _looked: tuple[Tab, Seen] | None = None
    _wanted: bool = False
    """Whether the last look included a picture, so that the next one probably does too."""
    _doing: asyncio.Task[None] | None = None
    """An action that a dialog interrupted; it ends after the dialog is answered."""

    async def observe(self, picture: bool) -> Observation:
        try:
            with translate_errors("the page cannot be read"):
                for _ in range(LOOKS):
                    if self.session.dialog is not None:
                        break
                    looked = await self._watched_look(await self.session.standing(), picture)
                    if looked is not None:
                        return looked
                return self.dialog_observation(picture)
        except ActionFailed as error:
            raise ComputerLost(f"{error}; start again") from error

    async def _watched_look(self, tab: Tab, picture: bool) -> Observation | None:
        looking = asyncio.create_task(self._look(tab, picture))
        try:
            if await self._has_finished(looking):
                return looking.result()
        except (ComputerLost, errors()):
            await self.session.changes.wait(CLOSING)  # the event may arrive after the error that it causes
            if self.session.lost or tab.crashed or tab in self.session.tabs:
                raise
        finally:
            looking.cancel()
        return None

    async def text(self) -> str:
        worlds = await self.snapshot.worlds(self.session.current.page)
        parts = await asyncio.gather(*(world.call("wholeText()") for world in worlds), return_exceptions=True)
        first = parts[0]
        if isinstance(first, BaseException):
            raise first
        return "\n".join(part for part in parts if isinstance(part, str))

    async def perform(self, action: Action, expected: Element | None) -> bool:
        """Carry out the action; a dialog that it opens ends the wait for it.

        Returns whether a script or the driver did it, in place of pointer and keys.
        """
        session = self.session
        looked, self._looked = self._looked, None
        with translate_errors(f"{action.kind} failed"):
            if (dialog := session.dialog) is not None:
                if await dialog.answer(action, self.size, self.ratio):
                    session.closed_dialog(dialog)
                    await self._end_interrupted()
                return True
            tab = session.current
            self._check_inside(action)
            seen = looked[1] if looked is not None and looked[0] is tab else None
            await self._until_dialog(self._carry_out(tab, action, expected, seen))
            return tab.by_script

    async def call_tool(self, tool: Mapping[str, str], arguments: Mapping[str, Any]) -> dict[str, str]:
        """Call a tool of the page. Returns what it `said` or its `fault`, which may come after this returns,
        because a dialog or a held request ends the wait for it.
        """
        answer = {"fault": "it has not answered yet; look at the screen"}
        tab = self.session.current
        self.ratio = await settling.act(tab, self.ratio)

        async def call() -> None:
            answer.update(await tab.world.call(f"callPageTool({json.dumps(tool)}, {json.dumps(arguments)})"))

        await self._until_dialog(call())
        return answer

    async def settle(self) -> Settled:
        with translate_errors("the page does not settle"):
            return await settling.settle(self.session, self.patience, self._resting)

    async def start(self, where: str) -> None:
        """Open an address or file; after a page crash, in a new tab."""
        session = self.session
        self._looked = None
        await self.preview.drop()
        with translate_errors(f"cannot open {where}"):
            await self._dismiss_all()
            await session.replace_dead()
            session.current.popup_at = 0.0
            await self._until_dialog(going.go(session.current.page, where, self.patience.navigation))

    def _resting(self, tab: Tab) -> None:
        if self._wanted and not tab.unheard:  # an action that no listener hears is over at once
            self.preview.begin(tab)

    async def _prepare(self, tab: Tab, action: Action, expected: Element | None, looked: Seen | None) -> None:
        await self.preview.drop()
        tab.hovering = None
        self.session.gate.refuses = False
        tab.watch_choosers()
        self.ratio = await settling.act(tab, self.ratio)
        point = getattr(action, "at", None)
        # A scroll goes to the element at the point, even if it covers the target.
        if expected is not None and point is not None and not isinstance(action, Scroll):
            # Pages react to a pointer that moves there, not to one that jumps.
            if isinstance(action, Move):
                await pointer.move(tab, (1.0, 1.0))
            if not await left_to_page(self.snapshot, tab, action, expected, looked, self.ratio):
                await approach(self.snapshot, tab, point, expected, self.ratio)

    def _check_inside(self, action: Action) -> None:
        for name, point in places(action).items():
            if not self.size.contains(point):
                screen = f"{self.size.width}x{self.size.height}"
                raise ActionFailed(
                    f"{name} ({point.x}, {point.y}) is outside the screen of {screen}; look again"
                )

    async def _carry_out(
        self, tab: Tab, action: Action, expected: Element | None, looked: Seen | None
    ) -> None:
        tab.by_script = False
        if not isinstance(action, Switch):
            await self._prepare(tab, action, expected, looked)
        again = await self._again(tab, action, expected, looked)
        hand = ActionDispatcher(self.session, self.ratio, self.patience.navigation, looked, again)
        try:
            try:
                await hand.carry_out(action)
            except PressCancelled:
                assert isinstance(action, TypeText) and action.at is not None and expected is not None
                await approach(self.snapshot, tab, action.at, expected, self.ratio)
                await hand.carry_out(action)
        except errors() as error:
            # The input itself may close its tab (the Close button of a pop-up): then it was delivered.
            if is_gone(error) and tab not in self.session.tabs and not self.session.lost:
                return
            raise

    async def _again(
        self, tab: Tab, action: Action, expected: Element | None, looked: Seen | None
    ) -> Callable[[], Awaitable[None]]:
        """The check before an action acts again on the same element; for keys, it runs now, too."""
        if isinstance(action, Click):
            return await self._place_test(tab, action, expected) if action.clicks > 1 else _nothing
        same_focus = await self._focus_test(tab, looked) if keyboard.acting(action) else _nothing
        if not isinstance(action, TypeText):
            return same_focus
        field = expected is not None and "editable" in expected.states
        return keyboard.at_field(lambda: self.snapshot.typed_into(tab.page), field)

    async def _place_test(
        self, tab: Tab, action: Click[Point], expected: Element | None
    ) -> Callable[[], Awaitable[None]]:
        spot = action.at
        first = await self.snapshot.top_element(tab.page, spot) if expected is None else None

        async def same_place() -> None:
            if expected is not None:
                await confirm(self.snapshot, tab.page, spot, expected, self.ratio)
            elif (now := await self.snapshot.top_element(tab.page, spot)) != first:
                raise Stale(f"the element is now {now.description if now else 'gone'}; look again")

        return same_place

    async def _focus_test(self, tab: Tab, looked: Seen | None) -> Callable[[], Awaitable[None]]:
        """The check that the focus has not moved since the last look; it runs once immediately."""
        if looked is None or looked.focus_unseen:
            known, _ = await self.snapshot.focused_element(tab.page)
        else:
            held = (one for one in looked.elements if "focused" in one.states)
            focus = next(held, looked.focus)
            known = focus.id if focus is not None else None

        async def same_focus() -> None:
            now, words = await self.snapshot.focused_element(tab.page)
            if now != known and not (now is None and words == "nothing"):
                raise Stale(f"the focus has moved to {words}; look at the screen again")

        if looked is not None and not looked.focus_unseen:
            await same_focus()
        return same_focus

    async def _until_dialog(self, work: Coroutine[Any, Any, None]) -> None:
        """Do the work until it ends or a dialog opens; the rest continues behind the dialog."""
        doing = asyncio.create_task(work)
        try:
            if await self._has_finished(doing, held=True):
                doing.result()
                return
        except asyncio.CancelledError:
            doing.cancel()
            raise
        self._doing = doing
        doing.add_done_callback(ignore_failure)

    async def release(self, send: bool) -> None:
        """Send the held requests or let them fail; the action that they blocked then ends."""
        self.session.gate.release(send)
        await self._end_interrupted()

    async def _end_interrupted(self) -> None:
        if self._doing is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(ENDING):
                    if await self._has_finished(self._doing, held=True):
                        self._doing = None

    async def _has_finished(self, task: asyncio.Task[Any], *, held: bool = False) -> bool:
        session = self.session
        while not task.done():
            if session.dialog is not None or (held and session.gate.held_requests):
                return False
            try:
                session.check_alive()
            except ComputerLost:
                task.cancel()
                raise
            await session.changes.wait(beside=task)
        return True

    async def _dismiss_all(self) -> None:
        """Dismiss all dialogs: to accept one might do what the guard refused."""
        if self._doing is not None:
            self._doing.cancel()  # the rest of an interrupted action must not reach the next page
        while (dialog := self.session.dialog) is not None:
            await dialog.dismiss()
            self.session.closed_dialog(dialog)

    async def _look(self, tab: Tab, picture: bool) -> Observation:
        session = self.session
        self._wanted = picture
        seen, shot = await self._both(tab, picture)
        self.ratio, tab.title, self._looked = seen.ratio, seen.title, (tab, seen)
        if shot is not None:
            self.picture = shot
        elif picture:
            session.notices.append("the browser returned no picture of the page; only its elements are known")
        self.size = shot.size if shot else seen.pixels
        if tab.chooser is not None:
            tab.chooser = None
            session.notices.append("a file chooser opened; use upload to give it files")
        place = Place(urlsplit(seen.url).netloc, seen.title, seen.url, session.others())
        return Observation(
            size=self.size,
            elements=seen.elements,
            place=place,
            screenshot=shot,
            more=seen.more,
            left_out=seen.left_out,
            notices=session.take_notices(),
            focus_unseen=seen.focus_unseen,
            focus=seen.focus,
            refused=tuple(tab.refused.values()),
            effects=tuple(tab.effects.values()),
            console=tuple(tab.console),
            beyond=seen.beyond,
            words=seen.words,
        )

    async def _both(self, tab: Tab, picture: bool) -> tuple[Seen, Screenshot | None]:
        if not picture:
            return await self._list(tab), None
        # The picture first: the browser draws it while the page script makes the list.
        shot, seen = await asyncio.gather(self.preview.picture(tab), self._list(tab))
        return seen, shot

    async def _list(self, tab: Tab) -> Seen:
        try:
            return await self.snapshot.take(tab.page)
        except ActionFailed as error:
            self.session.notices.append(str(error))
            viewport = Size(round(self.size.width / self.ratio), round(self.size.height / self.ratio))
            return Seen((), tab.page.url, tab.title, viewport, self.ratio)

    def dialog_observation(self, picture: bool = False) -> Observation:
        """The open dialog as a screen."""
        session = self.session
        dialog = session.dialog
        if dialog is None:
            raise ComputerLost("the page closed a dialog by itself; look again")
        shot = None
        if picture:
            shot = dialog.draw(self.picture, self.size, self.ratio, self.preview.kind)
        tab = session.current
        place = Place(urlsplit(tab.page.url).netloc, tab.title, tab.page.url, session.others())
        elements = dialog.elements(self.size, self.ratio)
        return Observation(self.size, elements, place, shot, notices=session.take_notices())


async def _nothing() -> None:
    """The check of an action that needs none."""
