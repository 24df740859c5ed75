"""Dialogs that a page opens (alert, confirm, prompt, leaving): shown and answered like other controls."""

from __future__ import annotations

import io
import itertools
import textwrap
from collections.abc import Awaitable
from dataclasses import dataclass
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
"""Numbers of dialog elements, far from those of page elements, so that none is ever used twice."""
LEAVING = "Leave site? Changes you made may not be saved."
WIDTH, PADDING, LINE, BUTTON = 440, 20, 20, 32


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the parts of a dialog stand on the screen."""

    frame: Box
    text: Box
    lines: tuple[str, ...]
    accept: Box
    dismiss: Box | None
    field: Box | None


class OpenDialog:
    """A dialog that waits for an answer; the page stands still until it gets one."""

    def __init__(self, dialog: Dialog) -> None:
        self._dialog = dialog
        self.message = dialog.message or (LEAVING if dialog.type == "beforeunload" else "")
        self.typed = dialog.default_value
        self._ids = {part: next(IDS) for part in ("frame", "text", "accept", "dismiss", "field")}

    def __str__(self) -> str:
        return f'a dialog is open: "{shorten(self.message)}"'

    @property
    def _labels(self) -> tuple[str, str]:
        return ("Leave", "Cancel") if self._dialog.type == "beforeunload" else ("OK", "Cancel")

    def elements(self, size: Size, scale: float) -> tuple[Element, ...]:
        """The dialog's controls, in reading order."""
        layout, ids = self._layout(size, scale), self._ids
        accept, dismiss = self._labels
        parts = [
            Element(ids["frame"], "alertdialog", self.message, layout.frame, source="dialog"),
            Element(ids["text"], "text", self.message, layout.text, source="dialog"),
        ]
        if layout.field:
            states = frozenset({"focused", "editable"})
            parts.append(
                Element(
                    ids["field"], "textbox", self.message, layout.field, self.typed, states, source="dialog"
                )
            )
        parts.append(Element(ids["accept"], "button", accept, layout.accept, source="dialog"))
        if layout.dismiss:
            parts.append(Element(ids["dismiss"], "button", dismiss, layout.dismiss, source="dialog"))
        return tuple(parts)

    def draw(self, behind: Screenshot | None, size: Size, scale: float, kind: Format) -> Screenshot:
        """The dialog over the last picture of the page, which itself cannot be photographed now."""
        from PIL import Image, ImageDraw, ImageEnhance

        if behind is not None:
            with Image.open(io.BytesIO(behind.data)) as image:
                canvas = ImageEnhance.Brightness(image.convert("RGB")).enhance(0.6)
        else:
            canvas = Image.new("RGB", (size.width, size.height), "#888888")
        self._paint(ImageDraw.Draw(canvas), self._layout(size, scale), scale)
        out = io.BytesIO()
        canvas.save(out, kind)
        return as_screenshot(out.getvalue(), kind)

    async def answer(self, action: Action, size: Size, scale: float) -> bool:
        """Answer with the action; whether the dialog is closed now."""
        layout = self._layout(size, scale)
        match action:
            case Click(at=at):
                return await self._click(at, layout)
            case TypeText(at=at) if layout.field and (at is None or layout.field.contains(at)):
                self.typed = action.text if action.replace else self.typed + action.text
                return False
            case Press(keys=keys) if layout.field and chord(keys) == ("space",):
                self.typed += " "
                return False
            case Press(keys=keys) if chord(keys) in {("enter",), ("space",)}:
                await _give_answer(self._dialog.accept(self.typed))
                return True
            case Press(keys=keys) if chord(keys) == ("escape",):
                await self.dismiss()
                return True
            case _:
                raise ActionFailed(f"{self}; answer it first with {self._ways()}")

    async def dismiss(self) -> None:
        """Close it as Escape does; one that is no longer there is closed."""
        await _give_answer(self._dialog.dismiss())

    async def _click(self, at: Point, layout: Layout) -> bool:
        if layout.accept.contains(at):
            await _give_answer(self._dialog.accept(self.typed))
            return True
        if layout.dismiss and layout.dismiss.contains(at):
            await self.dismiss()
            return True
        if layout.field and layout.field.contains(at):
            return False
        raise ActionFailed(f"{self}; answer it first with {self._ways()}")

    def _ways(self) -> str:
        accept, dismiss = self._labels
        return f'the button "{accept}"' if self._dialog.type == "alert" else f'"{accept}" or "{dismiss}"'

    def _layout(self, size: Size, scale: float) -> Layout:
        def px(value: float) -> int:
            return round(value * scale)

        width = min(px(WIDTH), size.width - px(PADDING))
        lines = [
            line
            for part in self.message.splitlines() or [""]
            for line in textwrap.wrap(part, max(10, int(width / scale - 2 * PADDING) // 8)) or [""]
        ][:20]
        prompt = self._dialog.type == "prompt"
        text_height = px(LINE * len(lines))
        height = px(3 * PADDING + BUTTON) + text_height + (px(BUTTON + PADDING) if prompt else 0)
        left, top = (size.width - width) // 2, max(0, (size.height - height) // 3)
        inner = width - 2 * px(PADDING)
        text = Box(left + px(PADDING), top + px(PADDING), inner, text_height)
        row = top + height - px(PADDING + BUTTON)
        right = left + width - px(PADDING)
        button = px(90)
        alone = self._dialog.type == "alert"
        dismiss = None if alone else Box(right - button, row, button, px(BUTTON))
        accept = Box(right - button * (1 if alone else 2) - (0 if alone else px(10)), row, button, px(BUTTON))
        field = Box(text.left, text.bottom + px(PADDING // 2), inner, px(BUTTON)) if prompt else None
        return Layout(Box(left, top, width, height), text, tuple(lines), accept, dismiss, field)

    def _paint(self, draw: ImageDraw.ImageDraw, layout: Layout, scale: float) -> None:
        from PIL import ImageFont

        font = ImageFont.load_default(size=round(14 * scale))

        def box(place: Box, fill: str, outline: str) -> None:
            edges = (place.left, place.top, place.right - 1, place.bottom - 1)
            draw.rounded_rectangle(edges, round(6 * scale), fill=fill, outline=outline)

        box(layout.frame, "#ffffff", "#555555")
        for number, line in enumerate(layout.lines):
            top = layout.text.top + round(number * LINE * scale)
            draw.text((layout.text.left, top), line, fill="#111111", font=font)
        if layout.field:
            box(layout.field, "#ffffff", "#1a5fb4")
            place = (layout.field.left + round(6 * scale), layout.field.center.y)
            draw.text(place, self.typed, fill="#111111", font=font, anchor="lm")
        accept, dismiss = self._labels
        box(layout.accept, "#1a5fb4", "#1a5fb4")
        draw.text((layout.accept.center.x, layout.accept.center.y), accept, "#ffffff", font, anchor="mm")
        if layout.dismiss:
            box(layout.dismiss, "#ffffff", "#1a5fb4")
            draw.text(
                (layout.dismiss.center.x, layout.dismiss.center.y), dismiss, "#1a5fb4", font, anchor="mm"
            )


async def _give_answer(answer: Awaitable[None]) -> None:
    """Give the answer; a dialog that went away by itself, or with its page, needs none."""
    try:
        await answer
    except errors() as error:
        if not is_moved_on(error) and "already handled" not in str(error):
            raise
