"""Forms: small total functions, looked up by name, that rewrite a value in another way.

A form returns None if it does not apply, so that induction can try all forms and keep those that
reproduce what was demonstrated.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from datetime import date, time
from functools import lru_cache, partial
from importlib.resources import files
from itertools import chain

from gui_agent.core.texts import ORDINALS, normal
from gui_agent.procedures.language.constructs import Form, constructs

_CARDINALS = "one two three four five six seven eight nine ten eleven twelve"
CARDINALS = _CARDINALS.split()
_ORDINAL = re.compile(r"^(\d+)(?:st|nd|rd|th)$")
_NUMBER = re.compile(r"[-−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-−]?\d+(?:\.\d+)?")
_DURATION = re.compile(
    r"^\D*?(?:(\d+)\s*h(?:ours?|rs?)?)?[\s,]*(?:(\d+)\s*m(?:in(?:utes?)?)?)?\s*$", re.IGNORECASE
)
NOTHING = frozenset({"nothing", "none", "no one", "nobody"})
"""Words that stand for an empty list."""
_LIST_SEPARATOR = re.compile(r"\s*(?:,\s*and\s+|,\s*|;\s*|\s+and\s+|\s*[&>→]\s*)", re.IGNORECASE)

_COMMAS = re.compile(r"\s*[,;]\s*")


def ordinal(text: str) -> int | None:
    """`third`, `3rd`, `3`, `three`, `#3` as 3; `last` as -1; None for anything else."""
    word = text.strip(" .,#").lower()
    if word in ("last", "final"):
        return -1
    for names in (ORDINALS, CARDINALS):
        if word in names:
            return names.index(word) + 1
    found = _ORDINAL.match(word)
    if found:
        return int(found[1])
    return int(word) if word.isdecimal() else None


def number_in(text: str) -> float | None:
    """The only number in a text, or a duration in minutes; None if there is none or more than one."""
    duration = _DURATION.match(text)
    if duration and any(duration.groups()) and not text.strip().isdecimal():
        return float(int(duration[1] or 0) * 60 + int(duration[2] or 0))
    found = _NUMBER.findall(text)
    if len(found) == 1:
        return float(found[0].replace(",", "").replace("−", "-"))
    if not found and text.strip().lower() in CARDINALS:
        return float(CARDINALS.index(text.strip().lower()) + 1)
    return None


def list_items(text: str, *, commas: bool = False) -> tuple[str, ...]:
    """The items of `a, b and c` or `a > b > c`; with `commas`, `Trinidad and Tobago` is one item."""
    if text.strip().lower() in NOTHING:
        return ()
    separator = _COMMAS if commas else _LIST_SEPARATOR
    return tuple(item.strip().strip("\"'") for item in separator.split(text.strip()) if item.strip())


_MONTHS = "january february march april may june july august september october november december"
MONTHS = _MONTHS.split()
_NUMERIC = re.compile(r"^(\d{1,4})\s*[/.\-]\s*(\d{1,2})\s*[/.\-]\s*(\d{1,4})$")
_TIME = re.compile(r"^(\d{1,2})(?:[:.](\d{2}))?(?::\d{2})?\s*([ap])?\.?\s*(?:m\.?)?$", re.IGNORECASE)


def month_number(word: str) -> int | None:
    """1 to 12 for a month's name or its first three letters."""
    word = word.strip(" .,").lower()
    if len(word) < 3:
        return None
    return next((i for i, name in enumerate(MONTHS, 1) if name == word or name[:3] == word), None)


def parse_date(text: str, *, european: bool = False) -> date | None:
    """A date in digits or with a month name; `european` reads 3/4/2024 as 3 April."""
    text = text.strip(" .,")
    numeric = _NUMERIC.match(text)
    if numeric:
        first, second, third = numeric.groups()
        if len(first) == 4:
            return _date_of(first, second, third)
        if len(third) in (2, 4):
            year = third if len(third) == 4 else "20" + third
            return _date_of(year, second, first) if european else _date_of(year, first, second)
        return None
    words = re.findall(r"[A-Za-z]+|\d+", text)
    months = [month_number(word) for word in words]
    month = next((number for number in months if number), None)
    digits = [word for word in words if word.isdecimal()]
    if month is None or len(digits) != 2 or len(words) > 4:
        return None
    day, year = sorted(digits, key=int)
    return _date_of(year, str(month), day) if len(year) == 4 else None


def _date_of(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def parse_month(text: str) -> int | None:
    """A month and year such as `March 2024` as months since year 0; None if the text is no such date."""
    words = re.findall(r"[A-Za-z]+|\d{4}", text)
    month = next((number for number in map(month_number, words) if number), None)
    year = next((int(word) for word in words if word.isdecimal()), None)
    if month is None:
        return None
    return (year or 0) * 12 + month - 1


def parse_time(text: str) -> time | None:
    """A time of day with a colon or with am/pm; None for a bare number."""
    found = _TIME.match(text.strip())
    if not found or (found[2] is None and found[3] is None):
        return None
    hour, minute = int(found[1]), int(found[2] or 0)
    if found[3]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found[3].lower() == "p" else 0)
    return time(hour, minute) if hour < 24 and minute < 60 else None


def _write_date(day: date, pattern: str) -> str:
    return pattern.format(d=day, month=MONTHS[day.month - 1].title())


def _write_time(moment: time, pattern: str) -> str:
    return pattern.format(t=moment, hour=moment.hour % 12 or 12, half="AM" if moment.hour < 12 else "PM")


_TABLES = tomllib.loads(files("gui_agent.procedures.language").joinpath("forms.toml").read_text("utf-8"))
DATE_OUTPUTS: Mapping[str, Callable[[date], str]] = {
    name: partial(_write_date, pattern=pattern) for name, pattern in _TABLES["dates"].items()
}
TIME_OUTPUTS: Mapping[str, Callable[[time], str]] = {
    name: partial(_write_time, pattern=pattern) for name, pattern in _TABLES["times"].items()
}


def distance_to(now: str, goal: str) -> float | None:
    """The goal minus the current reading: numbers, months, dates or times of day."""
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


ON_THE_WAY = "all but the last item"
_EDGE = " \t\n.,;:!?\"'()[]"


def _of_several_words(part: Callable[[list[str]], str]) -> Form:
    return lambda text: part(words) if len(words := text.split()) > 1 else None


def _plain_number(text: str) -> str | None:
    number = number_in(text)
    return None if number is None else f"{number:g}"


def _rank_number(text: str) -> str | None:
    rank = ordinal(text)
    return None if rank is None else str(rank)


def _part(pattern: str) -> Form:
    def part(text: str) -> str | None:
        found = re.fullmatch(pattern, text, re.DOTALL)
        return None if found is None else found[1].strip()

    return part


def _date(output: Callable[..., str], european: bool) -> Form:
    return lambda text: None if (day := parse_date(text, european=european)) is None else output(day)


def _time(output: Callable[..., str]) -> Form:
    return lambda text: None if (moment := parse_time(text)) is None else output(moment)


def _catalogue() -> dict[str, Form]:
    forms: dict[str, Form] = {
        "lower case": str.lower,
        "upper case": str.upper,
        "title case": str.title,
        "capitalised": lambda text: text[:1].upper() + text[1:],
        "trimmed": lambda text: text.strip(_EDGE),
        "first word": _of_several_words(lambda words: words[0].strip(_EDGE)),
        "last word": _of_several_words(lambda words: words[-1].strip(_EDGE)),
        "all but the first word": _of_several_words(lambda words: " ".join(words[1:])),
        "all but the last word": _of_several_words(lambda words: " ".join(words[:-1])),
        "digits": lambda text: re.sub(r"\D", "", text) or None,
        "number": _plain_number,
        "number of the ordinal": _rank_number,
        "without spaces": lambda text: re.sub(r"\s", "", text) if " " in text else None,
        "plural": lambda text: text + "s" if text and text[-1].isalpha() else None,
    }
    forms |= {name: _part(pattern) for name, pattern in _TABLES["parts"].items()}
    forms[ON_THE_WAY] = lambda text: ", ".join(list_items(text)[:-1])
    for order, european in (("", False), (" (day first)", True)):
        for name, date_output in DATE_OUTPUTS.items():
            forms[f"date as {name}{order}"] = _date(date_output, european)
    for name, time_output in TIME_OUTPUTS.items():
        forms[f"time as {name}"] = _time(time_output)
    return forms


FORMS: Mapping[str, Form] = _catalogue()


def all_forms() -> Iterator[str]:
    """The names of the forms of the general language and of the enabled domains."""
    return chain(FORMS, constructs().forms)


def in_form(text: str, form: str) -> str | None:
    function = FORMS.get(form) or constructs().forms.get(form)
    return None if function is None else _apply(function, text)


@lru_cache(maxsize=50_000)
def _apply(function: Form, text: str) -> str | None:
    return function(text)
