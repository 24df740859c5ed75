"""What a person does with the mouse and with keys, in every kind of frame."""

from __future__ import annotations

from typing import Any

import pytest
from lessons import Lesson, said

from gui_agent.computers.browser.recording import BrowserRecorder
from gui_agent.core.actions import Click, Drag, Press
from gui_agent.core.trajectory import Task


async def drag(page: Any, start: str, end: str) -> None:
    origin, goal = await page.locator(start).bounding_box(), await page.locator(end).bounding_box()
    await page.mouse.move(origin["x"] + origin["width"] / 2, origin["y"] + origin["height"] / 2)
    await page.mouse.down()
    await page.mouse.move(goal["x"] + goal["width"] / 2, goal["y"] + goal["height"] * 0.45, steps=8)
    await page.mouse.up()


def test_double_right_and_modified_clicks_and_chords(lesson: Lesson) -> None:
    async def act(page: Any) -> None:
        target = page.get_by_role("button", name="Target")
        await page.get_by_role("button", name="Accept").click()
        await target.dblclick()
        await target.click(button="right")
        await target.click(modifiers=["Control"])
        await page.locator("#log").click()
        await page.keyboard.press("Control+k")

    demonstration = lesson.show("pointing.html", act)
    actions = [step.action for step in demonstration.steps]
    clicks = [(a.button, a.clicks, a.modifiers) for a in actions if isinstance(a, Click)]
    plain = ("left", 1, ())
    assert clicks == [plain, ("left", 2, ()), ("right", 1, ()), ("left", 1, ("ctrl",)), plain]
    assert actions[-1] == Press(("ctrl", "k"))
    lesson.run(demonstration, "pointing.html")
    assert lesson.js("document.getElementById('log').textContent") == "palette"
    assert lesson.js("keys.at(-1)") == "ctrl+k"


def test_things_are_dragged_by_pages_own_code(lesson: Lesson) -> None:
    async def act(page: Any) -> None:
        await drag(page, "#list li:has-text('Alpha')", "#list li:has-text('Gamma')")

    order = "[...list.children].map((item) => item.textContent).join()"
    demonstration = lesson.show("drag.html", act)
    (step,) = demonstration.steps
    assert isinstance(step.action, Drag)
    assert (step.action.at.name, step.action.to.name) == ("Alpha", "Gamma")
    shown = lesson.js(order)
    lesson.run(demonstration, "drag.html")
    assert lesson.js(order) == shown == "Beta,Alpha,Gamma"


def test_things_are_dragged_in_the_way_of_html(lesson: Lesson) -> None:
    async def act(page: Any) -> None:
        await drag(page, "#source", "#target")

    demonstration = lesson.show("drag.html", act)
    assert said(demonstration) == ['Drag button "Parcel" to button "Shelf"']
    lesson.run(demonstration, "drag.html")
    assert lesson.js("document.getElementById('said').textContent") == "parcel true"


@pytest.mark.nightly
def test_frames_of_any_origin_and_shadow_roots_are_heard(lesson: Lesson) -> None:
    async def act(page: Any) -> None:
        inner = page.frame_locator("iframe[title=Inner]")
        await inner.get_by_label("Street").click()
        await page.keyboard.type("Elm")
        await inner.get_by_label("Fine").click()
        await inner.get_by_role("button", name="Post").click()
        other = page.frame_locator("iframe[title='Other origin']")
        await other.get_by_role("textbox").first.click()
        await page.keyboard.type("abroad")
        await page.get_by_label("Card").click()
        await page.keyboard.type("4711")
        await page.get_by_label("Keep").click()
        await page.get_by_role("button", name="Store").click()

    demonstration = lesson.show("nested.html", act)
    words = said(demonstration)
    assert words[:3] == ['Type "Elm" into textbox "Street"', 'Tick checkbox "Fine"', 'Click button "Post"']
    assert '"abroad"' in words[3]
    assert words[4:] == ['Type "4711" into textbox "Card"', 'Tick checkbox "Keep"', 'Click button "Store"']
    stored = "document.querySelector('x-card').shadowRoot.querySelector('b').textContent"
    assert lesson.js(stored) == "4711trueVisa"
    lesson.run(demonstration, "nested.html")
    assert lesson.js(stored) == "4711trueVisa"
    assert lesson.js("frames[0].said.textContent") == "ElmChadtrue"


def test_the_screen_of_a_step_is_the_one_just_before_it(lesson: Lesson) -> None:
    """The page changes with the press of the button already; the menu is gone when the click is over."""

    async def act(page: Any) -> None:
        await page.get_by_role("button", name="File").click()
        await page.get_by_role("menuitem", name="Export").click()

    demonstration = lesson.show("recorded.html", act)
    assert said(demonstration) == ['Click button "File"', 'Click menuitem "Export"']
    shown = [{e.name for e in step.screen.elements} for step in demonstration.steps if step.screen]
    assert ["Export" in names for names in shown] == [False, True]
    assert any("exported" in str(condition) for condition in demonstration.steps[1].expect)


def test_what_a_page_does_by_itself_is_not_recorded(lesson: Lesson) -> None:
    """Scripted events are no steps, and the page does not see the recorder."""

    async def act(page: Any) -> None:
        await page.locator("#real").click()

    assert said(lesson.show("recorded.html", act)) == ['Click button "Real"']
    assert lesson.js("traces()") == []


def test_enter_in_a_message_is_a_line_or_sends_as_the_page_decides(lesson: Lesson) -> None:
    async def act(page: Any) -> None:
        await page.get_by_label("Message").click()
        await page.keyboard.type("one")
        await page.keyboard.press("Enter")
        await page.keyboard.type("two")
        await page.keyboard.press("Enter")

    demonstration = lesson.show("recorded.html", act)
    field = 'textbox "Message"'
    assert said(demonstration) == [
        f'Type "one" into {field}',
        "Press Enter",
        f'Type "two" into {field}',
        "Press Enter",
    ]
    lesson.run(demonstration, "recorded.html")
    assert lesson.js("document.getElementById('log').textContent") == "one.two."


def test_what_was_recorded_before_is_let_go_of(lesson: Lesson) -> None:
    async def act(page: Any) -> None:
        await page.locator("#press").click()

    first = lesson.show("pointing.html", act)
    second = lesson.show("pointing.html", act)
    assert said(first) == said(second) == ['Click button "Target"']


async def drop(page: Any, card: str, column: int) -> None:
    """Drag a card to the empty end of a column, or below the board when there is no such column."""
    origin = await page.get_by_text(card, exact=True).bounding_box()
    goal = await page.locator(".column, #nowhere").nth(column).bounding_box()
    await page.mouse.move(origin["x"] + 20, origin["y"] + 10)
    await page.mouse.down()
    await page.mouse.move(goal["x"] + goal["width"] - 20, goal["y"] + goal["height"] - 20, steps=8)
    await page.mouse.up()


@pytest.mark.parametrize("page", ["board.html", "board.html?pointer"])
@pytest.mark.parametrize(("column", "heading"), [(1, "Doing"), (2, "Done")])
def test_what_is_dragged_to_an_empty_place_goes_into_the_column_again(
    lesson: Lesson, page: str, column: int, heading: str
) -> None:
    demonstration = lesson.show(page, lambda shown: drop(shown, "Paint", column))
    (step,) = demonstration.steps
    assert isinstance(step.action, Drag)
    assert (step.action.at.name, step.action.to.name) == ("Paint", heading)
    lesson.run(demonstration, page)
    where = "[...document.querySelectorAll('.card')].find((c) => c.textContent === 'Paint').parentNode"
    assert lesson.js(f"{where}.firstElementChild.textContent") == heading


def test_a_drag_to_where_nothing_is_named_is_told_and_not_kept(lesson: Lesson) -> None:
    lesson.open("board.html?pointer")
    recorder = BrowserRecorder(lesson.computer)
    lesson.computer.call(lambda page: drop(page, "Paint", 3))
    lesson.computer.settle()
    for _ in range(300):
        if told := recorder.poll(0.2):
            break
    assert [number for number, said in told if 'dragging "Paint" is not recorded' in said] == [0]
    assert recorder.stop(Task("Move it")).steps == ()
