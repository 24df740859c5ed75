"""Waits until a page has changed and come to rest: document, animations, requests, navigation, new tabs."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui_agent.computers.browser.cdp.isolated_world import LEAST, MOVING
from gui_agent.computers.browser.cdp.sender import ANSWERING, errors, is_gone, is_moved_on, value_of
from gui_agent.computers.event_loop import turns
from gui_agent.core.errors import ActionFailed
from gui_agent.core.protocols import Settled

if TYPE_CHECKING:
    from gui_agent.computers.browser._session import Session
    from gui_agent.computers.browser._tab import Tab

WATCHER = Path(__file__).with_name("settling.js").read_text(encoding="utf-8")
"""Watches a document for changes; a function of the longest timer to follow, in milliseconds."""
HERE = 'window[Symbol.for("gui_agent.stillness")]'
RATIO = f"{HERE} ? devicePixelRatio : null"
STILL = f"{HERE} ? {HERE}.still() : null"
REST = f"{HERE} ? {HERE}.rest(%d, %d, %d, %d) : null"
POPUP_PATIENCE = 3.0
"""Seconds to wait for a window that a page asked for; pop-up blockers and downloads suppress some."""
HOPS = 20
"""Maximum consecutive documents; more mean that the page redirects endlessly."""
UNDERWAY = 0.02
"""Message latency (s) allowed for: changes this shortly before an action count as its effect."""


@dataclass(frozen=True, slots=True)
class SettleLimits:
    """How long to wait, in seconds."""

    grace: float
    """For a first change."""
    quiet: float
    """Without any change."""
    cap: float
    """In total, once the document has arrived."""
    navigation: float
    """For a document to arrive."""


async def act(tab: Tab, ratio: float) -> float:
    """Note that an action begins; the watcher in the page notices its input by itself.

    The page is contacted only if necessary: it may have no watcher because it was open before, and at a
    density other than 1 the browser has scaled it for a picture until it answers.

    Args:
        ratio: screenshot pixels per CSS pixel at the last look; returns the current value.
    """
    if not tab.acted_at or ratio != 1.0:
        ratio = float(await ask_watcher(tab, RATIO))
    tab.acted_at, tab.unheard, tab.before, tab.popup_at = time.monotonic(), False, tab.documents, 0.0
    tab.refused.clear()
    tab.effects.clear()
    tab.console.clear()
    return ratio


async def still(tab: Tab) -> float:
    """Seconds since the page last changed; very large if it has not changed since the last action."""
    return float(await ask_watcher(tab, STILL)) / 1000


async def settle(session: Session, patience: SettleLimits, resting: Callable[[Tab], None]) -> Settled:
    """Wait for the first change or a short grace period, then for quiet."""
    began = time.monotonic()
    first: dict[Tab, int] = {}
    arriving, deadline = began + patience.navigation, began + patience.cap
    changed = False

    def as_settled(quiet: bool) -> Settled:
        return Settled(time.monotonic() - began, quiet, changed)

    while True:
        now = time.monotonic()
        if session.dialog is not None or session.gate.held_requests:
            changed = True
            return as_settled(True)
        tab = await session.standing()
        if tab.documents - first.setdefault(tab, tab.documents) > HOPS:
            return as_settled(False)
        if tab.navigating or session.opening:
            changed = True
            if now >= arriving:
                return as_settled(False)
            # No event reports that a window will not appear.
            await session.changes.wait(min(arriving - now, POPUP_PATIENCE))
            deadline = time.monotonic() + patience.cap
            continue
        if now >= deadline:
            return as_settled(False)
        resting(tab)
        # Asked in several requests, so that a page does not count as dead while it waits.
        rest = await _rest(session, tab, patience, min(deadline - now, ANSWERING / 2))
        changed = changed or rest is None or rest[0]
        if rest is None or not rest[1]:
            continue
        waiting = deadline - time.monotonic() if session.downloading else tab.loading()
        if waiting <= 0:
            return as_settled(True)
        await session.changes.wait(min(waiting, max(0.0, deadline - time.monotonic())))


async def _rest(session: Session, tab: Tab, patience: SettleLimits, cap: float) -> list[bool] | None:
    """[changed, quiet] as the page saw it; None if a document, tab or dialog interrupted it."""
    heard = 0 if tab.unheard else 1
    question = rest_question(tab, heard * patience.grace, heard * patience.quiet, cap)
    asking = asyncio.create_task(ask_watcher(tab, question))
    end = time.monotonic() + cap + 0.5
    try:
        while not asking.done():
            held = session.dialog is not None or session.gate.held_requests
            if held or session.lost or tab.crashed or tab not in session.tabs:
                return None
            left = end - time.monotonic()
            if left <= 0:
                return [True, False]
            await session.changes.wait(left, beside=asking)
        with contextlib.suppress(errors(), ActionFailed):
            changed, quiet, written = await asking
            if written:
                tab.effects["page", ""] = "the text of the page changed"
            if not (tab.navigating or session.opening) and await session.standing() is tab:
                return [changed, quiet]
        return None
    finally:
        if not asking.done():
            asking.cancel()


def rest_question(tab: Tab, grace: float, quiet: float, cap: float) -> str:
    """The request for the watcher to wait for rest, with seconds as in `SettleLimits`."""
    ago = time.monotonic() - tab.acted_at + UNDERWAY
    return REST % (1000 * grace, 1000 * quiet, 1000 * cap, 1000 * ago)


async def ask_watcher(tab: Tab, question: str) -> Any:
    """Ask the watcher in the page, after installing it if it is missing."""
    async for _ in turns(MOVING, 0.02, LEAST):
        try:
            answer = await value_of(tab.line, question)
            if answer is not None:
                return answer
            await value_of(tab.line, f"({WATCHER})(0)")  # a page that was open before
        except errors() as error:
            if is_gone(error) or not is_moved_on(error):
                raise
    raise ActionFailed("the page keeps changing its document; wait until it has loaded")
