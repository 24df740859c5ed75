"""Steps and checks on the data of an application, and the figures by application."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest
from guiagent_eval.app_catalogue import AppTask, asked_wording, read_app
from guiagent_eval.app_data import AppData, fill_in
from guiagent_eval.benchmark import Case
from guiagent_eval.records import Record, Verdict
from guiagent_eval.schedule import Assignment, Queue
from guiagent_eval.summary import by_app

from gui_agent.core.errors import BenchmarkError, ConfigError


@pytest.fixture
def data(tmp_path: Path) -> AppData:
    one = AppData(tmp_path, "a.db")
    one.do([{"sql": "create table t (n text)"}, {"write": "x/note.txt", "text": "milk\n"}])
    return one


def test_names_are_filled_in_and_other_braces_stay() -> None:
    assert fill_in(['{"a": {n}}', {"k": "{b} {c}"}, 7], {"n": "1", "b": "x"}) == [
        '{"a": 1}',
        {"k": "x {c}"},
        7,
    ]


@pytest.mark.parametrize(
    ("step", "check"),
    [
        ({"sql": "insert into t values ('é')"}, {"sql": "select n from t", "is": [["é"]]}),
        ({"write": "b.json", "text": '{"a": [{"n": 3}]}'}, {"file": "b.json", "at": "a/0/n", "is": 3}),
        ({"replace": "x/note.txt", "old": "milk", "new": "tea"}, {"file": "x/note.txt", "line": "tea"}),
        ({"move": "x/note.txt", "to": "y/n.txt"}, {"file": "x/note.txt", "absent": True}),
        ({"copy": "x/note.txt", "to": "y/n.txt"}, {"names": "y", "is": ["n.txt"]}),
        ({"remove": "x"}, {"names": ".", "lacks": ["x"]}),
        ({"folder": "new"}, {"names": "new", "is": []}),
        ({"write": "x/b.txt", "text": "oil 2"}, {"file": "**/*.txt", "matches": ["milk", r"oil \d"]}),
    ],
    ids=lambda table: next(iter(table)),
)
def test_a_step_makes_a_check_hold_that_did_not(
    data: AppData, step: dict[str, object], check: dict[str, object]
) -> None:
    assert data.fault([check])
    data.do([step])
    assert data.fault([check]) == ""


def test_packed_files_and_members_of_archives_are_read(data: AppData) -> None:
    (data.folder / "a.gz").write_bytes(gzip.compress("größer".encode()))
    with zipfile.ZipFile(data.folder / "b.odt", "w") as archive:
        archive.writestr("content.xml", "<p>inside</p>")
    assert (
        data.fault([{"file": "a.gz", "line": "größer"}, {"file": "b.odt!content.xml", "has": "inside"}]) == ""
    )
    assert "has" in data.fault([{"file": "b.odt!content.xml", "has": "outside"}])


def test_a_missing_database_is_a_fault_and_is_not_made_by_looking(tmp_path: Path) -> None:
    assert "OperationalError" in AppData(tmp_path, "no.db").fault([{"sql": "select 1", "is": [[1]]}])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "check", [{"file": "x/note.txt"}, {"fiel": "x", "is": 1}, {"sql": "select 1", "has_": 1}]
)
def test_a_check_that_compares_nothing_is_refused(data: AppData, check: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="is no check"):
        data.fault([check])


def test_a_step_that_fails_or_is_unknown_is_told(data: AppData) -> None:
    with pytest.raises(BenchmarkError, match="is not in it"):
        data.do([{"replace": "x/note.txt", "old": "bread", "new": "x"}])
    with pytest.raises(ConfigError, match="is no step"):
        data.do([{"wriet": "x"}])


def test_a_description_with_an_unknown_key_names_the_file_and_the_key(tmp_path: Path) -> None:
    (tmp_path / "app.toml").write_text('title = "A"\nkind = "web"\nresett = "files"\n')
    with pytest.raises(ConfigError, match=r"app\.toml.*resett"):
        read_app(tmp_path)


def test_seeds_are_wordings_of_one_variant_after_the_other() -> None:
    check = ({"sql": "select 1", "is": 1},)
    task = AppTask("a", "do {n}", "1 {n}", "2 {n}", "3 {n}", check, (), values=({"n": "x"}, {"n": "y"}))
    asked = [asked_wording(task, seed, goal=False)[0] for seed in range(7)]
    assert asked == ["1 x", "2 x", "3 x", "1 y", "2 y", "3 y", "1 x"]
    assert asked_wording(task, 4, goal=True)[0] == "do y"


def test_figures_by_application_tell_first_and_any_wording_and_wrong_ends() -> None:
    def record(task: str, seed: int, verdict: Verdict) -> Record:
        return Record(task, seed, verdict, seconds=2.0)

    records = [
        *(record("a.one", 0, "unknown"), record("a.one", 1, "success"), record("a.one", 2, "wrong")),
        *(record("a.two", 0, "success"), record("b.x", 0, "wrong"), record("b.x", 1, "infrastructure")),
    ]
    found = {one.app: one for one in by_app(records, 3)}
    assert (found["a"].tasks, found["a"].first.value, found["a"].any.value) == (2, 0.5, 1.0)
    assert (found["a"].wrong.value, found["b"].wrong.value, found["b"].any.value) == (0.25, 1.0, 0.0)
    assert found["all"].attempts == 5
    assert by_app([record("click-button", 0, "success")], 3) == ()


def test_a_worker_stays_with_an_application_while_it_has_tasks() -> None:
    queue = Queue([Case("a.one", 0), Case("b.x", 0), Case("b.x", 1), Case("a.two", 0)])
    assert queue.take("a.one") == Assignment(Case("a.one", 0))
    assert queue.take("a.one") == Assignment(Case("a.two", 0))
