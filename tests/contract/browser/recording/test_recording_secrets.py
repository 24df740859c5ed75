"""Secrets never reach a recording, wherever they show."""

from __future__ import annotations

from typing import Any

from lessons import Lesson, said, written

PASSWORD = "tr0ub4dor & 3"
CODE = "open sesame"


async def log_in(page: Any) -> None:
    await page.get_by_label("User").click()
    await page.keyboard.type("ada")
    await page.keyboard.press("Tab")
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press("Tab")
    await page.keyboard.type(CODE)
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/second.html*")


def test_passwords_and_marked_fields_become_references_everywhere(lesson: Lesson) -> None:
    """The page shows the password in a text, and the form puts it into the address of the next page."""
    demonstration = lesson.show("recorded.html", log_in, f"Log in as ada with {CODE}", fields=["Code word"])
    assert "tr0ub4dor+%26+3" in lesson.js("location.href")
    text = written(demonstration)
    assert all(form not in text for form in (PASSWORD, "tr0ub4dor", CODE, "sesame"))
    assert demonstration.task == "Log in as ada with ${secret:CODE_WORD}"
    typed = [step.action.text for step in demonstration.steps if step.action.kind == "type"]
    assert typed == ["ada", "${secret:PASSWORD}", "${secret:CODE_WORD}"]
    assert said(demonstration)[-1] == "Press Enter"


def test_a_login_runs_again_with_the_secrets_of_the_day(lesson: Lesson) -> None:
    demonstration = lesson.show("recorded.html", log_in, "Log in as ada", fields=["Code word"])
    lesson.run(demonstration, "recorded.html", secrets={"PASSWORD": "new one", "CODE_WORD": "another"})
    assert lesson.js("location.search") == "?user=ada&pass=new+one&code=another"


def test_a_known_secret_keeps_its_name_wherever_it_is_typed(lesson: Lesson) -> None:
    async def act(page: Any) -> None:
        await page.get_by_label("User").click()
        await page.keyboard.type("id 4711-0815")

    demonstration = lesson.show("recorded.html", act, known={"ACCOUNT": "4711-0815"})
    assert demonstration.steps[0].action.text == "id ${secret:ACCOUNT}"  # type: ignore[union-attr]
    assert "4711" not in written(demonstration)
