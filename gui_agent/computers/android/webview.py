"""What web pages inside apps hold: asked through the DevTools socket of the app, where it has one.

Apps that allow debugging, and browsers, listen at a socket of the phone. It is reached through the adb
server, so no port is opened. The script that reads pages of browsers reads these, in a world of its own.
"""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gui_agent.computers.android.client import AdbDevice, received
from gui_agent.computers.browser.cdp.isolated_world import NAME, script
from gui_agent.computers.desktop.parts import Node
from gui_agent.core import deadline
from gui_agent.core.errors import ComputerLost
from gui_agent.core.geometry import Box

ANSWERING = 3.0
SILENT = 20.0
"""Seconds for which an app that answered nothing is not asked again."""
MOST = 300
"""Elements of a page at most."""
NEAR = 12
"""Pixels by which the place of a page and that of its view may differ."""
_SOCKETS = re.compile(r"@((?:webview|chrome)_devtools_remote\S*)")
FAULTS = (ComputerLost, OSError, ValueError, KeyError, TypeError)
"""What comes of a page that goes away, or of an answer that is none."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page that an app shows, and where on the screen, if it says so."""

    socket: str
    id: str
    box: Box | None


class WebViews:
    """Reads the pages in the web views of a phone; a line to each page is kept."""

    def __init__(self, device: AdbDevice) -> None:
        self._device = device
        self._lines: dict[str, _Line] = {}
        self._silent = 0.0

    def nodes(self, views: Sequence[Box], window: int) -> dict[Box, list[Node]]:
        """What the pages in these views hold, as far as they can be asked."""
        found: dict[Box, list[Node]] = {}
        if not views or time.monotonic() - self._silent < SILENT:
            return found
        pages = list(self._pages())
        for view in views:
            at_place = [one for one in pages if one.box is not None and _same_place(one.box, view)]
            fits = at_place or [one for one in pages if one.box is None]
            if len(fits) == 1 and (at_place or len(views) == 1):
                with contextlib.suppress(*FAULTS):
                    found[view] = list(_nodes(self._look(fits[0]), view, window, fits[0].id))
        if not found:
            self._silent = time.monotonic()
        return found

    def close(self) -> None:
        """Let go of all pages."""
        for line in self._lines.values():
            line.close()
        self._lines.clear()

    def _pages(self) -> Iterator[Page]:
        sockets = _SOCKETS.findall(self._device.look("cat", "/proc/net/unix").text)
        for name in dict.fromkeys(sockets):
            with contextlib.suppress(*FAULTS):
                for told in json.loads(self._get(name, "/json/list")):
                    if told["type"] != "page":
                        continue
                    where = json.loads(told.get("description") or "{}")
                    if where.get("visible", True) and not where.get("empty", False):
                        yield Page(name, told["id"], _place(where))

    def _get(self, name: str, path: str) -> bytes:
        with self._device.open(f"localabstract:{name}", limit=ANSWERING) as wire:
            wire.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            end = time.monotonic() + deadline.left(ANSWERING)
            head = b""
            while b"\r\n\r\n" not in head and (piece := received(wire, -2, end)):
                head += piece
            top, _, body = head.partition(b"\r\n\r\n")
            length = re.search(rb"(?i)content-length: *(\d+)", top)
            return body + received(wire, int(length[1]) - len(body) if length else -1, end)

    def _look(self, page: Page) -> dict[str, Any]:
        for _ in range(2):  # the line that was kept may be to a page that has gone on
            line = self._lines.get(page.id)
            if line is None:
                line = self._lines[page.id] = _Line(self._device, page)
            try:
                return line.look()
            except FAULTS:
                line.close()
                del self._lines[page.id]
        raise ComputerLost("the page does not answer")


class _Line:
    """A line to one page, and the script in it."""

    def __init__(self, device: AdbDevice, page: Page) -> None:
        from websockets.sync.client import connect

        wire = device.open(f"localabstract:{page.socket}", limit=ANSWERING)
        try:
            address = f"ws://localhost/devtools/page/{page.id}"
            line = connect(address, sock=wire, open_timeout=ANSWERING, max_size=None)
            self._socket = line.__enter__()
        except Exception as error:  # whatever is wrong with it, it is no line to a page
            wire.close()
            raise ComputerLost(f"the page takes no line: {error}") from error
        self._last = 0
        self._world = 0

    def look(self) -> dict[str, Any]:
        """What is in sight on the page."""
        if not self._world:
            frame = self._ask("Page.getFrameTree")["frameTree"]["frame"]["id"]
            made = self._ask("Page.createIsolatedWorld", frameId=frame, worldName=NAME)
            self._world = made["executionContextId"]
            self._evaluate(script())
        found = json.loads(self._evaluate(f"{NAME}.take({MOST}, null)"))
        if not isinstance(found, dict):
            raise ComputerLost("the page told no elements")
        return found

    def _evaluate(self, expression: str) -> Any:
        given = {"contextId": self._world, "returnByValue": True, "awaitPromise": True}
        return self._ask("Runtime.evaluate", expression=expression, **given)["result"].get("value")

    def _ask(self, method: str, **given: Any) -> dict[str, Any]:
        from websockets.exceptions import WebSocketException

        self._last += 1
        end = time.monotonic() + deadline.left(ANSWERING)
        try:
            self._socket.send(json.dumps({"id": self._last, "method": method, "params": given}))
            while True:
                said = json.loads(self._socket.recv(max(0.0, end - time.monotonic())))
                if said.get("id") == self._last:
                    result: dict[str, Any] = said["result"]
                    return result
        except (WebSocketException, TimeoutError) as error:
            raise ComputerLost(f"the page does not answer: {error}") from error

    def close(self) -> None:
        """Let go of the page."""
        with contextlib.suppress(OSError):
            self._socket.socket.close()


def _place(told: dict[str, Any]) -> Box | None:
    names = ("screenX", "screenY", "width", "height")
    return Box(*(int(told[name]) for name in names)) if all(name in told for name in names) else None


def _same_place(one: Box, other: Box) -> bool:
    edges = zip(
        (one.left, one.top, one.right, one.bottom),
        (other.left, other.top, other.right, other.bottom),
        strict=True,
    )
    return all(abs(a - b) <= NEAR for a, b in edges)


def _nodes(look: dict[str, Any], view: Box, window: int, page: str) -> Iterator[Node]:
    """The rows of the script as nodes of the screen; its pixels begin at the corner of the view."""
    for row in look["rows"]:
        number, role, name, left, top, width, height, path, value, states, description, attributes, *_ = row
        box = Box(view.left + left, view.top + top, width, height).intersect(view)
        if box is None:
            continue
        yield Node(
            (window, "page", page, look["document"], number),
            role,
            name,
            box,
            value=value,
            states=frozenset(states),
            description=description,
            path=path,
            attributes={**attributes, "field": f"{page}/{number}"},
            window=window,
            source="dom",
        )
