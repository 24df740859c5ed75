"""Records a browser's network traffic as a HAR file through Playwright, without secrets."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Callable
from glob import escape
from pathlib import Path
from typing import Any

from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import private, private_folder, user_path, why
from gui_agent.core.redaction import HIDDEN

Hide = Callable[[str], str]
_CARRYING = re.compile(
    r"cookie|auth|session|csrf|xsrf|passw|secret|token|(?:^|[-_])(?:api[-_]?key|otp|pin|sid)$", re.I
)
"""Names of headers, cookies and values that identify or authorize the user."""
_IN_BODY = re.compile(
    r'(?P<name>"(?:[^"\\]|\\.)*"\s*:\s*"|(?<![^&?\s])[^=&\s"]+=)(?P<value>(?:(?<=")(?:[^"\\]|\\.)*|(?<==)[^&\s"]*))'
)


class HarFile:
    """The file that a browser's network record is written to at its end."""

    def __init__(self, name: str, hide: Hide) -> None:
        self.path, self._hide = user_path(name), hide
        self.raw = self._named = self.path.with_name(f".{self.path.name}.{os.getpid()}.har")
        """The driver's raw output with all secrets; deleted once the record is written."""
        try:
            private_folder(self.path.parent)
            for left in self.path.parent.glob(f".{escape(self.path.name)}.*.har"):  # left by killed runs
                left.unlink(missing_ok=True)
            self._file = open(self.raw, "w", encoding="utf-8", opener=private)  # noqa: SIM115 - until the end
        except OSError as error:
            raise ConfigError(f"cannot write the network record {self.path}: {why(error)}") from error
        nameless = Path(f"/proc/{os.getpid()}/fd/{self._file.fileno()}")
        if (
            nameless.exists()
        ):  # it disappears with this process, however that ends, and the driver finds it here
            self._named.unlink()
            self.raw = nameless

    def finish(self) -> None:
        """Write the record without secrets, readable only by its owner."""
        try:
            if held := json.loads(self.raw.read_text("utf-8") or "{}"):
                with open(self.path, "w", encoding="utf-8", opener=private) as file:
                    json.dump(_without_secrets(held, self._hide), file, ensure_ascii=False)
        finally:
            self._file.close()
            self._named.unlink(missing_ok=True)


def _without_secrets(given: Any, hide: Hide, name: str = "") -> Any:
    if isinstance(given, list):
        return [_without_secrets(one, hide, "cookie" if name == "cookies" else "") for one in given]
    if isinstance(given, dict):
        if isinstance(given.get("text"), str) and "mimeType" in given:
            rest = {key: one for key, one in given.items() if key != "text"}
            return {**_without_secrets(rest, hide), "text": _body(given, hide)}
        carries = name == "cookie" or bool(_CARRYING.search(str(given.get("name", ""))))
        found = {key: _without_secrets(one, hide, key) for key, one in given.items()}
        return {**found, "value": HIDDEN} if carries and found.get("value") else found
    if isinstance(given, str):
        return hide(_hide_named_secrets(given) if name in ("url", "redirectURL") else given)
    return given


def _body(given: dict[str, Any], hide: Hide) -> str:
    """The text of a request or response; a Base64 text is decoded first."""
    if given.get("encoding") != "base64":
        return hide(_hide_named_secrets(given["text"]))
    try:
        text = base64.b64decode(given["text"]).decode("utf-8")
    except UnicodeDecodeError:
        return hide(given["text"])
    return base64.b64encode(hide(_hide_named_secrets(text)).encode()).decode()


def _hide_named_secrets(text: str) -> str:
    def stand_in(match: re.Match[str]) -> str:
        named = match["name"].rstrip(' :="').lstrip('"').rpartition("?")[2]
        return match["name"] + (HIDDEN if _CARRYING.search(named) and match["value"] else match["value"])

    return _IN_BODY.sub(stand_in, text)
