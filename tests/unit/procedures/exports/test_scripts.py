"""Procedures as code: what is written in each language, and what has no words there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gui_agent.core.actions import Click, TypeText
from gui_agent.core.observation import Box, Element, Fingerprint, Size
from gui_agent.core.trajectory import Demonstration, DemoStep, Screen
from gui_agent.procedures.exports.dialects import DIALECTS
from gui_agent.procedures.exports.script import Inexpressible, script_of
from gui_agent.procedures.importers import import_playwright
from gui_agent.procedures.importers.robot_framework import import_robot
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.program import (
    Aim,
    Captioned,
    Const,
    DoStep,
    ForEach,
    HasRole,
    Item,
    Program,
    Remember,
    Selector,
    Slot,
    SlotParameter,
    Until,
    With,
)

Shown = Callable[..., Demonstration]


def code(form: str, *shown: Demonstration, **more: bool) -> str:
    return DIALECTS[form][0]([script_of(one, shown, **more) for one in learn(shown, name="send-to")])


def test_values_are_parameters_places_are_roles_and_names_and_what_was_seen_is_checked(shown: Shown) -> None:
    text = code("pytest", shown("Ada", "hi"), shown("Grace", "see you"))
    assert '@pytest.mark.parametrize(("to", "text"), [("Ada", "hi")])' in text
    assert "def test_send_to(page: Page, to: str, text: str) -> None:" in text
    assert 'page.get_by_role("textbox", name="To").fill(to)' in text
    assert 'page.get_by_role("button", name="Send").click()' in text
    assert '.to_contain_text("Sent to " + to + ": " + text, use_inner_text=True' in text
    compile(text, "test_send_to.py", "exec")


@pytest.mark.parametrize(("form", "read"), [("pytest", import_playwright), ("playwright", import_playwright),
                                            ("robot", import_robot)])  # fmt: skip
def test_other_tools_read_in_it_what_was_done(form: str, read: Callable[..., object], shown: Shown) -> None:
    text = code(form, replace(shown("Ada", "hi"), start="https://mail.example/"))
    done = read(text.replace("fill(to)", 'fill("Ada")').replace("fill(text)", 'fill("hi")'), "Send")
    actions = [step.action for step in done.demonstration.steps]  # type: ignore[attr-defined]
    typed = [(one.at.role, one.at.name, one.text) for one in actions if isinstance(one, TypeText) and one.at]
    assert [name for _, name, _ in typed] == ["To", "Text"]
    assert [one.at.name for one in actions if isinstance(one, Click)] == ["Send"]


def test_of_plain_commands_only_what_is_typed_is_a_parameter(shown: Shown) -> None:
    task = 'type "Ada" into "To", type "hi" into "Text", click "Send"'
    text = code("pytest", shown("Ada", "hi", task=task), inline=True)
    assert 'name="Send"' in text and '[("Ada", "hi")]' in text


def test_a_page_in_a_file_begins_at_an_address_that_browsers_take(shown: Shown, tmp_path: Path) -> None:
    (page := tmp_path / "form.html").touch()
    (program,) = learn([shown("Ada", "hi")], name="send-to")
    assert script_of(program, start=str(page)).start == page.as_uri()


def test_a_secret_is_read_from_the_environment(shown: Shown) -> None:
    (program,) = learn([shown("Ada", "hi", task="Send it to Ada")], name="send-to")
    typed = program.steps[1]
    assert isinstance(typed, DoStep)
    steps = (replace(typed, text=Const("Bearer ${secret:MAIL}")),)
    said = {form: write([script_of(replace(program, steps=steps))]) for form, (write, _) in DIALECTS.items()}
    assert '.fill("Bearer " + os.environ["MAIL"])' in said["pytest"]
    assert '.fill("Bearer " + process.env.MAIL!)' in said["playwright"]
    assert "    Bearer %{MAIL}\n" in said["robot"]


def test_what_is_decided_on_the_screen_is_named_and_nothing_is_written(shown: Shown) -> None:
    (program,) = learn([shown("Ada", "hi")])
    first = program.steps[0]
    assert isinstance(first, DoStep) and first.at is not None
    other = replace(program, steps=(Remember("x", Const("1")), Until(first.at.choices[0], (first,))))
    with pytest.raises(Inexpressible, match=r"step 1 cannot be exported: .Remember"):
        script_of(other)
    with pytest.raises(Inexpressible, match="Until the textbox"):
        script_of(replace(other, steps=other.steps[1:]))


@pytest.mark.parametrize("value", ["a\tb", "a\u00a0\u00a0b", "a  b", "a\r\nb", "a\u2003 b", "#a=b", "C:\\n"])
def test_a_value_is_one_cell_of_robot_framework(shown: Shown, value: str) -> None:
    parsing = pytest.importorskip("robot.api.parsing")
    escapes = pytest.importorskip("robot.utils")
    model = parsing.get_model(code("robot", shown("Ada", value)))
    section = next(one for one in model.sections if isinstance(one, parsing.VariableSection))
    cells = [one.value for one in section.body if isinstance(one, parsing.Variable)]
    assert [escapes.unescape(one) for one in cells[-1]] == [value] and len(cells) == 3


def test_text_of_a_page_never_becomes_code(shown: Shown, tmp_path: Path) -> None:
    evil = f'"""\n{tmp_path}/x").touch() #\\'
    text = code("pytest", shown("Ada", evil, task=f"Send {evil} to Ada"))
    compile(text, "test_send_to.py", "exec")
    assert not (tmp_path / "x").exists()


def test_what_stands_in_the_row_of_something_is_looked_for_there() -> None:
    row, box = "html/body/table/tbody/tr[2]", Box(0, 0, 9, 9)
    cell = Element(1, "cell", "Ada", box, path=f"{row}/td[1]")
    link = Element(2, "link", "Edit", box, path=f"{row}/td[2]/a")
    mark = Fingerprint("link", "Edit", path=link.path, attributes={"tag": "a"}, rank=2)
    beside = With(Selector((Captioned(Const("ada")),)), 1)
    aim = Aim((Selector((HasRole("link"), Captioned(Const("edit")), beside)),))
    shown = Demonstration("Edit Ada", (DemoStep(Click(mark), Screen(Size(9, 9), elements=(cell, link)), 2),))
    script = script_of(Program("edit", ("Edit Ada",), (DoStep(Click(mark), aim),)), [shown])
    within = 'page.get_by_text("Ada", exact=True).locator("xpath=ancestor::tr[1]")'
    assert f'{within}.get_by_role("link", name="Edit").click()' in DIALECTS["pytest"][0]([script])


def test_a_field_that_is_not_seen_is_told_only_where_it_is_the_only_one() -> None:
    box, keys = Box(0, 0, 9, 9), TypeText("x = 5", Fingerprint("", ""))
    line = Element(3, "text", "x = 5", box, path="html/body/iframe>html/body/pre/span")
    other = Element(4, "textbox", "Notes", box, path="html/body/iframe>html/body/textarea")
    program = Program("write", ("Write it",), (DoStep(keys, None, text=Const("x = 5")),))
    for before in ((), (other,)):
        first = DemoStep(keys, Screen(Size(9, 9), elements=before), 0)
        shown = [Demonstration("Write it", (first,), final=Screen(Size(9, 9), elements=(line,)))]
        if before:
            with pytest.raises(Inexpressible, match="not the only one"):
                script_of(program, shown)
        else:
            text = DIALECTS["pytest"][0]([script_of(program, shown)])
            assert (
                'page.frame_locator("iframe").locator("textarea").first.press_sequentially("x = 5")' in text
            )


def test_things_of_a_list_in_plain_commands_are_gone_through_one_by_one() -> None:
    mark = Fingerprint("menuitem", "View")
    item = Aim((Selector((HasRole("menuitem"), Captioned(Item()))),))
    loop = ForEach(Slot("ways"), (DoStep(Click(mark), item),))
    program = Program("go", ("choose {ways}",), (loop,), (SlotParameter("ways", examples=("View, Zoom",)),))
    text = DIALECTS["pytest"][0]([script_of(program, inline=True)])
    assert "for item in ways:" in text and '["View", "Zoom"]' in text


def test_a_field_is_not_called_after_how_long_something_is_ago() -> None:
    mark = Fingerprint("textbox", "", label="8s ago", attributes={"tag": "input"})
    aim = Aim((Selector((HasRole("textbox"), Captioned(Const("8s ago")))),))
    step = DoStep(TypeText("new", mark), aim, text=Const("new"))
    text = DIALECTS["pytest"][0]([script_of(Program("name", ("Name it",), (step,)))])
    assert 'page.get_by_role("textbox").fill("new")' in text


def test_a_nameless_field_that_came_with_the_keyboard_is_looked_for_by_it() -> None:
    box, mark = (
        Box(0, 0, 9, 9),
        Fingerprint("textbox", "", "Modified", path="ul/li/input", attributes={"tag": "input"}),
    )
    begun = DemoStep(Click(Fingerprint("button", "New")), Screen(Size(9, 9)))
    field = Element(2, "textbox", "", box, states=frozenset(["focused"]), path=mark.path)
    typed = DemoStep(TypeText("new", mark), Screen(Size(9, 9), elements=(field,)), 2)
    aim = Aim((Selector((HasRole("textbox"), Captioned(Const("modified")))),))
    program = Program("name", ("Name it",), (DoStep(typed.action, aim, text=Const("new")),))
    later = code_of(program, Demonstration("Name it", (begun, typed)))
    assert 'page.locator("input:focus").fill("new")' in later
    assert ":focus" not in code_of(program, Demonstration("Name it", (typed,)))  # it was there from the first


def test_the_example_of_a_value_is_written_as_the_thing_is_called_that_it_names() -> None:
    mark = Fingerprint("menuitem", "File")
    step = DoStep(Click(mark), Aim((Selector((HasRole("menuitem"), Captioned(Slot("what")))),)))
    program = Program("go", ("Go to {what}",), (step,), (SlotParameter("what", examples=("file",)),))
    assert '"what", ["File"]' in code_of(program)
    typing = replace(program, steps=(*program.steps, DoStep(TypeText("file", None), text=Slot("what"))))
    assert '"what", ["file"]' in code_of(typing)


def test_a_place_without_words_is_looked_for_by_its_own_name_and_a_listed_text_by_its_words() -> None:
    beside = With(Selector((Captioned(Const("theme")),)), 0)
    aim = Aim((Selector((HasRole("menuitem"), beside)),))
    text = code_of(Program("go", ("Go",), (DoStep(Click(Fingerprint("menuitem", "Dark")), aim),)))
    assert 'page.get_by_role("menuitem", name="Dark")' in text
    listed = Aim((Selector((HasRole("listitem"), Captioned(Const("theme")))),))
    text = code_of(Program("go", ("Go",), (DoStep(Click(Fingerprint("listitem", "Theme")), listed),)))
    assert 'page.get_by_text("Theme", exact=True).click()' in text


@pytest.mark.parametrize("form", DIALECTS)
def test_an_application_gets_time_to_start_and_one_that_never_rests_is_not_waited_for(form: str) -> None:
    step = DoStep(Click(Fingerprint("button", "Go")))
    text = DIALECTS[form][0]([script_of(Program("go", ("Go",), (step,)))])
    before = text[: text.index("Go", text.index("networkidle"))]
    assert any(word in before for word in ("suppress(Error)", ".catch(() => {})", "Ignore Error"))


def code_of(program: Program, *shown: Demonstration) -> str:
    return DIALECTS["pytest"][0]([script_of(program, shown)])
