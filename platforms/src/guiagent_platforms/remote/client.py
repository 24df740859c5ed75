"""An HTTP client for a guest: one kept connection, deadlines, and retries only if they are safe."""

from __future__ import annotations

import http.client
import json
import secrets
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

from gui_agent.core import deadline
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError, GuiAgentError, Stale
from gui_agent.core.parsing import parse_json
from gui_agent.core.texts import shorten

PATIENCE = 30.0
"""Timeout (s) of one request."""
BACK = 8.0
"""Maximum seconds for an unresponsive guest to come back."""
TRYING = 3.0
"""Timeout (s) of one check whether it answers."""
LEAST = 1.0
BETWEEN = 0.1
LARGEST = 512 * 1024 * 1024
"""Maximum bytes of an answer."""
ERRORS: Mapping[str, type[GuiAgentError]] = {"ActionFailed": ActionFailed, "Stale": Stale}
"""Errors that a guest may report; any other error means that the guest is lost."""


@dataclass(frozen=True, slots=True)
class GuestReply:
    """The answer to one request."""

    status: int
    data: bytes
    kind: str = ""

    @property
    def ok(self) -> bool:
        return self.status == 200

    def json(self) -> Any:
        try:
            return parse_json(self.data)
        except ValueError as error:
            raise ComputerLost(f"the guest's answer is not JSON: {self.line}") from error

    @property
    def line(self) -> str:
        return shorten(" ".join(self.data[:2000].decode("utf-8", "replace").split()), 200)


class GuestClient:
    """One guest at one address; used from any thread, one at a time."""

    def __init__(self, address: str, token: str = "") -> None:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        try:
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
        if parts.scheme not in ("http", "https") or not host or parts.path.strip("/"):
            raise ConfigError(f"{address} is not an address of a guest; write it as http://host:5000")
        self.host, self.port = host, port or (443 if parts.scheme == "https" else 5000)
        self.address = f"{parts.scheme}://{parts.netloc}"
        self._make: Callable[..., http.client.HTTPConnection] = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        self._token = token
        self._lock = threading.RLock()
        self._line: http.client.HTTPConnection | None = None
        self.closed = False

    def answers(self) -> bool:
        """Whether its server answers now; one that is just starting does not."""
        with suppress(GuiAgentError, OSError):
            return self.get("/platform", limit=TRYING).ok
        return False

    def get(self, path: str, limit: float = PATIENCE) -> GuestReply:
        """Send a request without side effects; retried until the guest is back, or given up."""
        return self._request("GET", path, None, {}, limit, again=True)

    def post(
        self, path: str, body: Any = None, limit: float = PATIENCE, *, again: bool = False
    ) -> GuestReply:
        """Send JSON.

        Args:
            again: a second sending does no harm. Otherwise it is repeated only if the first certainly did not
                arrive; our own server recognizes repeated requests by a number.
        """
        data = json.dumps(body if body is not None else {}).encode()
        return self._request("POST", path, data, {"Content-Type": "application/json"}, limit, again)

    def form(self, path: str, fields: Mapping[str, str], limit: float = PATIENCE) -> GuestReply:
        """Send form fields in a request without side effects; raises like `post`."""
        data = urlencode(fields).encode()
        return self._request(
            "POST", path, data, {"Content-Type": "application/x-www-form-urlencoded"}, limit, True
        )

    def upload(self, path: str, file: str, data: bytes) -> GuestReply:
        """Upload a file; raises like `post`."""
        border = secrets.token_hex(16)
        head = (
            f'--{border}\r\nContent-Disposition: form-data; name="file_path"\r\n\r\n{file}\r\n--{border}\r\n'
        )
        head += 'Content-Disposition: form-data; name="file_data"; filename="file"\r\n'
        head += "Content-Type: application/octet-stream\r\n\r\n"
        body = head.encode() + data + f"\r\n--{border}--\r\n".encode()
        kind = {"Content-Type": f"multipart/form-data; boundary={border}"}
        return self._request("POST", path, body, kind, 4 * PATIENCE, True)

    def close(self) -> None:
        """Close the connection; may be called twice and from any thread."""
        self.closed = True
        line, self._line = self._line, None
        if line is not None:
            line.close()

    def _request(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str], limit: float, again: bool
    ) -> GuestReply:
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        headers["X-Request-Id"] = secrets.token_hex(12)
        giving_up = time.monotonic() + deadline.remaining(BACK, LEAST)
        with self._lock:
            while True:
                if self.closed:
                    raise ComputerLost("the connection to the guest is closed; open a new one")
                sent = False
                try:
                    line = self._connection(deadline.remaining(limit, LEAST))
                    sent = True
                    line.request(method, path, body, headers)
                    return self._read(line)
                except TimeoutError as error:
                    self._drop()
                    raise ComputerLost(
                        f"the guest at {self.address} did not answer within {limit:g} s; reset it"
                    ) from error
                except (OSError, http.client.HTTPException) as error:
                    self._drop()
                    if (sent and not again) or time.monotonic() > giving_up:
                        raise ComputerLost(
                            f"the guest at {self.address} does not answer ({error or type(error).__name__}); "
                            "check that it is running, and start again"
                        ) from error
                    time.sleep(BETWEEN)

    def _connection(self, limit: float) -> http.client.HTTPConnection:
        if self._line is None:
            self._line = self._make(self.host, self.port, timeout=min(limit, BACK))
            self._line.connect()
            self._line.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._line.sock.settimeout(limit)
        return self._line

    def _read(self, line: http.client.HTTPConnection) -> GuestReply:
        answer = line.getresponse()
        data = answer.read(LARGEST + 1)
        if len(data) > LARGEST:
            self._drop()
            raise ComputerLost(
                f"the guest at {self.address} sends too much data; check which server answers there"
            )
        if answer.will_close:
            self._drop()
        if answer.status == 401:
            raise ComputerLost(
                f"the guest at {self.address} requires its token; set it in GUIAGENT_GUEST_TOKEN"
            )
        return GuestReply(answer.status, data, answer.headers.get_content_type())

    def _drop(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            line.close()


def check_reply(reply: GuestReply) -> GuestReply:
    """An answer of our own server; raises if it reports an error."""
    if reply.ok:
        return reply
    told = reply.json() if reply.kind == "application/json" else {}
    told = told if isinstance(told, dict) else {}
    kind = ERRORS.get(str(told.get("error")), ComputerLost)
    line = str(told.get("message") or f"the guest answered with {reply.status}: {reply.line}")
    raise kind(" ".join(line.split()) or "the guest reported no reason; see its log")
