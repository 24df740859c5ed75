"""A run is recalled in each program in which it did something, and not where all runs begin."""

from __future__ import annotations

import sqlite3
from importlib.resources import files
from pathlib import Path

from memory_samples import demonstration, keep, observation, screen, through

from gui_agent.core.codec import encode
from gui_agent.core.trajectory import Screen, Task
from gui_agent.memory.exemplars import ExemplarMemory

HOME = screen("Clock", "Mail", "Notes", "Calendar", app="launcher")
DRAWER = screen("All apps", "Clock", "Mail", "Notes", "Calendar", app="launcher")
ALARMS = screen("Add alarm", "Timer", "Stopwatch", app="clock")
HOUR = screen("Hour:", "Minute:", "Save alarm", app="clock")
INBOX = screen("Compose", "Reply", "Archive", app="mail")
MONTH = screen("New event", "Today", "Week", app="calendar")
EVENT = screen("Title:", "Day:", "Save event", app="calendar")
ALARM = through("Wake me at 7 on Mondays", HOME, DRAWER, ALARMS, HOUR, HOUR)
ERRAND = through(
    "Put the date of Ada's mail into my calendar", HOME, DRAWER, INBOX, INBOX, MONTH, EVENT, EVENT
)


def recalled(memory: ExemplarMemory, task: str, shown: Screen) -> list[str]:
    return [one.task for one in memory.recall(Task(task), observation(shown))]


def test_a_run_is_recalled_in_each_of_its_programs_also_in_other_words(memory: ExemplarMemory) -> None:
    keep(memory, ALARM)
    keep(memory, ERRAND)
    assert recalled(memory, "School run, quarter past", ALARMS) == [ALARM.task]
    assert recalled(memory, "Answer him", INBOX) == [ERRAND.task]
    assert recalled(memory, "Dentist, Tuesday", MONTH) == [ERRAND.task]


def test_a_run_that_enters_a_program_is_shown_what_was_done_there(memory: ExemplarMemory) -> None:
    keep(memory, ALARM)
    keep(memory, ERRAND)
    task = Task("School run, quarter past, and note the dentist")
    shown = [
        [one.task for one in memory.recall(task, observation(seen), goal)]
        for seen, goal in ((HOME, None), (ALARMS, task.text), (MONTH, task.text))
    ]
    assert shown == [[], [ALARM.task], [ERRAND.task]]


def test_where_runs_only_pass_through_no_run_of_another_task_is_recalled(memory: ExemplarMemory) -> None:
    keep(memory, ALARM)
    for shown in (HOME, DRAWER, screen(app="", title="")):
        assert recalled(memory, "Write a shopping list", shown) == []
        assert recalled(memory, "Wake me at 8 on Tuesdays", shown) == [ALARM.task]


def test_a_launcher_in_which_a_run_only_opened_a_program_is_no_place_of_it(memory: ExemplarMemory) -> None:
    keep(memory, through("Start a timer", HOME, ALARMS, ALARMS))
    [match] = memory.why("Write a shopping list", observation(HOME))
    assert (match.place, match.refused.partition(":")[0]) == (0.0, "it is too different")


def test_a_run_that_was_done_in_the_launcher_is_recalled_there(memory: ExemplarMemory) -> None:
    keep(memory, through("Sort the icons", HOME, DRAWER, HOME))
    assert recalled(memory, "Arrange everything by name", HOME) == ["Sort the icons"]


def test_a_run_on_a_screen_whose_program_is_unknown_is_recalled_by_its_screen(memory: ExemplarMemory) -> None:
    names = ("Title:", "Day:", "Save event")
    keep(memory, demonstration("Put the dentist on Tuesday", *names, app=""))
    shown = screen(*names, app="")
    assert recalled(memory, "Anna's birthday, May 5", shown) == ["Put the dentist on Tuesday"]


def test_a_file_of_an_earlier_version_is_recalled_by_all_programs_too(tmp_path: Path) -> None:
    scripts = files("gui_agent.memory").joinpath("migrations")
    old = sqlite3.connect(tmp_path / "memory.db")
    for form in (1, 2, 3):
        old.executescript(scripts.joinpath(f"{form}.sql").read_text("utf-8"))
    row = (1, "abc", "digest", ERRAND.task, "launcher", "Clock", "run", "", encode(ERRAND).decode(), "", "[]")
    rest = ("", "{}", "2026-01-01T00:00:00Z", 1.0, 0.0, "", "", 1)
    old.execute(f"INSERT INTO entries VALUES ({', '.join('?' * 19)})", (*row, *rest))
    old.execute("INSERT INTO vectors VALUES (1, 'hashed-grams-384+hashed-words-128+masked', x'00')")
    old.execute("UPDATE facts SET value = 1 WHERE name = 'change'")
    old.execute("PRAGMA user_version = 3")
    old.commit()
    old.close()
    memory = ExemplarMemory(tmp_path / "memory.db", embedder="lexical")
    assert recalled(memory, "Dentist, Tuesday", MONTH) == [ERRAND.task]
    assert recalled(memory, "Write a shopping list", HOME) == []
    assert memory.store.entry("abc").wins == 1.0
