"""Calendars, and booking a flight with one."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Generator

from demonstrators.script import NotSeen, Script
from demonstrators.seeing import (
    click,
    fill,
    groups,
    like,
    named,
    nth,
    only_list,
    scroll,
    submit,
    those,
)
from gui_agent.core.actions import Proposal
from gui_agent.core.observation import Observation
from gui_agent.core.trajectory import Trajectory


def pick_date(task: str, screen: Observation) -> Script:
    """Open the calendar, turn to the month, click the day, then submit."""
    screen = yield from _date_picked(screen, groups(r"(\d\d/\d\d/\d{4})", task)[0])
    yield submit(screen)


def book_flight(task: str, screen: Observation) -> Script:
    """Fill in the search, look through all flights, and book the best one."""
    wish, start, end, date = groups(r"the (\w+) one-way flight from: (.*) to: (.*) on (\S+)\.", task)
    for field, place in (("From:", start), ("To:", end)):
        screen = yield fill(named(screen, field, "textbox"), place)
        meant = place if "," in place else f"({place})"
        fits = [one for one in those(screen, "listitem") if meant in one.name]
        if len(fits) > 1:
            raise NotSeen(f"several airports are called {place}")
        screen = yield click(nth(fits, 1, "suggestion"))
    screen = yield from _date_picked(screen, date)
    screen = yield click(named(screen, "Search", "button"))
    flights = _flights(screen)
    while screen.more["below"] > 0:
        screen = yield scroll(only_list(screen), 130)
        flights |= _flights(screen)
    best = min(flights, key=lambda name: flights[name][wish == "shortest"])
    while best not in _flights(screen):
        screen = yield scroll(only_list(screen), -100)
    yield click(named(screen, best, "button"))


def which_flight(shown: Trajectory) -> str:
    """The wish, and whether the places are given by name or by code."""
    wish, start, end = groups(r"the (\w+) one-way flight from: (.*) to: (.*) on", shown.task.text)
    return f"{wish} {len(start) == 3} {len(end) == 3}"


def _date_picked(screen: Observation, date: str) -> Generator[Proposal, Observation, Observation]:
    """Pick a date written as 12/31/2016; returns the screen after it."""
    month, day, year = (int(part) for part in date.split("/"))
    field = like(screen, lambda one: one.role == "textbox" and "readonly" in one.states, "date field")
    screen = yield click(field)
    while (now := _month_shown(screen)) != (year, month):
        screen = yield click(named(screen, "Prev" if now > (year, month) else "Next"))
    screen = yield click(named(screen, str(day), "link"))
    return screen


def _month_shown(screen: Observation) -> tuple[int, int]:
    words = [text.name for text in those(screen, "text", "heading")]
    month = next(list(month_name).index(word) for word in words if word in list(month_name)[1:])
    return int(next(word for word in words if re.fullmatch(r"\d{4}", word))), month


def _flights(screen: Observation) -> dict[str, tuple[int, int]]:
    """Price and minutes of the flights that are wholly in sight, by the name of their button."""
    found: dict[str, tuple[int, int]] = {}
    minutes: int | None = None
    for element in screen.elements:
        lasts = re.fullmatch(r"(?:(\d+)h)? ?(?:(\d+)m)?", element.name) if element.is_text else None
        price = re.fullmatch(r"Book flight for \$(\d+)", element.name)
        if lasts and element.name:
            minutes = 60 * int(lasts[1] or 0) + int(lasts[2] or 0)
        elif price and minutes is not None:
            found[element.name] = int(price[1]), minutes
            minutes = None
    return found
