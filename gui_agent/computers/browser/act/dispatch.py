"""From an action to input: which part carries out which kind."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from gui_agent.computers.browser.act import choosing, fields, keyboard, pointer
from gui_agent.computers.browser.act import navigation as going
from gui_agent.computers.browser.act import toggles as checking
from gui_agent.core import actions as do
from gui_agent.core.errors import ActionFailed
from gui_agent.core.geometry import Point
from gui_agent.core.keys import RELOADING, chord

if TYPE_CHECKING:
    from gui_agent.computers.browser.act.pointer import Place
    from gui_agent.computers.browser.look.snapshot import Seen
    from gui_agent.computers.browser.session import Session

STEPS = 3
"""Events of a movement: menus that open under the pointer want to see it come."""
NO_TOUCH = "a browser window has no touch screen; use scroll to move the page, or drag to move a thing"


@dataclass(frozen=True, slots=True)
class Hand:
    """Carries out actions on the current tab."""

    session: Session
    ratio: float
    """Screenshot pixels per CSS pixel."""
    navigation_timeout: float
    looked: Seen | None
    """The last look at the tab, if nothing has been done since."""
    again: Callable[[], Awaitable[None]]
    """Tests that what was judged is still there, before it is acted upon once more."""

    def place(self, point: Point) -> Place:
        """The point in CSS pixels of the viewport."""
        return point.x / self.ratio, point.y / self.ratio

    async def carry_out(self, action: do.Action) -> None:
        """Do it with real input; returns when the input is delivered.

        Raises:
            ActionFailed: it cannot be done here, or was done only in part.
        """
        match action:
            case (
                do.Press()
                | do.Hold()
                | do.Open()
                | do.Navigate()
                | do.Back()
                | do.Switch()
                | do.Close()
                | do.Rotate()
            ):
                await self._unplaced(action)
            case _:
                await self._placed(action)

    async def _placed(self, action: do.Placed[Point]) -> None:
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
            case do.Choose(at, option):
                await choosing.choose(tab, self.place(at), option)
            case do.Check(at, on):
                await checking.check(tab, self.place(at), on)
            case do.Upload(at, files):
                await checking.upload(tab, self.place(at), files)
            case _:
                assert_never(action)

    async def _unplaced(self, action: do.Unplaced) -> None:
        session, timeout = self.session, self.navigation_timeout
        match action:
            case do.Press(keys, times):
                await self._press(keys, times)
            case do.Hold(keys, seconds):
                await keyboard.hold(session.current.page, keys, seconds)
            case do.Navigate(url, new_tab):
                going.address(url)  # a bad address must not leave an empty tab behind
                tab = await session.open_tab() if new_tab else session.current
                await going.go(tab.page, url, timeout)
            case do.Open(name):
                await going.go(session.current.page, name, timeout)
            case do.Back():
                await going.back(session.current, timeout)
            case do.Switch(to):
                await going.switch(session, to)
            case do.Close():
                await going.close_tab(session)
            case do.Rotate():
                raise ActionFailed(NO_TOUCH)
            case _:
                assert_never(action)

    async def _press(self, keys: tuple[str, ...], times: int) -> None:
        """Press keys; those meant for the browser's window are done here, as it gets none."""
        tab = self.session.current
        match chord(keys):
            case pressed if pressed in RELOADING:
                await tab.page.reload(wait_until="domcontentloaded", timeout=self.navigation_timeout * 1000)
            case ("alt", "left"):
                await going.back(tab, self.navigation_timeout)
            case ("alt", "right"):
                await going.back(tab, self.navigation_timeout, 1)
            case ("ctrl", "t"):
                await self.session.open_tab()
            case ("ctrl", "w"):
                await going.close_tab(self.session)
            case _:
                await keyboard.press(tab.page, keys, times, self.again)
