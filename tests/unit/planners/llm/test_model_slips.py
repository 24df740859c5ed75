"""Slips in a model's answer that leave no doubt are set right without another call."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gui_agent.core.actions import Check, Choose, Click, Open, Press, Scroll
from gui_agent.core.conditions import TextShown
from gui_agent.core.dialogue import Call, Reply, Request
from gui_agent.core.errors import BadReply
from gui_agent.core.observation import Mark, Point, Size, Words
from gui_agent.core.trajectory import Decision, Finish, Planned
from gui_agent.models.function_tools import call
from gui_agent.models.pictures import Space
from gui_agent.planners.llm.decision_schema import decide_tool
from gui_agent.planners.llm.replies import decision

SCREEN = Size(800, 600)
CLICK = {"kind": "click", "at": {"mark": 12}}


def decided(**arguments: Any) -> Decision:
    reply = Reply(calls=(Call("1", "decide", arguments),))
    return decision(reply, batch=5, name="model", screen=SCREEN)


def action(given: dict[str, Any]) -> Planned:
    return decided(actions=[given]).planned[0]


def test_null_stands_for_nothing() -> None:
    found = decided(
        thought=None, plan=None, notes=None, criteria=None, end=None, actions=[{**CLICK, "button": None}]
    )
    assert found.planned == (Planned(Click(Mark(12))),)
    assert (found.thought, dict(found.notes), found.criteria) == ("", {}, ())


@pytest.mark.parametrize(
    "actions",
    [json.dumps([CLICK]), [json.dumps(CLICK)], [{"action": json.dumps(CLICK)}]],
    ids=["all", "one", "inner"],
)
def test_actions_as_a_json_text_are_read(actions: Any) -> None:
    assert decided(actions=actions).planned == (Planned(Click(Mark(12))),)


def test_an_expectation_inside_the_action_is_one_of_the_step() -> None:
    shown = {"kind": "text_shown", "text": "Saved"}
    expected = Planned(Click(Mark(12)), (TextShown("Saved"),))
    assert action({"action": {**CLICK, "expect": [shown]}}) == expected
    assert action({**CLICK, "expect": shown}) == expected


@pytest.mark.parametrize(
    ("keys", "read"),
    [("ctrl+s", ("ctrl", "s")), ("Enter", ("Enter",)), ("ctrl + +", ("ctrl", "+")), ("+", ("+",))],
)
def test_keys_in_one_text_are_a_chord(keys: str, read: tuple[str, ...]) -> None:
    assert action({"kind": "press", "keys": keys}).action == Press(read)


def test_an_end_that_is_only_its_name_and_a_number_as_answer_or_note() -> None:
    assert decided(end="finish").end == Finish()
    found = decided(end={"kind": "finish", "answer": 42}, notes={"total": 3.5})
    assert found.end == Finish("42")
    assert dict(found.notes) == {"total": "3.5"}


@pytest.mark.parametrize(
    ("at", "place"),
    [
        ({"mark": 12, "text": "Save"}, Mark(12)),
        ([40, 300], Point(40, 300)),
        ({"x": 40.4, "y": 299.6}, Point(40, 300)),
        (12, Mark(12)),
    ],
    ids=["mark and words", "pair", "fractions", "number"],
)
def test_places_in_other_forms(at: Any, place: object) -> None:
    assert action({"kind": "check", "at": at}).action == Check(place)  # type: ignore[type-var]


def test_a_scroll_without_a_place_takes_the_middle() -> None:
    assert action({"kind": "scroll", "down": 300}).action == Scroll(Point(400, 300), 300)


def test_empty_fields_of_other_kinds_are_no_fault() -> None:
    """A flat schema tempts a model to fill in every field."""
    filled = {
        **{
            "kind": "click",
            "at": {"mark": 3, "text": "", "role": "", "x": 0, "y": 0},
            "option": "",
            "url": "",
        },
        **{"keys": [], "times": 0, "on": False, "until": "", "expect": []},
    }
    end = {"kind": "finish", "answer": "12", "reason": "", "question": ""}
    found = decided(actions=[filled], end=end)
    assert found.planned == (Planned(Click(Mark(3))),)
    assert found.end == Finish("12")
    words = decided(
        actions=[{"kind": "click", "at": {"text": "Save", "mark": 0, "x": 0, "y": 0, "near": ""}}]
    )
    assert words.planned == (Planned(Click(Words("Save"))),)
    point = decided(actions=[{"kind": "click", "at": {"mark": 0, "text": "", "x": 40, "y": 0}}])
    assert point.planned == (Planned(Click(Point(40, 0))),)


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ({"kind": "open", "target": "galculator"}, Open("galculator")),
        ({"kind": "click", "target": 3}, Click(Mark(3))),
        ({"kind": "click", "mark": 3}, Click(Mark(3))),
        ({"kind": "click", "text": "Save", "role": "button"}, Click(Words("Save", "button"))),
        ({"kind": "click", "x": 40, "y": 300}, Click(Point(40, 300))),
        ({"kind": "choose", "at": 3, "value": "Oslo"}, Choose(Mark(3), "Oslo")),
        ({"kind": "press", "key": "ctrl+s"}, Press(("ctrl", "s"))),
    ],
)
def test_the_one_thing_that_an_action_lacks_is_what_it_holds_beside(
    slip: dict[str, Any], meant: object
) -> None:
    assert action(slip).action == meant


def test_what_could_mean_two_things_is_still_refused() -> None:
    wrong: list[dict[str, Any]] = [
        {"end": "give_up"},
        {"actions": [{"kind": "click"}]},
        {"actions": [{"kind": "click", "at": [1, 2, 3]}]},
        {"actions": [{**CLICK, "colour": "red"}]},
        {"actions": [{"action": CLICK, "colour": "red"}]},
        {"actions": "click Save"},
        {"actions": [{"kind": "click", "option": "Oslo"}]},
        {"actions": [{"kind": "open", "target": "a", "path": "b"}]},
    ]
    for arguments in wrong:
        with pytest.raises(BadReply):
            decided(**arguments)


def test_pairs_and_points_in_json_texts_are_in_the_models_units() -> None:
    request = Request("plan", (), tools=(decide_tool(),))
    grid = Space(SCREEN, 1000, 1000, grid=True)
    for actions in (
        [{"kind": "click", "at": [500, 500]}],
        [{"kind": "click", "x": 500, "y": 500}],
        json.dumps([{"kind": "click", "at": {"x": 500, "y": 500}}]),
    ):
        found = call("1", "decide", {"actions": actions, "thought": "[5, 5]"}, request, grid)
        assert not found.error
        planned = decision(Reply(calls=(found,)), batch=5, name="model", screen=SCREEN).planned
        assert planned == (Planned(Click(Point(400, 300))),)
        assert found.arguments["thought"] == "[5, 5]"


def test_a_scroll_by_the_wheels_own_words_is_that_scroll_and_its_distance_no_element() -> None:
    said = decided(actions=[{"kind": "scroll", "dy": 500}])
    assert said.planned[0].action == Scroll(Point(400, 300), down=500)


def test_a_number_under_a_strange_key_is_not_taken_for_an_element() -> None:
    with pytest.raises(BadReply, match="at"):
        decided(actions=[{"kind": "click", "speed": 5}])
