"""Recordings that are malformed are told in one line; none brings the import down."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from guiagent_eval.miniwob_recordings.importer import import_miniwob
from guiagent_eval.miniwob_recordings.recording import read_event_recording
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.core.errors import ConfigError
from gui_agent.procedures.importers.files import Untold, read_recording
from gui_agent.procedures.importers.imported import Incomplete
from tests.unit.eval.miniwob_recordings.recorder import Page, Tape


def example() -> dict[str, Any]:
    page = Page()
    field, choice = page.field(id="name"), page.node("SELECT")
    label = page.node("LABEL", page.field("checkbox", value=False), page.node("t", text="Red"))
    tape = Tape("Enter Ada.", field, label, choice, page.node("BUTTON", text="Submit"))
    tape.click(field)
    tape.type("Ada", field)
    tape.key(9, field)
    tape.click(label)
    tape.click(choice)
    return tape.json()


EXAMPLE = example()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"states": []}, "no states"),
        ({"states": 3}, "no states"),
        ({"states": [{}]}, "state 1 is malformed"),
        ({"states": [{"time": 0, "action": None, "dom": None}]}, "state 1 is malformed"),
        ({"rawReward": None, "reward": None}, "has no reward"),
        ({"rawReward": "1"}, "has no reward"),
        ({"utterance": 7}, "instruction is not a text"),
    ],
)
def test_what_is_malformed_is_named(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=f"file: .*{said}") as caught:
        read_event_recording(EXAMPLE | change, "file")
    assert "\n" not in str(caught.value)


JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just([]), st.just({})
)


@given(st.lists(st.tuples(st.integers(0, 10**6), JUNK, st.booleans()), min_size=1, max_size=4))
def test_no_recording_brings_the_import_down(changes: list[tuple[int, Any, bool]]) -> None:
    data = copy.deepcopy(EXAMPLE)
    for number, junk, gone in changes:
        holder: Any = data
        way = number
        while True:
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            way, key = way // len(keys), keys[way % len(keys)]
            if not isinstance(holder[key], dict | list) or not holder[key] or not way:
                break
            holder = holder[key]
        if gone:
            del holder[key]
        else:
            holder[key] = junk
    try:
        import_miniwob(read_event_recording(data, "file"), "file", ["Ada"])
    except ConfigError as error:
        assert str(error).startswith("file: ")


def test_a_recording_without_the_name_of_its_task_is_taken_by_its_instruction(tmp_path: Path) -> None:
    unnamed = {key: value for key, value in EXAMPLE.items() if key != "taskName"}
    file = tmp_path / "1.json"
    file.write_text(json.dumps(unnamed))
    assert import_miniwob(read_event_recording(unnamed, "1.json"), "1.json", ["Ada"]).demonstration.task
    with pytest.raises(Incomplete) as caught:
        read_recording(file)
    assert caught.value.said == "Enter Ada."


@pytest.mark.parametrize("gone", [("utterance",), ("utterance", "taskName")])
def test_a_recording_without_an_instruction_is_asked_for_it(tmp_path: Path, gone: tuple[str, ...]) -> None:
    file = tmp_path / "1.json"
    file.write_text(json.dumps({key: value for key, value in EXAMPLE.items() if key not in gone}))
    with pytest.raises(Untold, match="it does not describe its task"):
        read_recording(file)
    with pytest.raises(Incomplete) as caught:
        read_recording(file, "Enter Ada.")
    assert caught.value.said == "Enter Ada."
