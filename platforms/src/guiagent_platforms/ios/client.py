"""Talks to WebDriverAgent, which runs on an iPhone, iPad or simulator and listens for HTTP.

The requests are those of the public project `appium/WebDriverAgent`: W3C WebDriver and its own `/wda` routes.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from gui_agent.core import deadline
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError
from gui_agent.core.parsing import parse_json
from gui_agent.core.texts import shorten

USUAL = "http://127.0.0.1:8100"
PATIENCE = 30.0
"""Seconds for one answer; a long list of elements takes some."""
LEAST = 1.0
LARGEST = 64_000_000
"""Bytes of an answer."""
_GONE = ("invalid session id", "no such session")


class WdaClient:
    """One session at one address; a session that ended there is begun again."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
            raise ConfigError(f"{address} is no address of WebDriverAgent; write it as {USUAL}")
        self.address = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        self._session = ""

    def get(self, path: str) -> Any:
        """The value of a resource of the session."""
        return self._within_session("GET", path, None)

    def post(self, path: str, **body: Any) -> Any:
        """Do something in the session; its value.

        Raises:
            ActionFailed: WebDriverAgent refused; the message says why.
            ComputerLost: it does not answer.
        """
        return self._within_session("POST", path, body)

    def picture(self) -> bytes:
        """The screen as PNG."""
        try:
            return base64.b64decode(self.get("/screenshot"), validate=True)
        except (TypeError, ValueError) as error:
            raise ComputerLost(f"{self.address} returned no picture of the screen") from error

    def close(self) -> None:
        """End the session, if one is open and WebDriverAgent still answers."""
        session, self._session = self._session, ""
        if session:
            try:
                self._request("DELETE", f"/session/{session}", None)
            except (ActionFailed, ComputerLost):
                return  # there is nothing left to end

    def _within_session(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        for is_last in (False, True):
            begun = bool(self._session)
            if not begun:
                made = self._request("POST", "/session", {"capabilities": {"alwaysMatch": {}}})
                self._session = (
                    str(made["sessionId"]) if isinstance(made, dict) and "sessionId" in made else ""
                )
            if not self._session:
                raise ComputerLost(f"{self.address} began no session; is it WebDriverAgent?")
            try:
                return self._request(method, f"/session/{self._session}{path}", body)
            except _SessionGone:
                self._session = ""
                if is_last:
                    raise
        raise AssertionError

    def _request(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        asked = Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urlopen(asked, timeout=deadline.remaining(PATIENCE, LEAST)) as answer:
                return self._value(answer.read(LARGEST))
        except HTTPError as error:
            value = self._value(error.read(LARGEST))
            told = value if isinstance(value, dict) else {}
            said = shorten(str(told.get("message") or error.reason), 200)
            gone = told.get("error") in _GONE
            raise (_SessionGone if gone else ActionFailed)(f"the phone did not do it: {said}") from error
        except (OSError, HTTPException) as error:
            why = getattr(error, "reason", error)
            raise ComputerLost(
                f"WebDriverAgent does not answer at {self.address} ({why}); start it on the phone, and"
                " forward its port, for example with: iproxy 8100 8100"
            ) from error

    def _value(self, answer: bytes) -> Any:
        try:
            return parse_json(answer)["value"]
        except (KeyError, TypeError, ValueError) as error:
            raise ComputerLost(f"{self.address} does not answer as WebDriverAgent does") from error


class _SessionGone(ActionFailed):
    """The session has ended there, as after a restart."""
