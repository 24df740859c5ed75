"""The bar in a page that is recorded: what a person says with it, and that the page cannot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lessons import Lesson, said

from gui_agent.computers.browser.recording import BrowserRecorder
from gui_agent.core.conditions import TextShown
from gui_agent.core.trajectory import Task
from gui_agent.integrations.recordings import recorded_demonstration
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.wording import describe
from tests.recorded_bar import at_button

PAGE = """<!doctype html><title>Visits</title><h1>Visits</h1>
<label>Name <input id=name></label> <label>City <input id=city></label>
<button onclick="save()">Save</button>
<p><output id=out></output></p><p><label>Total <output>EUR 12.50</output></label></p>
<button>Send</button><button>Send</button>
<script>window.heard = [];
const save = () => { out.textContent = `Saved ${document.getElementById("name").value}`; };
for (const kind of ["pointerdown", "click", "keydown"])
  window.addEventListener(kind, (event) => heard.push(`${kind} ${event.target.localName}`), true);</script>"""

TYPED = ['Type "Ada" into textbox "Name"', 'Type "Oslo" into textbox "City"', 'Click button "Save"']


async def press(page: Any, act: str) -> None:
    await page.mouse.click(*await at_button(page, act))


@pytest.fixture
def page(tmp_path: Path) -> str:
    (tmp_path / "visits.html").write_text(PAGE)
    return (tmp_path / "visits.html").as_uri()


def test_what_is_checked_read_and_varied_becomes_part_of_the_procedure(lesson: Lesson, page: str) -> None:
    async def act(page: Any) -> None:
        await page.reload()  # a page that comes after the bar never hears of its clicks
        await page.get_by_label("Name").click()
        await page.keyboard.type("Ada")
        await press(page, "vary")
        await page.get_by_label("Name").click()
        await page.get_by_label("City").click()
        await page.keyboard.type("Oslo")
        await page.get_by_role("button", name="Save").click()
        await press(page, "check")
        await page.locator("#out").click()
        await press(page, "read")
        await page.get_by_text("EUR 12.50").click()

    lesson.open(page)
    recorder = BrowserRecorder(lesson.computer, bar={})
    lesson.computer.call(act)
    lesson.computer.settle()
    lines = [sentence for _, sentence in recorder.poll(1.0)]
    demonstration = recorded_demonstration(recorder.stop(Task("Note a visit", recorder.start)), recorder)
    assert said(demonstration) == TYPED
    assert demonstration.slots == {"name": "Ada"} and demonstration.answer == "EUR 12.50"
    assert TextShown("Saved Ada") in demonstration.steps[2].expect
    assert 'check "Saved Ada" is shown' in lines
    (program,) = learn([demonstration])
    told = describe(program)
    assert "{name} varies with the task" in told and "answer is read each time" in told
    assert not any(kind.endswith(" div") for kind in lesson.js("heard"))


def test_undo_done_and_the_name_of_a_thing(lesson: Lesson, page: str) -> None:
    async def act(page: Any) -> None:
        await page.get_by_role("button", name="Save").click()
        await page.get_by_label("City").click()
        await page.keyboard.type("Oslo")
        await press(page, "undo")
        await press(page, "name")
        await page.get_by_role("button", name="Send").nth(1).click()

    lesson.open(page)
    recorder = BrowserRecorder(lesson.computer, bar={})
    lesson.computer.call(act)
    undone = [sentence for number, sentence in recorder.poll(1.0) if number < 0]
    assert undone == TYPED[1:2] and recorder.open
    lesson.computer.call(lambda page: press(page, "done"))
    recorder.poll(1.0)
    assert not recorder.open
    assert len(recorder.stop(Task("x", recorder.start)).steps) == 1


def test_a_page_can_neither_press_the_bar_nor_look_into_it(lesson: Lesson, page: str) -> None:
    async def act(page: Any) -> None:
        x, y = await at_button(page, "done")
        await page.evaluate(
            """([x, y]) => {
                const host = document.elementFromPoint(x, y);
                window.inside = host.shadowRoot;
                const facts = { bubbles: true, clientX: x, clientY: y, detail: 1 };
                for (const kind of ["pointerdown", "pointerup", "click"])
                  host.dispatchEvent(new MouseEvent(kind, facts));
            }""",
            [x, y],
        )

    lesson.open(page)
    recorder = BrowserRecorder(lesson.computer, bar={})
    lesson.computer.call(act)
    assert recorder.poll(1.0) == () and recorder.open and lesson.js("window.inside") is None
    recorder.stop(Task("x", recorder.start))
    assert lesson.js("document.documentElement.children.length") == 2
