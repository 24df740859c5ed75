"""The gate between the pages of a browser and the network: where not to go is blocked, what waits is held."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any

from gui_agent.computers.browser.cdp.driver_errors import errors
from gui_agent.computers.browser.cdp.sender import Limited
from gui_agent.core.errors import ComputerLost
from gui_agent.core.protocols import Outgoing

OVERRIDE = "x-http-method-override"
NOTHING = [{"urlPattern": "nothing:"}]
"""Stands in the way of no request, so that what is begun meanwhile can be held later."""


class Gate:
    """Sees what all tabs, frames, workers and windows to come send, each redirect as well."""

    def __init__(self, ring: Callable[[], None], tell: Callable[[str], None], unseen: bool) -> None:
        """
        Args:
            tell: is told of an address that was not gone to.
            unseen: refuse the browser's own prompts for a name and password, which hold all input back.
        """
        self.allowed: Callable[[str], bool] | None = None
        """Which addresses of the web may be gone to; None for all."""
        self.leaves: Callable[[Outgoing], bool] | None = None
        """Whether a request needs no judgement; None when nothing is judged."""
        self.fresh: Callable[[], bool] = lambda: False
        """Whether the page in front is another one than when the last input was given."""
        self.refuses = False
        """Whether what would be held fails at once."""
        self.ours: set[str] = set()
        """The browser's names of our tabs, where it has tabs of others; empty when all are ours."""
        self._ring, self._tell, self._unseen = ring, tell, unseen
        self._session: Limited | None = None
        self._kinds: list[str] | None = None
        self._held: dict[str, Outgoing] = {}
        self._under_way: set[asyncio.Task[None]] = set()

    @property
    def held(self) -> tuple[Outgoing, ...]:
        """What waits to be judged."""
        return tuple(self._held.values())

    async def stand_at(self, session: Limited) -> None:
        """Let all that the browser of this session sends pass here from now on."""
        self._session = session
        session.on("Fetch.requestPaused", self._paused)
        session.on("Fetch.authRequired", self._prompted)
        await self.watch()

    async def watch(self) -> None:
        """See from now on the kinds of requests that matter, and let all others by."""
        kinds = ["XHR", "Fetch"] if self._unseen or self.leaves else []
        kinds += ["Document"] if self.allowed or self.leaves else []
        kinds += ["Ping"] if self.leaves else []
        if self._session is not None and kinds != self._kinds:
            self._kinds, patterns = kinds, [{"resourceType": kind} for kind in kinds] or NOTHING
            given = {"patterns": patterns, "handleAuthRequests": self._unseen}
            await self._session.send("Fetch.enable", given)

    def release(self, send: bool) -> None:
        """Send all that waits, or have it fail, and what comes of the same action as well."""
        self.refuses = not send
        held, self._held = self._held, {}
        for number in held:
            self._let(number, "" if send else "Aborted")
        self._ring()

    def _paused(self, event: dict[str, Any]) -> None:
        asked, kind, number = event["request"], event["resourceType"], event["requestId"]
        url, document = asked["url"], kind == "Document"
        if document and self.allowed and url.startswith(("http:", "https:")) and not self.allowed(url):
            self._tell(url)
            self._let(number, "BlockedByClient")
            return
        headers = {name.lower(): value for name, value in asked["headers"].items()}
        method = headers.get(OVERRIDE, asked["method"]).upper()
        judged = document or method not in ("GET", "HEAD", "OPTIONS")
        request = Outgoing(method, url, _body(asked), kind, self.fresh())
        if not judged or self.leaves is None or self.leaves(request):
            self._let(number)
        elif self.ours and not self.refuses:
            self._do(self._hold_ours(number, request, event.get("frameId", "")))
        else:
            self._hold(number, request)

    def _hold(self, number: str, request: Outgoing) -> None:
        self._held[number] = request
        self.release(False) if self.refuses else self._ring()

    async def _hold_ours(self, number: str, request: Outgoing, frame: str) -> None:
        """Hold what does not come from a tab that somebody else has in the same browser."""
        assert self._session is not None
        known = (await self._session.send("Target.getTargets"))["targetInfos"]
        others = {one["targetId"] for one in known if one["type"] == "page" and not one.get("openerId")}
        if frame in others - self.ours:
            self._let(number)
        else:
            self._hold(number, request)

    def _prompted(self, event: dict[str, Any]) -> None:
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


def _body(asked: dict[str, Any]) -> str:
    """What a request carries, as text; files that the browser would read itself are left out."""
    parts = asked.get("postDataEntries", ())
    raw = b"".join(base64.b64decode(part["bytes"]) for part in parts if "bytes" in part)
    return raw.decode("utf-8", "replace") if raw else str(asked.get("postData", ""))
