"""Pictures of a page, taken the quickest way that the browser has."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Literal

from gui_agent.core.geometry import Size
from gui_agent.core.observation import Screenshot

if TYPE_CHECKING:
    from gui_agent.computers.browser.cdp.sender import Sender

Format = Literal["png", "jpeg"]


async def capture(line: Sender, kind: Format) -> Screenshot:
    """The visible part of the page; without a clip, which would cost a second frame."""
    wanted: dict[str, object] = {"format": kind, "optimizeForSpeed": True}
    if kind == "jpeg":
        wanted["quality"] = 85
    reply = await line.send("Page.captureScreenshot", wanted)
    return encoded(base64.b64decode(reply["data"]), kind)


def encoded(data: bytes, kind: Format) -> Screenshot:
    """The picture with its size, which is read from its header."""
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        size = Size(*image.size)
    return Screenshot(data, size, "image/png" if kind == "png" else "image/jpeg")
