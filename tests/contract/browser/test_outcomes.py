"""What came of an action on a real page is said as it is: what changed, and that nothing did."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Click, Drag, Press, Proposal, Scroll, TypeText, Wait
from gui_agent.core.observation import Words
from gui_agent.core.trajectory import Outcome
from gui_agent.testing import OpenGuard, ScriptedPlanner, do, done


def outcomes(desk: Any, *actions: Proposal, page: str = "changes.html") -> list[Outcome]:
    desk.open(page)
    return judged(desk, *actions)


def judged(desk: Any, *actions: Proposal) -> list[Outcome]:
    planner = ScriptedPlanner([*(do(action) for action in actions), done()])
    agent = Agent(desk.computer, planner, guard=OpenGuard(), limits=Limits(patience=0.05, proof="lenient"))
    run = agent.run("look what changes")
    assert run.ending is not None
    assert run.ending.kind == "done", run.ending
    return [step.outcome for step in run.steps]


def named(words: str) -> Click[Any]:
    return Click(Words(words))


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (named("Heating"), 'switch "Heating" is on'),
        (named("Like"), "only the picture changed"),
        (named("Green"), "only the picture changed"),
        (named("Board"), "only the picture changed"),
        (named("Bold"), 'button "Bold" is pressed'),
        (Drag(Words("Jon"), Words("Tray")), 'text "Jon" moved'),
        (Scroll(Words("Row B"), 60), 'text "Row A"'),
    ],
    ids=["toggle", "icon", "radio drawn by style", "canvas", "built anew", "drag", "scroll"],
)
def test_a_change_is_said(desk: Any, action: Proposal, said: str) -> None:
    (outcome,) = outcomes(desk, action)
    assert outcome.kind in ("changed", "confirmed")
    assert said in outcome.summary


def test_a_page_that_a_click_loads_anew_is_said_though_it_looks_the_same(desk: Any) -> None:
    again, nothing = outcomes(desk, named("Again"), named("Nothing"), page="reloading.html")
    assert (again.kind, again.summary) == ("changed", "GET /reloading.html was loaded")
    assert nothing.kind == "no_change"


def test_a_page_that_loads_itself_anew_proves_no_click(desk: Any) -> None:
    _, nothing = outcomes(desk, Wait(2.0), named("Nothing"), page="reloading-by-itself.html")
    assert nothing.kind == "no_change", nothing.summary


def test_a_change_of_the_picture_beside_a_change_of_the_focus_is_said(desk: Any) -> None:
    """The elements are not equal, as the field has lost the focus; only the picture tells what was done."""
    outcome = outcomes(desk, named("Note"), named("Like"))[1]
    assert (outcome.kind, outcome.summary) == ("changed", "only the picture changed")


def test_a_popup_that_closes_is_said_before_what_it_covered(desk: Any) -> None:
    opened, closed = outcomes(desk, named("Offer"), named("×"))
    assert opened.kind == closed.kind == "changed", closed.summary
    first = closed.summary.split("; ")[0]
    assert "10 % off everything" in first
    assert first.endswith("went away")
    assert "appeared" in closed.summary


@pytest.mark.parametrize(
    "page", ["changes.html", "changes.html?spin", "changes.html?glow"], ids=["still", "moving", "glowing"]
)
def test_where_nothing_happens_nothing_is_said_to_have_changed(desk: Any, page: str) -> None:
    dead = Words("Nothing happens here")
    focused = [TypeText("a", Words("Note")), Press(("shift",)), Press(("control",))]
    clicked = outcomes(desk, Click(dead), Click(dead), page=page)
    assert [outcome.kind for outcome in clicked] == ["no_change"] * 2
    assert all(outcome.summary.startswith("nothing visible changed") for outcome in clicked)
    # The caret blinks in the field while keys are pressed that do nothing.
    assert [outcome.kind for outcome in outcomes(desk, *focused, page=page)[1:]] == ["no_change"] * 2


@pytest.mark.parametrize(
    ("fields", "kind", "said"),
    [
        ("", "unexpected", "no field has the keyboard"),
        ("<button autofocus>Go</button>", "unexpected", 'button "Go" did not take the text'),
        ("<input autofocus aria-label=Name>", "confirmed", "became"),
        (
            "<textarea autofocus style='opacity:0;position:absolute;left:-9em'></textarea>",
            "changed",
            "not read",
        ),
        ("<iframe srcdoc='<body><input autofocus aria-label=Name>'></iframe>", "confirmed", "became"),
        ("<p id=seen></p><script>onkeypress = (e) => seen.append(e.key)</script>", "confirmed", "Ada L."),
    ],
    ids=["nothing", "button", "field", "hidden field", "field in a frame", "the page itself"],
)
def test_beside_a_clock_typed_text_counts_where_it_arrived(
    desk: Any, fields: str, kind: str, said: str
) -> None:
    clock = "<output id=now></output><script>setInterval(() => now.value = Date.now(), 50)</script>"
    desk.computer.start(f"data:text/html,{quote(clock + fields)}")
    assert desk.computer.settle() is not None
    (outcome,) = judged(desk, TypeText("Ada L."))
    assert (outcome.kind, said in outcome.summary) == (kind, True), outcome.summary


def test_a_change_beside_what_moves_by_itself_is_said(desk: Any) -> None:
    outcome = outcomes(desk, named("Like"), page="changes.html?spin")[0]
    assert outcome.kind == "changed"
    (drawn,) = outcomes(desk, named("Board"), page="changes.html?spin")
    assert drawn.kind == "changed"
