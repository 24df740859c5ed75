"""Shows dialogs of a page (alert, confirm, prompt, leaving) as elements, and answers them."""

from __future__ import annotations

import io
import itertools
import textwrap
from collections.abc import Awaitable, Mapping
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from gui_agent.computers.browser.cdp.sender import errors, is_moved_on
from gui_agent.computers.browser.look.preview import Format, as_screenshot
from gui_agent.core.actions import Action, Click, Press, TypeText
from gui_agent.core.errors import ActionFailed
from gui_agent.core.keys import chord
from gui_agent.core.observation import Box, Element, Point, Screenshot, Size
from gui_agent.core.texts import shorten

if TYPE_CHECKING:
    from PIL import ImageDraw
    from playwright.async_api import Dialog

IDS = itertools.count(1_000_001)
"""Numbers of dialog elements, far from those of page elements, so that none is ever reused."""
LEAVING = "Leave site? Changes you made may not be saved."
WIDTH, PADDING, LINE, BUTTON = 440, 20, 20, 32


ROLES = {"frame": "alertdialog", "text": "text", "field": "textbox", "accept": "button", "dismiss": "button"}
"""The roles of a dialog's parts."""
COLOURS = {
    "frame": ("#ffffff", "#555555"),
    "field": ("#ffffff", "#1a5fb4"),
    "accept": ("#1a5fb4", "#1a5fb4"),
    "dismiss": ("#ffffff", "#1a5fb4"),
}
"""Fill and outline colours of the parts."""


class OpenDialog:
    """A dialog that waits for an answer; the page is blocked until it gets one."""

    def __init__(self, dialog: Dialog) -> None:
        self._dialog = dialog
        self.message = dialog.message or (LEAVING if dialog.type == "beforeunload" else "")
        self.typed = dialog.default_value
        self._ids = {part: next(IDS) for part in ROLES}

    def __str__(self) -> str:
        return f'a dialog is open: "{shorten(self.message)}"'

    @property
    def _names(self) -> dict[str, str]:
        """The names of the buttons."""
        accept = "Leave" if self._dialog.type == "beforeunload" else "OK"
        return {"accept": accept} if self._dialog.type == "alert" else {"accept": accept, "dismiss": "Cancel"}

    def elements(self, size: Size, scale: float) -> tuple[Element, ...]:
        """The dialog's controls, in reading order."""
        held = {"field": (self.typed, frozenset({"focused", "editable"}))}
        return tuple(
            Element(
                self._ids[part],
                ROLES[part],
                self._names.get(part, self.message),
                box,
                *held.get(part, ("", frozenset())),
                source="dialog",
            )
            for part, box in self._boxes(size, scale).items()
        )

    def draw(self, behind: Screenshot | None, size: Size, scale: float, kind: Format) -> Screenshot:
        """The dialog drawn over the page's last picture, because the blocked page cannot be captured."""
        from PIL import Image, ImageDraw, ImageEnhance

        if behind is not None:
            with Image.open(io.BytesIO(behind.data)) as image:
                canvas = ImageEnhance.Brightness(image.convert("RGB")).enhance(0.6)
        else:
            canvas = Image.new("RGB", (size.width, size.height), "#888888")
        self._paint(ImageDraw.Draw(canvas), self._boxes(size, scale), scale)
        out = io.BytesIO()
        canvas.save(out, kind)
        return as_screenshot(out.getvalue(), kind)

    async def answer(self, action: Action, size: Size, scale: float) -> bool:
        """Answer with the action. Returns whether the dialog is closed now."""
        boxes = self._boxes(size, scale)
        match self._meaning(action, boxes):
            case "accept":
                await _give_answer(self._dialog.accept(self.typed))
            case "dismiss":
                await self.dismiss()
            case "field":
                if isinstance(action, TypeText):
                    self.typed = action.text if action.replace else self.typed + action.text
                elif isinstance(action, Press):
                    self.typed += " "
                return False
            case _:
                ways = " or ".join(f'"{name}"' for name in self._names.values())
                ways = f"the button {ways}" if len(self._names) == 1 else ways
                raise ActionFailed(f"{self}; answer it first with {ways}")
        return True

    def _meaning(self, action: Action, boxes: Mapping[str, Box]) -> str:
        """The part of the dialog that an action uses; empty if none."""
        match action:
            case Click(at=at) | TypeText(at=Point() as at):
                used = ("field",) if isinstance(action, TypeText) else ("accept", "dismiss", "field")
                return next((part for part in used if part in boxes and boxes[part].contains(at)), "")
            case TypeText():
                return "field" if "field" in boxes else ""
            case Press(keys=keys):
                space = "field" if "field" in boxes else "accept"
                return {"space": space, "enter": "accept", "escape": "dismiss"}.get("+".join(chord(keys)), "")
        return ""

    async def dismiss(self) -> None:
        """Close it as Escape does; do nothing if it is closed already."""
        await _give_answer(self._dialog.dismiss())

    def _lines(self, width: float) -> list[str]:
        """The message wrapped to lines of this width in CSS pixels."""
        wrap = partial(textwrap.wrap, width=max(10, int(width - 2 * PADDING) // 8))
        parts = self.message.splitlines() or [""]
        return list(chain.from_iterable(wrap(part) or [""] for part in parts))[:20]

    def _boxes(self, size: Size, scale: float) -> dict[str, Box]:
        """The boxes of the parts on a screen of this size, in reading order."""
        pad, button, gap = (round(value * scale) for value in (PADDING, BUTTON, 10))
        width = min(round(WIDTH * scale), size.width - pad)
        inner, text = width - 2 * pad, round(LINE * scale * len(self._lines(width / scale)))
        field = button + pad if self._dialog.type == "prompt" else 0
        height = 3 * pad + button + text + field
        left, top = (size.width - width) // 2, max(0, (size.height - height) // 3)
        boxes = {"frame": Box(left, top, width, height), "text": Box(left + pad, top + pad, inner, text)}
        if field:
            boxes["field"] = Box(left + pad, top + pad + text + pad // 2, inner, button)
        wide = round(90 * scale)
        last = Box(left + width - pad - wide, top + height - pad - button, wide, button)
        for place, part in enumerate(reversed(self._names)):
            boxes[part] = last.shift(-place * (wide + gap), 0)
        return {part: boxes[part] for part in ROLES if part in boxes}

    def _paint(self, draw: ImageDraw.ImageDraw, boxes: Mapping[str, Box], scale: float) -> None:
        from PIL import ImageFont

        font = ImageFont.load_default(size=round(14 * scale))
        for part, (fill, outline) in COLOURS.items():
            if part in boxes:
                left, top, right, bottom = boxes[part].edges
                edges = (left, top, right - 1, bottom - 1)
                draw.rounded_rectangle(edges, round(6 * scale), fill=fill, outline=outline)
        left, top = boxes["text"].corner
        for number, line in enumerate(self._lines(boxes["frame"].width / scale)):
            draw.text((left, top + round(number * LINE * scale)), line, fill="#111111", font=font)
        if "field" in boxes:
            place = (left + round(6 * scale), boxes["field"].center.y)
            draw.text(place, self.typed, fill="#111111", font=font, anchor="lm")
        for part, name in self._names.items():
            middle = boxes[part].center
            colour = "#ffffff" if part == "accept" else "#1a5fb4"
            draw.text((middle.x, middle.y), name, colour, font, anchor="mm")


async def _give_answer(answer: Awaitable[None]) -> None:
    """Give the answer; ignore a dialog that closed by itself or with its page."""
    try:
        await answer
    except errors() as error:
        if not is_moved_on(error) and "already handled" not in str(error):
            raise
