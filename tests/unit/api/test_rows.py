"""Rows of a table: how they are read, and that what does not fit is told before anything is done."""

from __future__ import annotations

import csv
import re
import threading
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from gui_agent import ConfigError, run_list
from gui_agent.api.row_list import read_rows, row_task
from gui_agent.core.actions import Action, TypeText
from gui_agent.core.observation import Element
from gui_agent.planners.commands import parse_task
from gui_agent.settings import Settings
from gui_agent.testing import FakeComputer, button, field, screen, text, when

ROWS = [{"name": "Ada"}, {"name": "Grace"}]
TASK = 'type "{name}" into "Name", click "Send"'


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))


def form() -> FakeComputer:
    return FakeComputer(
        {"form": screen(field("Name"), button("Send")), "thanks": screen(text("Thank you"))},
        [when("click", "Send", go="thanks")],
    )


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_cells_keep_quotes_marks_and_blank_lines_their_number(mark: str) -> None:
    Path("rows.csv").write_text(
        f'\ufeffname{mark}n\n"a ""b"" {mark}"{mark}1\n\n c {mark}2\n', encoding="utf-8"
    )
    assert read_rows("rows.csv") == [{"name": f'a "b" {mark}'.strip(), "n": "1"}, {}, {"name": "c", "n": "2"}]


def test_an_excel_sheet_is_read_as_a_person_sees_it() -> None:
    openpyxl = pytest.importorskip("openpyxl")
    from datetime import datetime

    book = openpyxl.Workbook()
    for row in (["name", "amount", "day"], ["Ada", 3.0, datetime(2026, 5, 1)], ["Bo", 2.5, None]):
        book.active.append(row)
    book.save("rows.xlsx")
    assert read_rows("rows.xlsx") == [
        {"name": "Ada", "amount": "3", "day": "2026-05-01"},
        {"name": "Bo", "amount": "2.5", "day": ""},
    ]


@pytest.mark.parametrize(
    ("task", "table", "told"),
    [
        (TASK, "mail\nx\n", 'no column "name"; the task does not use the column "mail"'),
        (TASK, "name,name\nx,y\n", "a different name"),
        (TASK, "name\nx\n  \n\n y , z\n", "row 4: there are more values than columns"),
        (TASK + ', click "{mail}"', "name,mail\nx,y\nz,\n", "row 2: mail is empty"),
        (TASK + ", press Tab {n} times", "name,n\nx,2\n", "write {n} where it belongs, in quotes"),
        ("frobnicate {name}", "name\nx\n", "is not a plain command"),
        (TASK, "name\n", "has no rows"),
        (TASK, 'name\n"x\n', "it is not a table"),
    ],
)
def test_what_does_not_fit_is_told_before_the_first_row(task: str, table: str, told: str) -> None:
    Path("rows.csv").write_text(table)
    computer = form()
    with pytest.raises(ConfigError) as error:
        run_list(task, "rows.csv", computer=computer)
    assert told in str(error.value)
    assert not computer.performed and not Path("results.csv").exists()


@pytest.mark.parametrize(
    "value", ['a "b"', "O'Neil", "x', click 'Send", "back\\slash", "C:\\new\\t", "{name}", "“q”"]
)
@pytest.mark.parametrize("quotes", ['""', "''", "“”", "«»"])
def test_a_value_is_one_text_whatever_is_in_it(value: str, quotes: str) -> None:
    work = row_task(f'type {quotes[0]}{{a b}}{quotes[1]} into "Name", click "Send"', Settings())
    commands = parse_task(work.task_of({"a b": value}))
    assert [getattr(one, "action").kind for one in commands] == ["type", "click"]  # noqa: B009
    assert getattr(commands[0], "action").text == value  # noqa: B009


def test_a_list_stops_after_as_many_failures_in_a_row() -> None:
    computer = FakeComputer(screen(field("Name"), button("Cancel")))
    rows = [{"name": str(number)} for number in range(5)]
    done = run_list(TASK, rows, computer=computer, max_failures=2, settings=Settings())
    assert [line["outcome"] for line in done.rows] == ["not_done", "not_done"]
    assert done.remaining == 3 and "2 rows failed" in done.held and done.exit_code == 4


def test_a_first_row_that_begins_nowhere_leaves_all_rows_as_they_are() -> None:
    done = run_list(TASK, ROWS, computer=FakeComputer(screen(text("Maintenance"))))
    assert not done.rows and done.remaining == 2 and "does not begin" in done.held and done.exit_code == 4


def test_two_lists_do_not_write_the_same_results() -> None:
    def start_another(*_: object) -> None:
        with pytest.raises(ConfigError, match="another run-list is writing it"):
            run_list(TASK, ROWS, computer=form(), go_on=True)

    run_list(TASK, ROWS[:1], computer=form(), on_row=start_another, yes=True)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("=1+1", "'=1+1"), ("@A1", "'@A1"), ("-cmd", "'-cmd"), ("-5.30", "-5.30"), ("a;=1+1", "a;'=1+1"),
        ("\t=1+1", "'\t'=1+1"), ("\ufeff=1+1", "'\ufeff=1+1"), (" =1+1", "' =1+1"), ("a\n=1+1", "a\n'=1+1"),
        ("a; -5", "a; -5"), ("2 = 1 + 1", "2 = 1 + 1"), ("a-b; c", "a-b; c"),
    ],
)  # fmt: skip
def test_what_a_page_says_is_no_formula_in_the_results(said: str, kept: str) -> None:
    computer = FakeComputer(screen(field("Name"), field("Total", value=said)))
    run_list('type "{name}" into "Name", read "Total" as "total"', ROWS[:1], computer=computer, yes=True)
    (line,) = csv.DictReader(Path("results.csv").read_text().splitlines(keepends=True))
    assert line["total"].strip() == kept.strip()


def test_several_workers_do_each_row_once_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rows meet while both are under way, which one worker after the other never could."""
    meeting = threading.Barrier(2, timeout=30)
    opened: list[FakeComputer] = []

    class Meeting(FakeComputer):
        def perform(self, action: Action, expected: Element | None = None) -> None:
            super().perform(action, expected)
            if isinstance(action, TypeText):
                meeting.wait()

    def open_form() -> FakeComputer:
        screens = {"form": screen(field("Name"), button("Send")), "thanks": screen(text("Thank you"))}
        opened.append(Meeting(screens, [when("click", "Send", go="thanks")]))
        return opened[-1]

    monkeypatch.setattr("gui_agent.api.screen.prepared_computer", lambda _: open_form)
    names = ["Ada", "Grace", "Alan", "Edsger"]
    done = run_list(TASK, [{"name": name} for name in names], url="form", workers=2, yes=True)
    assert len(opened) == 2 and done.count("done") == 4, done
    typed = [one.text for world in opened for one in world.performed if isinstance(one, TypeText)]
    assert sorted(typed) == sorted(names)
    assert [line["row"] for line in read_rows("results.csv")] == ["1", "2", "3", "4"]


@pytest.mark.parametrize("options", [{}, {"yes": True, "computer": form()}], ids=["no yes", "one screen"])
def test_several_workers_that_could_not_ask_or_share_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="several workers need"):
        run_list(TASK, ROWS, workers=2, **options)
    assert not Path("results.csv").exists()


def test_a_fault_of_the_program_is_told_as_it_is_and_the_page_shows_the_row_it_came_in() -> None:
    computer = FakeComputer(
        screen(field("Name"), button("Send")), errors={("perform", 1): RuntimeError("ours")}
    )
    with pytest.raises(RuntimeError, match="ours"):
        run_list(TASK, ROWS, computer=computer, yes=True)
    assert "<td>1</td>" in Path("results/report.html").read_text("utf-8")


def test_the_page_of_a_list_shows_each_row_and_leads_to_its_report() -> None:
    rows = [{"name": "Ada"}, {"name": "<b>Bo</b>"}, {"name": "Cy"}]
    seen: list[float] = []
    task = 'type "{name}" into "Name", read "Name" as said'
    done = run_list(
        task, rows, computer=form(), yes=True,
        on_row=lambda _, so_far: seen.append(so_far.seconds_left), should_stop=lambda: len(seen) == 2,
    )  # fmt: skip
    assert len(seen) == 2 and min(seen) > 0
    page = Path(done.summary).read_text("utf-8")
    assert (done.count("done"), done.remaining) == (2, 1) and "2 done" in page and "1 left" in page
    assert "<td>&lt;b&gt;Bo&lt;/b&gt;</td>" in page and "<b>Bo" not in page
    links = re.findall(r'href="([^"]+)"', page)
    assert len(links) == 2 and all((Path(done.summary).parent / unquote(link)).is_file() for link in links)
