"""Types into fields: text, rich text, and fields with segments or a scale (date, time, range)."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from gui_agent.computers.browser.act import _pointer as pointer
from gui_agent.computers.browser.act import keyboard, pickers
from gui_agent.computers.browser.act._control import (
    HAS_KEYBOARD,
    TEXT_TYPES,
    Control,
    ControlQuery,
    Held,
    Moment,
    clicked_at,
    control_at,
    focused_control,
)
from gui_agent.computers.browser.act.pickers import SEGMENTED, fill_segments
from gui_agent.core.aiming import demand_once
from gui_agent.core.errors import ActionFailed

if TYPE_CHECKING:
    from gui_agent.computers.browser._tab import Tab
    from gui_agent.computers.browser.act._pointer import Place
    from gui_agent.computers.browser.look.snapshot import Seen
    from gui_agent.core.actions import TypeText
    from gui_agent.core.observation import Point

SELECT = (Path(__file__).parent / "select.js").read_text(encoding="utf-8")
CARET_AT_END = "End"
PLAIN = TEXT_TYPES - {"number"}
PLAIN_NUMBERS = frozenset({"number", "checkbox", "radio", "file", "color", "password"})
"""Types of fields that hold a date or time only as plain text."""
COMMITTED = re.compile(r"[-+]?[\d.,]+%?|#[0-9a-fA-F]{3,8}")
UNTYPED = {
    "file": "takes files; use upload",
    "select": "is a list; use choose",
    **dict.fromkeys(("checkbox", "radio"), "takes no text; use check"),
    **dict.fromkeys(("submit", "button", "reset", "image", "color"), "takes no text; aim at a text field"),
}
"""Inputs that do not accept typing, by input type or tag name, with the alternative."""
COMMIT = """(field) => {
  field.blur();
  field.focus();
}"""
"""Number and colour fields commit their value on blur; the next key still goes to them."""
FRAMED = "frame"
"""Marks the paths of elements in another document than the page's own."""
NEAR_BEGINNING = 12.0
"""Pixels from a field's left edge for the click if its end has another control."""


async def type_into(
    tab: Tab,
    text: str,
    at: Place | None,
    replace: bool,
    plain: Moment | None = None,
    still: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """Type text at the focus, or into the field at a place, which is clicked first."""
    control: Control[ControlQuery] | None
    if at is None:
        control = await focused_control(tab.page) if replace else None
    elif plain is not None:
        hearing = asyncio.create_task(keyboard.is_heard(tab, at))
        control = await clicked_at(tab, at, pointer.click(tab, at), plain)
        tab.unheard = not await hearing and text.isprintable()
    else:
        field = await control_at(tab, at)
        if await _is_filled_otherwise(tab, field, text, at, replace):
            return
        _check(field)
        control = await _click_control(tab, field, await _off_arrows(field, at))
    if replace:
        if control is None or not control.takes_text:
            raise ActionFailed(f"{control or 'the page'} takes no text; aim at a text field")
        await _clear(tab, control)
    elif control is not None:
        await _go_to_end(tab, control)
    await _put(tab, text, still)
    if replace and control is not None:
        await _commit(control, text)


async def select_words(tab: Tab, at: Place, words: str) -> None:
    """Select words of the field or text at a point. Raises ActionFailed unless it has them exactly once."""
    control, tab.by_script = await control_at(tab, at), True
    demand_once(words, await control.handle.evaluate(f"({SELECT})({json.dumps(words)})"))


async def _is_filled_otherwise(
    tab: Tab, field: Control[ControlQuery], text: str, at: Place, replace: bool
) -> bool:
    """Fill a field that needs more than typing: segments, a scale, a calendar, a colour; False for others."""
    if field.tag == "input" and field.type in SEGMENTED:
        await fill_segments(tab, field, text)
        return True
    if field.type == "range" or field.role == "slider":
        await set_slider(tab, field, text, at)
        return True
    if not replace:
        return False
    dated = pickers.wanted_date(text)
    if dated is not None and field.tag not in ("textarea", "select") and field.type not in PLAIN_NUMBERS:
        await pickers.fill(tab, at, dated)
        return True
    return pickers.COLOUR.fullmatch(text) is not None and await pickers.fill_colour(tab, at, text)


async def _go_to_end(tab: Tab, control: Control[ControlQuery]) -> None:
    """Move the caret to the end of the text, as the click put it somewhere inside."""
    if control.takes_text and control.value:
        await tab.page.keyboard.press("ControlOrMeta+End" if control.tag != "input" else CARET_AT_END)


async def _commit(control: Control[ControlQuery], text: str) -> None:
    if COMMITTED.fullmatch(text) and (control.numeric or text[0] == "#"):
        await control.handle.evaluate(COMMIT)


async def _put(tab: Tab, text: str, still: Callable[[], Awaitable[None]] | None) -> None:
    """Type a text; insert it at once if the page cannot distinguish that from single keys."""
    if tab.unheard:
        await tab.line.send("Input.insertText", {"text": text})
    else:
        await keyboard.type_text(tab.line, text, still)


def seen_plain(looked: Seen | None, action: TypeText[Point]) -> Moment | None:
    """The moment when the last look saw an ordinary text field at the target; None for other fields."""
    at = action.at
    if at is None or (action.replace and pickers.wanted_date(action.text)):
        return None
    there = [one for one in looked.elements if one.box.contains(at)] if looked else []
    field = min(there, key=lambda one: one.box.area, default=None)
    if looked is None or field is None or "editable" not in field.states or FRAMED in field.path:
        return None
    tag, kind = field.attributes.get("tag"), field.attributes.get("type")
    return looked.moment if tag == "textarea" or (tag == "input" and kind in PLAIN) else None


async def _off_arrows(control: Control[ControlQuery], at: Place) -> Place:
    """The place to click: near the start of a number field, because arrows at its end would change it."""
    box = await control.handle.bounding_box() if control.type == "number" else None
    return (box["x"] + min(NEAR_BEGINNING, box["width"] / 4), at[1]) if box else at


async def _click_control(tab: Tab, control: Control[ControlQuery], at: Place) -> Control[ControlQuery]:
    click = pointer.click(tab, at)
    if isinstance(control.handle, Held) and control.handle.found is not None:
        return await clicked_at(tab, at, click, control.handle.found) or control
    await click
    if await control.handle.evaluate(HAS_KEYBOARD):
        return control
    return await focused_control(tab.page) or control


def _check(control: Control[ControlQuery]) -> None:
    if control.readonly and control.takes_text:
        raise ActionFailed(
            f"{control} is read-only; use the control that fills it, such as a picker next to it"
        )
    kind = control.type if control.tag == "input" else control.tag
    if kind in UNTYPED:
        raise ActionFailed(f"{control} {UNTYPED[kind]}")


async def _clear(tab: Tab, control: Control[ControlQuery]) -> None:
    """Clear the field: select all and delete; key by key if the page prevents that."""
    if not control.value:
        return
    await keyboard.select_all(tab.page)
    await tab.page.keyboard.press("Delete")
    for _ in range(2):
        if not (await control.now()).value.strip():
            return
        await asyncio.sleep(0)
        await tab.page.keyboard.press("End")
        for _ in range(min(200, len(control.value))):
            await tab.page.keyboard.press("Backspace")


FOCUS_ONLY = "(slider) => slider.focus()"
READ = """(slider) => slider.localName === "input"
  ? [slider.valueAsNumber, Number(slider.min || 0), Number(slider.max || 100)]
  : [slider.getAttribute("aria-valuenow"), slider.getAttribute("aria-valuemin") || 0,
     slider.getAttribute("aria-valuemax") || 100].map(Number)"""
BOX = """(slider) => {
  const { left, top, width, height } = slider.getBoundingClientRect();
  return [left, top, width, height];
}"""
MOST = 2000
"""Maximum key presses before a slider counts as unmovable."""


async def set_slider(tab: Tab, control: Control[ControlQuery], text: str, at: Place) -> None:
    """Press arrow keys until the slider shows the number, or the nearest one it can show."""
    try:
        wanted = float(text.strip().rstrip("%"))
    except ValueError as error:
        raise ActionFailed(f"{control} takes a number only") from error
    value, least, most = await control.handle.evaluate(READ)
    if not least <= wanted <= most:
        raise ActionFailed(f"{control} goes from {least:g} to {most:g}; the number is not on it")
    await control.handle.evaluate(FOCUS_ONLY)  # a click on a slider would move it
    clicked = False
    for _ in range(MOST):
        if value == wanted:
            return
        await tab.page.keyboard.press("ArrowRight" if value < wanted else "ArrowLeft")
        before = value
        value = await _value_after(control, before)
        if value == before and not clicked:
            # It may accept keys only after a click, or take its value from the click position.
            clicked = True
            await _click_scale(tab, control, (wanted - least) / ((most - least) or 1))
            value = await _value_after(control, before)
            if value != before:
                continue
        if value == before:
            raise ActionFailed(f"{control} stays at {value:g}; drag its handle instead")
        if (before - wanted) * (value - wanted) < 0:
            raise ActionFailed(f"{control} cannot show the number; next to it are {before:g} and {value:g}")
    raise ActionFailed(f"{control} did not reach the number; drag its handle instead")


async def _value_after(control: Control[ControlQuery], before: float) -> float:
    value = before
    for wait in (0.01,) * 15 + (0.1, 0.2):
        value, _, _ = await control.handle.evaluate(READ)
        if value != before:
            break
        await asyncio.sleep(wait)
    return value


async def _click_scale(tab: Tab, control: Control[ControlQuery], share: float) -> None:
    left, top, width, height = await control.handle.evaluate(BOX)
    lies = width >= height
    x = left + width * share if lies else left + width / 2
    y = top + height / 2 if lies else top + height * (1 - share)
    await pointer.click(
        tab, (min(max(x, left + 1), left + width - 1), min(max(y, top + 1), top + height - 1))
    )
