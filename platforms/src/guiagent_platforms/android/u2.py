"""The server of uiautomator2 on a phone: hierarchies with hints, and pictures, without a process for each."""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import json
import socket
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gui_agent.core import deadline
from gui_agent.core.errors import ComputerLost
from gui_agent.core.observation import Point
from gui_agent.core.texts import shorten
from guiagent_platforms.android.client import AdbDevice, ask_by_http

PORT = 9008
STARTING = 20.0
ANSWERING, ENDING = 15.0, 2.0
DEEPEST = 50
ENABLED, STEPS = 0x8000, 40
"""The selector bit for enabled elements, which always exist; number of 5 ms steps of a gesture."""
QUALITY = 90
PLACE = "/data/local/tmp/u2.jar"
POLL = 0.1


def server_file() -> Path | None:
    """The server file in the installed package `uiautomator2`; None if it is not installed."""
    found = find_spec("uiautomator2")
    file = Path(found.origin).parent / "assets" / "u2.jar" if found and found.origin else None
    return file if file is not None and file.is_file() else None


class U2Server:
    """A running server; one that another program started is used and left running."""

    def __init__(self, device: AdbDevice) -> None:
        self._device = device
        self._process: socket.socket | None = None
        if not self._alive():
            try:
                self._start()
            except BaseException:
                self.close()
                raise

    def hierarchy(self) -> str:
        """The hierarchy of the front window. Raises ComputerLost if the server does not return it."""
        found = self._call("dumpWindowHierarchy", False, DEEPEST, True)
        if not isinstance(found, str) or "<hierarchy" not in found:
            raise ComputerLost("the uiautomator2 server returned no hierarchy")
        return found

    def picture(self) -> bytes | None:
        """The screen as JPEG; None if apps forbid it. Raises ComputerLost if the server does not answer."""
        found = self._call("takeScreenshot", 1, QUALITY)
        try:
            return base64.b64decode(found) if isinstance(found, str) else None
        except binascii.Error:
            return None

    def gesture(self, fingers: Sequence[Sequence[Point]]) -> None:
        (one, one_end), (other, other_end) = ((path[0], path[-1]) for path in fingers)
        places = [{"x": at.x, "y": at.y} for at in (one, other, one_end, other_end)]
        anything = {"mask": ENABLED, "enabled": True, "childOrSibling": [], "childOrSiblingSelector": []}
        if not self._call("gesture", anything, *places, STEPS):
            raise ComputerLost("the uiautomator2 server did not perform the gesture")

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(OSError):
                process.shutdown(socket.SHUT_RDWR)
            process.close()
            # until then the phone describes its screen to no other client
            any(not self._alive() for _ in deadline.turns(ENDING, POLL / 5))

    def _start(self) -> None:
        file = server_file()
        if file is None:
            raise ComputerLost("the uiautomator2 server is not installed: pip install 'guiagent[u2]'")
        data = file.read_bytes()
        if (
            hashlib.md5(data, usedforsecurity=False).hexdigest()
            not in self._device.look("md5sum", PLACE).text
        ):
            self._device.push(data, PLACE)
        command = f"CLASSPATH={PLACE} app_process / com.wetest.uia2.Main -p {PORT}"
        self._process = self._device.open(f"shell:{command}")
        end = time.monotonic() + deadline.remaining(STARTING)
        self._process.settimeout(POLL)
        said = b""
        while not self._alive():
            with contextlib.suppress(TimeoutError):
                said += (piece := self._process.recv(4096))
                if not piece or b"already registered" in said:
                    text = said.decode("utf-8", "replace").strip()
                    raise ComputerLost(f"the uiautomator2 server did not start: {shorten(text, 160)}")
            if time.monotonic() > end:
                raise ComputerLost("the uiautomator2 server did not start in time")

    def _alive(self) -> bool:
        try:
            return self._ask("GET /ping", b"", 3.0) == b"pong"
        except (ComputerLost, OSError):
            return False

    def _call(self, method: str, *given: object) -> Any:
        question = {"jsonrpc": "2.0", "id": 1, "method": method, "params": given}
        try:
            said = json.loads(self._ask("POST /jsonrpc/0", json.dumps(question).encode(), ANSWERING))
        except (OSError, ValueError) as error:
            raise ComputerLost(f"the uiautomator2 server does not respond: {error}") from error
        if not isinstance(said, dict) or "result" not in said:
            fault = said.get("error", {}) if isinstance(said, dict) else {}
            raise ComputerLost(f"the uiautomator2 server cannot {method}: {shorten(str(fault), 160)}")
        return said["result"]

    def _ask(self, what: str, body: bytes, limit: float) -> bytes:
        with self._device.open(f"tcp:{PORT}", limit=deadline.remaining(limit)) as wire:
            try:
                return ask_by_http(wire, what, body)
            except ComputerLost as error:
                raise ComputerLost(f"the uiautomator2 server: {error}") from error
