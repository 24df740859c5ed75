"""Text fields whose text is in the instruction or on the page."""

from __future__ import annotations

from demonstrators.script import Script
from demonstrators.seeing import (
    click,
    fill,
    groups,
    labelled,
    named,
    nth,
    only,
    quoted,
    rank,
    seen,
    submit,
    those,
)
from gui_agent.core.observation import Element, Observation
from gui_agent.core.trajectory import Trajectory


def quoted_text(task: str, screen: Observation) -> Script:
    """Type the text in quotes, then submit."""
    screen = yield fill(only(screen, "textbox"), quoted(task)[0])
    yield submit(screen)


def password_twice(task: str, screen: Observation) -> Script:
    """Type the password into both fields, then submit."""
    password = quoted(task)[0]
    screen = yield fill(labelled(screen, "Password"), password)
    screen = yield fill(labelled(screen, "Verify password"), password)
    yield submit(screen)


def login(task: str, screen: Observation) -> Script:
    """Type name and password, then press Login."""
    user, password = quoted(task)
    screen = yield fill(labelled(screen, "Username"), user)
    screen = yield fill(labelled(screen, "Password"), password)
    yield submit(screen, "Login")


def date_field(task: str, screen: Observation) -> Script:
    """Type the date, then submit."""
    (date,) = groups(r"Enter (\S+) as the date", task)
    screen = yield fill(only(screen, "textbox"), date)
    yield submit(screen)


def time_field(task: str, screen: Observation) -> Script:
    """Type the time, then submit."""
    (time,) = groups(r"Enter (.*) as the time", task)
    screen = yield fill(only(screen, "textbox"), time)
    yield submit(screen)


def half_of_the_day(shown: Trajectory) -> str:
    """Morning or afternoon, and the number of digits of the hour."""
    hour, half = groups(r"Enter (\d+):\d+ ([AP]M)", shown.task.text)
    return f"{half} {len(hour)}"


def focus(task: str, screen: Observation) -> Script:
    """Click the only text field."""
    yield click(only(screen, "textbox"))


def focus_nth(task: str, screen: Observation) -> Script:
    """Click the nth text field."""
    yield click(nth(those(screen, "textbox"), rank(task), "text field"))


def by_rank(shown: Trajectory) -> str:
    """The number in `nth`, as the kind."""
    return str(rank(shown.task.text))


def movie_search(task: str, screen: Observation) -> Script:
    """Fill in genre, director and year from the instruction, then press the button at the end."""
    values = groups(r"Search for (.+) movies directed by (.+) from year (\d+)", task)
    year = "Year" if seen(screen, "Year") else "Released Date"
    for name, value in zip(("Genre", "Director", year), values, strict=True):
        screen = yield fill(labelled(screen, name), value)
    yield click(those(screen, "button", "generic")[-1])


def copy_area(task: str, screen: Observation) -> Script:
    """Type the text of the text area into the text field, then submit."""
    area = next(field for field in those(screen, "textbox") if "multiline" in field.states)
    screen = yield fill(_single_line(screen), area.value)
    yield submit(screen)


def table_value(task: str, screen: Observation) -> Script:
    """Read the cell beside the named one, type it, then submit."""
    (name,) = groups(r"value of (.*) into", task)
    cells = those(screen, "cell", "rowheader")
    value = nth(cells, cells.index(named(screen, name, "cell", "rowheader")) + 2, "cell")
    screen = yield fill(only(screen, "textbox"), value.name)
    yield submit(screen)


def copy_nth_area(task: str, screen: Observation) -> Script:
    """Type the text of the nth text area into the text field, then submit."""
    areas = [field for field in those(screen, "textbox") if "multiline" in field.states]
    screen = yield fill(_single_line(screen), nth(areas, rank(task), "text area").value)
    yield submit(screen)


def nth_word(task: str, screen: Observation) -> Script:
    """Read the nth word of the paragraph, type it without its punctuation, then submit."""
    words = " ".join(text.name for text in those(screen, "text")).split()
    screen = yield fill(only(screen, "textbox"), words[rank(task) - 1].strip(".,"))
    yield submit(screen)


def _single_line(screen: Observation) -> Element:
    return next(field for field in those(screen, "textbox") if "multiline" not in field.states)
