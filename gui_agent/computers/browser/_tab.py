"""One page of the browser: its loading state, its open dialog, and whether it is alive."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gui_agent.computers.browser.act._dialogs import OpenDialog
from gui_agent.computers.browser.cdp.isolated_world import IsolatedWorld
from gui_agent.computers.browser.cdp.sender import Limited, errors
from gui_agent.core.errors import ComputerLost
from gui_agent.core.protocols import READING
from gui_agent.core.texts import shorten

if TYPE_CHECKING:
    from playwright.async_api import ConsoleMessage, Dialog, FileChooser, Page, Request, Response

COUNTED = frozenset({"document", "stylesheet", "image", "font", "script", "xhr", "fetch"})
"""Kinds of requests whose completion may change the page; sockets and event streams never end."""
LONG_LIVED = 2.0
"""Seconds after which a request counts as one that stays open by design."""
FOLLOWS = 1.0
"""Seconds after the start of an action within which the page's requests count as caused by it."""
CONSOLE_LINES = 20
"""Errors of an action that are kept, the newest ones."""
CONSOLE_WIDTH = 300
"""Characters of such an error that are kept."""


class Tab:
    """A page with its raw driver session and the state that its events report."""

    by_script = False
    """Whether the last action was done by a script or the driver, in place of pointer and keys."""

    def __init__(self, page: Page, cdp: Limited, changes: ChangeSignal, line: Limited) -> None:
        """Args: line: the fastest channel for messages to the page; `cdp` delivers its events."""
        self.page = page
        self.cdp = cdp
        self.line = line
        self.world = IsolatedWorld(line)
        """The world of the page script in the main frame."""
        self.pointer: tuple[float, float] = (0.0, 0.0)
        self.hovering: tuple[float, float] | None = None
        """Where the pointer was moved for the current action."""
        self.acted_at = 0.0
        """When the last action in it began; 0 before the first one."""
        self.unheard = False
        """Whether the last action was typing that no listener of the page hears."""
        self.dialog: OpenDialog | None = None
        self.title = ""
        """The last title seen, because a page with an open dialog cannot be asked."""
        self.crashed = False
        self.documents = 0
        self.before = 0
        """The number of these requests before the last action."""
        self.changes = changes
        self.popup_at = 0.0
        """When the page asked for a new window that has not opened yet; 0 if none is pending."""
        self.chooser: FileChooser | None = None
        """A file chooser that a click opened and that is not answered yet."""
        self._choosers_watched = False
        self.refused: dict[tuple[str, str], str] = {}
        """Errors by method and address that the server returned since the last action."""
        self.effects: dict[tuple[str, str], str] = {}
        """The last action's effects: requests that the server accepted, and a changed text."""
        self.console: deque[str] = deque(maxlen=CONSOLE_LINES)
        """Errors that the page's scripts reported since the last action."""
        self._background: set[tuple[str, str]] = set()
        """Requests that the page sends on its own, as observed without a recent action."""
        self._opened: set[tuple[str, str]] = set()
        self._requests: dict[Request, float] = {}
        self._navigations: set[Request] = set()
        self._heard: list[tuple[Any, Callable[..., Any]]] = []
        """The event handlers on the page, to be removed at the end."""
        self.hear("request", self._note_request)
        self.hear("requestfinished", self._ended)
        self.hear("requestfailed", self._ended)
        self.hear("response", self._note_response)
        self.hear("console", self._note_message)
        self.hear("pageerror", self._note_error)
        self.hear("dialog", self._dialog_opened)
        self.hear("crash", self._crash)
        cdp.listen("Page.windowOpen", self._window_asked)
        cdp.listen("Page.frameNavigated", self._document_came)

    def hear(self, event: Any, handler: Callable[..., Any]) -> None:
        """Call a function at an event of the page until it is released."""
        self.page.on(event, handler)
        self._heard.append((event, handler))

    def let_go(self) -> None:
        """Remove all handlers from the page, which belongs to the caller."""
        for event, handler in self._heard:
            self.page.remove_listener(event, handler)

    @property
    def dead(self) -> bool:
        """Whether it crashed or has left the last message unanswered."""
        return self.crashed or self.line.silent

    @property
    def navigating(self) -> bool:
        """Whether the main document is being fetched."""
        return bool(self._navigations)

    def loading(self) -> float:
        """Seconds until the requests in flight count as long-lived; 0 if none is in flight."""
        now = time.monotonic()
        return max((LONG_LIVED - (now - began) for began in self._requests.values()), default=0.0)

    def watch_choosers(self) -> None:
        """Intercept the system's file choosers; only from the first action on, so that a person who only uses
        the window can still use them."""
        if not self._choosers_watched:
            self._choosers_watched = True
            self.hear("filechooser", self._chooser_opened)

    async def chooser_opened(self, seconds: float) -> FileChooser | None:
        """Wait for a file chooser and take it over; None if none opens in time."""
        end = time.monotonic() + seconds
        while self.chooser is None and time.monotonic() < end:
            await self.changes.wait(end - time.monotonic())
        chooser, self.chooser = self.chooser, None
        return chooser

    def check_alive(self) -> None:
        if self.crashed:
            raise ComputerLost("the page crashed; start again, with less on the page if it happens twice")

    def _note_request(self, request: Request) -> None:
        if request.is_navigation_request() and self._is_main(request):
            self._navigations.add(request)
        if request.resource_type in COUNTED:
            self._requests[request] = time.monotonic()
        self.changes.ring()

    def _ended(self, request: Request) -> None:
        self._requests.pop(request, None)
        self._navigations.discard(request)
        self.changes.ring()

    def _note_response(self, response: Response) -> None:
        request, status = response.request, response.status
        page = request.is_navigation_request() and self._is_main(request)
        key = request.method, response.url.partition("?")[0]
        began = self._requests.get(request, 0.0)
        own = self.acted_at <= began <= self.acted_at + FOLLOWS and key not in self._background
        near = _same_site(response.url, self.page.url)
        if status < HTTPStatus.BAD_REQUEST:
            self.refused.pop(key, None)
            sent = _counts(request, status, page=False)
            if near and (sent or (page and request.method == "GET")):
                self._note_accepted(key, response.url, sent, own)
        elif _counts(request, status, page) and (page or near):
            if page or (own and self.documents == self.before):
                self.refused[key] = f"{request.method} {urlsplit(response.url).path}: {_status_words(status)}"
            elif not own:
                self._background.add(key)

    def _note_accepted(self, key: tuple[str, str], url: str, sent: bool, own: bool) -> None:
        """Note that the server accepted a request, or returned the page."""
        if own:
            self.effects[key] = f"{key[0]} {urlsplit(url).path} was {'accepted' if sent else 'loaded'}"
        elif sent or key in self._opened:
            self._background.add(key)
        else:
            self._opened.add(key)  # not by itself, which would be a page that opens again

    def _note_message(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._note_error(message.text)

    def _note_error(self, error: object) -> None:
        self.console.append(shorten(str(error), CONSOLE_WIDTH))

    def _is_main(self, request: Request) -> bool:
        try:
            return request.frame == self.page.main_frame
        except errors():
            return True  # the frame of a new window's first document does not exist yet

    def _dialog_opened(self, dialog: Dialog) -> None:
        self.dialog = OpenDialog(dialog)
        for sender in {self.cdp, self.line}:
            sender.hold()
        self.changes.ring()

    def closed_dialog(self) -> None:
        """Note that its dialog is answered and the page continues."""
        self.dialog = None
        for sender in {self.cdp, self.line}:
            sender.release()

    def _chooser_opened(self, chooser: FileChooser) -> None:
        self.chooser = chooser
        self.changes.ring()

    def _crash(self, _page: Any) -> None:
        self.crashed = True
        self.changes.ring()

    def _document_came(self, event: Any) -> None:
        if "parentId" not in event["frame"]:
            self.documents += 1
            self.world.renew(event["frame"]["id"])
            self.changes.ring()

    def _window_asked(self, _event: Any) -> None:
        self.popup_at = time.monotonic()
        self.changes.ring()


def _counts(request: Request, status: int, page: bool) -> bool:
    """Whether an error matters: of a sent form or of the page; a deleted resource is not found."""
    if not page:
        return request.method not in READING and request.resource_type in ("xhr", "fetch")
    came = request.redirected_from
    gone = status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
    return not (gone and came is not None and came.method == "POST")


def _status_words(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _same_site(one: str, other: str) -> bool:
    return urlsplit(one).netloc == urlsplit(other).netloc


class ChangeSignal:
    """Wakes all waiting tasks when it rings; check, then wait, and no ring is missed in between."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()

    def ring(self) -> None:
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)
        self._waiting.clear()

    async def wait(self, seconds: float | None = None, *, beside: asyncio.Future[Any] | None = None) -> None:
        """Wait for the next ring, until the timeout, or until the work `beside` is done."""
        loop = asyncio.get_running_loop()
        ringing: asyncio.Future[None] = loop.create_future()

        def wake(_done: object = None) -> None:
            if not ringing.done():
                ringing.set_result(None)

        self._waiting.add(ringing)
        timer = None if seconds is None else loop.call_later(seconds, wake)
        if beside is not None:
            beside.add_done_callback(wake)
        try:
            await ringing
        finally:
            self._waiting.discard(ringing)
            if timer is not None:
                timer.cancel()
            if beside is not None:
                beside.remove_done_callback(wake)
