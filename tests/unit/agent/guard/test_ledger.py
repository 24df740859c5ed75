"""The ledger's file survives crashes and is never half believed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gui_agent.agent.guard import Ledger
from gui_agent.core.errors import ConfigError


def test_what_was_recorded_is_there_after_reading_the_file_again(tmp_path: Path) -> None:
    file = tmp_path / "run" / "ledger.jsonl"
    ledger = Ledger(file)
    ledger.note_action("a", 'click button "Zürich"')
    ledger.record("a", 'click button "Zürich"')
    assert Ledger(file).act_in_words("a") == 'click button "Zürich"'
    assert Ledger(file).act_in_words("b") == ""


def test_only_the_last_unfinished_entry_is_in_doubt(tmp_path: Path) -> None:
    file = tmp_path / "ledger.jsonl"
    ledger = Ledger(file)
    ledger.note_action("failed", "one")
    ledger.note_action("sent", "two")
    ledger.record("sent", "two")
    assert Ledger(file).act_in_words("failed") == ""
    ledger.note_action("late", "three")
    assert "broke off" in Ledger(file).act_in_words("late")
    assert ledger.act_in_words("late") == ""


def test_what_left_in_between_leaves_the_act_that_set_it_off_in_doubt(tmp_path: Path) -> None:
    file = tmp_path / "ledger.jsonl"
    ledger = Ledger(file)
    ledger.note_action("click", "one")
    ledger.record("request", "two")
    assert "broke off" in Ledger(file).act_in_words("click")
    ledger.record("click", "one")
    assert Ledger(file).act_in_words("click") == "one"


@pytest.mark.parametrize(
    "line", ["{", "[]", "7", '{"key": "a"}', json.dumps({"key": "a", "what": "b", "state": "maybe"})]
)
def test_a_line_that_is_no_entry_stops_the_run(tmp_path: Path, line: str) -> None:
    file = tmp_path / "ledger.jsonl"
    Ledger(file).record("a", "b")
    with file.open("a") as more:
        more.write(line + "\n")
    with pytest.raises(ConfigError, match="line 2"):
        Ledger(file)


def test_without_a_file_it_is_kept_in_memory() -> None:
    ledger = Ledger()
    ledger.record("a", "b")
    assert ledger.act_in_words("a") == "b"


def test_the_ledger_of_a_resumed_run_stands_for_the_run_before_as_well(tmp_path: Path) -> None:
    first, second, third = (tmp_path / name / "ledger.jsonl" for name in ("one", "two", "three"))
    old = Ledger(first)
    old.record("a", "paid")
    old.note_action("b", "sent")
    resumed = Ledger(before=first)
    assert resumed.act_in_words("a") == "paid" and "broke off" in resumed.act_in_words("b")
    resumed.keep(second)
    resumed.record("c", "signed")
    again = Ledger(before=second)
    again.keep(third)
    assert [again.act_in_words(key)[:4] for key in "abc"] == ["paid", "sent", "sign"]
    assert [Ledger(third).act_in_words(key)[:4] for key in "abc"] == ["paid", "sent", "sign"]
    assert Ledger(first).act_in_words("c") == ""


def test_what_a_run_sent_when_it_broke_off_is_in_doubt_by_its_form_until_it_is_done_knowingly(
    tmp_path: Path,
) -> None:
    first, second = (tmp_path / name / "ledger.jsonl" for name in ("one", "two"))
    old = Ledger(first)
    for key, form in (("a", "f"), ("b", "f"), ("c", "g")):
        old.note_action(key, f"sent {key}", form)
        old.record(key, f"sent {key}", form)
        if key != "c":
            old.confirm()
    assert Ledger(first).doubt("g") == ""  # a later run is another one
    resumed = Ledger(before=first)
    resumed.keep(second)
    assert (resumed.doubt("f"), resumed.doubt("g")[:6]) == ("", "sent c")
    again = Ledger(before=second)
    assert "broke off" in again.doubt("g")
    again.record("d", "sent d", "g")
    assert again.doubt("g") == ""


def test_a_run_that_sent_nothing_leaves_no_file(tmp_path: Path) -> None:
    ledger = Ledger(before=tmp_path / "missing.jsonl")
    ledger.keep(tmp_path / "ledger.jsonl")
    assert not (tmp_path / "ledger.jsonl").exists()


def test_the_message_about_a_line_is_short(tmp_path: Path) -> None:
    file = tmp_path / "ledger.jsonl"
    file.write_text(json.dumps({"key": "a", "what": "b", "state": "x" * 10_000}))
    with pytest.raises(ConfigError) as caught:
        Ledger(file)
    assert len(str(caught.value)) < 400
