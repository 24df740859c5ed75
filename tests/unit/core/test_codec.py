"""Every value of the vocabulary is written and read back unchanged; anything odd is refused by name."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.core import codec
from gui_agent.core.actions import (
    ALL,
    PLACED,
    Action,
    Back,
    Check,
    Choose,
    Click,
    Close,
    Drag,
    Hold,
    LongPress,
    Move,
    Navigate,
    Open,
    Press,
    Proposal,
    Recorded,
    Scroll,
    Swipe,
    Switch,
    TypeText,
    Upload,
    Wait,
)
from gui_agent.core.aiming import aim, places
from gui_agent.core.conditions import (
    Condition,
    FileExists,
    Shown,
    StateIs,
    TextGone,
    TextShown,
    TitleIs,
    UrlIs,
    ValueIs,
)
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import (
    NOTHING,
    Box,
    Effects,
    Element,
    Fingerprint,
    Form,
    Mark,
    Place,
    Point,
    Size,
    Target,
    Words,
)
from gui_agent.core.trajectory import (
    Ask,
    Decision,
    Demonstration,
    DemoStep,
    Finish,
    GiveUp,
    Planned,
    Screen,
    Task,
)

TEXT = st.text(max_size=12)
NUMBER = st.integers(-3000, 3000)
SECONDS = st.floats(0, 60, allow_nan=False)
KEYS = st.lists(TEXT, min_size=1, max_size=3).map(tuple)
POINTS = st.builds(Point, NUMBER, NUMBER)
TARGETS: st.SearchStrategy[Any] = st.one_of(
    POINTS, st.builds(Mark, NUMBER), st.builds(Words, TEXT, TEXT, NUMBER, TEXT)
)
BOXES = st.builds(Box, NUMBER, NUMBER, NUMBER, NUMBER)
SIZES = st.builds(Size, NUMBER, NUMBER)
STRINGS = st.dictionaries(TEXT, TEXT, max_size=3)
FINGERPRINTS = st.builds(
    Fingerprint,
    TEXT,
    TEXT,
    label=TEXT,
    neighbours=st.lists(TEXT, max_size=3).map(tuple),
    attributes=STRINGS,
    box=st.none() | BOXES,
    screen=st.none() | SIZES,
    rank=NUMBER,
)


def actions(place: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Every kind of action with a place, of whatever sort."""
    return st.one_of(
        st.builds(Click, place, st.sampled_from(["left", "middle", "right"]), NUMBER, KEYS),
        st.builds(Move, place),
        st.builds(Drag, place, place, KEYS),
        st.builds(Scroll, place, NUMBER, NUMBER),
        st.builds(Swipe, place, place, SECONDS),
        st.builds(LongPress, place, SECONDS),
        st.builds(TypeText, TEXT, st.none() | place, st.booleans()),
        st.builds(Choose, place, TEXT),
        st.builds(Check, place, st.booleans()),
        st.builds(Upload, place, KEYS),
        st.builds(Press, KEYS, NUMBER),
        st.builds(Hold, KEYS, SECONDS),
        st.builds(Open, TEXT),
        st.builds(Navigate, TEXT, st.booleans()),
        st.builds(Switch, TEXT),
        st.sampled_from([Back(), Close()]),
    )


def conditions(of: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Every kind of condition."""
    return st.one_of(
        *(st.builds(kind, TEXT) for kind in (TextShown, TextGone, UrlIs, TitleIs, FileExists)),
        st.builds(Shown, of, st.booleans()),
        st.builds(ValueIs, of, TEXT),
        st.builds(StateIs, of, TEXT, st.booleans()),
    )


WAITS = st.builds(Wait, SECONDS, TEXT)
PROPOSALS = actions(TARGETS) | WAITS
PLANNED = st.builds(
    Planned, PROPOSALS, st.lists(conditions(TARGETS), max_size=2).map(tuple), TEXT, st.booleans()
)
DECISIONS = st.builds(
    Decision,
    TEXT,
    st.lists(PLANNED, max_size=3).map(tuple),
    st.none() | st.builds(Finish, TEXT) | st.builds(GiveUp, TEXT) | st.builds(Ask, TEXT),
    STRINGS,
)
ELEMENTS = st.builds(
    Element, NUMBER, TEXT, TEXT, BOXES, value=TEXT, states=st.frozensets(TEXT, max_size=3), attributes=STRINGS
)
SCREENS = st.builds(
    Screen, SIZES, st.builds(Place, TEXT, TEXT, TEXT, KEYS), st.lists(ELEMENTS, max_size=2).map(tuple)
)
STEPS = st.builds(
    DemoStep,
    actions(FINGERPRINTS) | WAITS,
    st.none() | SCREENS,
    NUMBER,
    NUMBER,
    st.lists(conditions(FINGERPRINTS), max_size=2).map(tuple),
    SECONDS,
)
DEMONSTRATIONS = st.builds(Demonstration, TEXT, st.lists(STEPS, max_size=2).map(tuple), slots=STRINGS)
TASKS = st.builds(Task, TEXT, TEXT, STRINGS, st.lists(conditions(TARGETS), max_size=2).map(tuple))


def again(value: object, kind: Any = None) -> object:
    result: object = codec.decode(kind or type(value), codec.encode(value, kind))
    return result


@given(actions(POINTS))
def test_device_actions_survive(action: object) -> None:
    assert again(action, Action) == action


@given(PROPOSALS)
def test_proposals_survive(proposal: object) -> None:
    assert again(proposal, Proposal) == proposal


@given(actions(FINGERPRINTS) | WAITS)
def test_recorded_actions_survive(action: object) -> None:
    assert again(action, Recorded) == action


@given(conditions(TARGETS))
def test_conditions_survive(condition: object) -> None:
    assert again(condition, Condition[Target]) == condition


@given(DECISIONS | DEMONSTRATIONS | TASKS)
def test_decisions_demonstrations_and_tasks_survive(value: object) -> None:
    assert again(value) == value
    assert json.loads(codec.encode(value)) == codec.plain(value)


@given(DECISIONS, st.sampled_from(["x", "kin", "plannd"]))
def test_an_unknown_key_is_refused_at_every_depth(decision: Decision, key: str) -> None:
    whole = codec.plain(decision)
    for holder in _objects(whole):
        holder[key] = 1
        data = json.dumps(whole)
        del holder[key]
        with pytest.raises(ConfigError) as caught:
            codec.decode(Decision, data, source="reply")
        assert str(caught.value).startswith("reply: at ")
        assert "\n" not in str(caught.value)


def _objects(decision: dict[str, Any]) -> list[dict[str, Any]]:
    """The objects in a decision whose keys are fields, and not names that were given."""
    planned = decision["planned"]
    ends = [decision["end"]] if decision["end"] else []
    expected = [condition for one in planned for condition in one["expect"]]
    return [decision, *planned, *(one["action"] for one in planned), *expected, *ends]


@given(st.text(max_size=60) | st.binary(max_size=60))
def test_noise_is_refused_in_one_line(data: str | bytes) -> None:
    with pytest.raises(ConfigError) as caught:
        codec.decode(Proposal, data)
    assert "\n" not in str(caught.value)


@given(PROPOSALS, POINTS)
def test_aiming_replaces_the_places_and_nothing_else(proposal: Any, point: Point) -> None:
    if isinstance(proposal, Wait):
        return
    aimed = aim(proposal, {"at": point, "to": point})
    assert set(places(aimed).values()) <= {point}
    if places(proposal).keys() == places(aimed).keys():
        assert aim(aimed, places(proposal)) == proposal
    if places(proposal):
        with pytest.raises(ValueError, match="no place given"):
            aim(proposal, {})
    else:
        assert aim(proposal, {}) == proposal


def test_kinds_are_told_apart() -> None:
    names = [item.default for kind in ALL for item in fields(kind) if item.name == "kind"]
    assert len(set(names)) == len(names) == len(ALL)
    assert set(PLACED) < set(ALL)


def test_what_an_element_does_survives_and_takes_no_room_where_it_does_nothing() -> None:
    form = Form(("Order",), "/pay", posts=True, default="", fields=("card",))
    for does in (NOTHING, Effects(link="/x", said=("Open", "it"), form=form), Effects(conceals=True)):
        element = Element(1, "button", "Go", Box(0, 0, 9, 9), does=does)
        assert codec.decode(Element, codec.encode(element)).does == does
    text = Element(1, "text", "Go", Box(0, 0, 9, 9))
    assert codec.plain(text)["does"] == {}
    assert codec.decode(Element, codec.encode(text)).does is NOTHING


def test_what_an_earlier_version_kept_of_an_element_is_read_as_far_as_it_is_one_text() -> None:
    kept = codec.plain(Element(1, "button", "Go", Box(0, 0, 9, 9)))
    earlier = {
        "link": "/x",
        "icon": "fa-trash",
        "said": "Open\nit",
        "form": "Order",
        "submits": "1",
        "acts": "-",
    }
    read = codec.decode(Element, json.dumps({**kept, "does": earlier}))
    assert read.does == Effects(link="/x", icon="fa-trash")
    with pytest.raises(ConfigError):
        codec.decode(Element, json.dumps({**kept, "does": {"said": ["Open"], "acts": "-"}}))
