"""Records a browser's network traffic as a HAR file through Playwright, without secrets."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from glob import escape
from pathlib import Path
from typing import Any

from gui_agent.core.os_errors import file_errors, private, private_folder, user_path
from gui_agent.core.redaction import HIDDEN

Hide = Callable[[str], str]
_SECRET = (
    r"(?:cookie|auth(?!or(?!iz))|session|csrf|xsrf|passw|passphrase|secret|token|pwd"
    r"|(?:(?<![a-z])|(?<=%5b))(?:[mt]?otp|pin|sid|pass|api[-_]?key|(?:[mt]?otp|pin|mfa|2fa|sms|time)[-_]?code)"
    r"(?![a-z]))"
)
_CARRYING = re.compile(_SECRET, re.IGNORECASE)
"""Names of headers, cookies, fields and values that identify or authorize the user."""
_NAME = rf"(?<![\w/@.$%[\]-])[\w.$%[\]-]*{_SECRET}[\w.$%[\]-]*"
_NAMED = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        # a password in an address
        r"""(://[^\s/?#:@"'<>]*:)[^\s/?#@"'<>]+(?=@)""",
        # an element of XML
        rf"(<[\w:.-]*{_SECRET}[\w:.-]*(?:\s[^<>]*)?>)(?:<!\[CDATA\[.{{0,999}}?\]\]>|[^<]+)(?=</)",
        # a field of a page
        rf"""(<\w+\s(?=[^<>]{{0,999}}?\b(?:name|id|type|property)\s*=\s*["']?[^"'\s<>]{{0,80}}{_SECRET})"""
        r"""[^<>]{0,999}?\b(?:value|content)\s*=\s*(["'])?)(?(2)(?:(?!\2).)+|[^\s<>"']+)""",
        # a field of a form in parts
        rf"""(\bname="?[^";\r\n]{{0,80}}?{_SECRET}[^\r\n]{{0,80}}(?:\r?\n[^\r\n]+){{0,4}}\r?\n\r?\n)"""
        r""".*?(?=\r?\n--|\Z)""",
        # JSON in another text, a query, an attribute
        rf"""({_NAME}\\*["']?\s*[:=]\s*(\\*["'])).*?(?=(?<!\\)\2|\Z)""",
        # a form, an address, a line
        rf"""({_NAME}(?:=|\\*["']?:\s*(?=\d)|:[ \t]+))[^&\r\n"<>;,}}]+""",
    )
)
"""What is before a value of such a name in a text, and the value."""


class HarFile:
    """The file that a browser's network record is written to at its end."""

    def __init__(self, name: str, hide: Hide) -> None:
        self.path, self._hide = user_path(name), hide
        self.raw = self._named = self.path.with_name(f".{self.path.name}.{os.getpid()}.har")
        """The driver's raw output with all secrets; deleted once the record is written."""
        with file_errors(f"cannot write the network record {self.path}"):
            private_folder(self.path.parent)
            for left in self.path.parent.glob(f".{escape(self.path.name)}.*.har"):  # left by killed runs
                left.unlink(missing_ok=True)
            self._file = open(self.raw, "w", encoding="utf-8", opener=private)  # noqa: SIM115 - until the end
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
        return [_without_secrets(one, hide, "cookie" if name == "cookies" else name) for one in given]
    if isinstance(given, dict):
        return _object_without_secrets(given, hide, name)
    if given and given is not True and _CARRYING.search(name):
        return HIDDEN
    return _in_text(given, hide) if isinstance(given, str) else given


def _object_without_secrets(given: dict[str, Any], hide: Hide, name: str) -> dict[str, Any]:
    found = {key: _without_secrets(one, hide, key) for key, one in given.items()}
    if given.get("encoding") == "base64" or given.get("opcode") == 2:
        found |= {key: _in_base64(given[key], hide) for key in ("text", "data") if key in given}
    carries = name == "cookie" or _CARRYING.search(str(given.get("name", "")))
    return {**found, "value": HIDDEN} if carries and found.get("value") else found


def _in_base64(text: str, hide: Hide) -> str:
    try:
        return base64.b64encode(_in_text(base64.b64decode(text).decode("utf-8"), hide).encode()).decode()
    except ValueError:
        return hide(text)


def _in_text(text: str, hide: Hide) -> str:
    """A body, an address, a frame or a header without the values whose names say that they are secret."""
    plain = text.lstrip("\ufeff \r\n\t")
    if plain[:1] in ("{", "["):
        with suppress(ValueError, RecursionError):
            return json.dumps(_without_secrets(json.loads(plain), hide), ensure_ascii=False)
    for pattern in _NAMED:
        text = pattern.sub(rf"\g<1>{HIDDEN}", text)
    return hide(text)
