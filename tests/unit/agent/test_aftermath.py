"""What a "done" must not pass over: dead programs, objections of a page, and what showed nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gui_agent.agent.finish import checked_ending, faults, remarks
from gui_agent.agent.questions import new_dialog, objection
from gui_agent.core.actions import Click, Close, Press, Proposal, Scroll, TypeText, Wait
from gui_agent.core.aiming import aim
from gui_agent.core.observation import Box, Element, Mark, Observation, Place, Point
from gui_agent.core.trajectory import (
    Decision,
    Finish,
    Found,
    Outcome,
    OutcomeKind,
    Planned,
    Step,
    Task,
    Trajectory,
    Turn,
)
from gui_agent.testing import button, dialog, field, screen, text, widget

FORM = screen(field("Name"), field("Mail"), button("Save"), button("Help"))
NAME, MAIL, SAVE, HELP = FORM.elements
ENTER, TAB = Press(("enter",)), Press(("tab",))


def with_states(element: Element, *states: str) -> Element:
    return replace(element, states=element.states | set(states))


def form(*elements: Element) -> Observation:
    changed = {element.id: element for element in elements}
    return replace(FORM, elements=tuple(changed.get(one.id, one) for one in FORM.elements))


def step(
    action: Proposal,
    before: Observation,
    after: Observation,
    kind: OutcomeKind = "changed",
    why: str = "do it",
) -> Step:
    at = getattr(action, "at", None)
    aimed = before.by_id(at.mark) if isinstance(at, Mark) else None
    spot = Found(aimed.box.center, aimed) if aimed else None
    done = aim(action, {"at": spot.point if spot else Point(1, 1)})
    return Step(1, Planned(action, why=why), before, after, Outcome(kind), done, {"at": spot} if spot else {})


def typed(into: Element) -> Proposal:
    return TypeText("Ada", Mark(into.id))


def after(*steps: Step, calls: int = 0) -> Trajectory:
    return Trajectory(Task("x"), (Turn(Decision(calls=calls), FORM, steps),))


@pytest.mark.parametrize("action", [Click(Mark(SAVE.id)), ENTER])
def test_a_field_that_is_wrong_since_it_was_sent_is_an_objection(action: Proposal) -> None:
    wrong = form(with_states(MAIL, "invalid"))
    assert "does not accept what was sent: textbox" in objection(after(step(action, FORM, wrong)))


def test_a_field_that_is_put_before_the_person_again_is_an_objection() -> None:
    before, now = form(with_states(MAIL, "invalid")), form(with_states(MAIL, "invalid", "focused"))
    assert objection(after(step(Click(Mark(SAVE.id)), before, now)))


def test_the_words_of_the_page_are_the_reason() -> None:
    now = form(with_states(MAIL, "invalid"))
    words = replace(text("No such address"), id=70, attributes={"notice": "alert"})
    now = replace(now, elements=(*now.elements, words))
    assert 'an alert says "No such address"' in objection(after(step(ENTER, FORM, now)))


@pytest.mark.parametrize(
    ("action", "before", "now"),
    [
        # checked when it is left, whatever the click was for
        (Click(Mark(HELP.id)), form(with_states(MAIL, "focused")), form(with_states(MAIL, "invalid"))),
        (Click(Mark(MAIL.id)), form(with_states(MAIL, "invalid")), form(with_states(MAIL, "invalid", "focused"))),  # noqa: E501
        (TAB, form(with_states(MAIL, "invalid")), form(with_states(MAIL, "invalid", "focused"))),
        (ENTER, form(with_states(MAIL, "invalid")), form(with_states(MAIL, "invalid"))),
        (TypeText("a", Mark(MAIL.id)), FORM, form(with_states(MAIL, "invalid"))),
        (Click(Mark(SAVE.id)), FORM, screen(text("Saved"))),
    ],
)  # fmt: skip
def test_what_was_not_sent_or_not_refused_is_no_objection(
    action: Proposal, before: Observation, now: Observation
) -> None:
    assert objection(after(step(action, before, now))) == ""


@pytest.mark.parametrize("kind", ["alert", "alertdialog", "dialog"])
def test_what_comes_up_last_is_told_without_its_buttons(kind: str) -> None:
    words, ok = (
        replace(element, id=number, attributes={"notice": kind})
        for number, element in ((70, text("Nearly there")), (71, button("OK")))
    )
    now = replace(FORM, elements=(*FORM.elements, words, ok))
    told = remarks(after(step(Click(Mark(SAVE.id)), FORM, now)))
    assert f'{kind} says "Nearly there"' in told
    assert "OK" not in told
    assert remarks(after(step(Click(Mark(SAVE.id)), now, now))) == ""


def test_a_notice_that_stood_there_empty_is_told_when_it_is_filled() -> None:
    before = screen(widget("alert", ""))
    now = replace(before, elements=(replace(before.elements[0], name="Not saved"),))
    assert 'an alert says "Not saved"' in remarks(after(step(ENTER, before, now)))


def test_an_alert_that_stood_there_from_the_start_is_not_told_when_a_dialog_uncovers_it() -> None:
    start = screen(widget("alert", "Get news?"), button("Save"))
    covered = replace(start, elements=start.elements[1:])
    run = after(step(ENTER, covered, start))
    assert "Get news?" in remarks(run)
    assert remarks(replace(run, turns=(replace(run.turns[0], observation=start),))) == ""


def test_what_showed_nothing_is_not_done_but_what_never_does_is() -> None:
    silent = step(Press(("ctrl", "s")), FORM, FORM, "no_change", "press ctrl+s.")
    looking = [step(action, FORM, FORM, "no_change") for action in (Wait(1), Scroll(Point(1, 1), down=9))]
    assert checked_ending(after(silent, *looking), FORM, "").reason.startswith(
        "press ctrl+s: nothing visible changed"
    )
    assert checked_ending(after(silent, *looking), FORM, "", lenient=True).kind == "done"
    assert checked_ending(after(*looking), FORM, "").kind == "done"
    assert checked_ending(after(silent, calls=1), FORM, "").kind == "done"


def test_programs_that_died_or_hang_are_faults() -> None:
    assert faults(after(step(ENTER, FORM, FORM)), FORM) == ""
    dead = step(ENTER, FORM, replace(FORM, crashed=("geany",)))
    later = step(ENTER, FORM, FORM)
    assert faults(after(dead, later), FORM) == "geany crashed or was killed during the run"
    frozen = replace(FORM, place=Place("geany", "a.txt"), hung=("geany",))
    assert "geany is not responding" in faults(after(later), frozen)
    behind = replace(FORM, place=Place("geany", "a.txt"), hung=("vlc",))
    assert faults(after(later), behind) == ""


CONFIRM = dialog("Delete the file?", text("This cannot be undone"), button("Cancel"), button("Delete"))
ABOUT = dialog("About Notes", text("Version 3"), button("Credits"), button("License"), button("Close"))
NEW = dialog("New page", field("Title"), button("Cancel"), button("Create"))
SAVED = dialog("Saved", text("All is well"), button("OK"))


def opened(before: Observation, group: object) -> Observation:
    """The screen with a dialog in front."""
    parts = screen(group).elements  # type: ignore[arg-type]
    return replace(before, elements=(*before.elements, *(replace(one, id=one.id + 500) for one in parts)))


@pytest.mark.parametrize(
    ("on", "group", "asked"),
    [
        ("Delete", CONFIRM, True),
        ("Trash", CONFIRM, True),
        ("Save", NEW, True),
        ("New", NEW, False),
        ("Save As...", NEW, False),
        ("About", ABOUT, False),
        ("Save", SAVED, False),
        ("Delete", SAVED, True),
        ("Go", dialog("We use cookies", text("Cookies"), button("Decline"), button("Accept")), False),
    ],
)
def test_an_unanswered_question_is_an_objection_and_a_wanted_dialog_is_none(
    on: str, group: object, asked: bool
) -> None:
    before = screen(button(on), button("Other"))
    told = objection(after(step(Click(Mark(before.elements[0].id)), before, opened(before, group))))
    assert bool(told) is asked, told


@pytest.mark.parametrize("says", ["Du musst erst eine Datei auswählen", "12 files were copied"])
def test_a_message_in_front_after_a_commit_is_an_objection_whatever_its_words(says: str) -> None:
    window, box = Box(0, 0, 1200, 800), Box(300, 200, 400, 200)
    before = replace(FORM, windows={1: window})
    shown = [
        replace(text(says), box=Box(320, 220, 300, 20)),
        replace(button("OK"), box=Box(450, 340, 80, 30)),
    ]
    placed = [replace(one, id=70 + place) for place, one in enumerate(shown)]
    after_it = replace(before, elements=(*FORM.elements, *placed), windows={1: window, 2: box})
    filled = replace(before, elements=form(replace(NAME, value="Ada")).elements)
    covered = replace(after_it, elements=(*filled.elements, *placed))
    told = objection(after(step(typed(NAME), FORM, filled), step(Click(Mark(SAVE.id)), filled, covered)))
    assert says in told and "say how to answer it" in told
    bare = after(step(Click(Mark(SAVE.id)), before, after_it))
    assert objection(bare) == ""
    ending = checked_ending(bare, after_it, "")
    assert (ending.kind, ending.verified) == ("done", False) and says in ending.reason
    gone = replace(covered, windows={2: box})  # the window that was clicked in went
    left = after(step(typed(NAME), FORM, filled), step(Click(Mark(SAVE.id)), filled, gone))
    assert objection(left) == "" and says in checked_ending(left, gone, "").reason


def test_enter_that_only_moved_the_keyboard_in_a_dialog_has_not_sent_it() -> None:
    open_one = opened(FORM, NEW)
    moved = replace(open_one, elements=tuple(with_states(e, "focused") for e in open_one.elements))
    assert "is still open" in objection(after(step(ENTER, open_one, moved, "no_change")))
    assert objection(after(step(TAB, open_one, moved))) == ""
    assert objection(after(step(ENTER, FORM, form(with_states(NAME, "focused")), "no_change"))) == ""


def test_a_question_that_the_last_command_looked_at_is_no_objection() -> None:
    asked = step(Click(Mark(SAVE.id)), FORM, opened(FORM, CONFIRM))
    looked = Turn(Decision(end=Finish(looked=True)), asked.after)
    run = Trajectory(Task("x"), (Turn(Decision(), FORM, (asked,)), looked))
    assert objection(run) == ""


def test_leaving_a_program_that_asks_about_changes_is_not_done() -> None:
    group = dialog("Save changes?", text("Your changes are lost"), button("Don't save"), button("Cancel"))
    assert "Save changes?" in objection(after(step(Close(), FORM, opened(FORM, group))))


@pytest.mark.parametrize(
    ("words", "notice", "wrong"),
    [
        ("The name is already taken", "alert", True),
        ("Der Name ist vergeben", "alert", True),
        ("Choose a longer name", "error", True),
        ("Saved", "", False),
        ("3", "error", False),
    ],
)
def test_an_alert_that_is_all_that_came_of_a_filled_form_is_an_objection(
    words: str, notice: str, wrong: bool
) -> None:
    said = replace(text(words), id=70, attributes={"notice": notice})
    filled = form(replace(NAME, value="Ada"))
    now = replace(filled, elements=(*filled.elements, said))
    run = after(step(typed(NAME), FORM, filled), step(ENTER, filled, now))
    assert bool(objection(run)) is wrong
    assert objection(after(step(typed(NAME), FORM, filled), step(ENTER, now, now))) == ""
    accepted = replace(now, effects=("POST /names was accepted",))
    sent = after(step(typed(NAME), FORM, filled), step(ENTER, filled, accepted))
    assert bool(objection(sent)) is (notice == "error" and wrong)


def test_what_the_server_refused_is_an_objection() -> None:
    now = replace(FORM, refused=("POST /cards: 422 Unprocessable Entity",))
    assert "POST /cards: 422" in objection(after(step(Click(Mark(SAVE.id)), FORM, now)))


def test_a_page_that_did_not_come_is_an_objection_and_one_that_stood_there_before_is_none() -> None:
    gone = replace(screen(), place=Place(url="chrome-error://chromewebdata/"))
    assert "could not be loaded" in objection(after(step(Click(Mark(SAVE.id)), FORM, gone)))
    assert objection(after(step(ENTER, gone, gone))) == ""


def test_what_was_typed_beside_a_button_that_waits_is_not_kept_yet() -> None:
    before = screen(
        field("Cell"), replace(button("Apply"), states=frozenset({"disabled"})), button("Write Changes")
    )
    cell, apply, write = before.elements
    ready = replace(before, elements=(cell, replace(apply, states=frozenset()), write))
    typed = step(TypeText("Ada"), before, ready)
    written = step(Click(Mark(write.id)), ready, ready)
    assert "Apply" in objection(after(typed, written))
    assert objection(after(typed, step(Click(Mark(write.id)), ready, before))) == ""
    assert objection(after(typed)) == ""


@pytest.mark.parametrize("mark", ["*", "●"])
def test_a_document_whose_title_still_says_that_it_is_changed_is_not_saved(mark: str) -> None:
    changed = replace(FORM, place=Place(title=f"{mark}style.txt - Editor"))
    saved = replace(FORM, place=Place(title="style.txt - Editor"))
    keys = Press(("ctrl", "s"))
    assert "is not saved" in objection(after(step(keys, changed, changed)))
    assert not objection(after(step(keys, changed, saved)))
    assert not objection(after(step(TypeText("x"), changed, changed))), "nobody asked to save it"


@pytest.mark.parametrize(("shown", "objected"), [("Part 1", True), ("part 1", False), ("PART 1", False)])
def test_a_cell_in_which_a_program_corrected_the_letters_is_no_success(shown: str, objected: bool) -> None:
    empty, filled = (screen(widget("gridcell", "A2", value=one)) for one in ("", shown))
    typed = replace(
        step(TypeText("part 1", Mark(1)), empty, filled), found={"at": Found(Point(0, 0), empty.elements[0])}
    )
    assert bool(objection(after(typed))) == objected


def asking(before: Observation, url: str = "") -> Observation:
    """The screen with a question in front."""
    asked = dialog("Save changes?", text("Save changes to the text?"), button("Cancel"), button("Save now"))
    parts = [replace(one, id=one.id + 50) for one in screen(asked).elements]
    return replace(before, elements=(*before.elements, *parts), place=Place(url=url))


def test_a_question_that_an_earlier_command_raised_and_that_still_stands_is_an_objection() -> None:
    asked = asking(FORM)
    closed = step(Press(("ctrl", "w")), FORM, asked)
    for more in (Press(("ctrl", "s")), Wait(1.0), TAB):
        told = objection(after(closed, step(more, asked, asked, "no_change")))
        assert "Save changes to the text?" in told and '"Cancel"' in told
    assert not objection(after(closed, step(ENTER, asked, FORM)))


def test_a_page_that_asks_by_the_way_is_operated_beside_its_question() -> None:
    asked = asking(FORM, "https://shop.example/")
    before = replace(FORM, place=asked.place)
    raised, beside = step(TAB, before, asked), step(Click(Mark(HELP.id)), asked, asked)
    assert objection(after(raised, step(TAB, asked, asked)))
    assert not objection(after(raised, beside))


def numbered(start: int, *elements: Element) -> Observation:
    """A screen whose elements have ids of their own."""
    return Observation(FORM.size, tuple(replace(one, id=start + n) for n, one in enumerate(elements)))


def test_a_question_that_stands_where_another_was_answered_is_left_open() -> None:
    files = numbered(1, *(text(f"file {n}") for n in range(30)))
    first = numbered(50, text("Copy a.txt to"), field("To"), button("OK"), button("Cancel"))
    second = numbered(60, text("a.txt is there already. Overwrite?"), button("OK"), button("Cancel"))
    opened, agreed = step(Press(("f5",)), files, first), step(Click(Mark(52)), first, second)
    assert "Overwrite?" in objection(after(opened, agreed))
    assert not objection(after(opened, step(Click(Mark(52)), first, files)))


def test_a_view_that_reports_what_goes_on_asks_nothing() -> None:
    view = numbered(1, button("Done"), *(text(f"step {n}") for n in range(30)))
    controls = button("Pause"), button("Stop"), field("Message"), button("Say")
    doing = numbered(50, *controls, replace(text("The agent is working."), attributes={"notice": "status"}))
    asking = numbered(50, *controls, text("Is this right?"))
    press = Click(Mark(1))
    assert "Is this right?" in objection(after(step(press, view, asking)))
    assert not objection(after(step(press, view, doing)))


def test_a_question_of_before_the_run_that_the_page_draws_again_is_not_of_the_run() -> None:
    begun, again, another = (
        numbered(start, *screen(dialog(words, button("Done"), button("Cancel"))).elements)
        for start, words in ((50, "Show it now"), (60, "Show it now"), (70, "Keep it?"))
    )
    press = Click(Mark(HELP.id))
    assert not objection(after(step(press, begun, again)))
    assert "Keep it?" in objection(after(step(press, begun, another)))


def test_who_said_ok_to_one_question_has_not_said_it_to_the_next() -> None:
    second = screen(dialog("Overwrite a.txt?", button("OK"), button("Cancel")))
    question = new_dialog(numbered(90, text("Copy a.txt to"), button("OK")), second)
    assert question is not None
    assert question.yes("OK") is None
    deleted = new_dialog(
        numbered(90, button("Delete")), screen(dialog("Delete a.txt?", button("Delete"), button("Cancel")))
    )
    assert deleted is not None
    assert str(deleted.yes("Delete")) == 'button "Delete"'
