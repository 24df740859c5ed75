"""What the cards of a report say."""

from __future__ import annotations

from collections.abc import Callable

from gui_agent.core.actions import Click, Drag, Scroll
from gui_agent.core.conditions import FileExists, TextShown, ValueIs
from gui_agent.core.observation import Box, Element, Mark, Observation, Point, Size, Words
from gui_agent.core.trajectory import (
    Ask,
    Decision,
    Finish,
    Found,
    GiveUp,
    Outcome,
    OutcomeKind,
    Planned,
    Step,
    Trajectory,
    Turn,
)
from gui_agent.testing.computer import draw
from gui_agent.trace.report import Card, Chapter, Gallery, bars, chapters, total_time

SIZE = Size(200, 100)
NAME = Element(1, "textbox", "Name", Box(10, 10, 100, 20))


def observed(*elements: Element) -> Observation:
    seen = Observation(SIZE, elements)
    return Observation(SIZE, elements, screenshot=draw(seen))


def card(step: Step) -> Card:
    gallery = Gallery([step.before, step.after])
    return chapters([Turn(Decision(), step.before, (step,))], gallery)[0].cards[0]


def stepped(planned: Planned, kind: OutcomeKind = "changed", **rest: object) -> Step:
    before, after = observed(NAME), observed(Element(1, "textbox", "Name", NAME.box, "Ada"))
    return Step(1, planned, before, after, Outcome(kind, "it changed"), **rest)  # type: ignore[arg-type]


def test_the_cards_of_a_run_tell_its_story(contact: Callable[..., Trajectory]) -> None:
    run = contact()
    screens = [s for step in run.steps for s in (step.before, step.after)]
    made = chapters(run.turns, Gallery(screens), [1.5, 2.5, 3.5, 4.5, 65.0, 66.0])
    cards = [card for chapter in made for card in chapter.cards]
    assert [card.number for card in cards] == [1, 2, 3, 4, 5, 6]
    assert cards[0].sentence == 'Type "Ada Lovelace" into textbox "Name"'
    assert cards[0].found == ('textbox "Name" by exact name, 100% sure',)
    assert cards[0].at == "1.5 s"
    assert cards[4].at == "1 min 5 s"
    assert cards[3].error == "Not found on the screen"
    assert cards[3].summary == 'there is no "Submit" button on this screen'
    assert cards[3].after is None, "nothing changed: there is no second picture to show"
    assert cards[5].why == "it sends the form"
    assert cards[4].marks.arrow
    assert made[-1].end_text == "4711"
    assert made[-1].picture is not None


def test_expectations_are_ticked_only_as_far_as_the_stored_screen_can_tell() -> None:
    expected = (
        ValueIs(Mark(1), "Ada"),
        ValueIs(Mark(1), "Bob"),
        ValueIs(Words("Name"), "Ada"),
        TextShown("Ada"),
        TextShown("Bob"),
        FileExists("/"),
    )
    held = [held for _, held in card(stepped(Planned(Click(Mark(1)), expected))).expectations]
    assert held == ["yes", "no", "unknown", "yes", "no", "unknown"]
    confirmed = card(stepped(Planned(Click(Mark(1)), expected[2:3]), "confirmed"))
    assert confirmed.expectations == (('"Name" holds "Ada"', "yes"),)
    failed = card(stepped(Planned(Click(Mark(1)), expected[:1]), "failed"))
    assert failed.expectations == (('textbox "Name" holds "Ada"', "unknown"),)


def test_what_changed_is_outlined() -> None:
    changed = card(stepped(Planned(Click(Mark(1))))).changed
    assert changed is not None
    assert Box(5, 5, 115, 30).encloses(changed)


def test_a_drag_and_a_scroll_have_arrows() -> None:
    found = {"at": Found(Point(20, 20), NAME), "to": Found(Point(120, 20))}
    dragged = card(
        stepped(Planned(Drag(Mark(1), Mark(2))), action=Drag(Point(20, 20), Point(120, 20)), found=found)
    )
    assert dragged.marks.arrow.startswith("M20 20L120 20")
    assert dragged.marks.points == (Point(20, 20), Point(120, 20))
    scrolled = card(
        stepped(Planned(Scroll(Mark(1), down=-300)), action=Scroll(Point(50, 50), down=-300), found={})
    )
    assert scrolled.marks.arrow.startswith("M50 50L50 30")


def test_a_step_without_a_picture_has_no_marks() -> None:
    bare = Observation(SIZE, (NAME,))
    found = {"at": Found(Point(20, 20), NAME)}
    step = Step(1, Planned(Click(Mark(1))), bare, bare, Outcome("changed"), Click(Point(20, 20)), found)
    made = card(step)
    assert made.before is None
    assert made.marks.points == ()


def test_what_was_planned_and_not_done_is_listed() -> None:
    decision = Decision(planned=(Planned(Click(Words("A"))), Planned(Click(Words("B")))))
    seen = observed(NAME)
    step = Step(1, decision.planned[0], seen, seen, Outcome("unexpected"))
    (made,) = chapters([Turn(decision, seen, (step,))], Gallery([seen]))
    assert made.dropped == ('Click "B"',)


def test_every_end_of_a_decision_is_put_into_words() -> None:
    seen = observed(NAME)

    def end(decision: Decision) -> Chapter:
        return chapters([Turn(decision, seen)], Gallery([seen]))[0]

    assert end(Decision(end=Finish("42"))).end_text == "42"
    assert end(Decision(end=GiveUp("no button"))).end == "The planner does not know how to go on"
    assert end(Decision(end=Ask("Which one?"))).end == "The planner asks"
    assert end(Decision()).end == ""


def test_times_are_shares_of_the_whole_in_their_order() -> None:
    made = bars({"check": 0.1, "act": 0.3, "brewing tea": 0.4, "ground": 0.2, "guard": 0.0})
    assert [bar.part for bar in made] == ["ground", "act", "check", "brewing tea"]
    assert round(sum(bar.share for bar in made)) == 100
    assert bars({}) == ()


def test_the_whole_time_has_all_parts(contact: Callable[..., Trajectory]) -> None:
    total = total_time(contact().turns)
    assert {"plan", "ground", "act", "settle", "observe", "check"} <= total.keys()
    assert round(total["act"], 3) == 0.18


def test_nothing_is_said_twice() -> None:
    planned = Planned(Click(Mark(1)), (ValueIs(Mark(1), "Ada"),), why="click the name")
    seen = observed(NAME)
    outcome = Outcome("confirmed", "it changed", ('element 1 holds "Ada"', "the title changed"))
    step = Step(1, planned, seen, seen, outcome)
    (told,) = chapters([Turn(Decision("Click  the name, then go"), seen, (step,))], Gallery([seen]))
    assert told.cards[0].evidence == ("the title changed",)
    assert told.cards[0].why == ""
    assert told.thought == "Click  the name, then go"
    listing = Decision("click the name", (planned,))
    (listed,) = chapters([Turn(listing, seen, (step,))], Gallery([seen]))
    assert listed.thought == ""
