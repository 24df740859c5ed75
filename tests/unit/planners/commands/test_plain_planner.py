"""The planner carries out plain commands in order, in batches where that is safe, and never guesses."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from planning import carried_out, decide

from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Check, Choose, Click, Move, Open, Press, Scroll, Switch, TypeText, Wait
from gui_agent.core.conditions import StateIs, ValueIs
from gui_agent.core.observation import Box, Mark, Observation, Place, Point, Words
from gui_agent.core.trajectory import (
    Decision,
    Finish,
    GiveUp,
    OutcomeKind,
    Planned,
    Task,
    Trajectory,
    Turn,
)
from gui_agent.planners.commands import PlainPlanner, Unparsed, parse, say
from gui_agent.testing import (
    FakeComputer,
    OpenGuard,
    Rule,
    button,
    checkbox,
    choice,
    field,
    screen,
    text,
    when,
    widget,
    with_states,
)

FORM = screen(
    field("Name"),
    field("Code", states=["password"]),
    choice("Country", "Canada", "Chile"),
    checkbox("I agree"),
    button("Send"),
    title="Form",
)
TASK = 'type "Ada" into Name, choose Canada in Country, tick I agree, click Send'


def run(task: str, computer: FakeComputer) -> Trajectory:
    return (
        Agent(computer, PlainPlanner(waits=(0.01,) * 3), guard=OpenGuard(), picture=False)
        .run(task)
        .trajectory
    )


def spent(name: str) -> Rule:
    """Has a button go away when it is clicked."""
    return when("click", name, go=lambda world: world.remove(name))


def reason(decision: Decision) -> str:
    assert isinstance(decision.end, GiveUp)
    return decision.end.reason


def test_fields_of_one_form_and_the_click_after_them_are_one_batch() -> None:
    decision = decide(TASK, FORM)
    assert [planned.action for planned in decision.planned] == [
        TypeText("Ada", Words("Name"), replace=True),
        Choose(Words("Country"), "Canada"),
        Check(Words("I agree")),
        Click(Words("Send")),
    ]


def test_what_a_field_must_hold_is_expected_but_no_secret() -> None:
    decision = decide("type Ada into Name, type ${secret:PW} into Name, type x into Code", FORM)
    name = next(element for element in FORM.elements if element.name == "Name")
    assert [planned.expect for planned in decision.planned] == [(ValueIs(Mark(name.id), "Ada"),), (), ()]


def test_after_a_click_the_screen_is_looked_at_again() -> None:
    decision = decide("click Send, click Send", FORM)
    assert len(decision.planned) == 1


def test_the_batch_ends_before_what_is_not_there_yet() -> None:
    decision = decide("type Ada into Name, type x into Street", FORM)
    assert [planned.action for planned in decision.planned] == [TypeText("Ada", Words("Name"), replace=True)]


def test_a_batch_that_was_cut_short_is_taken_up_where_it_stopped() -> None:
    first = decide(TASK, FORM)
    second = decide(TASK, FORM, carried_out(first, FORM, "confirmed", "changed"))
    assert [type(planned.action) for planned in second.planned] == [Check, Click]


def test_when_all_is_done_the_task_is_finished() -> None:
    first = decide(TASK, FORM)
    last = decide(TASK, FORM, carried_out(first, FORM, "confirmed", "changed", "confirmed", "no_change"))
    assert last.end == Finish("")


def test_a_stale_target_is_tried_once_more_and_then_given_up() -> None:
    first = decide(TASK, FORM)
    failed = carried_out(first, FORM, "confirmed", "failed", error="Stale")
    second = decide(TASK, FORM, failed)
    assert second.planned[0].action == Choose(Words("Country"), "Canada")
    third = decide(TASK, FORM, failed, carried_out(second, FORM, "failed", error="Stale"))
    assert reason(third) == 'choose "Canada" in "Country": so it went'


@pytest.mark.parametrize(("kind", "error"), [("unexpected", ""), ("failed", "ActionFailed")])
def test_what_went_wrong_is_said_and_ends_the_run(kind: OutcomeKind, error: str) -> None:
    first = decide(TASK, FORM)
    second = decide(TASK, FORM, carried_out(first, FORM, kind, error=error))
    assert reason(second) == 'type "Ada" into "Name": so it went'


def test_a_sentence_that_is_no_command_ends_the_run_at_once() -> None:
    assert "'book me a flight' is not a plain command" in reason(decide("click Send, book me a flight", FORM))


def test_several_that_fit_are_named() -> None:
    two = screen(button("Delete"), button("Delete"))
    assert '2 things could be "Delete"' in reason(decide("click Delete", two))


def test_other_planners_turns_in_between_do_not_matter() -> None:
    first = decide(TASK, FORM)
    other = Turn(Decision("model", (Planned(Click(Words("Send"))),), planner="model", bookmark="?"), FORM)
    second = decide(TASK, FORM, carried_out(first, FORM, "confirmed", "changed"), other)
    assert [type(planned.action) for planned in second.planned] == [Check, Click]


def test_bookmarks_are_small() -> None:
    assert len(decide(TASK, FORM).bookmark) < 200
    assert json.loads(decide("click Nowhere", FORM).bookmark)["search"]["looks"] == 1


def test_the_commands_are_done_in_a_run() -> None:
    computer = FakeComputer(
        {"form": FORM, "thanks": screen(text("Thank you"))}, [when("click", "Send", go="thanks")]
    )
    trajectory = run(TASK + ', check "Thank you" is shown', computer)
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "done"
    assert computer.world.content_of("Name") == "Ada"
    assert len(trajectory.turns) == 2


def test_a_text_that_does_not_appear_ends_the_run_after_one_wait() -> None:
    trajectory = run("wait for Done up to 0.1 seconds", FakeComputer(FORM))
    assert trajectory.ending is not None
    assert '"Done" did not appear within 0.1 s' in trajectory.ending.reason
    assert len(trajectory.steps) == 1


@pytest.mark.parametrize(
    ("until", "seen"),
    [
        ('"Loading" is gone', '"Loading" is no longer shown'),
        ('"Name" is "Ada"', 'holds "Ada"'),
        ('"I agree" is ticked', "is checked"),
        ('the title is "Rea*"', 'the title is "Rea*"'),
    ],
)
def test_whatever_can_be_checked_can_be_waited_for(until: str, seen: str) -> None:
    first = screen(text("Loading"), field("Name"), checkbox("I agree"), title="Wait")
    later = screen(field("Name", "Ada"), checkbox("I agree", on=True), title="Ready")
    trajectory = run(f"wait until {until}", FakeComputer({"a": first, "b": later}, after_looks={4: "b"}))
    assert trajectory.ending is not None and trajectory.ending.kind == "done", trajectory.ending
    (step,) = trajectory.steps
    assert step.outcome.kind == "confirmed" and seen in step.outcome.summary
    lost = run(f"wait until {until} up to 0.1 s", FakeComputer(first))
    assert lost.ending is not None and lost.ending.kind == "not_done"
    assert seen in lost.ending.reason and "within 0.1 s" in lost.ending.reason


def test_a_file_is_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "report.pdf"
    assert (ending := run(f'wait until the file "{file}" exists up to 0.1 s', FakeComputer(FORM)).ending)
    assert ending.kind == "not_done" and "report.pdf exists within 0.1 s" in ending.reason
    file.write_text("done")
    assert (ending := run(f'wait until the file "{file}" exists', FakeComputer(FORM)).ending)
    assert ending.kind == "done"


def test_what_is_already_so_is_fine() -> None:
    computer = FakeComputer({"form": screen(checkbox("I agree", on=True), field("Name", "Ada"))})
    trajectory = run("tick I agree, type Ada into Name", computer)
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "done"
    assert "checked" in computer.world.element_named("I agree").states


def test_what_is_below_is_scrolled_to_and_done() -> None:
    long = screen(*(text(f"line {n}") for n in range(60)), button("Deep"))
    trajectory = run("click Deep", FakeComputer({"long": long}, [spent("Deep")]))
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "done"
    assert type(trajectory.steps[0].action) is Wait
    assert type(trajectory.steps[-1].action) is Click


def test_the_view_is_where_it_was_when_the_search_was_in_vain() -> None:
    long = screen(*(text(f"line {n}") for n in range(60)))
    computer = FakeComputer(long)
    trajectory = Agent(computer, PlainPlanner(waits=(0.01,)), guard=OpenGuard(), picture=False).run(
        "click Nowhere"
    )
    assert trajectory.ending is not None
    assert trajectory.ending.exit_code == 4
    assert 'click "Nowhere": no "Nowhere" here; nearest: text' in trajectory.ending.reason
    assert "above" not in computer.observe(picture=False).more
    assert any(isinstance(step.action, Scroll) for step in trajectory.steps)


def test_the_search_is_bounded_even_on_a_page_without_end() -> None:
    endless = replace(screen(text("feed")), more={"below": 10_000, "above": 10_000})
    decision, turns = decide("click Nowhere", endless), 0
    while decision.end is None:
        decision = decide("click Nowhere", endless, carried_out(decision, endless, "changed"))
        turns += 1
        assert turns < 60
    assert "Nowhere" in reason(decision)


def test_values_that_were_read_are_notes_and_the_answer() -> None:
    shown = screen(field("Total", "42"), field("Name", "Ada"))
    one = decide("read Total", shown)
    assert (one.notes, one.end) == ({"Total": "42"}, Finish("42"))
    two = decide("read Total as sum, read Name", shown)
    assert two.end == Finish("sum: 42\nName: Ada")


def test_values_read_before_an_action_are_in_the_answer_too() -> None:
    before = screen(field("Total", "42"), button("Next"))
    after = screen(field("Total", "43"))
    computer = FakeComputer({"a": before, "b": after}, [when("click", "Next", go="b")])
    trajectory = run("read Total as before, click Next, read Total as after", computer)
    assert trajectory.ending is not None
    assert trajectory.ending.answer == "before: 42\nafter: 43"
    assert trajectory.notes == {"before": "42", "after": "43"}


def test_a_value_is_copied() -> None:
    computer = FakeComputer({"form": screen(field("Code", "X-17"), field("Answer"))})
    assert run("copy Code into Answer", computer).ending is not None
    assert computer.world.content_of("Answer") == "X-17"


def test_a_statement_that_does_not_hold_ends_the_run_and_says_what_is_there() -> None:
    trajectory = run("check Total is 43", FakeComputer({"a": screen(field("Total", "42"))}))
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "not_done"
    assert trajectory.ending.reason.endswith('does not hold; it is "42"')


def test_set_does_what_the_control_needs() -> None:
    decision = decide("set Country to Chile", FORM)
    assert decision.planned[0].action == Choose(Words("Country"), "Chile")
    assert decide("set I agree to on", FORM).planned[0].action == Check(Words("I agree"))
    assert decide("set Name to Bob", FORM).planned[0].action == TypeText("Bob", Words("Name"), replace=True)


def test_select_without_a_list_ticks_or_clicks() -> None:
    assert decide("select I agree", FORM).planned[0].action == Check(Words("I agree"))
    assert decide("select Send", FORM).planned[0].action == Click(Words("Send"))


def test_a_point_outside_the_screen_is_told() -> None:
    turns: list[Turn] = []
    decision = decide("click 5000,10", FORM)
    while decision.end is None:
        turns.append(carried_out(decision, FORM, "no_change"))
        decision = decide("click 5000,10", FORM, *turns)
    assert "5000,10 is outside the picture of 800 x 600 pixels" in reason(decision)


def test_a_preview_says_each_command_in_the_standard_wording() -> None:
    commands = parse("click Send and press Enter")
    assert not isinstance(commands, Unparsed)
    assert [say(command) for command in commands] == ['click "Send"', "press enter"]


def test_only_whole_texts_of_commands_are_understood() -> None:
    assert not PlainPlanner().cannot_do(Task(TASK))
    assert PlainPlanner().cannot_do(Task("book me a flight")).startswith("'book me a flight'")
    assert PlainPlanner().cannot_do(Task("Find the cheapest flight and click Book"))


def test_two_buttons_one_of_them_in_view_only_after_scrolling_are_both_clicked() -> None:
    computer = FakeComputer(
        {"a": screen(button("One"), text("x", box=Box(0, 900, 50, 20)), button("Two"))},
        [spent("One"), spent("Two")],
    )
    trajectory = run("click One, click Two", computer)
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "done"


EDITOR = replace(
    screen(
        replace(button("Sheet"), role="menuitem", states=frozenset({"haspopup"})),
        replace(button("Sheet", box=Box(10, 500, 60, 20)), role="tab"),
        replace(button("b.txt", box=Box(90, 500, 60, 20)), role="tab"),
    ),
    place=Place("editor", "a.txt - Editor", others=("Calculator",)),
)


def test_a_menu_is_opened_although_a_tab_has_the_same_name() -> None:
    assert decide("choose Sheet > Rename", EDITOR).planned[0].action == Move(Words("Sheet", "menu"))


def test_a_click_is_for_the_button_and_not_for_the_menu_of_its_name() -> None:
    bar = [replace(button(name), role="menuitem") for name in ("Edit", "Commit", "Help")]
    placed = [replace(one, box=Box(10 + 90 * at, 10, 80, 20)) for at, one in enumerate(bar)]
    shown = screen(*placed, replace(button("Commit"), box=Box(10, 300, 80, 20)))
    own = shown.elements[-1]
    assert decide("click Commit", shown).planned[0].action == Click(Mark(own.id))
    assert decide("choose Commit > Amend", shown).planned[0].action != Click(Mark(own.id))


def test_a_tab_of_a_program_is_clicked_where_no_window_has_the_name() -> None:
    tab = next(element for element in EDITOR.elements if element.name == "b.txt")
    assert decide('switch to tab "b.txt"', EDITOR).planned[0].action == Click(Mark(tab.id))
    assert decide("switch to Calculator", EDITOR).planned[0].action == Switch("Calculator")
    assert decide("switch to Browser", EDITOR).planned[0].action == Switch("Browser")


def test_the_tab_in_front_is_not_clicked_as_that_would_take_the_keyboard_from_the_text() -> None:
    planned = decide(
        'switch to tab "b.txt", press ctrl+End', with_states(EDITOR, "b.txt", "selected")
    ).planned
    assert [one.action for one in planned] == [Press(("ctrl", "end"))]


def test_a_branch_that_a_click_only_selects_is_unfolded_by_other_ways() -> None:
    tree = screen(widget("treeitem", "Invoices", states=["collapsed"]))
    turns: list[Turn] = []
    actions: list[object] = []
    for _ in range(5):
        decision = decide("expand Invoices", tree, *turns)
        actions += [planned.action for planned in decision.planned]
        turns.append(carried_out(decision, tree, "changed"))
    branch = Words("Invoices")
    keys, doubled = (Press(("right",)), Press(("shift", "right"))), Click(branch, clicks=2)
    box = tree.elements[0].box
    before_its_name = Click(Point(box.left + 10, box.center.y))
    assert actions == [Click(branch), *keys, doubled, before_its_name]
    assert turns[-1].decision.planned[0].expect == (StateIs(Mark(1), "expanded"),)


def test_a_branch_that_opened_is_not_touched_again() -> None:
    tree = screen(widget("treeitem", "Invoices", states=["collapsed"]))
    opened = screen(widget("treeitem", "Invoices", states=["expanded"]))
    first = carried_out(decide("expand Invoices", tree), tree, "changed")
    assert decide("expand Invoices", opened, first).end == Finish("")


def test_what_a_program_puts_away_as_it_starts_is_looked_at_a_second_time() -> None:
    twice = screen(*(replace(button("Timer", box=Box(10, top, 80, 20)), role="tab") for top in (10, 300)))
    first = decide('open "Clocks", click "Timer"', screen())
    opened = carried_out(first, twice, "changed")
    opened = replace(opened, steps=tuple(replace(one, action=Open("Clocks")) for one in opened.steps))
    second = decide('open "Clocks", click "Timer"', twice, opened)
    assert [type(one.action) for one in second.planned] == [Wait]
    third = decide('open "Clocks", click "Timer"', twice, opened, carried_out(second, twice, "no_change"))
    assert isinstance(third.end, GiveUp) and "say which" in third.end.reason


class Covering(FakeComputer):
    """Has "Minute" out of sight once "Hour" is filled in, as a phone with its keyboard, until it scrolls."""

    comes_back = True

    def observe(self, *, picture: bool = True) -> Observation:
        now = super().observe(picture=picture)
        hidden = now.elements[1]
        scrolled = any(action.kind == "scroll" for action in self.performed)
        if not now.elements[0].value or (scrolled and self.comes_back):
            return now
        kept = tuple(one for one in now.elements if one.id != hidden.id)
        return replace(now, elements=kept, beyond=(hidden,), more={"below": 100})


@pytest.mark.parametrize("comes_back", [True, False])
def test_a_scroll_that_the_run_put_in_counts_as_no_command(comes_back: bool) -> None:
    computer = Covering(screen(field("Hour"), field("Minute"), button("Keep")), [spent("Keep")])
    computer.comes_back = comes_back
    trajectory = run('type "7" into Hour, type "15" into Minute, click "Keep"', computer)
    kinds = [action.kind for action in computer.performed]
    assert trajectory.ending is not None
    if comes_back:
        assert (trajectory.ending.kind, kinds) == ("done", ["type", "scroll", "type", "click"])
    else:
        assert trajectory.ending.kind == "not_done" and "click" not in kinds, kinds
