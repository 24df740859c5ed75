"""Reading and writing dates and times of day in the notations that forms and pages use."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, time

from gui_agent.core.texts import normal
from gui_agent.procedures.language.numbers import number_in

MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_NUMERIC = re.compile(r"^(\d{1,4})\s*[/.\-]\s*(\d{1,2})\s*[/.\-]\s*(\d{1,4})$")
_TIME = re.compile(r"^(\d{1,2})(?:[:.](\d{2}))?(?::\d{2})?\s*([ap])?\.?\s*(?:m\.?)?$", re.IGNORECASE)


def month_number(word: str) -> int | None:
    """1 to 12 for a month's name or its first three letters."""
    word = word.strip(" .,").lower()
    if len(word) < 3:
        return None
    return next((i for i, name in enumerate(MONTHS, 1) if name == word or name[:3] == word), None)


def parse_date(text: str, *, european: bool = False) -> date | None:
    """A date written in digits or with the month's name; `european` reads 3/4/2024 as 3 April."""
    text = text.strip(" .,")
    numeric = _NUMERIC.match(text)
    if numeric:
        first, second, third = numeric.groups()
        if len(first) == 4:
            return _date(first, second, third)
        if len(third) in (2, 4):
            year = third if len(third) == 4 else "20" + third
            return _date(year, second, first) if european else _date(year, first, second)
        return None
    words = re.findall(r"[A-Za-z]+|\d+", text)
    months = [month_number(word) for word in words]
    month = next((number for number in months if number), None)
    digits = [word for word in words if word.isdecimal()]
    if month is None or len(digits) != 2 or len(words) > 4:
        return None
    day, year = sorted(digits, key=int)
    return _date(year, str(month), day) if len(year) == 4 else None


def _date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def parse_month(text: str) -> int | None:
    """A month and year such as `March 2024` as months since year 0; None when there is no such thing."""
    words = re.findall(r"[A-Za-z]+|\d{4}", text)
    month = next((number for number in map(month_number, words) if number), None)
    year = next((int(word) for word in words if word.isdecimal()), None)
    if month is None:
        return None
    return (year or 0) * 12 + month - 1


def parse_time(text: str) -> time | None:
    """A time of day with a colon or with am/pm; a bare number is none."""
    found = _TIME.match(text.strip())
    if not found or (found[2] is None and found[3] is None):
        return None
    hour, minute = int(found[1]), int(found[2] or 0)
    if found[3]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found[3].lower() == "p" else 0)
    return time(hour, minute) if hour < 24 and minute < 60 else None


def _hour12(moment: time) -> int:
    return moment.hour % 12 or 12


def _half(moment: time) -> str:
    return "AM" if moment.hour < 12 else "PM"


DATE_OUTPUTS: Mapping[str, Callable[[date], str]] = {
    "2024-03-09": lambda d: d.isoformat(),
    "03/09/2024": lambda d: d.strftime("%m/%d/%Y"),
    "3/9/2024": lambda d: f"{d.month}/{d.day}/{d.year}",
    "09/03/2024": lambda d: d.strftime("%d/%m/%Y"),
    "09.03.2024": lambda d: d.strftime("%d.%m.%Y"),
    "9.3.2024": lambda d: f"{d.day}.{d.month}.{d.year}",
    "03092024": lambda d: d.strftime("%m%d%Y"),
    "20240309": lambda d: d.strftime("%Y%m%d"),
    "March 9, 2024": lambda d: f"{MONTHS[d.month - 1].title()} {d.day}, {d.year}",
    "Mar 9, 2024": lambda d: f"{MONTHS[d.month - 1][:3].title()} {d.day}, {d.year}",
    "9 March 2024": lambda d: f"{d.day} {MONTHS[d.month - 1].title()} {d.year}",
    "9 Mar 2024": lambda d: f"{d.day} {MONTHS[d.month - 1][:3].title()} {d.year}",
    "March 2024": lambda d: f"{MONTHS[d.month - 1].title()} {d.year}",
    "March": lambda d: MONTHS[d.month - 1].title(),
    "Mar": lambda d: MONTHS[d.month - 1][:3].title(),
    "day 9": lambda d: str(d.day),
    "day 09": lambda d: f"{d.day:02d}",
    "month 3": lambda d: str(d.month),
    "month 03": lambda d: f"{d.month:02d}",
    "year 2024": lambda d: str(d.year),
}
TIME_OUTPUTS: Mapping[str, Callable[[time], str]] = {
    "16:05": lambda t: t.strftime("%H:%M"),
    "4:05 PM": lambda t: f"{_hour12(t)}:{t.minute:02d} {_half(t)}",
    "04:05 PM": lambda t: f"{_hour12(t):02d}:{t.minute:02d} {_half(t)}",
    "4:05PM": lambda t: f"{_hour12(t)}:{t.minute:02d}{_half(t)}",
    "04:05PM": lambda t: f"{_hour12(t):02d}:{t.minute:02d}{_half(t)}",
    "0405PM": lambda t: f"{_hour12(t):02d}{t.minute:02d}{_half(t)}",
    "hour 16": lambda t: str(t.hour),
    "hour 4": lambda t: str(_hour12(t)),
    "minute 05": lambda t: f"{t.minute:02d}",
    "AM or PM": _half,
}


def compared(now: str, goal: str) -> float | None:
    """How far the goal lies above the present reading: numbers, months, dates or times of day."""
    if normal(now) == normal(goal):
        return 0.0
    one, two = number_in(now), number_in(goal)
    if one is not None and two is not None:
        return two - one
    for read in (parse_date, parse_time):
        first, second = read(now), read(goal)
        if first is not None and second is not None:
            return 0.0 if first == second else 1.0 if second > first else -1.0  # type: ignore[operator]
    months = parse_month(now), parse_month(goal)
    if months[0] is not None and months[1] is not None:
        return float(months[1] - months[0])
    return None
