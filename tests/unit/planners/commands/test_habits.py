"""What a command means on screens as programs show them: spreadsheets, file names, disabled fields, pages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.core.actions import Check, Click, Move, Press, Proposal, TypeText
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Box, Effects, Element, Form, Mark, Observation, Words
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import Found, GiveUp, Outcome, Planned, Step, Task, Turn
from gui_agent.planners.commands import PlainPlanner, Unparsed, is_everyday, parse
from gui_agent.planners.commands.commands import Do, Pick, Put, Verify
from gui_agent.planners.commands.compiler import Planning
from gui_agent.testing import button, checkbox, field, link, row, screen, text, widget

SHEET = screen(field("", value="A1"), button("A"), button("B"), text("3"))
BOX = SHEET.elements[0].id


def actions(command: str, observation: Observation, *steps: Step) -> list[object]:
    commands = parse(command)
    assert not isinstance(commands, Unparsed), commands
    plan = Planning(observation, ScreenGrounder(), steps).plan(commands[0])
    return [one.action for one in plan.planned] or [plan.unmet]


def focused(element: Element, *states: str) -> Element:
    return replace(element, states=element.states | {"focused", *states})


def after(action: Proposal, now: Observation) -> Step:
    return Step(1, Planned(action), now, now, Outcome("no_change"))


def test_a_cell_that_is_not_told_is_reached_by_the_name_box() -> None:
    there = [TypeText("B3", Mark(BOX), replace=True), Press(("enter",))]
    assert actions("click cell B3", SHEET) == there
    assert actions("put 17 into cell B3", SHEET) == [*there, TypeText("17"), Press(("enter",))]
    with pytest.raises(NotFound):
        actions("click cell B3", screen(field("", value="Oslo")))


def test_a_file_name_is_not_typed_into_the_text_when_no_dialog_opened() -> None:
    page = screen(field("letter.txt", value="Dear all", states=["multiline"]))
    page = replace(page, elements=tuple(focused(one) for one in page.elements))
    asked = after(Press(("ctrl", "shift", "s")), page)
    assert "opened no dialog" in str(actions('type "may.txt"', page, asked)[0])
    situation = Situation(Task('press ctrl+shift+s, type "may.txt"'), page)
    for _ in range(4):  # it waits for a dialog that is late, and does not forget what it waits for
        decision = PlainPlanner(waits=(0.1, 0.1)).decide(situation)
        steps = tuple(replace(after(one.action, page), planned=one) for one in decision.planned)
        situation = replace(situation, turns=(*situation.turns, Turn(decision, page, steps)))
    assert isinstance(situation.turns[-1].decision.end, GiveUp)
    assert actions('type "Dear Ada"', page, asked) == [TypeText("Dear Ada")]
    assert actions('type "may.txt"', page, after(Press(("ctrl", "end")), page)) == [TypeText("may.txt")]


def test_an_ending_that_a_program_leaves_unmarked_is_replaced_with_the_name() -> None:
    named = screen(field("Name", value="stock.csv"))
    name = focused(named.elements[0])
    named = replace(named, elements=(name,))
    assert actions('type "may.csv"', named) == [TypeText("may.csv", Mark(name.id), replace=True)]
    assert actions('type "may"', named) == [TypeText("may")]


def test_a_box_beside_a_disabled_field_is_ticked_first() -> None:
    form = screen(row(checkbox("Allow updating"), field("Weight", states=["disabled"])))
    assert actions('type "9" into "Weight"', form) == [Check(Mark(form.elements[0].id))]
    ticked = screen(row(checkbox("Allow updating", on=True), field("Weight")))
    assert actions('type "9" into "Weight"', ticked) == [TypeText("9", Words("Weight"), replace=True)]


def test_the_exact_name_out_of_sight_is_not_given_up_for_what_is_like_it() -> None:
    top = screen(widget("heading", "Create new card"))
    below = Element(0, "button", "Create card", replace(top.elements[0].box, top=5000))
    with pytest.raises(NotFound, match="not in sight") as missing:
        actions('click "Create card"', replace(top, beyond=(below,)))
    assert missing.value.candidates == (below,) or list(missing.value.candidates) == [below]


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        ("double-click pictures", Click(Words("pictures"), clicks=2)),
        ('type "x" into the large text field', TypeText("x", Words(role="textarea"), replace=True)),
        ("tick the box for Ada", Check(Words("", "checkbox", near="Ada", relation="for"))),
        ('type "x" into the editor', TypeText("x", Words("", "textarea"), replace=True)),
    ],
)
def test_words_for_things_are_read_as_people_mean_them(command: str, meant: Proposal) -> None:
    commands = parse(command)
    assert not isinstance(commands, Unparsed)
    assert getattr(commands[0], "action", None) == meant


def test_lines_of_a_form_and_bare_menu_paths_are_commands() -> None:
    ann = Put("Ann", Words("First name"))
    assert parse("First name: Ann\nCity: New York\nclick Save") == (
        ann,
        Put("New York", Words("City")),
        Do(Click(Words("Save"))),
    )
    assert parse('First name: Ann, click "Save"') == (ann, Do(Click(Words("Save"))))
    assert parse("File > Open") == parse("choose File > Open")
    assert parse("Search > Find") == parse("choose Search > Find")
    assert parse('First: click "A"') == parse('click "A"')
    assert is_everyday("First name: Ann")


def test_the_radio_button_of_a_row_can_be_selected() -> None:
    commands = parse('select the radio button in the row of "task"')
    assert commands == (Pick(Words("", "radio", near="task", relation="in the row of")),)


def test_of_a_button_and_a_field_of_one_name_the_button_is_clicked() -> None:
    page = screen(field("Search:"), button("Search"))
    (click,) = actions('click "Search"', page)
    assert isinstance(click, Click)
    found = ScreenGrounder().locate(Words("Search"), page)
    assert found.element is not None
    assert found.element.role == "button"


def test_one_link_shown_twice_is_one_link_and_two_links_are_two() -> None:
    page = screen(link("draft.txt", "/files/draft.txt"), link("draft.txt", "/files/draft.txt"))
    assert ScreenGrounder().locate(Words("draft.txt"), page).element == page.elements[0]
    with pytest.raises(NotFound):
        ScreenGrounder().locate(Words("drafts of May"), page)


def test_a_text_read_otherwise_from_the_picture_is_no_menu_that_opened() -> None:
    bar = screen(widget("menuitem", "Journal", states=["haspopup"]))
    pointed = after(Move(Words("Journal")), bar)
    noise = replace(text("2026 >"), id=90, source="ocr")
    assert actions("open Journal > Save", replace(bar, elements=(*bar.elements, noise)), pointed) == [
        Click(Words("Journal"))
    ]
    entry = replace(widget("menuitem", "Save"), id=91)
    assert actions("open Journal > Save", replace(bar, elements=(*bar.elements, entry)), pointed) == [""]


def test_a_large_field_beside_several_lines_is_on_the_line_of_none_of_them() -> None:
    page = screen(field("Find", value="tea"), button("Replace"), button("Replace"))
    find, first, second = page.elements
    beside = replace(first, box=replace(find.box, left=find.box.right + 10))
    document = replace(second, box=Box(find.box.right + 200, 0, 500, 460))
    page = replace(page, elements=(find, beside, document))
    typed = after(TypeText("tea", Mark(find.id)), page)
    typed = replace(typed, outcome=Outcome("confirmed"), found={"at": Found(find.box.center, find)})
    assert actions('click "Replace"', page, typed) == [Click(Mark(beside.id))]


def test_what_programs_call_no_heading_is_none() -> None:
    page = screen(text("~/Budget"), field("letter"), widget("group", "Style"), field("Name"))
    page = replace(page, windows={1: Box(0, 0, 800, 600)})
    with pytest.raises(NotFound):
        actions('type "12" into the text field under the heading "Budget"', page)


def test_of_two_fields_of_one_label_the_one_in_the_window_with_the_keyboard_is_meant() -> None:
    page = screen(field("First name"), field("First name"))
    behind, front = page.elements
    front = focused(front)
    page = replace(page, elements=(behind, front))
    with pytest.raises(Ambiguous):
        ScreenGrounder().locate(Words("First name"), replace(page, windows={}))
    shown = replace(page, windows={1: behind.box, 2: front.box})
    assert ScreenGrounder().locate(Words("First name"), shown).element == front


def test_a_button_does_not_take_the_label_of_the_field_beside_it() -> None:
    page = screen(text("Replace:"), field("Replace with"), widget("button", "Replace"))
    found = ScreenGrounder().locate(Words("Replace"), page, verb="type")
    assert found.element is not None
    assert found.element.role == "textbox"


def test_the_document_is_the_large_field_where_none_is_called_so() -> None:
    large = replace(field("letter"), box=Box(0, 100, 900, 600), states=frozenset({"editable", "multiline"}))
    page = screen(field("Style"), replace(large, id=77))
    found = ScreenGrounder().locate(Words(role="document"), page, verb="click")
    assert found.element is not None
    assert found.element.name == "letter"


def test_the_label_of_one_field_is_none_of_its_neighbour() -> None:
    users, ramp = field("Number of users (peak)"), field("Ramp up (users a second)")
    label = text("Number of users (peak) *")
    page = screen(label, users, ramp)
    found = ScreenGrounder().locate(Words("Number of users"), page, verb="set")
    assert found.element is not None
    assert found.element.name == "Number of users (peak)"


@pytest.mark.parametrize(
    ("said", "there", "taken"),
    [
        ("Save", "Submit changes", True),
        ("ok", "Confirm changes to this page", True),
        ("Save changes", "Apply", True),
        ("Save", "Delete changes", False),
        ("Save", "Apply bold formatting", False),
        ("Save draft", "Submit changes", False),
    ],
)
def test_the_button_that_takes_a_form_over_goes_by_several_names(said: str, there: str, taken: bool) -> None:
    sends = replace(button(there), does=Effects(form=Form(sends="/x", posts=True)))
    page = screen(field("Name"), button("Help"))
    page = replace(page, elements=(*page.elements, replace(sends, id=70, box=page.elements[1].box)))
    if taken:
        found = ScreenGrounder().locate(Words(said), page).element
        assert found is not None
        assert found.name == there
    else:
        with pytest.raises(NotFound):
            ScreenGrounder().locate(Words(said), page)


def test_a_form_is_sent_by_the_verb_of_its_title() -> None:
    does = Effects(form=Form(("Add a new group", "new-tag"), "/tags", posts=True))
    page = screen(field("Name"), button("Save"))
    page = replace(page, elements=(page.elements[0], replace(page.elements[1], does=does)))
    assert ScreenGrounder().locate(Words("Add"), page).element == page.elements[1]
    with pytest.raises(NotFound):
        ScreenGrounder().locate(Words("Drop"), page)


def test_a_nameless_field_goes_by_what_its_page_calls_it() -> None:
    page = screen(field("", **{"class": "tc-titlebar"}), field("Tag"))
    assert ScreenGrounder().locate(Words("Title"), page, verb="type").element == page.elements[0]


def test_what_nothing_beside_a_thing_offers_is_taken_from_its_menu() -> None:
    files = screen(row(text("a.txt")), row(text("b.txt")))
    opening = Click(Words("a.txt"), button="right")
    assert actions('rename "a.txt" to "c.txt"', files) == [opening]
    menu = [widget("menuitem", name) for name in ("Open", "Rename…", "Delete", "Delete for ever")]
    shown = screen(row(text("a.txt")), row(text("b.txt")), *menu)
    steps = Step(1, Planned(opening), files, shown, Outcome("no_change"))
    (chosen,) = actions('rename "a.txt" to "c.txt"', shown, steps)
    assert chosen == Click(Mark(next(e.id for e in shown.elements if e.name == "Rename…")))
    (chosen,) = actions('delete "a.txt"', shown, steps)
    assert chosen == Click(Mark(next(e.id for e in shown.elements if e.name == "Delete")))
    with pytest.raises(NotFound):
        actions('share "a.txt"', shown, steps)
    beside = screen(row(text("a.txt"), button("Delete")))
    assert actions('delete "a.txt"', beside) == [
        Click(Words("delete", near="a.txt", relation="in the row of"))
    ]


def test_a_new_name_goes_into_the_field_that_comes_up_and_is_looked_for() -> None:
    commands = parse('rename "a.txt" to "c.txt"')
    assert not isinstance(commands, Unparsed)
    assert [str(one) for one in commands[1:]] == [
        str(one)
        for one in (Do(Press(("ctrl", "a"))), Do(TypeText("c.txt")), Do(Press(("enter",))), commands[4])
    ]
    assert isinstance(commands[4], Verify)


def test_a_new_thing_is_made_by_what_offers_it_or_by_the_keys_of_file_managers() -> None:
    offered = screen(button("New Folder"), text("docs"))
    new = next(e for e in offered.elements if e.role == "button")
    for wording in ('create a folder called "docs"', 'make a new folder "docs"', 'create folder "docs"'):
        assert actions(wording, offered) in ([Click(Words("new folder"))], [Click(Mark(new.id))])
    bare = screen(text("docs"))
    assert actions('create folder "x"', bare) == [Press(("ctrl", "shift", "n"))]
    page = replace(bare, place=replace(bare.place, url="https://files.example"))
    with pytest.raises(NotFound):
        actions('create folder "x"', page)


def test_a_state_is_marked_by_what_offers_it_and_a_box_is_ticked() -> None:
    mail = screen(row(text("Hello"), button("Mark as read")), checkbox("News"))
    assert actions('mark "Hello" as read', mail) == [
        Click(Words("mark as read", near="Hello", relation="in the row of"))
    ]
    assert actions('mark "News"', mail) == [Check(Words("News"))]


@pytest.mark.parametrize("count", [2, 3, 6])
@pytest.mark.parametrize("pair", ['"v{0}" in "F{0}"', "V{0} in F{0}"])
def test_one_verb_has_as_many_values_as_are_said(count: int, pair: str) -> None:
    *values, last = [pair.format(number) for number in range(1, count + 1)]
    found = parse(f"enter {', '.join(values)} and {last}, press Save")
    assert not isinstance(found, Unparsed)
    assert len(found) == count + 1
