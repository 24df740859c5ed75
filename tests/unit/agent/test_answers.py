"""A typed answer fits its schema, and nothing is in it that no screen of the run showed."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from gui_agent.agent.answers import PICTURE_ONLY, evidence, read_schema, schema_of, with_output
from gui_agent.agent.finish import Finishing
from gui_agent.core.errors import ConfigError
from gui_agent.core.trajectory import Decision, Ending, Finish, Result, Task, Trajectory, Turn
from gui_agent.testing import ExactGrounder, screen, text


@dataclass
class Book:
    title: str
    price: float
    pages: int | None = None
    in_stock: bool = True


SHELF = TypeAdapter(list[Book]).json_schema()
SEEN = screen(text("The Road North"), text("EUR 1,234.50"), text("212 pages"), url="http://shop.test/7")


def told(answer: Any, schema: Any = None) -> str:
    wanted = read_schema(json.dumps(schema or SHELF), "schema")
    run = Trajectory(Task("t", wanted=wanted), (Turn(Decision(), SEEN),))
    answer = answer if isinstance(answer, str) else json.dumps(answer)
    return Finishing(ExactGrounder()).missing(run, answer, lambda: SEEN)


def test_an_answer_of_seen_values_is_taken_however_numbers_are_written() -> None:
    assert told([{"title": "the road north", "price": 1234.5, "pages": 212, "in_stock": False}]) == ""
    assert told([]) == ""


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("The Road North, 1234.50", "is not JSON; it has to fit this schema"),
        ({"title": "x"}, "answer: {'title': 'x'} is not of type 'array'"),
        ([{"price": 1234.5}], "answer[0]: 'title' is a required property"),
        (
            [{"title": "The Road North", "price": "1234.50"}],
            "answer[0].price: '1234.50' is not of type 'number'",
        ),
        ([{"title": "The Road North", "price": True}], "answer[0].price: True is not of type 'number'"),
        ([{"title": "The Road North", "price": 1234.5, "pages": "many"}], "answer[0].pages"),
    ],
)
def test_what_does_not_fit_is_named_with_its_place(answer: Any, said: str) -> None:
    assert said in told(answer)


def test_all_that_does_not_fit_is_named_at_once() -> None:
    wrong = told([{"title": 7, "price": "1234.50"}, {"price": 1234.5}])
    assert all(path in wrong for path in ("answer[0].title", "answer[0].price", "answer[1]: 'title'"))


def test_values_that_no_screen_showed_need_a_note_on_what_they_rest() -> None:
    guess = [{"title": "The Road North", "price": 99.0, "pages": 5}]
    assert told(guess) == (
        "no text of a screen showed answer[0].price, answer[0].pages; correct the answer, or note as "
        '"evidence of answer" where it comes from'
    )
    wanted = read_schema(json.dumps(SHELF), "schema")
    note = {"evidence of answer[0]": "on the picture of the cover"}
    run = Trajectory(Task("t", wanted=wanted), (Turn(Decision(notes=note), SEEN),))
    assert Finishing(ExactGrounder()).missing(run, json.dumps(guess), lambda: SEEN) == ""
    assert evidence(guess, run)["answer[0].price"] == "noted: on the picture of the cover"
    assert evidence(guess, run)["answer[0].title"].endswith("on http://shop.test/7")


def test_what_the_picture_alone_shows_is_asked_about_once_and_then_marked_so(tmp_path: Path) -> None:
    wanted = read_schema(json.dumps(SHELF), "schema")
    guess = [{"title": "The Road North", "price": 99.0}]
    answer, other = json.dumps(guess), json.dumps([{**guess[0], "price": 98.0}])
    told_so = Trajectory(Task("t", wanted=wanted), (Turn(Decision(pictured=True), SEEN),))
    blind = Trajectory(Task("t", wanted=wanted), (Turn(Decision(), SEEN),))
    for run, answers, believed in (
        (told_so, (answer, answer), True),
        (told_so, (other, answer), False),
        (blind, (answer, answer), False),
    ):
        finishing = Finishing(ExactGrounder())
        complaints = [finishing.missing(run, one, lambda: SEEN) for one in answers]
        assert ("if the picture shows it" in complaints[0]) is (run is told_so)
        assert (complaints[1] == "") is believed
    done = Result(replace(told_so, ending=Ending("done", "", answer)))
    with_output(done, list[Book], by_code=False, folder=tmp_path)
    kept = json.loads((tmp_path / "answer.json").read_text(encoding="utf-8"))
    assert kept["evidence"]["answer[0].price"] == PICTURE_ONLY
    assert kept["evidence"]["answer[0].title"] != PICTURE_ONLY


def test_limits_and_choices_of_a_schema_hold() -> None:
    schema = {
        "type": "object",
        "properties": {"size": {"enum": ["S", "L"]}, "n": {"type": "integer", "minimum": 3, "maximum": 300}},
        "additionalProperties": False,
    }
    assert told({"size": "M"}, schema) == "answer.size: 'M' is not one of ['S', 'L']"
    assert told({"n": 2}, schema) == "answer.n: 2 is less than the minimum of 3"
    assert told({"n": 212.5}, schema).startswith("answer.n: 212.5 is not of type 'integer'")
    assert told({"colour": "red"}, schema).startswith("answer: Additional properties are not allowed")
    assert told({"n": 7}, {"properties": {"n": {"multipleOf": 2}}}) == "answer.n: 7 is not a multiple of 2"
    assert told({"n": 212}, schema) == ""


@pytest.mark.parametrize(
    "schema",
    [
        "[1]",
        "{",
        '{"type": "objekt"}',
        '{"$ref": "#"}',
        '{"$ref": "#/$defs/none"}',
        '{"$ref": "http://elsewhere.test/a.json"}',
    ],
)
def test_what_is_no_schema_or_refers_to_another_file_is_refused(schema: str) -> None:
    with pytest.raises(ConfigError, match=r"a\.json"):
        read_schema(schema, "a.json")


def test_done_is_refused_until_the_answer_fits() -> None:
    wanted = read_schema(json.dumps(SHELF), "schema")
    turn = Turn(Decision(end=Finish("42")), SEEN)
    run = Trajectory(Task("t", wanted=wanted), (turn,))
    finishing = Finishing(ExactGrounder())
    assert "of type 'array'" in finishing.missing(run, "42", lambda: SEEN)
    assert (finishing.misfits, finishing.refused) == (1, 0) and finishing.has_patience
    fitting = json.dumps([{"title": "The Road North", "price": 1234.5}])
    assert finishing.missing(run, fitting, lambda: SEEN) == ""
    free = replace(run, task=replace(run.task, wanted=""))
    assert finishing.missing(free, "42", lambda: SEEN) == ""


def test_a_class_names_the_form_and_the_folder_says_where_each_value_was_seen(tmp_path: Path) -> None:
    assert json.loads(schema_of(list[Book])) == SHELF
    assert json.loads(schema_of({"type": "string"})) == {"type": "string"}
    answer = json.dumps([{"title": "The Road North", "price": 1234.5}])
    run = Trajectory(Task("t", wanted=schema_of(list[Book])), (Turn(Decision(), SEEN),))
    done = Result(replace(run, ending=Ending("done", "", answer)))
    typed = with_output(done, list[Book], by_code=False, folder=tmp_path)
    assert typed.output == [Book(title="The Road North", price=1234.5)]
    kept = json.loads((tmp_path / "answer.json").read_text(encoding="utf-8"))
    assert kept["evidence"]["answer[0].price"] == 'text "EUR 1,234.50" on http://shop.test/7'
