"""The loop: batches, limits, refusals, endings, and what observers are told."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest
from loop_runs import QUICK, contact, run

from gui_agent.agent.guard import PolicyGuard
from gui_agent.agent.guard.ledger import RecallsLedger
from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Check, Click, Drag, Move, Press, Proposal, Scroll, TypeText, Wait
from gui_agent.core.conditions import TextShown
from gui_agent.core.errors import ActionFailed, BadReply, ComputerLost
from gui_agent.core.observation import Box, Element, Mark, Observation, Place, Point, Size, Target, Words
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import Decision, Planned, Step, Task, Trajectory
from gui_agent.testing import (
    ExactGrounder,
    FakeComputer,
    OpenGuard,
    ScriptedPlanner,
    Witness,
    ask,
    button,
    do,
    done,
    expecting,
    field,
    give_up,
    screen,
    text,
    when,
)
from gui_agent.testing.computer import draw


def test_a_batch_is_carried_out_and_every_outcome_is_checked() -> None:
    trajectory, computer, _ = run(
        do(TypeText("Ada", Words("Name")), Check(Words("I agree")), Click(Words("Send"))), done("sent")
    )
    assert [step.outcome.kind for step in trajectory.steps] == ["confirmed", "confirmed", "changed"]
    assert trajectory.ending is not None
    assert (trajectory.ending.kind, trajectory.ending.answer) == ("done", "sent")
    assert computer.value("Name") == "Ada"


@pytest.mark.parametrize(
    ("later", "kind"), [((), "changed"), (("dark",), "no_change"), (("light", "dark"), "no_change")]
)
def test_a_picture_that_changes_by_itself_is_no_effect_whenever_it_is_back(
    later: tuple[str, ...], kind: str
) -> None:
    dark = screen(text("Lamp"))
    light = replace(dark, screenshot=draw(screen(text("Lamp"), text("Light " * 9))))
    looks = {3 + number: name for number, name in enumerate(later)}
    computer = FakeComputer(
        {"dark": dark, "light": light}, [when("click", "Lamp", go="light")], after_looks=looks
    )
    trajectory = Agent(
        computer, ScriptedPlanner([do(Click(Words("Lamp"))), give_up()]), guard=OpenGuard()
    ).run("x")
    assert trajectory.steps[0].outcome.kind == kind, trajectory.steps[0].outcome
    assert computer.calls["observe"] > 2 + len(later)


def test_a_batch_is_dropped_when_a_later_target_is_no_longer_there() -> None:
    trajectory, computer, planner = run(
        do(Click(Mark(3)), TypeText("too late", Mark(1)), Press(("enter",))), give_up("lost")
    )
    assert [step.error for step in trajectory.steps] == ["", "Stale"]
    assert len(computer.performed) == 1
    assert not planner.situations[1].advice


def test_words_may_name_what_an_earlier_action_of_the_batch_brought_up() -> None:
    trajectory, *_ = run(do(Click(Words("Send")), Click(Words("Thank you"))), done())
    assert [step.error for step in trajectory.steps] == ["", ""]


@pytest.mark.parametrize("target", [Words("Replace"), Mark(2)], ids=["words", "mark"])
def test_a_button_that_says_more_since_an_earlier_action_of_the_batch_is_still_the_one_meant(
    target: Target,
) -> None:
    both = {
        name: screen(button("In all"), button(f"Replace{more}"), field("Replace with"), title="Replace")
        for name, more in (("one", ""), ("all", " All"))
    }
    computer = FakeComputer(both, [when("click", "In all", go="all")])
    trajectory, computer, _ = run(do(Click(Words("In all")), Click(target)), done(), computer=computer)
    clicked = trajectory.steps[-1].found["at"].element
    assert clicked is not None
    assert clicked.name == "Replace All"


def test_words_that_name_something_just_so_by_now_mean_that_and_not_what_was_only_like_them() -> None:
    computer = FakeComputer(
        {
            "shop": screen(button("Add to cart"), button("Buy")),
            "bought": screen(button("Cart"), button("Buy")),
        },
        [when("click", "Buy", go="bought")],
    )
    planner = ScriptedPlanner([do(Click(Words("Buy")), Click(Words("Cart", "button"))), done()])
    agent = Agent(computer, planner, guard=OpenGuard(), limits=QUICK)
    last = agent.run(Task("t")).trajectory.steps[-1]
    assert last.error == ""
    assert last.found["at"].element is not None and last.found["at"].element.name == "Cart"


@pytest.mark.parametrize(
    ("source", "drawn", "error"),
    [("vision", "same", ""), ("vision", "other", "Stale"), ("atspi", "same", "Stale")],
    ids=["read in another way", "read in another way and changed", "another thing that looks alike"],
)
def test_a_point_is_held_to_its_pixels_where_the_things_were_read_in_another_way(
    source: str, drawn: str, error: str
) -> None:
    first = screen(replace(button("Width:"), source=source), button("Go"))
    second = screen(replace(button("Height"), source="atspi"), button("Go"))
    looks = {"same": draw(first), "other": draw(second)}
    screens = {
        "first": replace(first, screenshot=looks["same"]),
        "second": replace(second, screenshot=looks[drawn]),
    }
    at = first.elements[0].box.center
    computer = FakeComputer(screens, [when("click", "Go", go="second")])
    trajectory, _, _ = run(do(Click(Words("Go")), Click(at)), give_up(), computer=computer)
    assert trajectory.steps[-1].error == error


@pytest.mark.parametrize(("source", "error"), [("ocr", ""), ("atspi", "Stale")])
def test_a_place_on_a_drawing_is_meant_though_what_eyes_read_there_was_undone(
    source: str, error: str
) -> None:
    word = replace(text("HELLO"), id=2, source=source, box=Box(200, 200, 60, 20))
    undo = replace(button("Undo"), source="atspi")
    drawn, clean = draw(screen(undo, word, title="Picture *")), draw(screen(undo, title="Picture"))
    windows = {1: Box(0, 0, 800, 600)}
    screens = {
        "drawn": replace(screen(undo, word, title="Picture *"), screenshot=drawn, windows=windows),
        "clean": replace(screen(undo, title="Picture"), screenshot=clean, windows=windows),
    }
    at = next(one.box.center for one in screens["drawn"].elements if one.name == "HELLO")
    rules = [when("click", "Undo", go="clean"), when("click", go="drawn", on="clean")]
    computer = FakeComputer(screens, rules)
    trajectory, _, _ = run(do(Click(Words("Undo")), Click(at)), give_up(), computer=computer)
    assert trajectory.steps[-1].error == error, trajectory.steps[-1].outcome


@pytest.mark.parametrize("target", [Words("Save page"), Mark(2)], ids=["words", "mark"])
def test_what_is_known_to_be_out_of_sight_is_scrolled_to(target: Target) -> None:
    form = screen(field("Text"), button("Save page"))
    hidden = replace(form.elements[1], id=0, box=Box(20, 900, 80, 30))
    short = replace(form, elements=form.elements[:1], beyond=(hidden,), more={"below": 400})
    computer = FakeComputer(
        {"form": form, "short": short, "saved": screen(text("Saved"))},
        [
            when("press", "enter", go="short", on="form"),
            when("scroll", go="form", on="short"),
            when("click", "Save page", go="saved"),
        ],
    )
    planner = ScriptedPlanner([do(Press(("enter",)), Click(target)), done()])
    trajectory = Agent(computer, planner, guard=OpenGuard(), limits=QUICK).run(Task("t")).trajectory
    assert [step.error for step in trajectory.steps] == [""] * 3
    kinds = ["press", "scroll", "click"]
    assert [one.action.kind for one in trajectory.steps if one.action] == kinds
    assert [action.kind for action in computer.performed] == kinds


@pytest.mark.parametrize(("beside", "error"), [("tag name", ""), ("file name", "Stale")])
def test_what_a_page_has_built_anew_among_the_same_things_is_still_meant(beside: str, error: str) -> None:
    def row(first: int, name: str) -> tuple[Element, ...]:
        return (
            Element(first, "textbox", name, Box(20, 20, 100, 24), path="body/form/input"),
            Element(first + 1, "button", "add", Box(130, 20, 40, 24), path="body/form/button"),
        )

    before = Observation(Size(400, 300), row(1, "tag name"))
    screens = {"before": before, "after": replace(before, elements=row(11, beside))}
    computer = FakeComputer(screens, [when("type", "tag name", go="after")])
    batch = do(TypeText("weekly", Mark(1)), Click(Mark(2)))
    trajectory = (
        Agent(computer, ScriptedPlanner([batch, give_up()]), guard=OpenGuard(), limits=QUICK)
        .run(Task("t"))
        .trajectory
    )
    assert trajectory.steps[-1].error == error, trajectory.steps[-1].outcome


@pytest.mark.parametrize(
    ("role", "rows", "error"),
    [
        ("text", [(2, "text", "data.csv"), (3, "text", "notes.md")], ""),
        ("button", [(9, "text", "notes.md")], ""),
        ("text", [(8, "text", "notes.md"), (9, "text", "notes.md")], "Stale"),
        ("button", [(2, "button", "data.csv"), (3, "button", "notes.md")], "Stale"),
    ],
    ids=["a row is used anew", "it is shown in another way", "two of that name", "a button elsewhere"],
)
def test_a_thing_in_a_list_that_is_called_so_alone_is_still_meant(
    role: str, rows: Sequence[tuple[int, str, str]], error: str
) -> None:
    def files(*listed: tuple[int, str, str]) -> Observation:
        boxes = [Box(20, 50 + 30 * row, 100, 24) for row in range(len(listed))]
        told = [Element(*one, box, path=f"ul/li[{one[0]}]") for one, box in zip(listed, boxes, strict=True)]
        return Observation(Size(400, 300), (Element(1, "button", "New", Box(20, 10, 60, 24)), *told))

    before = files((2, role, "notes.md"))
    computer = FakeComputer({"before": before, "after": files(*rows)}, [when("click", "New", go="after")])
    trajectory, _, _ = run(do(Click(Mark(1)), Click(Mark(2))), give_up(), computer=computer)
    assert trajectory.steps[-1].error == error, trajectory.steps[-1].outcome
    named = trajectory.steps[-1].found.get("at")
    assert error or (named and named.element and named.element.name == "notes.md")


def _step_after_change(element: Element, target: Target, **changes: str) -> Step:
    """The last step of a batch that types, which changes an element, and then clicks a target."""
    before = Observation(Size(400, 300), (Element(1, "textbox", "Name", Box(20, 10, 90, 20)), element))

    def change(computer: FakeComputer) -> None:
        computer.change(element.id, **changes)

    computer = FakeComputer({"it": before}, [when("type", "Name", go=change)])
    planner = ScriptedPlanner([do(TypeText("x", Mark(1)), Click(target)), give_up()])
    return Agent(computer, planner, guard=OpenGuard(), limits=QUICK).run(Task("t")).trajectory.steps[-1]


@pytest.mark.parametrize(
    ("name", "error"), [("*CherryTree 0.99", ""), ("0.99 - CherryTree", ""), ("Gnumeric 1.12", "Stale")]
)
@pytest.mark.parametrize("target", [Mark(2), Words("CherryTree 0.99")], ids=["mark", "words"])
def test_an_element_whose_name_got_a_mark_is_still_the_same(target: Target, name: str, error: str) -> None:
    window = Element(2, "textbox", "CherryTree 0.99", Box(20, 40, 200, 200))
    step = _step_after_change(window, target, name=name)
    assert bool(step.error) == bool(error), step.outcome


def test_a_refusal_names_what_is_there_now() -> None:
    node = Element(2, "generic", "timestamp", Box(20, 40, 200, 200), path="body/div[1]")
    step = _step_after_change(node, Point(60, 60), name="", path="body/div[2]")
    told = 'was "timestamp" when this was planned and is the unnamed place now'
    assert step.error == "Stale" and told in step.outcome.summary


@pytest.mark.parametrize(
    ("batch", "error"),
    [
        ([Click(Words("New tab")), Drag(Words("inject"), Point(300, 300))], ""),
        ([Click(Point(300, 300)), Click(Point(320, 310))], ""),
        ([Click(Words("New tab")), Click(Point(300, 300))], "Stale"),
    ],
    ids=["the place where a drag ends", "the batch works on the drawing", "another control changed it"],
)
def test_a_point_of_a_drawing_is_held_to_its_looks_unless_the_batch_was_to_change_it(
    batch: list[Proposal], error: str
) -> None:
    palette = (
        Element(1, "button", "New tab", Box(10, 10, 60, 20)),
        Element(2, "generic", "inject", Box(10, 60, 60, 20), path="body/div/div"),
    )
    sheet = Element(3, "generic", "", Box(100, 100, 400, 400), path="body/svg/g/rect")
    node = Element(4, "generic", "timestamp", Box(280, 280, 90, 40), path="body/svg/g/g")
    drawn, empty = (Observation(Size(600, 600), (*palette, *more)) for more in ((sheet, node), (sheet,)))
    screens = {
        "drawn": replace(drawn, screenshot=draw(drawn)),
        "empty": replace(empty, screenshot=draw(empty)),
    }
    rules = [when("click", go="empty", on="drawn"), when("click", go="drawn"), when("drag", go="drawn")]
    trajectory, _, _ = run(do(*batch), give_up(), computer=FakeComputer(screens, rules))
    assert trajectory.steps[-1].error == error, trajectory.steps[-1].outcome


def test_what_was_meant_and_is_gone_is_named() -> None:
    trajectory, _, _ = run(do(Click(Words("Send")), Click(Mark(4))), give_up())
    told = trajectory.steps[-1].outcome.summary
    assert 'element 4 was button "Idle" when this was planned' in told


def test_an_action_that_changes_nothing_is_not_sent_a_third_time() -> None:
    click = Click(Words("Idle"))
    focus = do(click)
    trajectory, computer, _ = run(focus, focus, focus, focus, give_up())
    assert trajectory.steps[-1].error == "ActionFailed"
    assert "not sent" in trajectory.steps[-1].outcome.summary
    assert len(computer.performed) == 3  # the first one moved the focus


def test_an_unexpected_outcome_ends_the_batch_and_is_told() -> None:
    trajectory, _, planner = run(
        do(expecting(Click(Words("Send")), TextShown("Receipt")), Press(("enter",))), give_up()
    )
    assert trajectory.steps[0].outcome.kind == "unexpected"
    assert len(trajectory.steps) == 1
    assert "Receipt" in planner.situations[1].turns[-1].steps[-1].outcome.summary


@pytest.mark.parametrize(
    ("limits", "windows"),
    [(Limits(patience=5), {}), (QUICK, {1: Box(0, 0, 800, 600)})],
    ids=["a page", "a program, which is slower"],
)
def test_a_late_change_is_waited_for(limits: Limits, windows: dict[int, Box]) -> None:
    screens = {"a": screen(button("Load")), "b": screen(text("Loaded"))}
    shown = {name: replace(one, windows=windows) for name, one in screens.items()}
    computer = FakeComputer(shown, after_looks={4: "b"})
    batch = do(expecting(Click(Words("Load")), TextShown("Loaded")))
    trajectory, *_ = run(batch, done(), computer=computer, limits=limits)
    assert trajectory.steps[0].outcome.kind == "confirmed"


def test_waiting_for_a_text_ends_when_it_shows_and_fails_when_it_does_not() -> None:
    computer = FakeComputer({"a": screen(button("Load")), "b": screen(text("Loaded"))}, after_looks={3: "b"})
    trajectory, *_ = run(do(Wait(5, "Loaded")), do(Wait(0.05, "Never")), give_up(), computer=computer)
    assert [step.outcome.kind for step in trajectory.steps] == ["confirmed", "failed"]
    assert "did not appear" in trajectory.steps[1].outcome.summary


def test_a_failed_wait_hands_on_the_screen_of_now() -> None:
    """Look 1 is the beginning, the wait looks from 2 on."""
    computer = FakeComputer({"a": screen(button("Load")), "b": screen(text("Late"))}, after_looks={2: "b"})
    _, _, planner = run(do(Wait(0.05, "Never")), give_up(), computer=computer)
    assert [one.name for one in planner.situations[1].observation.elements] == ["Late"]


def test_a_program_that_died_is_told_and_the_run_is_not_done() -> None:
    editor = screen(field("Text"), title="a.txt")
    computer = FakeComputer({"a": editor, "b": replace(screen(), crashed=("geany",))}, after_looks={2: "b"})
    trajectory, *_ = run(do(Press(("ctrl", "s"))), done("saved"), computer=computer)
    assert trajectory.ending is not None
    assert (trajectory.ending.kind, trajectory.ending.answer) == ("not_done", "saved")
    assert trajectory.ending.reason == "geany crashed or was killed during the run"


def test_a_reason_to_give_up_names_the_program_that_died() -> None:
    computer = FakeComputer(
        {"a": screen(field("T")), "b": replace(screen(), crashed=("geany",))}, after_looks={2: "b"}
    )
    trajectory, *_ = run(do(Press(("ctrl", "s"))), give_up("no Save here"), computer=computer)
    assert trajectory.ending is not None
    assert trajectory.ending.reason == "no Save here; geany crashed or was killed during the run"


@pytest.mark.parametrize("answers_again", [True, False])
def test_a_program_that_hangs_at_the_end_is_waited_for(
    answers_again: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui_agent.agent._aftermath.FROZEN", 30.0 if answers_again else 0.3)
    editor = replace(screen(text("a")), place=Place("geany", "a.txt"))
    hung = replace(editor, elements=screen(text("b")).elements, hung=("geany",))
    looks = {2: "hung", 5: "again"} if answers_again else {2: "hung"}
    screens = {"a": editor, "hung": hung, "again": replace(hung, hung=())}
    trajectory, *_ = run(do(Press(("ctrl", "s"))), done(), computer=FakeComputer(screens, after_looks=looks))
    assert trajectory.ending is not None
    assert trajectory.ending.kind == ("done" if answers_again else "not_done")
    assert answers_again or "geany is not responding" in trajectory.ending.reason


def test_a_missing_target_is_told_and_an_optional_one_is_skipped() -> None:
    trajectory, computer, _ = run(
        do(Planned(Click(Words("Cookies")), optional=True), Click(Words("Send"))),
        do(Click(Words("Gone"))),
        give_up(),
    )
    assert [step.error for step in trajectory.steps] == ["NotFound", "", "NotFound"]
    assert len(computer.performed) == 1


def test_the_limit_of_steps_ends_the_run() -> None:
    trajectory, *_ = run(*[do(TypeText(str(n), Words("Name"))) for n in range(9)], limits=Limits(steps=3))
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "limit"
    assert "3 steps" in trajectory.ending.reason
    assert len(trajectory.steps) == 3


def test_the_limit_of_time_ends_the_run() -> None:
    trajectory, *_ = run(do(Wait(0.2)), do(Wait(0.2)), done(), limits=Limits(seconds=0.1))
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "limit"


@pytest.mark.parametrize("wait", [Wait(30), Wait(30, "Never")])
def test_a_long_wait_ends_with_the_time_of_the_run(wait: Wait) -> None:
    begun = time.monotonic()
    trajectory, *_ = run(replace(do(wait), end=done().end), limits=Limits(seconds=1.0))
    assert time.monotonic() - begun < 20
    assert trajectory.ending is not None
    assert (trajectory.ending.kind, "--max-seconds" in trajectory.ending.reason) == ("limit", True)
    assert "the time of the run was over" in trajectory.steps[0].outcome.summary


def test_idle_decisions_end_the_run() -> None:
    trajectory, *_ = run(*[Decision()] * 9)
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "limit"


def test_a_run_whose_model_gives_nothing_usable_ends_with_the_reason() -> None:
    trajectory, *_ = run(*[BadReply("the request is too long for the model")] * 9)
    assert trajectory.ending is not None
    assert (trajectory.ending.kind, trajectory.ending.exit_code) == ("limit", 4)
    assert trajectory.ending.reason.endswith("the request is too long for the model")


def test_a_refusal_by_the_guard_ends_as_refused_when_the_planner_gives_up() -> None:
    trajectory, computer, _ = run(do(Click(Words("Send"))), give_up("may not"), guard=OpenGuard(["Send"]))
    assert trajectory.ending is not None
    assert (trajectory.ending.kind, trajectory.ending.exit_code) == ("refused", 5)
    assert computer.performed == []


def test_done_is_refused_while_a_criterion_is_not_seen() -> None:
    task = Task("contact", criteria=(TextShown("Thank you"),))
    trajectory, _, planner = run(done(), do(Click(Words("Send"))), done(), task=task)
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "done"
    assert "Thank you" in planner.situations[1].advice[0]


def test_done_is_refused_twice_and_then_ends_as_not_done() -> None:
    task = Task("contact", criteria=(TextShown("Thank you"),))
    trajectory, _, planner = run(done(), done(), done(), done(), task=task)
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "not_done"
    assert len(planner.situations) == 3


def test_a_question_goes_to_the_person_and_the_answer_to_the_planner() -> None:
    trajectory, _, planner = run(ask("Which one?"), done(), ask=lambda question: f"{question} the red one")
    assert "the red one" in planner.situations[1].advice[0]
    assert trajectory.notes == {"Which one?": "Which one? the red one"}
    alone, *_ = run(ask("Which one?"))
    assert alone.ending is not None
    assert alone.ending.kind == "not_done"


def test_a_bad_reply_is_told_and_not_fatal() -> None:
    trajectory, _, planner = run(BadReply("no such action"), done())
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "done"
    assert "no such action" in planner.situations[1].advice[0]


def test_a_lost_computer_ends_the_run_with_a_finished_trace() -> None:
    computer = contact()
    broken = FakeComputer(
        {"form": computer.world.screen},
        errors={("perform", 2): ComputerLost("the browser is gone; start again")},
    )
    witness = Witness()
    trajectory, *_ = run(
        do(TypeText("Ada", Words("Name")), Click(Words("Send"))), computer=broken, observers=[witness]
    )
    assert trajectory.ending is not None
    assert (trajectory.ending.kind, trajectory.ending.exit_code) == ("lost", 3)
    assert witness.events == ["started", "decided", "stepped", "stepped", "ended"]
    assert trajectory.steps[1].outcome.summary.startswith("perhaps sent; its outcome was not seen")


@pytest.mark.parametrize("fault", [ComputerLost("it is gone"), KeyboardInterrupt()], ids=["lost", "ctrl-c"])
def test_an_action_that_was_sent_is_kept_when_the_look_after_it_fails(fault: BaseException) -> None:
    broken = FakeComputer({"form": contact().world.screen}, errors={("observe", 2): fault})
    trajectory, computer, _ = run(do(Click(Words("Send")), Click(Words("Name"))), computer=broken)
    assert trajectory.ending is not None
    assert trajectory.ending.kind in ("lost", "stopped")
    assert len(computer.performed) == 1
    assert [step.outcome.kind for step in trajectory.steps] == ["unverifiable"]
    assert trajectory.steps[0].outcome.summary.startswith("sent; its outcome was not seen: ")
    assert trajectory.steps[0].action is not None


def test_a_resumed_run_says_what_was_sent_before() -> None:
    class Recalling(OpenGuard):
        done_before = ('click button "OK" (submit a form)',)

    begun, computer, _ = run(do(Click(Words("Send"))), give_up())
    planner = ScriptedPlanner([done()])
    agent = Agent(computer, planner, grounder=ExactGrounder(), guard=Recalling(), limits=QUICK)
    agent.run("contact", begun)
    assert any('click button "OK"' in line for line in planner.situations[0].advice)
    assert isinstance(PolicyGuard.default(), RecallsLedger)


@pytest.mark.parametrize("action", [Scroll(Point(40, 30), 300), Move(Point(40, 30))], ids=["scroll", "move"])
def test_the_wheel_and_the_pointer_go_to_a_point_whatever_lies_there_by_now(action: Proposal) -> None:
    trajectory, computer, _ = run(do(Click(Words("Send")), action), done())
    assert [step.error for step in trajectory.steps] == ["", ""]
    assert computer.performed[-1] == action


def test_what_a_person_can_do_about_a_refusal_is_in_the_end_and_not_in_the_step() -> None:
    trajectory, *_ = run(do(Click(Words("Send"))), give_up("it needs a yes"), guard=PolicyGuard.default())
    assert "--yes" not in trajectory.steps[0].outcome.summary
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "refused"
    assert trajectory.ending.reason.startswith("it needs a yes; say yes=True or --yes")


def test_a_place_that_cannot_be_opened_ends_as_unavailable() -> None:
    trajectory, *_ = run(done(), task=Task("x", start="http://nowhere.test"))
    assert trajectory.ending is not None
    assert trajectory.ending.exit_code == 3


def test_ctrl_c_leaves_a_finished_trace() -> None:
    broken = FakeComputer({"form": contact().world.screen}, errors={("perform", 1): KeyboardInterrupt()})
    witness = Witness()
    trajectory, *_ = run(do(Click(Words("Send"))), computer=broken, observers=[witness])
    assert trajectory.ending is not None
    assert (trajectory.ending.kind, trajectory.ending.exit_code) == ("stopped", 130)
    assert witness.events[-1] == "ended"


def test_an_error_in_the_program_is_raised_after_the_trace_is_finished() -> None:
    witness = Witness()
    with pytest.raises(ZeroDivisionError):
        run(ZeroDivisionError(), observers=[witness])
    assert witness.runs[0].ending is not None
    assert witness.runs[0].ending.kind == "crashed"


def test_a_wrong_secret_name_fails_the_step_and_names_those_there_are() -> None:
    wrong = TypeText("${secret:PASSWORD}", Words("Name"))
    right = TypeText("${secret:MAIL}", Words("Name"))
    secrets = {"MAIL": "s3cret-value", "PIN": "4711"}
    trajectory, computer, _ = run(do(wrong), do(right), done(), secrets=secrets)
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "done"
    first = trajectory.steps[0].outcome
    assert first.summary == "there is no secret PASSWORD; secrets that can be typed: MAIL, PIN"
    assert first.advice == "set GUIAGENT_SECRET_PASSWORD, or give --secret PASSWORD=..."
    assert "s3cret-value" not in str(first)
    assert len(computer.performed) == 1


def test_a_secret_reaches_the_device_and_nothing_else() -> None:
    trajectory, computer, _ = run(
        do(TypeText("${secret:pin}", Words("Name"))), done(), secrets={"pin": "4711"}
    )
    assert computer.value("Name") == "4711"
    step = trajectory.steps[0]
    assert isinstance(step.action, TypeText)
    assert step.action.text == "${secret:pin}"


def test_a_device_that_fails_half_way_is_looked_at_again() -> None:
    broken = FakeComputer(
        {"form": contact().world.screen}, errors={("perform", 1): ActionFailed("only half was typed")}
    )
    trajectory, computer, _ = run(do(TypeText("Ada", Words("Name"))), give_up(), computer=broken)
    assert trajectory.steps[0].error == "ActionFailed"
    assert computer.calls["observe"] == 2


def test_stop_from_another_thread_ends_a_paused_run() -> None:
    computer = contact()
    agent: list[Agent] = []

    def pause(situation: Situation) -> Decision:
        agent[0].control.pause()
        threading.Timer(0.05, agent[0].control.stop).start()
        return do(Click(Words("Idle")), Click(Words("Send")))

    agent.append(Agent(computer, ScriptedPlanner([pause]), grounder=ExactGrounder(), guard=OpenGuard()))
    trajectory = agent[0].run("x")
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "stopped"
    assert computer.performed == []


def test_memory_is_told_of_every_ended_run() -> None:
    class Notebook:
        def __init__(self) -> None:
            self.kept: list[Trajectory] = []

        def recall(self, *_: object) -> tuple[()]:
            return ()

        def remember(self, trajectory: Trajectory) -> None:
            self.kept.append(trajectory)

    notebook = Notebook()
    failed, *_ = run(give_up(), memory=notebook)
    trajectory, *_ = run(done(), memory=notebook)
    assert notebook.kept == [failed, trajectory]
    assert failed.ending is not None


def test_steps_keep_their_times_by_part() -> None:
    trajectory, *_ = run(do(Click(Words("Send"))), done())
    assert set(trajectory.steps[0].seconds) >= {"ground", "guard", "act", "settle", "observe", "check"}


def test_nothing_is_pictured_when_pictures_are_off() -> None:
    trajectory, *_ = run(do(Click(Words("Send"))), done(), picture=False)
    assert trajectory.steps[0].after.screenshot is None
    assert replace(trajectory.steps[0].before, screenshot=None) == trajectory.steps[0].before


class Drawing(FakeComputer):
    """Shows only in its picture what was drawn, and from the second look on a text beside it."""

    looks = 0

    def observe(self, *, picture: bool = True) -> Observation:
        now = super().observe(picture=picture)
        if not self.performed:
            return now
        self.looks += 1
        line = replace(button("x"), box=Box(200, 200, 200, 200))
        drawn = replace(now, screenshot=draw(screen(line)))
        late = replace(text("Out of ink"), id=99, box=Box(20, 400, 80, 20))
        return drawn if self.looks == 1 else replace(drawn, elements=(*drawn.elements, late))


def test_a_step_keeps_the_screen_that_its_verdict_was_made_of() -> None:
    computer = Drawing(screen(button("Draw")))
    trajectory, _, _ = run(do(Click(Point(300, 300))), done(), computer=computer)
    step = trajectory.steps[0]
    assert computer.looks > 1 and step.outcome.kind == "changed"
    assert (
        all(one.name != "Out of ink" for one in step.after.elements)
        and "Out of ink" not in step.outcome.summary
    )


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("Log in as admin with ${secret:PW}", "Log in as admin with ${secret:PW}"),
        ("Log in as ada with admin", "Log in as ada with ${secret:PW}"),
    ],
    ids=["the person put the reference", "the person wrote the password"],
)
def test_a_secret_that_is_a_word_of_the_task_too_is_replaced_only_where_it_is_meant(
    asked: str, told: str
) -> None:
    trajectory, _, planner = run(give_up(), task=asked, secrets={"PW": "admin"})
    assert planner.situations[0].task.text == trajectory.task.text == told
