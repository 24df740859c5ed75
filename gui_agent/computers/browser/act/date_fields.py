"""Date and time fields, which are typed segment by segment in the order of the browser's language."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from typing import TYPE_CHECKING

from gui_agent.computers.browser.act import pointer
from gui_agent.computers.browser.act.keyboard import type_text
from gui_agent.core.errors import ActionFailed

if TYPE_CHECKING:
    from gui_agent.computers.browser.act.control import Control, ControlQuery
    from gui_agent.computers.browser.tab import Tab

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


async def fill_segments(tab: Tab, control: Control[ControlQuery], text: str) -> None:
    """Type a date or time into a field of that kind and read it back."""
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
    raise ActionFailed(f"{control} did not take what was typed; check the earliest and latest it allows")


def iso(kind: str, text: str) -> str:
    """The value of a field of this kind that shows the text: `2026-03-01`, `14:05`, `2026-03`, `2026-W09`."""
    text = text.strip()
    if kind == "date" and (day := day_of(text)):
        return day.isoformat()
    if kind == "time" and (moment := moment_of(text)):
        return _clock(moment)
    if kind == "datetime-local":
        parts = re.match(r"(.+?)(?:T|,?\s+)(\d{1,2}(?::\d\d){0,2}\s*(?:[AaPp]\.?[Mm]\.?)?)$", text)
        if parts and (day := day_of(parts[1])) and (moment := moment_of(parts[2])):
            return f"{day.isoformat()}T{_clock(moment)}"
    if kind == "month" and (month := _first(text, ("%Y-%m", "%B %Y", "%b %Y", "%m/%Y"))):
        return month.strftime("%Y-%m")
    if kind == "week" and (week := re.fullmatch(r"(\d{4})-?W(\d{1,2})|[Ww]eek (\d{1,2}),? (\d{4})", text)):
        year, number = (week[1], week[2]) if week[1] else (week[4], week[3])
        return f"{year}-W{int(number):02}"
    examples = {
        "date": "2026-03-01",
        "time": "14:05",
        "datetime-local": "2026-03-01 14:05",
        "month": "2026-03",
        "week": "2026-W09",
    }
    raise ActionFailed(f"the text does not fit a {kind} field; write it as {examples[kind]}")


def strokes(kind: str, value: str, order: list[str], twelve: bool, *, seconds: bool) -> list[str]:
    """What to type for an ISO value: digits by segment; `→` moves on where the field does not by itself."""
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
    """Click the first segment, at the left end of the field."""
    box = await control.handle.bounding_box()
    if box is None:
        raise ActionFailed(f"{control} is not shown; scroll to it")
    await pointer.click(tab, (box["x"] + min(14, box["width"] / 6), box["y"] + box["height"] / 2))


def _first(text: str, forms: tuple[str, ...]) -> datetime | None:
    for form in forms:
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    return None


def day_of(text: str) -> date | None:
    """The day that a text names as a whole; None when it is something else."""
    found = _first(text.strip(), DATES)
    return found.date() if found else None


def moment_of(text: str) -> time | None:
    """The time of day that a text names as a whole; None when it is something else."""
    found = _first(re.sub(r"\.", "", text.strip()).upper(), TIMES)
    return found.time() if found else None


def _clock(moment: time) -> str:
    return moment.strftime("%H:%M:%S" if moment.second else "%H:%M")
