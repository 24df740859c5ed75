"""Values come to rest before they are answered, and of things of one name the one that is meant is taken."""

from __future__ import annotations

from dataclasses import replace

from planning import after, decide

from gui_agent.core.actions import Click, Move, Wait
from gui_agent.core.observation import Box, Element, Mark, Observation, Point
from gui_agent.core.trajectory import Decision, Finish, Found, Outcome, Step, Turn
from gui_agent.testing import button, field, screen, text, widget


def test_a_value_read_behind_an_action_is_believed_once_two_looks_saw_the_same() -> None:
    task = "click Send, read Total"

    def shown(total: str) -> Observation:
        return screen(
            button("Send"), text("Total", box=Box(20, 80, 60, 20)), text(total, box=Box(90, 80, 60, 20))
        )

    turns = [after(decide(task, shown("1")), shown("1"))]
    for total in ("1", "2", "2"):
        decision = decide(task, shown(total), *turns)
        if total == "2" and len(turns) == 3:
            break
        assert [type(step.action) for step in decision.planned] == [Wait]
        turns.append(after(decision, shown(total)))
    assert decision.end == Finish("2")


def test_a_value_that_never_rests_is_read_in_the_end() -> None:
    def shown(total: int) -> Observation:
        return screen(button("Send"), text(f"Total: {total}"))

    task = "click Send, read Total"
    turns = [after(decide(task, shown(0)), shown(0))]
    for total in range(1, 12):
        decision = decide(task, shown(total), *turns)
        if decision.end is not None:
            break
        turns.append(after(decision, shown(total)))
    assert decision.end == Finish(str(total))
    assert total < 8


def test_without_an_action_before_it_a_value_is_read_at_once() -> None:
    assert decide("read Total", screen(text("Total: 4"))).end == Finish("4")


def test_of_two_items_of_a_name_the_one_in_the_menu_that_came_up_is_taken() -> None:
    bar = screen(widget("menuitem", "Insert"), widget("menuitem", "Table"))
    table = replace(
        bar, elements=(*bar.elements, element_of(11, "Insert", states=["haspopup"]), element_of(12, "Copy"))
    )
    insert = replace(table, elements=(*table.elements, element_of(21, "Table"), element_of(22, "Row")))
    task = "choose Table > Insert > Table"
    first = decide(task, bar)
    second = decide(task, table, after(first, bar))
    assert [step.action for step in second.planned][:1] == [Move(Mark(11))]
    third = decide(task, insert, after(first, bar), after(second, table))
    assert [step.action for step in third.planned] == [Click(Mark(21))]


def element_of(number: int, name: str, states: list[str] | None = None) -> Element:
    return replace(widget("menuitem", name, states=states or []), id=number)


def test_what_else_comes_up_while_a_menu_is_pointed_at_is_not_taken_for_the_menu() -> None:
    bar = screen(widget("menuitem", "File", states=["haspopup"]), text("No symbols"))
    later = replace(bar, elements=(*bar.elements, replace(text("Symbols found"), id=30)))
    first = decide("choose File > Save", bar)
    assert isinstance(first.planned[0].action, Move)
    second = decide("choose File > Save", later, after(first, later))
    assert isinstance(second.planned[0].action, Click)


def test_of_two_buttons_of_a_name_the_one_on_the_line_of_the_field_just_filled_is_pressed() -> None:
    def at(one: Element, number: int, top: int) -> Element:
        return replace(one, id=number, box=Box(100 * number, top, 80, 20))

    rows = screen(field("Tag"), button("Add"), field("Note"), button("Add"))
    tag, first, note, second = rows.elements
    shown = replace(rows, elements=(at(tag, 1, 50), at(first, 2, 50), at(note, 3, 200), at(second, 4, 200)))
    typed = decide('type "x" into "Note", click "Add"', shown).planned[0]
    step = Step(
        1, typed, shown, shown, Outcome("changed"), found={"at": Found(Point(0, 0), shown.elements[2])}
    )
    turn = Turn(
        Decision("t", (typed,), bookmark='{"done":0,"ends":[1],"search":null}', planner="plain"),
        shown,
        (step,),
    )
    assert decide('type "x" into "Note", click "Add"', shown, turn).planned[0].action == Click(Mark(4))
