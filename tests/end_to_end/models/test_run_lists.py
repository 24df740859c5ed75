"""`guiagent run-list` with a real browser and a site that counts entries: each row once, whatever happens."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gui_agent.cli import call
from tests.end_to_end.models.store import Store, commands

TASK = 'type "{name}" into "Name", choose "{kind}" in "Kind", click "Save"'
CHECK = 'shown "Stored {name} as {kind}"'


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    made = Store()
    yield made
    made.close()


def write_rows(*names: str) -> None:
    with Path("rows.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("name", "kind"), *((name, "B") for name in names)])


def results() -> list[dict[str, str]]:
    with Path("results.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def outcomes() -> list[str]:
    return [line["outcome"] for line in results()]


def asked(store: Store, *more: str) -> list[str]:
    return ["run-list", TASK, "rows.csv", "--url", store.url, "--check", CHECK, "--yes", *more]


def test_each_row_is_done_once_and_its_values_stay_what_they_are(store: Store) -> None:
    write_rows("Ada", 'Al "the" O\'Neil', 'x", click "Save', "a, b {kind}")
    assert call(asked(store)) == 0
    assert [name for name, _ in store.entries] == [
        "Ada",
        'Al "the" O\'Neil',
        'x", click "Save',
        "a, b {kind}",
    ]
    assert outcomes() == ["done"] * 4 and all(Path(line["report"]).is_file() for line in results())
    assert call(asked(store)) == 2  # results that are there are not written over
    write_rows("Ada", 'Al "the" O\'Neil', 'x", click "Save', "a, b {kind}", "Grace")
    Path(results()[0]["report"]).unlink()  # as a crash leaves it, which came before the report
    assert call(asked(store, "--continue")) == 0
    assert len(store.entries) == 5 and outcomes() == ["done"] * 5
    assert all(Path(line["report"]).is_file() for line in results())
    write_rows("Eve", "Ada")
    assert call(asked(store, "--continue")) == 2 and len(store.entries) == 5


@pytest.mark.nightly
def test_in_maintenance_the_rest_of_the_rows_waits(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    write_rows("one", "two", "three", "four")

    def close(method: str) -> None:
        store.is_down = len(store.entries) >= 2

    store.before_answer = close
    # The page that answers the second entry is of the maintenance, too: what came of that row is not known.
    assert call([*asked(store)[:5], "--yes"]) == 4
    assert outcomes() == ["done", "done"] and len(store.entries) == 2
    said = capsys.readouterr()
    assert "row 3 does not begin" in said.err and "2 left" in said.out and "--continue" in said.err
    store.before_answer, store.is_down = lambda method: None, False
    assert call(asked(store, "--continue")) == 0
    assert [name for name, _ in store.entries] == ["one", "two", "three", "four"]


def test_what_failed_is_done_again_when_asked_and_nothing_is_sent_twice(store: Store) -> None:
    write_rows("one", "two")
    wrong = asked(store, "--max-failures", "1")
    wrong[wrong.index(CHECK)] = 'shown "Filed {name}"'
    assert call(wrong) == 4
    assert outcomes() == ["not_done"] and len(store.entries) == 1
    assert call(asked(store, "--retry", "failed")) == 4
    assert outcomes() == ["refused"] and len(store.entries) == 1
    assert call(asked(store, "--continue")) == 4
    assert outcomes() == ["refused", "done"] and len(store.entries) == 2


def test_a_retry_that_died_before_it_started_still_sends_nothing_twice(store: Store) -> None:
    write_rows("one")
    wrong = asked(store)
    wrong[wrong.index(CHECK)] = 'shown "Filed {name}"'
    assert call(wrong) == 4
    line = results()[0]
    folder = f"{Path(line['report']).parents[1]}-2"
    Path(folder).mkdir()
    with Path("results.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([line, [1, "begun", "", "", folder, line["id"]]])
    assert call(asked(store, "--continue")) == 4
    assert outcomes() == ["refused"] and len(store.entries) == 1


def test_a_row_whose_answer_was_lost_is_unclear_and_is_not_sent_again(store: Store) -> None:
    def lose(method: str) -> None:
        if method == "POST" and len(store.entries) == 2:
            raise ConnectionError  # stored, and the line breaks

    write_rows("one", "two", "three")
    store.before_answer = lose
    assert call(asked(store)) == 4
    assert outcomes() == ["done", "unclear", "done"]
    reason = results()[1]["reason"]
    assert 'Click button "Save" with textbox "Name" "two"' in reason and "--retry unclear" in reason
    for more in (["--continue"], ["--continue", "--retry", "failed"]):
        assert call(asked(store, *more)) == 4
    assert [name for name, _ in store.entries] == ["one", "two", "three"]


@pytest.mark.nightly
def test_a_learned_procedure_takes_the_columns_as_its_values(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(["run", commands([("Ada", "B")]), "--url", store.url, "--yes", "--quiet"]) == 0
    assert call(["learn", "last", "--task", "Store 'Ada' as 'B'", "--name", "store-it"]) == 0
    Path("rows.csv").write_text("name;kinds\nEve;A\nJoe;B\n")
    assert call(["run-list", "store-it", "rows.csv", "--yes"]) == 2
    assert 'the task does not use the column "kinds". Columns of this task: ' in capsys.readouterr().err
    Path("rows.csv").write_text("name;kind\nEve;B\nJoe;B\n")
    assert call(["run-list", "store-it", "rows.csv", "--yes", "--check", CHECK]) == 0
    assert store.entries[1:] == [("Eve", "B"), ("Joe", "B")]


def ended_by(number: int, store: Store, stored: int, last: list[str]) -> int:
    """The exit code of a list that gets a signal once so much is stored and these were the last requests."""
    seen: list[str] = []
    started: list[subprocess.Popen[bytes]] = []

    def interrupt(method: str) -> None:
        seen.append(method)
        if len(store.entries) == stored and seen[-len(last) :] == last:
            (os.killpg if number == signal.SIGKILL else os.kill)(started[0].pid, number)

    store.before_answer = interrupt
    command = [sys.executable, "-m", "gui_agent", *asked(store, "--continue")]
    with Path("said.txt").open("w") as said:
        started.append(
            subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=said, start_new_session=True)
        )
        code = started[0].wait(250)
    store.before_answer = lambda method: None
    return code


def test_a_list_that_is_interrupted_says_how_it_goes_on_and_does(store: Store) -> None:
    write_rows("one", "two", "three")
    assert ended_by(signal.SIGINT, store, 1, ["POST", "GET", "GET"]) == 130
    assert "continue with: guiagent run-list" in Path("said.txt").read_text()
    assert call(asked(store, "--continue")) == 0
    assert [name for name, _ in store.entries] == ["one", "two", "three"] and outcomes() == ["done"] * 3


@pytest.mark.nightly
def test_a_list_that_is_killed_twice_does_each_of_twenty_rows_once(store: Store) -> None:
    names = [f"n{number}x" for number in range(1, 21)]
    write_rows(*names)
    for stored, last in ((6, ["POST"]), (12, ["POST", "GET", "GET"])):  # in an entry, and as a row begins
        assert ended_by(signal.SIGKILL, store, stored, last) == -signal.SIGKILL
    assert call(asked(store, "--continue")) == 4
    assert sorted(store.entries) == sorted((name, "B") for name in names)  # 0 lost, 0 double
    assert outcomes() == ["done"] * 5 + ["unclear"] + ["done"] * 14
    assert 'Click "Save"' in results()[5]["reason"]
    assert call(asked(store, "--continue")) == 4 and len(store.entries) == 20
