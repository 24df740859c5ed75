"""Tabs, addresses, going back, dialogs and files in a recording."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lessons import Lesson, said

from gui_agent.computers.browser.recording import BrowserRecorder
from gui_agent.core.actions import Back, Navigate, Switch, Upload
from gui_agent.core.trajectory import Task
from gui_agent.procedures.recordings.from_run import from_trajectory


def follow(recorder: BrowserRecorder, lines: int) -> list[str]:
    """What the recorder says until it has said so many lines."""
    said: list[str] = []
    for _ in range(300):
        said += [sentence for _, sentence in recorder.poll(0.2)]
        if len(said) >= lines:
            return said
    raise AssertionError(f"only {said}")


def test_a_new_tab_and_the_way_back_to_the_first(lesson: Lesson) -> None:
    async def there(page: Any) -> None:
        async with page.context.expect_page() as opened:
            await page.get_by_role("link", name="Open second").click()
        await (await opened.value).wait_for_load_state()

    async def in_the_second(page: Any) -> None:
        await page.get_by_role("textbox").first.click()
        await page.keyboard.type("hello")

    async def in_the_first(page: Any) -> None:
        first = page.context.pages[-2]
        await first.bring_to_front()
        await first.get_by_role("button", name="Hash").click()

    lesson.open("tabs.html")
    recorder = BrowserRecorder(lesson.computer)
    lesson.computer.call(there)
    assert follow(recorder, 1) == ['Click link "Open second"']
    lesson.computer.call(in_the_second)
    recorder.poll(0.4)
    lesson.computer.call(in_the_first)
    demonstration = from_trajectory(recorder.stop(Task("Do it", recorder.start)), "browser")
    kinds = [step.action.kind for step in demonstration.steps]
    assert kinds == ["click", "type", "switch", "click"]
    assert demonstration.steps[2].action == Switch("First tab")


def test_an_address_that_is_typed_and_going_back(lesson: Lesson) -> None:
    """The driver's own navigation counts as typed for the browser."""
    lesson.open("tabs.html")
    recorder = BrowserRecorder(lesson.computer)
    lesson.computer.call(lambda page: page.goto(f"{lesson.address}/drag.html"))
    assert follow(recorder, 1)[0].startswith("Go to")

    async def back(page: Any) -> None:
        await page.go_back()

    lesson.computer.call(back)
    follow(recorder, 1)
    demonstration = from_trajectory(recorder.stop(Task("Do it")), "browser")
    actions = [step.action for step in demonstration.steps]
    assert actions == [Navigate(f"{lesson.address}/drag.html"), Back()]


def test_following_a_link_is_a_click_and_no_address(lesson: Lesson) -> None:
    async def act(page: Any) -> None:
        await page.get_by_role("link", name="Go to second").click()
        await page.wait_for_url("**/second.html")

    demonstration = lesson.show("tabs.html", act)
    assert said(demonstration) == ['Click link "Go to second"']
    assert any("second.html" in str(condition) for condition in demonstration.steps[0].expect)


def test_the_answer_to_a_dialog_is_the_click_on_its_button(lesson: Lesson) -> None:
    async def act(page: Any) -> None:
        async def answer(dialog: Any) -> None:
            await (dialog.accept("Grace") if dialog.type == "prompt" else dialog.dismiss())

        page.on("dialog", answer)
        await page.get_by_role("button", name="Confirm").click()
        await page.get_by_role("button", name="Prompt").click()
        page.remove_listener("dialog", answer)

    demonstration = lesson.show("dialogs.html", act)
    assert said(demonstration) == [
        'Click button "Confirm"',
        'Click button "Cancel"',
        'Click button "Prompt"',
        'Type "Grace" into textbox "Your name?"',
        'Click button "OK"',
    ]
    lesson.run(demonstration, "dialogs.html")
    assert lesson.js("document.getElementById('said').textContent") == "Grace"


def test_files_are_recorded_with_their_place(lesson: Lesson, tmp_path: Path) -> None:
    file = tmp_path / "report.csv"
    file.write_text("a,b", encoding="utf-8")

    async def act(page: Any) -> None:
        session = await page.context.new_cdp_session(page)
        document = await session.send("DOM.getDocument")
        wanted = {"nodeId": document["root"]["nodeId"], "selector": "#one"}
        field = await session.send("DOM.querySelector", wanted)
        await session.send("DOM.setFileInputFiles", {"files": [str(file)], **field})

    (step,) = lesson.show("files.html", act).steps
    assert isinstance(step.action, Upload)
    assert step.action.files == (str(file),)
