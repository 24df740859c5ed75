"""Fills date and time fields, by typing segments or picking in the page's calendar, and colour fields."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui_agent.computers.browser.act import _pointer as pointer
from gui_agent.computers.browser.act import keyboard
from gui_agent.computers.browser.act._control import (
    ALL_SHOWN,
    Control,
    ControlQuery,
    click_element,
    element_of,
    handled_at,
)
from gui_agent.computers.browser.act.keyboard import type_text
from gui_agent.computers.browser.look import settling
from gui_agent.core.errors import ActionFailed

if TYPE_CHECKING:
    from playwright.async_api import ElementHandle, JSHandle

    from gui_agent.computers.browser._tab import Tab
    from gui_agent.computers.browser.act._pointer import Place

SEGMENTED = frozenset({"date", "time", "datetime-local", "month", "week"})
DATES = (
    "%Y-%m-%d",
    "%m/%d/%Y",
    "%d.%m.%Y",
    "%Y/%m/%d",
    "%B %d, %Y",
    "%b %d, %Y",
    "%d %B %Y",
    "%d %b %Y",
    "%B %d %Y",
)
TIMES = ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M%p", "%I:%M:%S %p", "%I %p", "%I%p")
WEEKS = ("%G-W%V %u", "%GW%V %u", "week %V, %G %u", "week %V %G %u")
"""Formats of weeks; each text gets the number of a day in it."""
ORDER = """() => {
  const numeric = {year: "numeric", month: "2-digit", day: "2-digit"};
  const dates = new Intl.DateTimeFormat(navigator.language, numeric);
  const kinds = dates.formatToParts(new Date()).map((part) => part.type);
  const times = new Intl.DateTimeFormat(navigator.language, {hour: "numeric"});
  return [kinds.filter((kind) => kind !== "literal"), Boolean(times.resolvedOptions().hour12)];
}"""
ORDERS = (["month", "day", "year"], ["day", "month", "year"], ["year", "month", "day"])
SHOWS_SECONDS = (
    "(field) => field.value.length > 5 || (Number(field.step) || 60) % 60 !== 0 || field.step === 'any'"
)

WHOLE_VALUE = """(field) => {
  field.value = %s;
  for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, {bubbles: true}));
}"""


async def fill_segments(tab: Tab, control: Control[ControlQuery], text: str) -> None:
    """Type a date or time into a field of that kind and verify it."""
    wanted = iso(control.type, text)
    if control.value == wanted:
        return
    order, twelve = await tab.page.evaluate(ORDER)
    seconds = control.type in ("time", "datetime-local") and await control.handle.evaluate(SHOWS_SECONDS)
    tried: list[tuple[list[str], bool]] = []
    for arrangement in ((order, twelve), (order, not twelve), *((other, twelve) for other in ORDERS)):
        if arrangement in tried:
            continue
        tried.append(arrangement)
        await _focus_first(tab, control)
        for keys in strokes(control.type, wanted, *arrangement, seconds=seconds):
            if keys == "→":
                await tab.page.keyboard.press("ArrowRight")
            else:
                await type_text(tab.line, keys)
        value = (await control.now()).value
        if value == wanted or (value.startswith(wanted) and value[len(wanted) :] in (":00", ":00.000")):
            return
    # A page that answers each half-typed value undoes it; its calendar would give the whole day at once.
    tab.by_script = True
    await control.handle.evaluate(WHOLE_VALUE % json.dumps(wanted))
    if (await control.now()).value == wanted:
        return
    raise ActionFailed(f"{control} did not accept the typed value; check the earliest and latest it allows")


def iso(kind: str, text: str) -> str:
    """The value of a field of this kind for the text: `2026-03-01`, `14:05`, `2026-03`, `2026-W09`."""
    text = text.strip()
    if kind == "date" and (day := day_of(text)):
        return day.isoformat()
    if kind == "time" and (moment := moment_of(text)):
        return _clock(moment)
    if kind == "datetime-local":
        day, moment = _day_and_moment(text)
        if day and moment:
            return f"{day.isoformat()}T{_clock(moment)}"
    if kind == "month" and (month := _first(text, ("%Y-%m", "%B %Y", "%b %Y", "%m/%Y"))):
        return month.strftime("%Y-%m")
    if kind == "week" and (monday := _first(f"{text} 1", WEEKS)):
        return monday.strftime("%G-W%V")
    examples = {
        "date": "2026-03-01",
        "time": "14:05",
        "datetime-local": "2026-03-01 14:05",
        "month": "2026-03",
        "week": "2026-W09",
    }
    raise ActionFailed(f"the text does not fit a {kind} field; write it as {examples[kind]}")


def strokes(kind: str, value: str, order: list[str], twelve: bool, *, seconds: bool) -> list[str]:
    """The keys for an ISO value: digits by segment; `→` moves on if the field does not by itself."""
    day, _, moment = value.partition("T") if kind == "datetime-local" else (value, "", value)
    keys: list[str] = []
    if kind == "week":
        year, week = value.split("-W")
        return [week, "→", year]
    if kind == "month":
        year, month = value.split("-")
        return [month, "→", year]
    if kind in ("date", "datetime-local"):
        parts = dict(zip(("year", "month", "day"), day.split("-"), strict=True))
        for name in order:
            keys.append(parts[name])
            if name == "year":
                keys.append("→")  # years may have six digits, so the field waits for more
    if kind in ("time", "datetime-local"):
        hour, minute, *rest = moment.split(":")
        number = int(hour)
        keys += [f"{(number - 1) % 12 + 1:02}" if twelve else hour, minute]
        if seconds:
            keys.append(rest[0] if rest else "00")
        if twelve:
            keys.append("p" if number >= 12 else "a")
    return keys


async def _focus_first(tab: Tab, control: Control[ControlQuery]) -> None:
    box = await control.handle.bounding_box()
    if box is None:
        raise ActionFailed(f"{control} is not visible; scroll to it")
    await pointer.click(tab, (box["x"] + min(14, box["width"] / 6), box["y"] + box["height"] / 2))


def _first(text: str, forms: tuple[str, ...]) -> datetime | None:
    for form in forms:
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    return None


def day_of(text: str) -> date | None:
    """The day, if the whole text is one; otherwise None."""
    found = _first(text.strip(), DATES)
    return found.date() if found else None


def moment_of(text: str) -> time | None:
    """The time of day, if the whole text is one; otherwise None."""
    found = _first(re.sub(r"\.", "", text.strip()).upper(), TIMES)
    return found.time() if found else None


def _day_and_moment(text: str) -> tuple[date | None, time | None]:
    """The day and the time of day in a text, both or one of them."""
    parts = re.match(r"(.+?)(?:T|,?\s+)(\d{1,2}(?::\d\d){0,2}\s*(?:[AaPp]\.?[Mm]\.?)?)$", text.strip())
    if parts and (day := day_of(parts[1])) and (moment := moment_of(parts[2])):
        return day, moment
    return day_of(text), moment_of(text)


def _clock(moment: time) -> str:
    return moment.strftime("%H:%M:%S" if moment.second else "%H:%M")


CALENDAR = (Path(__file__).parent / "calendar.js").read_text(encoding="utf-8")
PICKERS = (Path(__file__).parent / "pickers.js").read_text(encoding="utf-8")
SEGMENTS, KIND, OPENED, COLOUR_FIELD, CONFIRM, HOLD_SUBMIT = (
    f"(field, before) => ({PICKERS}).{name}(field, before)"
    for name in ("segments", "kind", "opened", "colourField", "confirm", "holdSubmit")
)
MASK = re.compile(r"^\W*(?:(?:Y{2,4}|M{1,4}|D{1,2}|H{1,2}|m{2}|s{2}|A{1,2})\W*){2,6}$", re.IGNORECASE)
"""Matches a hint that shows a format: `MM/DD/YYYY`, `dd.mm.yyyy`, `hh:mm aa`."""
COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
HINT = "(field) => [field.getAttribute('placeholder') || '', field.value || '']"
SHOWS = "(field) => 'value' in field && field.localName !== 'button' ? field.value : field.innerText || ''"
TWELVE_HOURS = "(one) => Number(one.getAttribute('aria-valuemax')) <= 12"
TURNS = 60
"""Maximum clicks in a calendar before the day counts as unreachable."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A day, a time of day, or both, as the user wrote it."""

    text: str
    day: date | None
    moment: time | None

    def shown_by(self, value: str) -> bool:
        """Whether a field's value expresses it, in whatever format."""
        day, moment = _day_and_moment(value)
        return (self.day is None or day == self.day) and (self.moment is None or moment == self.moment)

    def part(self, kind: str) -> int | None:
        """The year, month, day, hour, minute or second of the wanted time; None if it has no such part."""
        found: int | None = getattr(self.day, kind, getattr(self.moment, kind, None))
        return found

    def ways_to_write(self, masks: Sequence[str]) -> list[str]:
        """The texts to try: in the formats of the hints, as given, and one day per field."""
        texts = [*map(self.written_like, masks), self.text]
        if self.day is not None and self.moment is None and not masks:
            texts += map(self.day.strftime, ("%m/%d/%Y", "%B %d, %Y"))
        return list(dict.fromkeys(texts))

    def written_like(self, mask: str) -> str:
        """The text in the format of a hint, such as `MM/DD/YYYY` or `hh:mm aa`."""
        twelve = bool(re.search(r"a", mask, re.IGNORECASE)) and "h" in mask.lower()
        forms = {
            "y": ("%Y", self.day), "d": ("%d", self.day), "h": ("%I" if twelve else "%H", self.moment),
            "s": ("%S", self.moment), "a": ("%p", self.moment),
        }  # fmt: skip

        def shown_part(match: re.Match[str]) -> str:
            letter = match[0][0].lower()
            minutes = letter == "m" and (self.day is None or ":" in mask[: match.start()])
            form, value = ("%M", self.moment) if minutes else ("%m", self.day)
            form, value = forms.get(letter, (form, value))
            return value.strftime(form) if value is not None else match[0]

        return re.sub(r"([YMDHSAymdhsa])\1*", shown_part, mask)


def wanted_date(text: str) -> Wanted | None:
    """The day or time, if the whole text is one; otherwise None."""
    day, moment = _day_and_moment(text)
    return Wanted(text.strip(), day, moment) if day or moment else None


async def _rest(tab: Tab) -> None:
    """Wait during an action until the page has reacted, for example opened a calendar."""
    with contextlib.suppress(ActionFailed):
        await settling.ask_watcher(tab, settling.rest_question(tab, 0.05, 0.02, 0.5))


async def fill(tab: Tab, at: Place, what: Wanted) -> None:
    """Set the field at a place to a day or time, and verify it."""
    control = await handled_at(tab.page, at)
    if control.tag != "input":
        segments = await control.handle.evaluate_handle(SEGMENTS)
        if await segments.evaluate("(all) => all.length"):
            await _segments(tab, segments, what)
            return
    before = await control.handle.evaluate_handle(ALL_SHOWN)
    await pointer.click(tab, at)
    await _rest(tab)
    if control.takes_text and not control.readonly and await _type_date(tab, control, before, what):
        return
    if what.day is not None and await _pick_day_in_calendar(tab, control, at, before, what):
        return
    value = await control.handle.evaluate(SHOWS)
    if what.shown_by(value):
        return
    await keyboard.press(tab.page, ("escape",), 1)
    raise ActionFailed(f'{control} did not accept "{what.text}"; it shows "{value}"')


async def _confirm(tab: Tab, field: ElementHandle) -> None:
    """Press Enter for the open picker without submitting the form around it."""
    await field.evaluate(HOLD_SUBMIT)
    await keyboard.press(tab.page, ("enter",), 1)


async def _type_date(tab: Tab, control: Control[ElementHandle], before: JSHandle, what: Wanted) -> bool:
    """Type it in the hint's format, otherwise as given; confirm an opened picker with Enter."""
    hint, value = await control.handle.evaluate(HINT)
    masks = list(filter(MASK.match, (hint, value)))
    texts = what.ways_to_write(masks)
    for text in texts:
        if value or text != texts[0]:
            await keyboard.select_all(tab.page)
            if (await control.now()).value and not masks:
                await tab.page.keyboard.press("Delete")
        await keyboard.type_text(tab.line, text)
        if not await _answer_picker(tab, control, before) and (masks or value):
            await keyboard.press(tab.page, ("tab",), 1)
        now = (await control.now()).value
        if now == text if what.text == text and not masks else what.shown_by(now):
            return True
    # A picker that rewrites the field after each key gets the text at once, as from the clipboard.
    await keyboard.select_all(tab.page)
    await tab.page.keyboard.insert_text(what.text)
    await tab.page.keyboard.press("End")
    await _answer_picker(tab, control, before)
    return what.shown_by((await control.now()).value)


async def _answer_picker(tab: Tab, control: Control[ElementHandle], before: JSHandle) -> bool:
    """Press Enter for a picker that opened with a field; False if none opened."""
    await _rest(tab)
    opened = bool(await control.handle.evaluate(OPENED, before))
    if opened:
        await _confirm(tab, control.handle)
        await _rest(tab)
    return opened


async def _pick_day_in_calendar(
    tab: Tab, control: Control[ElementHandle], at: Place, before: JSHandle, what: Wanted
) -> bool:
    assert what.day is not None
    for _ in range(6):  # it may open by itself
        if await control.handle.evaluate(OPENED, before):
            break
        await asyncio.sleep(0.15)
    else:
        await pointer.click(tab, at)
        await _rest(tab)
    first = await control.handle.evaluate(SHOWS)
    aim: list[Any] = [before, what.day.year, what.day.month, what.day.day]
    for _ in range(TURNS):
        step = await control.handle.evaluate_handle(f"(control, aim) => ({CALENDAR})(control, aim)", aim)
        if await step.evaluate("(step) => step === null"):
            return False
        element = await element_of(step.get_property("element"))
        assert element is not None
        last = await step.evaluate("(step) => step.last")
        await click_element(tab, element)
        await _rest(tab)
        if last:
            value = await control.handle.evaluate(SHOWS)
            return what.shown_by(value) or value != first
    return False


async def _segments(tab: Tab, segments: JSHandle, what: Wanted) -> None:
    typed = 0
    for index in range(await segments.evaluate("(all) => all.length")):
        one = await element_of(segments.evaluate_handle("(all, index) => all[index]", index))
        assert one is not None
        kind = await one.evaluate(KIND)
        value = what.part(kind)
        if kind == "hour" and value is not None and await one.evaluate(TWELVE_HOURS):
            value = (value - 1) % 12 + 1
        await one.evaluate("(one) => one.focus()")
        if kind == "half" and what.moment:
            await keyboard.type_text(tab.line, "p" if what.moment.hour >= 12 else "a")
        elif value is not None:
            typed += 1
            await keyboard.type_text(tab.line, f"{value:04}" if kind == "year" else f"{value:02}")
            shown = await one.evaluate("(one) => one.getAttribute('aria-valuenow') || one.textContent")
            if re.sub(r"\D", "", shown or "").lstrip("0") != str(value).lstrip("0"):
                raise ActionFailed(f'the part for the {kind} did not accept "{value}"; it shows "{shown}"')
    if typed < 2:
        raise ActionFailed(f'the field has no parts for "{what.text}"')


async def fill_colour(tab: Tab, at: Place, text: str) -> bool:
    """Set a colour such as `#ff0000` in a colour control; False if there is none that can be set."""
    control = await handled_at(tab.page, at)
    if control.type == "color":
        # The window that opens is the system's own: the driver sets the colour and fires the events.
        await control.handle.fill(text.lower())
        return True
    if control.takes_text:
        return False
    before = await control.handle.evaluate_handle(ALL_SHOWN)
    await pointer.click(tab, at)
    for _ in range(20):
        field = await element_of(control.handle.evaluate_handle(COLOUR_FIELD, before))
        if field is not None:
            break
        await asyncio.sleep(0.05)
    else:
        return False
    await _rest(tab)
    plain = not (await field.evaluate("(field) => field.value")).startswith("#")
    await click_element(tab, field)
    await keyboard.replace_text(tab, text[1:] if plain else text)
    await _confirm(tab, field)
    await _rest(tab)
    if await field.evaluate("(field) => field.isConnected"):
        value = await field.evaluate("(field) => field.value")
        if value.lstrip("#").lower()[:6] != text[1:].lower():
            raise ActionFailed(f'{control} did not accept "{text}"; it shows "{value}"')
        confirm = await element_of(field.evaluate_handle(CONFIRM))
        if confirm is not None and await field.evaluate("(field) => field.checkVisibility()"):
            await click_element(tab, confirm)
    return True
