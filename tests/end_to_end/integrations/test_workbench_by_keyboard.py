"""A person's five jobs in the workbench of `guiagent serve` by keyboard alone, wide and narrow."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from gui_agent.computers.browser.launch import find_executable
from tests.end_to_end.integrations.test_http import Served
from tests.end_to_end.integrations.test_workbench import PUT, begin, form

pytestmark = pytest.mark.nightly
__all__ = ["form"]
FOCUSED = """() => {
  const one = document.activeElement, box = one.getBoundingClientRect(), style = getComputedStyle(one);
  const text = one === document.body ? "" : one.textContent, label = one.labels?.[0]?.firstChild.textContent;
  const name = label || one.getAttribute("aria-label") || one.alt || text;
  const down = Math.min(box.height, innerHeight) / 2;
  const seen = document.elementFromPoint(box.x + box.width / 2, box.y + down);
  const ringed = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  const wide = document.documentElement.scrollWidth > innerWidth;
  return { tag: one.tagName, name: name.trim(), ringed, shown: !box.width || one.contains(seen), wide };
}"""


class Person:
    """Someone with a keyboard and no mouse."""

    def __init__(self, page: Page, pictures: Path) -> None:
        self.page, self._pictures = page, pictures

    def goes_to(self, name: str, key: str = "Tab") -> None:
        """Press Tab until something of this name has the keyboard, which has to be seen each time."""
        passed = []
        for _ in range(60):
            self.page.keyboard.press(key)
            now = self.page.evaluate(FOCUSED)
            passed.append(now["name"])
            assert not now["wide"]
            if now["tag"] != "BODY":
                assert now["ringed"] and now["shown"], (now, passed)
            if now["name"].startswith(name):
                return
        raise AssertionError(f"Tab does not come to {name!r}: {passed}")

    def presses(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def follows(self, key: str = "Enter") -> None:
        """Press a key that leads to another page."""
        with self.page.expect_navigation(wait_until="commit"):
            self.page.keyboard.press(key)

    def types(self, text: str) -> None:
        self.page.keyboard.type(text)

    def sees(self, text: str) -> None:
        self.page.get_by_text(text).first.wait_for(timeout=20_000)

    def focused(self) -> str:
        return str(self.page.evaluate(FOCUSED)["name"])

    def shoots(self, name: str) -> None:
        wide = self.page.evaluate("innerWidth")
        self.page.screenshot(path=self._pictures / f"{name}-{wide}.png")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    made = Served(computer={"kind": f"{__name__}:form"}, trace={"folder": str(folder / "runs")})
    yield made
    made.close()


@pytest.fixture(scope="module", params=[(1280, 800), (390, 844)], ids=["desk", "phone"])
def page(request: pytest.FixtureRequest, served: Served) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_executable("", playwright.chromium.executable_path)
        )
        width, height = request.param
        page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
        page.goto(served.app.url)
        yield page
        browser.close()


@pytest.fixture
def person(page: Page, served: Served, tmp_path: Path) -> Iterator[Person]:
    page.goto(f"{served.base}/")
    yield Person(page, Path(os.environ.get("PICTURES", tmp_path)))
    for run in served.registry.runs:
        served.web.post(f"/runs/{run.id}/stop")


def test_a_task_is_run_and_its_report_found(person: Person) -> None:
    person.goes_to("Skip to the page")
    person.presses("Enter")
    person.goes_to("Task")
    person.types(PUT)
    person.shoots("task")
    person.follows("Control+Enter")
    person.sees("done")
    person.goes_to("All runs")
    person.follows()
    person.goes_to("Find a run")
    person.types("ada")
    person.follows()
    person.goes_to("Report")
    person.shoots("found")
    person.follows()
    person.sees("Run report")


def test_a_question_is_answered_and_the_keyboard_stays_on_the_page(person: Person, served: Served) -> None:
    run = begin(served, 'click "Send"')
    served.asks(run)
    person.sees("Waits for you")
    person.goes_to("Allow once")
    person.shoots("asked")
    person.presses("Enter")
    served.ended(run)
    person.page.locator("#going li").wait_for(state="detached")
    assert person.page.evaluate("document.activeElement.tagName") != "BODY"
    person.goes_to("Find a run")


def test_what_is_typed_as_an_answer_stays_while_the_page_gets_news(person: Person, served: Served) -> None:
    person.goes_to("Task")
    person.types("half a ta")
    run = begin(served, "wait 500 seconds")
    person.sees("Pause")
    person.types("sk")
    assert person.page.locator("textarea").input_value() == "half a task"
    person.goes_to("Pause")
    person.presses("Enter")
    person.sees("Go on")
    assert person.focused() == "Go on"
    person.goes_to("Stop")
    person.presses("Enter")
    assert served.ended(run)["result"]["ending"] == "stopped"


def test_a_screen_is_taken_over_left_and_handed_back(person: Person, served: Served) -> None:
    run = begin(served, ", ".join(["wait 500 seconds"] * 5))  # one that is taken over ends early
    person.sees("Watch and steer")
    person.goes_to("Watch and steer")
    person.follows()
    person.sees("The agent is working")
    person.goes_to("Take over")
    person.presses("Enter")
    person.sees("The screen is yours")
    person.goes_to("The screen as it is now", "Shift+Tab")
    person.shoots("taken")
    person.presses("Tab", "Escape", "Shift+Escape")
    assert person.focused() == "Hand back"
    person.presses("Enter")
    person.goes_to("Stop")
    person.presses("Enter")
    assert served.ended(run)["result"]["ending"] == "stopped"


def test_a_list_is_run(person: Person, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("name\nAda\nBo\n")
    person.goes_to("Lists")
    person.follows()
    person.goes_to("Task")
    person.types('type "{name}" into "Name", check "Ada" is shown')
    person.goes_to("Rows")
    with person.page.expect_file_chooser() as chooser:
        person.presses("Space")
    chooser.value.set_files(tmp_path / "people.csv")
    person.goes_to("Run the list")
    person.presses("Enter")
    person.sees("1 row to look at")
    person.goes_to("All rows")
    person.shoots("rows")
