"""Forms: small total functions from text to text, by name, with which a value can be written another way.

A form gives None where it does not apply, so that induction can try them all and keep those that
reproduce what was demonstrated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from gui_agent.procedures.language.constructs import Form, constructs
from gui_agent.procedures.language.dates import DATE_OUTPUTS, TIME_OUTPUTS, parse_date, parse_time
from gui_agent.procedures.language.numbers import list_items, number_in, ordinal

ON_THE_WAY = "all but the last item"
_EDGE = " \t\n.,;:!?\"'()[]"


def _words(text: str) -> list[str]:
    return text.split()


def _first_word(text: str) -> str | None:
    words = _words(text)
    return words[0].strip(_EDGE) if len(words) > 1 else None


def _last_word(text: str) -> str | None:
    words = _words(text)
    return words[-1].strip(_EDGE) if len(words) > 1 else None


def _rest(text: str) -> str | None:
    words = _words(text)
    return " ".join(words[1:]) if len(words) > 1 else None


def _all_but_last(text: str) -> str | None:
    words = _words(text)
    return " ".join(words[:-1]) if len(words) > 1 else None


def _on_the_way(text: str) -> str | None:
    """The items of a path without its end; nothing of a path of one item."""
    return ", ".join(list_items(text)[:-1])


def _plain_number(text: str) -> str | None:
    number = number_in(text)
    return None if number is None else f"{number:g}"


def _rank_number(text: str) -> str | None:
    rank = ordinal(text)
    return None if rank is None else str(rank)


def _between(opening: str, closing: str) -> Form:
    def inside(text: str) -> str | None:
        left, right = text.find(opening), text.rfind(closing)
        return text[left + len(opening) : right] if 0 <= left < right else None

    return inside


def _before(mark: str) -> Form:
    return lambda text: text.partition(mark)[0].strip() if mark in text else None


def _behind(mark: str) -> Form:
    return lambda text: text.rpartition(mark)[2].strip() if mark in text else None


def _date(output: Callable[..., str], european: bool) -> Form:
    def form(text: str) -> str | None:
        day = parse_date(text, european=european)
        return None if day is None else output(day)

    return form


def _time(output: Callable[..., str]) -> Form:
    def form(text: str) -> str | None:
        moment = parse_time(text)
        return None if moment is None else output(moment)

    return form


def _catalogue() -> dict[str, Form]:
    forms: dict[str, Form] = {
        "lower case": str.lower,
        "upper case": str.upper,
        "title case": str.title,
        "capitalised": lambda text: text[:1].upper() + text[1:],
        "trimmed": lambda text: text.strip(_EDGE),
        "first word": _first_word,
        "last word": _last_word,
        "all but the first word": _rest,
        "all but the last word": _all_but_last,
        "initial": lambda text: text.strip()[:1] or None,
        "digits": lambda text: re.sub(r"\D", "", text) or None,
        "number": _plain_number,
        "number of the ordinal": _rank_number,
        "without spaces": lambda text: re.sub(r"\s", "", text) if " " in text else None,
        "before the @": _before("@"),
        "after the @": _behind("@"),
        "in brackets": _between("(", ")"),
        "before the dot": _before("."),
        "after the dot": _behind("."),
        "after the slash": _behind("/"),
        "after the colon": _behind(":"),
        "before the colon": _before(":"),
        "singular": lambda text: text[:-1] if text.endswith("s") and len(text) > 2 else None,
        "plural": lambda text: text + "s" if text and text[-1].isalpha() else None,
    }
    forms[ON_THE_WAY] = _on_the_way
    for order, european in (("", False), (" (day first)", True)):
        for name, date_output in DATE_OUTPUTS.items():
            forms[f"date as {name}{order}"] = _date(date_output, european)
    for name, time_output in TIME_OUTPUTS.items():
        forms[f"time as {name}"] = _time(time_output)
    return forms


FORMS: Mapping[str, Form] = _catalogue()


def all_forms() -> Iterator[tuple[str, Form]]:
    """The forms of the general language and those of the domains that are switched on, by name."""
    yield from FORMS.items()
    yield from constructs().forms()


def formed(text: str, form: str) -> str | None:
    """The text in a form; None when the form does not apply to it, or is not known."""
    function = FORMS.get(form) or constructs().form(form)
    return None if function is None else _given(function, text)


@lru_cache(maxsize=50_000)
def _given(function: Form, text: str) -> str | None:
    return function(text)
