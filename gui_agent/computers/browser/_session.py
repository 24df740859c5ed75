"""The open browser: its tabs, the current one, and the events since the last look."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import time
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui_agent.computers.browser._opened import Opened
from gui_agent.computers.browser._tab import ChangeSignal, Tab
from gui_agent.computers.browser.act._dialogs import OpenDialog
from gui_agent.computers.browser.cdp.isolated_world import IsolatedWorld
from gui_agent.computers.browser.cdp.sender import Limited, errors
from gui_agent.computers.browser.look.settling import POPUP_PATIENCE, WATCHER
from gui_agent.core.errors import ComputerLost
from gui_agent.core.protocols import READING, SOCKET, Outgoing
from gui_agent.core.texts import shorten

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Download, Page, WebSocket

ADOPTING = 10.0
"""Seconds to initialize or bring forward a tab; one that takes longer is ignored."""
CLOSING = 4.0
"""Seconds for a dead tab to close."""
COPYING: dict[str, Any] = {"permission": {"name": "clipboard-write"}, "setting": "granted"}
"""Nothing in it lets a page read the clipboard."""
OPENING = (Path(__file__).parent / "look" / "opening.js").read_text(encoding="utf-8").rstrip().rstrip(";")
"""Keeps shadow roots open that a page would close, because people see their content too."""


class Session:
    """Follows the browser's events; everything here runs on the private loop."""

    def __init__(
        self,
        opened: Opened,
        downloads: Path,
        follow_timers: float,
        open_line: Callable[[Limited], Awaitable[Limited]],
    ) -> None:
        self.opened = opened
        self.tabs: list[Tab] = []
        self.notices: list[str] = []
        self.changes = ChangeSignal()
        """Rings at every event that a caller may be waiting for."""
        self.lost = ""
        self.reopening = True
        """Whether a new tab opens when the last one is closed."""
        self._current: Tab | None = None
        self._downloads = downloads
        self._open_line = open_line
        self._followed = round(1000 * follow_timers)
        self.gate = Gate(self.changes.ring, self._tell_blocked, opened.unseen)
        self.gate.fresh = self._fresh
        self._closing = False
        self._heard: list[tuple[Any, str, Callable[..., Any]]] = []
        self._sessions: list[CDPSession] = []
        self._script: Any = None
        self._adopting: set[asyncio.Task[None]] = set()
        self._taken: dict[Page, asyncio.Task[Tab]] = {}
        """Initialization tasks by page: the event of a new page also reaches the caller that opened it."""
        self._asked: set[Page] = set()
        """Pages that a caller opened itself."""
        self._saving: set[asyncio.Task[None]] = set()

    async def begin(self) -> None:
        """Initialize the existing pages, or open an empty one."""
        context = self.opened.context
        await self._stand_at_gate()
        self._script = await context.add_init_script(f"{OPENING};({WATCHER})({self._followed})")
        for page in [self.opened.page] if self.opened.page else context.pages:
            await self._adopt(page)
        self._hear(context, "page", lambda page: self._later(self._announce(page), self._adopting))
        self._hear(context, "close", lambda _context: self._ended())
        if self.opened.browser is not None:
            self._hear(self.opened.browser, "disconnected", lambda _browser: self._ended())
        if not self.tabs:
            await self.open_tab()

    def _hear(self, emitter: Any, event: str, handler: Callable[..., Any]) -> None:
        emitter.on(event, handler)
        self._heard.append((emitter, event, handler))

    async def _stand_at_gate(self) -> None:
        opened = self.opened
        browser = opened.browser or opened.context.browser
        if browser is None:
            self.notices.append("requests of this browser cannot be held: the guard judges by words alone")
            return
        session = await browser.new_browser_cdp_session()
        self._sessions.append(session)
        if opened.unseen:
            # A press copies in every browser with a window; without one, pages would have to ask a person.
            for context in (await session.send("Target.getBrowserContexts"))["browserContextIds"]:
                await session.send("Browser.setPermission", {**COPYING, "browserContextId": context})
        await self.gate.stand_at(Limited(session))

    def _fresh(self) -> bool:
        tab = self._current
        return tab is not None and tab.documents > tab.before

    def _tell_blocked(self, url: str) -> None:
        self.notices.append(f"going to {shorten(url, 80)} was blocked: it is outside the allowed domains")
        self.changes.ring()

    async def open_tab(self) -> Tab:
        """A new empty tab, which becomes the current one."""
        page = await self.opened.context.new_page()
        self._asked.add(page)
        return await self._adopt(page)

    @property
    def current(self) -> Tab:
        self.check_alive()
        if self._current is None:
            raise ComputerLost("the browser has no open page; start again")
        return self._current

    async def standing(self) -> Tab:
        """The current tab; waits while another one replaces the last one, which was closed."""
        deadline = time.monotonic() + POPUP_PATIENCE
        while self._current is None and not self.lost and (left := deadline - time.monotonic()) > 0:
            await self.changes.wait(left)
        return self.current

    def check_alive(self) -> None:
        """Raises: ComputerLost: the browser is gone or the current page has crashed."""
        if self.lost:
            raise ComputerLost(self.lost)
        if self._current is not None:
            self._current.check_alive()

    @property
    def dialog(self) -> OpenDialog | None:
        """The dialog that waits for an answer; brings its tab to the front."""
        for tab in self.tabs:
            if tab.dialog is not None:
                self._current = tab
                return tab.dialog
        return None

    def closed_dialog(self, dialog: OpenDialog) -> None:
        for tab in self.tabs:
            if tab.dialog is dialog:
                tab.closed_dialog()

    async def replace_dead(self) -> None:
        """Open a fresh tab in place of a crashed or silent current one, which cannot load anything."""
        tab = self._current
        if tab and tab.dead:
            await self.open_tab()
            with contextlib.suppress(TimeoutError, errors()):
                async with asyncio.timeout(CLOSING):
                    await tab.page.close()

    @property
    def opening(self) -> bool:
        """Whether a new tab is about to open."""
        now = time.monotonic()
        return bool(self._adopting) or any(0 < now - tab.popup_at < POPUP_PATIENCE for tab in self.tabs)

    @property
    def downloading(self) -> bool:
        """Whether a download is in progress."""
        return bool(self._saving)

    def others(self) -> tuple[str, ...]:
        """Titles of the other tabs."""
        return tuple(tab.title or tab.page.url for tab in self.tabs if tab is not self._current)

    def take_notices(self) -> tuple[str, ...]:
        """The notices since the last call."""
        taken, self.notices = tuple(self.notices), []
        return taken

    async def world(self, page: Page) -> IsolatedWorld:
        """The world of the page script in the main frame of a page."""
        tab = await self._adopt(page)
        return tab.world

    def show(self, tab: Tab) -> None:
        """Make the tab the current one, because the person went to it."""
        self._current = tab

    async def bring(self, tab: Tab) -> None:
        self._current = tab
        await tab.page.bring_to_front()

    def _later(
        self, work: Coroutine[Any, Any, Any], among: set[asyncio.Task[None]], seconds: float | None = ADOPTING
    ) -> None:
        """Run work for an event, and count it among its kind until it is done."""

        def forget_task(task: asyncio.Task[None]) -> None:
            among.discard(task)
            self.changes.ring()

        async def run_guarded() -> None:
            with contextlib.suppress(TimeoutError, ComputerLost, errors()):  # the page may be gone by now
                async with asyncio.timeout(seconds):
                    await work

        task = asyncio.get_running_loop().create_task(run_guarded())
        among.add(task)
        task.add_done_callback(forget_task)

    async def close(self) -> None:
        self._closing = True
        if self.opened.playwright is None:
            await self._let_go()
        await self.opened.close()

    async def _let_go(self) -> None:
        for emitter, event, handler in self._heard:
            emitter.remove_listener(event, handler)
        for tab in self.tabs:
            tab.let_go()
        with contextlib.suppress(errors()):
            await self._script.__aexit__(None, None, None)
            for session in self._sessions:
                await session.detach()

    async def _announce(self, page: Page) -> None:
        if self.opened.page is not None and await page.opener() not in [tab.page for tab in self.tabs]:
            return  # it belongs to another program
        tab = await self._adopt(page)
        if page not in self._asked:
            with contextlib.suppress(asyncio.TimeoutError):
                tab.title = await asyncio.wait_for(page.title(), 1.0)
            self.notices.append(f'a new tab opened: "{shorten(tab.title or page.url, 60)}"')

    async def _adopt(self, page: Page) -> Tab:
        if page not in self._taken:
            self._taken[page] = asyncio.create_task(self._take_over(page))
        try:
            return await asyncio.shield(self._taken[page])
        except (ComputerLost, errors()):
            self._taken.pop(page, None)
            raise

    async def _take_over(self, page: Page) -> Tab:
        raw = await self.opened.context.new_cdp_session(page)
        self._sessions.append(raw)
        cdp = Limited(raw)
        tab = Tab(page, cdp, self.changes, await self._open_line(cdp))
        tab.hear("download", lambda download: self._later(self._save(download), self._saving, None))
        tab.hear("close", lambda _page: self._tab_closed(tab))
        tab.hear("websocket", self.gate.hear_socket)
        for other in self.tabs:
            other.popup_at = 0.0
        self.tabs.append(tab)
        self._current = tab
        await asyncio.gather(cdp.send("Page.enable"), tab.world.install())
        if not self.opened.unseen:
            # A page that was open before the gate passes it only after its network connection is renewed.
            await cdp.send("Fetch.enable", {"patterns": NOTHING})
            await cdp.send("Fetch.disable")
            self.gate.ours.add((await cdp.send("Target.getTargetInfo"))["targetInfo"]["targetId"])
        if self.opened.metrics is not None:
            for session in {cdp, tab.line}:
                await session.send("Emulation.setDeviceMetricsOverride", self.opened.metrics)
        return tab

    def _tab_closed(self, tab: Tab) -> None:
        if tab not in self.tabs:
            return
        place = self.tabs.index(tab)
        self.tabs.remove(tab)
        self._taken.pop(tab.page, None)
        self._asked.discard(tab.page)
        if self._closing:
            return
        self.changes.ring()
        self.notices.append(f'the tab "{shorten(tab.title or tab.page.url, 60)}" was closed')
        if tab is not self._current:
            return
        self._current = self.tabs[max(0, place - 1)] if self.tabs else None
        if self._current is not None:
            self._later(self.bring(self._current), self._adopting)
        elif not self.lost and self.reopening:
            self._later(self.open_tab(), self._adopting)

    def _ended(self) -> None:
        if not self._closing and not self.lost:
            self.lost = "the browser was closed or crashed; start again"
        self.changes.ring()

    async def _save(self, download: Download) -> None:
        name = Path(download.suggested_filename).name or "download"
        target = _free_path(self._downloads / name)
        try:
            self._downloads.mkdir(parents=True, exist_ok=True)
            await download.save_as(target)
        except (OSError, errors()) as error:
            reason = str(error).strip().splitlines()[0]
            self.notices.append(f"the download of {name} failed: {shorten(reason)}")
        else:
            self.notices.append(f"downloaded {name} to {target}")


def _free_path(path: Path) -> Path:
    number, candidate = 1, path
    while candidate.exists():
        candidate = path.with_name(f"{path.stem} ({number}){path.suffix}")
        number += 1
    return candidate


OVERRIDES = ("x-http-method-override", "x-http-method", "x-method-override")
"""Headers that tell a server another method than the request has."""
NOTHING = [{"urlPattern": "nothing:"}]
"""Intercepts no request, but allows later interception of new requests."""


class Gate:
    """Sees the requests of all future tabs, frames, workers and windows, including redirects."""

    def __init__(self, ring: Callable[[], None], tell: Callable[[str], None], unseen: bool) -> None:
        """
        Args:
            tell: called with a blocked address.
            unseen: refuse the browser's own prompts for a name and password, which block all input.
        """
        self.allowed: Callable[[str], bool] | None = None
        """Which web addresses may be opened; None for all."""
        self.leaves: Callable[[Outgoing], bool] | None = None
        """Whether a request may leave without a judgement; None if nothing is judged."""
        self.fresh: Callable[[], bool] = lambda: False
        """Whether another page is in front than at the last input."""
        self.refuses = False
        """Whether requests that would be held fail at once."""
        self.ours: set[str] = set()
        """The browser's ids of our tabs if it has other tabs; empty if all are ours."""
        self._ring, self._tell, self._unseen = ring, tell, unseen
        self._session: Limited | None = None
        self._kinds: list[str] | None = None
        self._held: dict[str, Outgoing] = {}
        self._under_way: set[asyncio.Task[None]] = set()

    @property
    def held_requests(self) -> tuple[Outgoing, ...]:
        return tuple(self._held.values())

    async def stand_at(self, session: Limited) -> None:
        """Route all requests of this session's browser through the gate from now on."""
        self._session = session
        session.listen("Fetch.requestPaused", self._take_paused)
        session.listen("Fetch.authRequired", self._take_prompt)
        await self.watch()

    async def watch(self) -> None:
        """Watch the relevant kinds of requests from now on, and let all others pass."""
        kinds = ["XHR", "Fetch"] if self._unseen or self.leaves else []
        kinds += ["Document"] if self.allowed or self.leaves else []
        kinds += ["Ping", "CSPViolationReport"] if self.leaves else []
        if self._session is not None and kinds != self._kinds:
            self._kinds, patterns = kinds, [{"resourceType": kind} for kind in kinds] or NOTHING
            given = {"patterns": patterns, "handleAuthRequests": self._unseen}
            await self._session.send("Fetch.enable", given)

    def hear_socket(self, socket: WebSocket) -> None:
        """Report to the guard what leaves through a connection that stays open."""

        def tell(payload: str | bytes) -> None:
            text = payload if isinstance(payload, str) else payload.decode("utf-8", "replace")
            if self.leaves is not None:
                self.leaves(Outgoing("SEND", socket.url, text, SOCKET, self.fresh()))

        socket.on("framesent", tell)

    def release(self, send: bool) -> None:
        """Send all held requests, or let them fail, including further requests of the same action."""
        self.refuses = not send
        held, self._held = self._held, {}
        for number in held:
            self._let(number, "" if send else "Aborted")
        self._ring()

    def _take_paused(self, event: dict[str, Any]) -> None:
        asked, kind, number = event["request"], event["resourceType"], event["requestId"]
        url, document = asked["url"], kind == "Document"
        if document and self.allowed and url.startswith(("http:", "https:")) and not self.allowed(url):
            self._tell(url)
            self._let(number, "BlockedByClient")
            return
        headers = {name.lower(): value for name, value in asked["headers"].items()}
        # A page that calls a change a reading one is not believed.
        named = (headers[name].upper() for name in OVERRIDES if name in headers)
        method = next((one for one in named if one not in READING), asked["method"].upper())
        request = Outgoing(method, url, _body_text(asked), kind, self.fresh())
        if self.leaves is None or self.leaves(request):
            self._let(number)
        elif self.ours and not self.refuses:
            self._do(self._hold_ours(number, request, event.get("frameId", "")))
        else:
            self._hold(number, request)

    def _hold(self, number: str, request: Outgoing) -> None:
        self._held[number] = request
        self.release(False) if self.refuses else self._ring()

    async def _hold_ours(self, number: str, request: Outgoing, frame: str) -> None:
        """Hold a request unless it comes from another program's tab in the same browser."""
        assert self._session is not None
        known = (await self._session.send("Target.getTargets"))["targetInfos"]
        others = {one["targetId"] for one in known if one["type"] == "page" and not one.get("openerId")}
        if frame in others - self.ours:
            self._let(number)
        else:
            self._hold(number, request)

    def _take_prompt(self, event: dict[str, Any]) -> None:
        said = {"response": "CancelAuth"}
        self._send("Fetch.continueWithAuth", event["requestId"], authChallengeResponse=said)

    def _let(self, number: str, refusal: str = "") -> None:
        method = "Fetch.failRequest" if refusal else "Fetch.continueRequest"
        self._send(method, number, **({"errorReason": refusal} if refusal else {}))

    def _send(self, method: str, number: str, **given: object) -> None:
        assert self._session is not None
        self._do(self._session.send(method, {"requestId": number, **given}))

    def _do(self, work: Coroutine[Any, Any, Any]) -> None:
        async def quietly() -> None:
            with contextlib.suppress(ComputerLost, errors()):  # the page may be gone by now
                await work

        task = asyncio.get_running_loop().create_task(quietly())
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)


def _body_text(asked: dict[str, Any]) -> str:
    parts = asked.get("postDataEntries", ())
    raw = b"".join(base64.b64decode(part["bytes"]) for part in parts if "bytes" in part)
    return raw.decode("utf-8", "replace") if raw else str(asked.get("postData", ""))
