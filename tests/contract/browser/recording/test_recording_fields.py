"""What a person does in form fields is recorded as what it means, and can be done again."""

from __future__ import annotations

from typing import Any

import pytest
from lessons import Lesson, said
from playwright.sync_api import sync_playwright

from gui_agent.computers.browser.launch import find_executable
from gui_agent.procedures.exports.dialects import DIALECTS
from gui_agent.procedures.exports.script import script_of
from gui_agent.procedures.induction.learn import learn


async def fill(page: Any) -> None:
    keyboard = page.keyboard
    await page.get_by_label("Name").click()
    await keyboard.type("Ada")
    await page.locator("#city").click(click_count=3)
    await keyboard.type("Oslo")
    await page.get_by_label("Notes").click()
    await keyboard.type("one")
    await keyboard.press("Enter")
    await keyboard.type("two")
    await page.locator("#day").click(position={"x": 15, "y": 10})
    await keyboard.type("03042025")
    await page.get_by_label("Story").click()
    await keyboard.press("Control+End")
    await keyboard.type(" upon a time")
    await page.get_by_label("Country").click()
    await keyboard.press("d")
    await keyboard.press("Enter")
    await page.get_by_label("I agree").click()
    await page.get_by_text("Newsletter").click()
    await page.get_by_text("Pro", exact=True).click()
    await page.get_by_role("switch", name="Dark mode").click()
    await page.get_by_role("button", name="Send").click()


EXPECTED = [
    'Type "Ada" into textbox "Name"',
    'Type "Oslo" into textbox "City"',
    'Type "one two" into textbox "Notes"',
    'Type "upon a time" into textbox "Story"',
    'Choose "Denmark" in combobox "Country"',
    'Tick checkbox "I agree"',
    'Untick checkbox "Newsletter"',
    'Select radio "Pro"',
    'Turn on switch "Dark mode"',
    'Click button "Send"',
]
STATE = """() => [name.value, document.getElementById("name").value, city.value, notes.value, day.value,
  story.textContent, country.value, agree.checked, news.checked, pro.checked,
  dark.getAttribute("aria-checked"), said.textContent].slice(1)"""
FILLED = [
    "Ada",
    "Oslo",
    "one\ntwo",
    "2025-03-04",
    "Once upon a time",
    "Denmark",
    True,
    False,
    True,
    "true",
    "sent",
]


def test_a_form_with_every_kind_of_field_is_recorded_and_filled_again(lesson: Lesson) -> None:
    demonstration = lesson.show("forms.html", fill)
    assert lesson.js(STATE) == FILLED
    words = said(demonstration)
    assert [line for line in words if "2025-03-04" not in line] == EXPECTED
    assert len(words) == len(EXPECTED) + 1

    lesson.run(demonstration, "forms.html")
    assert lesson.js(STATE) == FILLED


def test_values_named_in_the_task_are_replaced_by_new_ones(lesson: Lesson) -> None:
    async def act(page: Any) -> None:
        await page.get_by_label("Name").click()
        await page.keyboard.type("Ada")
        await page.keyboard.press("Tab")
        await page.keyboard.type("Oslo")
        await page.get_by_role("button", name="Send").click()

    demonstration = lesson.show("forms.html", act, 'Enter "Ada" from "Oslo"')
    lesson.run(demonstration, "forms.html", 'Enter "Grace" from "New York"')
    assert lesson.js("[document.getElementById('name').value, city.value]") == ["Grace", "New York"]


def test_a_correction_while_typing_leaves_only_the_final_text(lesson: Lesson) -> None:
    async def act(page: Any) -> None:
        await page.get_by_label("Name").click()
        await page.keyboard.type("Adda")
        for key in ("Backspace", "Backspace", "a", "Control+a", "Control+x", "Control+v", "Home", "End"):
            await page.keyboard.press(key)

    assert said(lesson.show("forms.html", act)) == ['Type "Ada" into textbox "Name"']


def test_clicks_into_fields_that_change_nothing_are_not_steps(lesson: Lesson) -> None:
    async def act(page: Any) -> None:
        await page.get_by_label("Name").click()
        await page.get_by_label("City").click()
        await page.keyboard.press("Tab")
        await page.get_by_role("button", name="Send").click()

    assert said(lesson.show("forms.html", act)) == ['Click button "Send"']


def test_a_slider_that_is_dragged_is_set_to_its_value(lesson: Lesson) -> None:
    async def act(page: Any) -> None:
        box = await page.get_by_label("Volume").bounding_box()
        await page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + box["height"] / 2)
        await page.mouse.down()
        await page.mouse.move(box["x"] + box["width"] * 0.82, box["y"] + box["height"] / 2, steps=4)
        await page.mouse.up()

    demonstration = lesson.show("forms.html", act)
    value = lesson.js("volume.value")
    assert value != "20"
    assert said(demonstration) == [f'Type "{value}" into slider "Volume"']
    lesson.run(demonstration, "forms.html")
    assert lesson.js("volume.value") == value


def test_a_built_list_is_recorded_as_the_clicks_that_it_takes(lesson: Lesson) -> None:
    async def act(page: Any) -> None:
        await page.get_by_role("combobox", name="Colour").click()
        await page.get_by_role("option", name="Green", exact=True).click()

    demonstration = lesson.show("forms.html", act)
    assert said(demonstration) == ['Click combobox "Colour"', 'Click option "Green"']
    lesson.run(demonstration, "forms.html")
    assert lesson.js("colour.textContent") == "Green"


def test_options_of_an_open_list_are_chosen(lesson: Lesson) -> None:
    async def act(page: Any) -> None:
        await page.locator("#fruits option", has_text="Banana").click()
        await page.locator("#fruits option", has_text="Cherry").click(modifiers=["Control"])

    demonstration = lesson.show("forms.html", act)
    assert said(demonstration) == [
        'Choose "Banana" in listbox "Fruits"',
        'Choose "Cherry" in listbox "Fruits"',
    ]
    lesson.run(demonstration, "forms.html")
    assert lesson.js("[...fruits.selectedOptions].map((o) => o.text)") == ["Banana", "Cherry"]


async def write_code(page: Any) -> None:
    frame = page.frame_locator("iframe")
    await frame.locator("#editor").click()
    await page.keyboard.type("x = 5")
    await frame.locator("#notes").click()
    await page.keyboard.type("five")
    await frame.get_by_role("button", name="Save").click()


@pytest.mark.nightly
def test_what_was_typed_into_editors_of_a_frame_is_exported_and_passes(lesson: Lesson) -> None:
    """A code editor takes keys with a field that is not seen, and an editable block has no role."""
    shown = lesson.show("code.html", write_code, "Write 'x = 5' and 'five'")
    scripts = [script_of(one, [shown], start=f"{lesson.address}/code.html") for one in learn([shown])]
    assert 'frameLocator("iframe")' in DIALECTS["playwright"][0](scripts)
    made: dict[str, Any] = {}
    exec(compile(DIALECTS["pytest"][0](scripts), "test_code.py", "exec"), made)
    (test,) = (one for name, one in made.items() if name.startswith("test_"))
    with sync_playwright() as playwright:
        chromium = playwright.chromium
        browser = chromium.launch(
            executable_path=find_executable("", chromium.executable_path), args=["--no-sandbox"]
        )
        page = browser.new_page()
        test(page, *scripts[0].parameters.values())
        assert page.frame_locator("iframe").locator("#said").inner_text() == "x = 5 | five"
        browser.close()
