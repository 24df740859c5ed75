"""Raw events of MiniWoB++'s recorder become the few steps that a person meant."""

from __future__ import annotations

import pytest
from guiagent_eval.miniwob_recordings.importer import import_miniwob
from guiagent_eval.miniwob_recordings.recording import read_event_recording

from gui_agent.core.actions import Check, Choose, Click, Drag, Press, Scroll, TypeText
from gui_agent.core.conditions import StateIs, TextGone, TextShown, ValueIs
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Element
from gui_agent.core.trajectory import Demonstration, DemoStep
from gui_agent.procedures.importers.imported import Failed, Incomplete
from tests.unit.eval.miniwob_recordings.recorder import Page, Tape


def imported(tape: Tape, *chosen: str) -> Demonstration:
    return import_miniwob(read_event_recording(tape.json(), "file"), "file", chosen).demonstration


def target(step: DemoStep) -> Element:
    assert step.screen is not None
    return next(element for element in step.screen.elements if element.id == step.element)


def said(demonstration: Demonstration) -> list[tuple[str, ...]]:
    told: list[tuple[str, ...]] = []
    for step in demonstration.steps:
        on = target(step).name or target(step).attributes.get("id", "") if step.element else ""
        match step.action:
            case TypeText(text, _, whole):
                told.append(("type", on, text, *(("whole",) if whole else ())))
            case Choose(_, option):
                told.append(("choose", on, option))
            case Check(_, ticked):
                told.append(("check" if ticked else "untick", on))
            case Press(keys, times):
                told.append(("press", "+".join(keys), str(times)))
            case Click(clicks=clicks, modifiers=keys):
                told.append(("click" if clicks == 1 else "double", on, *keys))
            case Scroll(_, down, _):
                told.append(("scroll", str(down)))
            case other:
                told.append((other.kind, on))
    return told


def test_a_click_goes_to_the_control_around_what_was_hit() -> None:
    page = Page()
    icon = page.node("SPAN", classes="ui-icon")
    button = page.node("BUTTON", icon, page.node("t", text="Send"), box=(5, 60, 80, 30))
    tape = Tape("Press send.", page.node("H2", text="Mail"), button)
    tape.click(icon)
    done = imported(tape)
    assert said(done) == [("click", "Send")]
    assert target(done.steps[0]).role == "button"
    assert done.task == "Press send."
    assert done.origin == "import file"


def test_what_a_field_held_in_the_end_was_typed() -> None:
    page = Page()
    field, button = page.field(id="name"), page.node("BUTTON", text="Submit")
    tape = Tape("Enter Ada.", field, button)
    tape.click(field)
    tape.type("Aq<da", field)
    tape.click(button)
    done = imported(tape)
    assert said(done) == [("type", "name", "Ada"), ("click", "Submit")]
    assert [condition.value for condition in done.steps[0].expect if isinstance(condition, ValueIs)] == [
        "Ada"
    ]
    assert done.steps[1].expect == ()


@pytest.mark.parametrize(
    ("was", "typed"), [("Ad", ("type", "name", "a")), ("x", ("type", "name", "Ada", "whole"))]
)
def test_text_is_added_to_what_was_there_or_replaces_it(was: str, typed: tuple[str, ...]) -> None:
    page = Page()
    field, button = page.field(id="name", value=was), page.node("BUTTON", text="Submit")
    tape = Tape("Enter Ada.", field, button)
    tape.click(field)
    tape.type("<Ada" if was == "x" else "a", field)
    tape.click(button)
    assert said(imported(tape))[0] == typed


def test_going_on_with_tab_is_no_step() -> None:
    page = Page()
    one, two, button = page.field(id="one"), page.field(id="two"), page.node("BUTTON", text="Submit")
    tape = Tape("Enter a and b.", one, two, button)
    tape.click(one)
    tape.type("a", one)
    tape.key(9, one)
    tape.type("b", two)
    tape.click(button)
    assert said(imported(tape)) == [("type", "one", "a"), ("type", "two", "b"), ("click", "Submit")]


def test_a_password_is_kept_when_the_instruction_tells_it_and_never_else() -> None:
    def typed(instruction: str) -> Demonstration:
        page = Page()
        field, button = page.field("password", id="word"), page.node("BUTTON", text="Submit")
        tape = Tape(instruction, field, button)
        tape.type("Xy7", field)
        tape.click(button)
        return imported(tape)

    assert said(typed('Enter the password "Xy7".'))[0] == ("type", "word", "Xy7")
    hidden = typed("Enter the password.")
    assert said(hidden)[0][2].startswith("${secret:")
    assert "Xy7" not in repr(hidden)


def test_a_box_is_ticked_through_its_label() -> None:
    page = Page()
    box = page.field("checkbox", value=False)
    label = page.node("LABEL", box, page.node("t", text="Red", box=(30, 50, 20, 12)), box=(5, 50, 60, 12))
    tape = Tape("Tick Red.", label, page.node("BUTTON", text="Submit"))
    for kind in ("mousedown", "mouseup", "click"):
        tape.event(kind, label)
    box["value"] = True
    tape.event("click", box)
    tape.click(tape.body["children"][0]["children"][1])
    done = imported(tape)
    assert said(done) == [("check", "Red"), ("click", "Submit")]
    assert [c for c in done.steps[0].expect if isinstance(c, StateIs) and c.on]


def test_of_radio_buttons_the_one_that_went_on_was_meant() -> None:
    page = Page()
    first, second = page.field("radio", value=True, id="a"), page.field("radio", value=False, id="b")
    tape = Tape("Choose b.", first, second)
    tape.event("mousedown", second)
    tape.event("mouseup", second)
    first["value"], second["value"] = False, True
    tape.event("click", second)
    assert said(imported(tape)) == [("check", "b")]


def test_quick_clicks_on_a_button_are_several_and_on_a_text_they_are_one() -> None:
    page = Page()
    button, text = page.node("BUTTON", text="Up"), page.node("P", text="word")
    tape = Tape("Do it.", button, text)
    for on in (button, text):
        tape.click(on)
        tape.click(on)
        tape.event("dblclick", on)
    assert said(imported(tape)) == [("click", "Up"), ("click", "Up"), ("double", "word")]


def test_keys_count_where_no_field_takes_them() -> None:
    page = Page()
    handle, field = page.node("SPAN", classes="ui-slider-handle"), page.field(id="name")
    tape = Tape("Slide.", handle, field)
    for _ in range(3):
        tape.key(39, handle)
    tape.type("hi", field)
    tape.key(13, field)
    assert said(imported(tape)) == [("press", "right", "3"), ("type", "name", "hi"), ("press", "enter", "1")]


def test_enter_on_a_button_is_a_click_on_it() -> None:
    page = Page()
    button = page.node("BUTTON", text="Submit")
    tape = Tape("Submit.", button)
    tape.event("keydown", button, keyCode=13, charCode=0)
    tape.event("keypress", button, keyCode=13, charCode=13)
    tape.event("click", button, x=0, y=0)
    assert said(imported(tape)) == [("click", "Submit")]


def test_held_keys_belong_to_the_click() -> None:
    page = Page()
    link = page.node("A", text="Ada")
    tape = Tape("Open Ada apart.", link)
    tape.event("keydown", link, keyCode=17, charCode=0)
    tape.click(link)
    tape.event("keyup", link, keyCode=17, charCode=0)
    tape.click(link)
    assert said(imported(tape)) == [("click", "Ada", "ctrl"), ("click", "Ada")]


def test_options_that_are_shown_are_chosen_and_ctrl_adds_to_them() -> None:
    page = Page()
    ada, bob, eve = options = [page.node("OPTION", text=name) for name in ("Ada", "Bob", "Eve")]
    choice, button = page.node("SELECT", *options, box=(5, 50, 60, 50)), page.node("BUTTON", text="Submit")
    tape = Tape("Choose Ada and Eve.", choice, button)
    tape.click(bob)
    tape.click(eve)
    tape.event("keydown", choice, keyCode=17, charCode=0)
    tape.click(ada)
    tape.event("keyup", choice, keyCode=17, charCode=0)
    tape.click(button)
    done = imported(tape)
    assert said(done) == [("choose", "", "Eve"), ("choose", "", "Ada"), ("click", "Submit")]
    assert done.final is not None
    assert done.final.elements[0].value == "Ada\nEve"


def test_copying_and_pasting_is_typing_what_was_pasted() -> None:
    page = Page()
    one, two = page.node("TEXTAREA", value="Lorem."), page.field(id="two")
    button = page.node("BUTTON", text="Submit")
    tape = Tape("Copy it.", one, two, button)
    tape.click(one)
    for code in (65, 67):
        tape.event("keydown", one, keyCode=17, charCode=0)
        tape.key(code, one)
        tape.event("keyup", one, keyCode=17, charCode=0)
    tape.click(two)
    tape.event("keydown", two, keyCode=17, charCode=0)
    tape.event("keydown", two, keyCode=86, charCode=0)
    two["value"] = "Lorem."
    tape.event("keyup", two, keyCode=17, charCode=0)
    tape.click(button)
    assert said(imported(tape)) == [("type", "two", "Lorem."), ("click", "Submit")]


def test_letters_that_the_page_takes_out_of_a_field_were_typed_all_the_same() -> None:
    page = Page()
    field = page.field(id="line")
    tape = Tape("List them.", field)
    for letter in "ls":
        tape.type(letter, field)
        field["value"] = ""
    tape.key(13, field)
    done = imported(tape)
    assert said(done) == [("type", "", "ls"), ("press", "enter", "1")]


def test_pressed_and_released_apart_is_a_drag() -> None:
    page = Page()
    one = page.node("DIV", box=(10, 60, 20, 20), id="one", bgColor="rgb(255, 0, 0)")
    two = page.node("DIV", box=(90, 120, 30, 30), id="two", bgColor="rgb(0, 0, 255)")
    tape = Tape("Drag.", one, two)
    tape.event("mousedown", one, x=15, y=65)
    tape.event("mouseup", two, x=100, y=130)
    step = imported(tape).steps[0]
    assert isinstance(step.action, Drag)
    assert target(step).attributes["id"] == "one"
    assert step.screen is not None
    assert [e.attributes["id"] for e in step.screen.elements if e.id == step.to_element] == ["two"]


def scrolled(wait: int, onto: int) -> list[tuple[str, ...]]:
    """Scrolls after so many milliseconds, and clicks on a row of what was scrolled, or on -1, the button."""
    page = Page()
    rows = [page.node("DIV", text=f"row {n}", box=(5, 50 + 40 * n, 100, 30)) for n in range(5)]
    window = page.node("DIV", *rows, box=(0, 50, 150, 100))
    button = page.node("BUTTON", text="Go", box=(5, 160, 40, 20))
    tape = Tape("Scroll.", window, button)
    tape.click(button)
    tape.event("scroll", window, wait=wait)
    for row in rows:
        row["top"] -= 70
    tape.click([*rows, button][onto])
    return said(imported(tape))


def test_scrolling_is_told_by_how_far_things_moved() -> None:
    assert scrolled(wait=500, onto=-1) == [("click", "Go"), ("scroll", "70"), ("click", "Go")]


def test_what_the_page_scrolls_by_itself_and_what_brings_the_next_target_is_no_step() -> None:
    assert scrolled(wait=10, onto=-1) == [("click", "Go"), ("click", "Go")]
    assert scrolled(wait=500, onto=2) == [("click", "Go"), ("click", "row 2")]


def test_what_is_in_sight_after_a_scroll_that_is_no_step_is_not_expected() -> None:
    page = Page()
    rows = [page.node("DIV", text=f"row {n}", box=(5, 50 + 40 * n, 100, 30)) for n in range(5)]
    window, hint = page.node("DIV", *rows, box=(0, 50, 150, 100)), page.node("P", text="Pick one.")
    tape = Tape("Pick row 3.", window, hint)
    tape.event("scroll", window, wait=500)
    for row in rows:
        row["top"] -= 70
    tape.click(rows[3])
    hint["text"] = "Picked."
    tape.click(hint)
    assert [step.expect for step in imported(tape).steps] == [(), ()]


def test_an_empty_place_of_something_is_known_by_the_first_lasting_text_in_it() -> None:
    page = Page()
    lines = [page.node("SPAN", text=text, box=(5, 60 + 20 * n, 30, 10)) for n, text in enumerate("_ab")]
    window, field = page.node("DIV", *lines, box=(0, 50, 150, 150)), page.field(id="hidden", box=(0, 0, 0, 0))
    tape = Tape("List them.", window, field)
    tape.click(window, x=90, y=150)
    tape.type("l", field)
    lines[2]["text"] = "b l"
    tape.type("s", field)
    lines[2]["text"] = "b l s"
    tape.key(13, field)
    done = imported(tape)
    assert said(done)[0] == ("click", "a")
    assert TextShown("b l s") not in done.steps[1].expect


def test_fields_are_filled_in_the_order_of_the_instruction() -> None:
    def filled(instruction: str, answers: bool = False) -> list[str]:
        page = Page()
        year, name, hint = page.field(id="year"), page.field(id="name"), page.node("P", text="Fill in.")
        button = page.node("BUTTON", text="Submit")
        tape = Tape(instruction, year, name, hint, button)
        tape.type("1998", year)
        if answers:
            hint["text"] = "The year is fine."
        tape.type("Ada", name)
        tape.click(button)
        return [on for kind, on, *_ in said(imported(tape)) if kind == "type"]

    assert filled("Look for Ada in 1998.") == ["name", "year"]
    assert filled("Look for 1998 and Ada.") == ["year", "name"]
    assert filled("Look for Ada.") == ["year", "name"]
    assert filled("Look for Adam, 1998, Ada.") == ["year", "name"]
    assert filled("Look for Ada and Ada in 1998.") == ["year", "name"]
    assert filled("Look for Ada in 1998.", answers=True) == ["year", "name"]


def test_what_was_chosen_in_a_list_must_be_given() -> None:
    page = Page()
    choice, button = page.node("SELECT", id="who"), page.node("BUTTON", text="Submit")
    tape = Tape("Choose Ada.", choice, button)
    tape.click(choice)
    tape.event("click", choice)
    tape.click(button)
    with pytest.raises(Incomplete, match="file: the option chosen"):
        imported(tape)
    done = imported(tape, "Ada")
    assert said(done) == [("choose", "who", "Ada"), ("click", "Submit")]
    assert target(done.steps[1]).name == "Submit"
    assert done.steps[1].screen is not None
    assert done.steps[1].screen.elements[0].value == "Ada"


def test_what_came_and_went_is_expected() -> None:
    page = Page()
    button, hint = page.node("BUTTON", text="Open"), page.node("P", text="Nothing here")
    tape = Tape("Open it.", button, hint)
    tape.click(button)
    hint["text"] = "Two letters"
    tape.click(hint)
    assert set(imported(tape).steps[0].expect) == {TextShown("Two letters"), TextGone("Nothing here")}


def test_only_success_is_learned_from() -> None:
    page = Page()
    button = page.node("BUTTON", text="Submit")
    tape = Tape("Submit.", button, reward=0.5)
    tape.click(button)
    with pytest.raises(Failed, match=r"file: its reward is 0.5"):
        imported(tape)
    with pytest.raises(ConfigError, match="nothing was done"):
        imported(Tape("Submit.", button))


def test_in_a_row_of_a_list_the_row_was_meant_when_its_other_text_tells_it_apart() -> None:
    def clicked(instruction: str) -> Element:
        page = Page()
        rows = [
            page.node(
                "DIV",
                page.node("DIV", text=name, box=(5, top, 60, 12)),
                page.node("DIV", text=topic, box=(5, top + 14, 60, 12)),
                box=(5, top, 140, 30),
                classes="row",
            )
            for name, topic, top in (("Ada", "Bears", 50), ("Bob", "Cats", 90))
        ]
        tape = Tape(instruction, page.node("DIV", *rows, box=(0, 50, 160, 90)))
        tape.click(rows[1]["children"][1])
        return target(imported(tape).steps[0])

    assert (clicked("Open the letter by Bob.").role, clicked("Open the letter by Bob.").name) == (
        "generic",
        "Bob Cats",
    )
    assert clicked("Open the letter on cats.").name == "Cats"
    assert clicked("Open the second letter.").name == "Cats"


def test_the_form_around_the_pages_of_crowd_workers_is_not_there() -> None:
    page = Page()
    button = page.node("BUTTON", text="Submit")
    tape = Tape("Submit.", button)
    area = tape.body["children"][0]
    form = area | {"tag": "FORM", "id": "mturk_form", "ref": 99, "children": [area]}
    tape.body["children"] = [form]
    tape.click(button)
    assert "form" not in target(imported(tape).steps[0]).path


def test_where_only_the_keyboard_was_brought_to_a_field_that_was_the_task() -> None:
    page = Page()
    tape = Tape("Focus into the 2nd field.", *(fields := [page.field(id="first"), page.field(id="second")]))
    tape.event("mousedown", fields[1])  # The page ends the recording here.
    assert said(imported(tape)) == [("click", "second")]
