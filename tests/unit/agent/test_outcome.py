"""Outcomes are decided by code: expectations first, then read-back, then any change."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from PIL import Image

from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.agent.outcome import CodeReflector, same_element_later
from gui_agent.core.actions import Check, Choose, Click, Drag, Navigate, Press, Proposal, TypeText
from gui_agent.core.conditions import Condition, TextShown, ValueIs
from gui_agent.core.observation import (
    Box,
    Element,
    Mark,
    Observation,
    Place,
    Point,
    Screenshot,
    Size,
    Target,
    Words,
)
from gui_agent.core.trajectory import Found, Outcome, Planned
from gui_agent.testing import ExactGrounder, button, checkbox, choice, field, screen, text, widget

FORM = screen(
    field("Name"),
    field("Password", states=["password"]),
    checkbox("I agree"),
    choice("Country", "Chile", "Peru"),
)
NAME, PASSWORD, AGREE, COUNTRY = FORM.elements


def after(number: int, **attributes: object) -> Observation:
    return replace(
        FORM,
        elements=tuple(replace(e, **attributes) if e.id == number else e for e in FORM.elements),  # type: ignore[arg-type]
    )


def judge(action: Proposal, now: Observation, *expect: Condition[Target], on: int = 1) -> Outcome:
    element = FORM.by_id(on)
    assert element is not None
    found = {"at": Found(element.box.center, element)}
    return CodeReflector(ExactGrounder()).judge(Planned(action, expect), found, FORM, now)


def test_typed_text_is_read_back() -> None:
    outcome = judge(TypeText("Ada", Mark(1)), after(1, value="Ada"))
    assert outcome.kind == "confirmed"
    assert outcome.evidence == ('textbox "Name" holds "Ada"',)


@pytest.mark.parametrize(("value", "kind"), [("resolved", "confirmed"), ("unread", "unexpected")])
def test_the_value_of_a_field_is_expected_by_the_header_beside_it(value: str, kind: str) -> None:
    header = Element(1, "rowheader", "Status", Box(20, 20, 80, 20), path="body/table/tr/th")
    options = Element(2, "combobox", "", Box(110, 20, 90, 20), value="unread", path="body/table/tr/td/select")
    save = Element(3, "button", "Save", Box(20, 60, 80, 20), path="body/button")
    before = Observation(Size(400, 300), (header, options, save))
    now = replace(before, elements=(header, replace(options, value="resolved"), save))
    planned = Planned(Click(Mark(3)), (ValueIs(Words("Status"), value),))
    outcome = CodeReflector(ScreenGrounder()).judge(
        planned, {"at": Found(save.box.center, save)}, before, now
    )
    assert outcome.kind == kind, outcome


def typed(action: TypeText[Target], before: Observation, now: Observation) -> Outcome:
    """The outcome of typing where the focus is."""
    return CodeReflector(ExactGrounder()).judge(Planned(action), {}, before, now)


def focused(value: str = "") -> Observation:
    return after(1, value=value, states=frozenset({"editable", "focused"}))


def test_typed_text_that_is_nowhere_did_not_arrive() -> None:
    outcome = judge(TypeText("Ada", Mark(1)), FORM)
    assert outcome.kind == "unexpected"
    assert 'textbox "Name" did not take the text' in outcome.summary
    assert judge(TypeText("", Mark(1), replace=True), FORM).kind == "no_change"


def test_text_that_stood_there_before_is_no_proof_of_typing() -> None:
    filled = after(1, value="banana")
    found = {"at": Found(NAME.box.center, filled.elements[0])}
    judged = CodeReflector(ExactGrounder()).judge(Planned(TypeText("an", Mark(1))), found, filled, filled)
    assert judged.kind == "unexpected"


def test_typing_where_the_focus_is_needs_something_that_takes_it() -> None:
    nobody = typed(TypeText("Ada"), FORM, FORM)
    assert nobody.kind == "unexpected"
    assert "no field has the keyboard; click the field first" in nobody.summary
    assert typed(TypeText("Ada"), focused(), focused()).kind == "unexpected"
    arrived = typed(TypeText("Ada"), focused(), focused("Ada"))
    assert arrived.evidence == ('textbox "Name" holds "Ada"',)
    elsewhere = replace(screen(text("Inbox")), place=Place("", "Inbox", "https://example.org/inbox"))
    assert typed(TypeText("gi"), FORM, elsewhere).kind == "changed"


def clock(shown: str, *others: Element, **facts: object) -> Observation:
    return replace(screen(text(shown), *others), **facts)  # type: ignore[arg-type]


def test_a_text_that_stands_elsewhere_too_is_seen_to_arrive() -> None:
    grid = replace(button("Sheet"), states=frozenset({"focused"}))
    before, now = screen(grid, text("154"), text("7")), screen(grid, text("154"), text("7"), text("154"))
    assert typed(TypeText("154"), before, now).kind == "confirmed"
    assert typed(TypeText("154"), before, screen(grid, text("154"), text("8"))).kind == "unexpected"


@pytest.mark.parametrize("focus", [None, button("Go"), field("Name")])
def test_what_changes_by_itself_is_no_proof_that_a_text_arrived(focus: Element | None) -> None:
    others = [replace(focus, states=focus.states | {"focused"})] if focus else []
    outcome = typed(TypeText("Ada"), clock("12:01", *others), clock("12:02", *others))
    assert outcome.kind == "unexpected"
    assert ("did not take the text" if focus else "no field has the keyboard") in outcome.summary


@pytest.mark.parametrize("where", ["canvas", "unseen", "cell"])
def test_of_what_tells_no_value_it_is_said_that_the_text_was_not_read_back(where: str) -> None:
    held = {
        "canvas": [widget("canvas", "Board", states=["focused"])],
        "cell": [widget("text", "B1", states=["focused", "editable"])],
    }
    board = held.get(where, [])
    before, now = (clock(at, *board, focus_unseen=not board) for at in ("12:01", "12:02"))
    outcome = typed(TypeText("Ada"), before, now)
    assert (outcome.kind, "was not read back" in outcome.summary) == ("changed", True)


def test_a_text_that_is_shown_without_a_field_arrived() -> None:
    letters = [text(letter) for letter in "Ada"]
    assert typed(TypeText("Ada"), clock("12:01"), clock("12:02", *letters)).kind == "confirmed"


def test_typing_that_goes_to_an_entry_of_a_list_arrived() -> None:
    def entries(chosen: str) -> tuple[Element, ...]:
        return tuple(widget("option", n, states=["focused"] * (n == chosen)) for n in ("Chile", "Peru"))

    before, now = clock("12:01", *entries("Chile")), clock("12:02", *entries("Peru"))
    assert typed(TypeText("pe"), before, now).kind == "changed"
    assert typed(TypeText("x"), before, clock("12:02", *entries("Chile"))).kind == "unexpected"


def test_keys_that_press_buttons_show_in_a_field_without_the_keyboard() -> None:
    def calculator(shown: str) -> tuple[Element, ...]:
        display = widget("textbox", "", value=shown, states=["readonly"])
        return display, widget("togglebutton", "sqrt", states=["focused"])

    before = clock("12:01", *calculator("84"))
    assert typed(TypeText("+12*2="), before, clock("12:02", *calculator("108"))).kind == "changed"
    assert typed(TypeText("+12*2="), before, clock("12:02", *calculator("84"))).kind == "unexpected"


def test_a_secret_at_a_prompt_that_shows_nothing_is_not_lost() -> None:
    assert typed(TypeText("${secret:PIN}"), FORM, FORM).kind == "no_change"


def test_what_tells_no_value_needs_a_picture_to_be_judged() -> None:
    drawing = screen(widget("canvas", "Board", states=["focused"]))
    assert typed(TypeText("w"), drawing, drawing).kind == "no_change"
    seen = replace(drawing, screenshot=Screenshot(b"same", drawing.size))
    assert typed(TypeText("w"), seen, seen).kind == "unexpected"


def test_keys_reach_a_window_that_has_the_keyboard_and_answers() -> None:
    save = Planned(Press(("ctrl", "s")))
    there = replace(FORM, place=Place("geany", "a.txt"))
    judge = CodeReflector(ExactGrounder()).judge
    assert judge(save, {}, there, there).kind == "no_change"
    frozen = judge(save, {}, there, replace(there, hung=("geany",)))
    assert (frozen.kind, "geany does not answer" in frozen.summary) == ("unexpected", True)
    empty = replace(FORM, keyboard=False)
    assert judge(save, {}, empty, empty).kind == "unexpected"
    clock = replace(empty, elements=screen(text("12:01")).elements)
    assert judge(Planned(TypeText("Ada")), {}, empty, clock).kind == "unexpected"


@pytest.mark.parametrize(
    ("typed", "shown", "kind"),
    [
        ("77", "77.0", "confirmed"),
        ("77", "100", "unexpected"),
        ("7 px", "7", "confirmed"),
        ("7", "8 %", "unexpected"),
    ],
)
@pytest.mark.parametrize("role", ["spinbutton", "slider"])
def test_what_holds_a_number_is_judged_by_it(role: str, typed: str, shown: str, kind: str) -> None:
    before = screen(widget(role, "Upload", value="5"))
    now = replace(before, elements=(replace(before.elements[0], value=shown),))
    found = {"at": Found(before.elements[0].box.center, before.elements[0])}
    action = Planned(TypeText(typed, Mark(1), replace=True))
    assert CodeReflector(ExactGrounder()).judge(action, found, before, now).kind == kind


def test_text_reshaped_by_the_field_is_a_change() -> None:
    assert judge(TypeText("1234", Mark(1)), after(1, value="12/34")).kind == "changed"


def test_a_password_is_confirmed_without_telling_its_length() -> None:
    outcome = judge(TypeText("hunter2", Mark(2)), after(2, value="•" * 7), on=2)
    assert outcome.kind == "confirmed"
    assert "hunter2" not in str(outcome)
    assert "7" not in str(outcome)
    assert "•" not in str(outcome)


def test_a_box_that_stayed_off_is_unexpected() -> None:
    assert judge(Check(Mark(3)), FORM, on=3).kind == "unexpected"
    assert judge(Check(Mark(3)), after(3, states=frozenset({"checked"})), on=3).kind == "confirmed"


def test_a_chosen_option_is_read_back() -> None:
    assert judge(Choose(Mark(4), "Peru"), after(4, value="Peru"), on=4).kind == "confirmed"


def test_an_expectation_beats_every_other_sign() -> None:
    thanks = screen(text("Thank you"))
    assert judge(Click(Mark(1)), thanks, TextShown("thank  YOU")).kind == "confirmed"
    wrong = judge(Click(Mark(1)), thanks, TextShown("Receipt"))
    assert wrong.kind == "unexpected"
    assert 'expected that "Receipt" is shown' in wrong.summary


def test_an_expectation_nobody_can_decide_leaves_the_change() -> None:
    thanks = screen(text("Thank you"))
    assert judge(Click(Mark(1)), thanks, ValueIs(Words("Name"), "Ada")).kind == "changed"


def test_nothing_happened() -> None:
    assert judge(Click(Mark(1)), FORM).kind == "no_change"


def test_an_address_is_confirmed() -> None:
    arrived = screen(title="A", url="http://a.test/b")
    assert judge(Navigate("http://a.test/b/"), arrived).kind == "confirmed"


def test_a_rebuilt_element_is_followed_only_when_it_is_the_only_one() -> None:
    rebuilt = replace(FORM, elements=tuple(replace(e, id=e.id + 10) for e in FORM.elements))
    same = same_element_later(1, FORM, rebuilt)
    assert same is not None
    assert same.id == 11
    twice = replace(rebuilt, elements=(*rebuilt.elements, replace(rebuilt.elements[0], id=99)))
    assert same_element_later(1, FORM, twice) is None


def test_the_smallest_control_under_a_point_wins() -> None:
    assert FORM.smallest_at(NAME.box.center) == NAME
    assert FORM.smallest_at(Point(799, 599)) is None
    crowded = screen(button("Save"), text("Save", box=screen(button("Save")).elements[0].box))
    element = crowded.smallest_at(crowded.elements[0].box.center)
    assert element is not None
    assert element.role == "button"


def painted(where: Box) -> Screenshot:
    """A picture of the form in which one box is marked."""
    image = Image.new("RGB", (FORM.size.width, FORM.size.height), "white")
    image.paste((0, 0, 255), (where.left, where.top, where.right, where.bottom))
    sink = io.BytesIO()
    image.save(sink, "png")
    return Screenshot(sink.getvalue(), FORM.size)


@pytest.mark.parametrize(
    ("role", "at", "far", "kind"),
    [
        ("text", Mark(1), True, "unexpected"),
        ("listitem", Words("Honey"), True, "unexpected"),
        ("canvas", Mark(1), True, "changed"),
        ("text", Mark(1), False, "changed"),
        ("text", Point(50, 40), True, "changed"),
    ],
    ids=["a text", "an entry", "a drawing", "a text in part", "from place to place"],
)
def test_a_drag_that_only_marks_what_was_to_be_moved_did_nothing(
    role: str, at: Target, far: bool, kind: str
) -> None:
    honey = replace(text("Honey"), id=1, role=role, box=Box(20, 20, 200, 40))
    shown = replace(FORM, elements=(honey,), screenshot=painted(Box(0, 0, 1, 1)))
    marked = replace(shown, screenshot=painted(Box(20, 20, 200, 90)))
    found = {"at": Found(honey.box.center, honey), "to": Found(Point(120, 200 if far else 50))}
    planned = Planned(Drag(at, Point(120, 200)))
    judged = CodeReflector(ExactGrounder()).judge(planned, found, shown, marked)
    assert judged.kind == kind, judged
    moved = replace(shown, elements=(replace(honey, box=Box(20, 180, 200, 40)),))
    assert CodeReflector(ExactGrounder()).judge(planned, found, shown, moved).kind == "changed"
    held = replace(shown, elements=(replace(honey, states=frozenset({"focused"})),))
    assert CodeReflector(ExactGrounder()).judge(planned, found, shown, held).kind == "unexpected"


@pytest.mark.parametrize(("source", "kind"), [("dom", "no_change"), ("atspi", "changed")])
def test_that_a_button_took_the_keyboard_is_an_effect_in_programs_alone(source: str, kind: str) -> None:
    (plus,) = screen(button("+")).elements
    plus = replace(plus, source=source)
    before = replace(FORM, elements=(plus,))
    now = replace(before, elements=(replace(plus, states=frozenset({"focused"})),))
    found = {"at": Found(plus.box.center, plus)}
    outcome = CodeReflector(ExactGrounder()).judge(Planned(Click(Mark(plus.id))), found, before, now)
    assert outcome.kind == kind


@pytest.mark.parametrize(("asks", "kind"), [(True, "no_change"), (False, "changed")])
def test_enter_in_a_dialog_that_stands_is_not_judged_by_the_picture(asks: bool, kind: str) -> None:
    there = screen(widget("dialog" if asks else "group", "Save As"), field("File"))
    pictures = painted(Box(9, 9, 9, 9)), painted(Box(100, 100, 200, 200))
    before, now = (replace(there, screenshot=one) for one in pictures)
    assert CodeReflector(ExactGrounder()).judge(Planned(Press(("enter",))), {}, before, now).kind == kind


@pytest.mark.parametrize(
    ("shown", "kind"),
    [("notes.txt", "changed"), ("n0tes.txt", "changed"), ("•••••••••", "changed"), ("Size", "unexpected")],
)
@pytest.mark.parametrize("top", [12, 60])
def test_a_text_typed_by_eyes_must_be_shown_there(shown: str, kind: str, top: int) -> None:
    """What heads a list looks like a field in a picture, and takes no text; another field may take it."""
    head = Element(1, "textbox", "Name", Box(10, 10, 100, 20), source="vision")
    seen = Element(2, "text", shown, Box(12, top, 90, 16), source="ocr")
    before, now = Observation(Size(800, 600), (head,)), Observation(Size(800, 600), (head, seen))
    found = {"at": Found(head.box.center, head)}
    typing = Planned(TypeText("notes.txt", Mark(1), replace=True))
    expected = kind if top == 12 else "unexpected"
    assert CodeReflector(ExactGrounder()).judge(typing, found, before, now).kind == expected


def test_a_text_was_lost_if_the_fields_came_meanwhile_and_lack_it() -> None:
    leaving = replace(screen(button("Cancel"), button("Save")), focus_unseen=True)
    here = screen(field("Search"), field("Diary"), button("Log out"))
    elements = tuple(replace(one, id=one.id + 10) for one in here.elements)
    here = replace(here, elements=elements, focus_unseen=True)
    lost = typed(TypeText("First swarm"), leaving, here)
    assert (lost.kind, "no field has the keyboard" in lost.summary) == ("unexpected", True)
    filled = (replace(elements[0], value="First swarm"), *elements[1:])
    assert typed(TypeText("First swarm"), leaving, replace(here, elements=filled)).kind != "unexpected"


@pytest.mark.parametrize(
    ("states", "changed", "kind"),
    [((), False, "unexpected"), (("haspopup",), False, "changed"), ((), True, "changed")],
    ids=["it took the click", "the button toggles it", "the button worked too"],
)
def test_a_click_that_only_closed_a_popup_in_front_is_not_taken_for_the_buttons(
    states: tuple[str, ...], changed: bool, kind: str
) -> None:
    window, popup = {1: Box(0, 0, 400, 300)}, {2: Box(20, 60, 100, 80)}
    save = Element(1, "button", "Save", Box(20, 150, 80, 20), states=frozenset(states), source="atspi")
    entry = Element(2, "listitem", "Home", Box(25, 65, 90, 20), source="atspi")
    said = Element(3, "text", "Saved", Box(200, 10, 90, 20), source="atspi")
    before = Observation(Size(400, 300), (save, entry), windows={**window, **popup})
    now = Observation(Size(400, 300), (save, said) if changed else (save,), windows=window)
    planned, found = Planned(Click(Mark(1))), {"at": Found(save.box.center, save)}
    outcome = CodeReflector(ScreenGrounder()).judge(planned, found, before, now)
    assert outcome.kind == kind, outcome
