"""Keeping secrets off the disk: in texts, in settings, in password fields and on pictures."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote, quote_plus

from gui_agent.core.geometry import Box
from gui_agent.core.observation import Element, Observation, Screenshot

HIDDEN = "${secret}"
BULLETS = "••••••••"
PASSWORD = "password"

_SECRET_KEY = re.compile(r"(^|_)(api_?key|key|password|passwd|secrets?|token|credentials?|authorization)$")
_STRUCTURE = frozenset({"kind", "format", "button", "picture"})
"""Keys whose values come from the program itself and must stay as they are for the file to be readable."""


class Redactor:
    """Replaces secret values wherever they occur in what is about to be written."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        forms = {form for secret in secrets if secret for form in (secret, quote(secret), quote_plus(secret))}
        # Longest first: a secret that contains another one must not leave its ends behind.
        self._secrets = sorted(forms, key=len, reverse=True)
        self._written = [json.dumps(form, ensure_ascii=False)[1:-1].encode() for form in self._secrets]

    def text(self, text: str) -> str:
        """The text with every secret replaced."""
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return text

    def line(self, data: bytes) -> bytes:
        """The same JSON value with every secret in its texts replaced."""
        if not any(written in data for written in self._written):
            return data
        return json.dumps(self._value(json.loads(data)), ensure_ascii=False, separators=(",", ":")).encode()

    def elements(self, elements: Sequence[Element]) -> tuple[Element, ...]:
        """The elements; what stands in password fields becomes bullets of a fixed number."""
        return tuple(replace(e, value=BULLETS) if PASSWORD in e.states and e.value else e for e in elements)

    def boxes(self, observation: Observation) -> tuple[Box, ...]:
        """The regions of the picture that show a secret or a password field."""
        return tuple(e.box for e in observation.elements if PASSWORD in e.states or self._shows(e))

    def _shows(self, element: Element) -> bool:
        own = (element.name, element.value, element.description)
        return any(secret in text for secret in self._secrets for text in own)

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._value(item) for item in value]
        if isinstance(value, dict):
            return {key: item if key in _STRUCTURE else self._value(item) for key, item in value.items()}
        return value


def without_secrets(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as plain JSON values; what is named like a secret is replaced."""
    return {str(key): _setting(str(key), value) for key, value in settings.items()}


def boxed(picture: Screenshot, boxes: Iterable[Box]) -> bytes:
    """The picture as PNG with these regions painted over.

    Raises:
        OSError: the picture cannot be read.
    """
    from PIL import Image, ImageDraw

    try:
        image = Image.open(io.BytesIO(picture.data)).convert("RGB")
    except (SyntaxError, ValueError) as error:
        raise OSError("the picture is damaged") from error
    pen = ImageDraw.Draw(image)
    for box in boxes:
        if box.area:
            pen.rectangle((box.left, box.top, box.right - 1, box.bottom - 1), fill="#6b7280")
    data = io.BytesIO()
    image.save(data, "PNG", compress_level=1)
    return data.getvalue()


def _setting(key: str, value: Any) -> Any:
    if _SECRET_KEY.search(key.lower()) and value not in ("", None) and not isinstance(value, bool):
        return HIDDEN
    if isinstance(value, Mapping):
        return without_secrets(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [_setting("", item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
