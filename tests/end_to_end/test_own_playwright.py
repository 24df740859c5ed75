"""Small steps beside a program's own Playwright: on its page, and the other way round."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import async_playwright
from playwright.sync_api import Page, sync_playwright
from private import until

from gui_agent import AsyncBrowser, Browser, ConfigError, LiveScreen, from_page
from gui_agent.computers.browser.launch import Launch, find_executable
from gui_agent.core.observation import Size
from gui_agent.testing import FakeComputer, button, screen

LAUNCH = {
    "executable_path": find_executable("", ""),
    "args": Launch(True, Size(1280, 800), 1, 1, "", "", "", "", "", ()).flags(),
}
PAGE = """<!doctype html><title>Form</title><label>Note <input></label>
<button onclick="out.textContent = 'Saved ' + document.querySelector('input').value">Save</button>
<p id=out></p><a href="second.html" target=_blank>More</a>"""


@pytest.fixture
def address(tmp_path: Path) -> str:
    (tmp_path / "second.html").write_text("<!doctype html><title>Second</title><h1>Second page</h1>")
    (tmp_path / "form.html").write_text(PAGE)
    return (tmp_path / "form.html").as_uri()


@pytest.fixture
def page(address: str) -> Iterator[Page]:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(**LAUNCH)
        opened = browser.new_page(viewport={"width": 900, "height": 700}, device_scale_factor=2)
        opened.goto(address)
        yield opened
        browser.close()


def test_steps_and_own_calls_take_turns_on_a_sync_page(page: Page) -> None:
    with from_page(page) as steps:
        assert steps.act('type "one" into "Note", click "Save", wait for "Saved one"').ok
        assert page.inner_text("#out") == "Saved one"
        page.fill("input", "two")
        assert steps.read("Note") == "two"
        assert steps.playwright is page
        assert steps.observe().size == Size(1800, 1400)
        steps.act('click "More"')
        assert steps.check("Second page").ok
        assert [other.title() for other in page.context.pages] == ["Form", "Second"]
        assert all(type(other) is type(page) for other in page.context.pages)


def test_a_page_is_given_back_as_it_was(page: Page, address: str) -> None:
    threads, heard = threading.active_count(), len(page._impl_obj.listeners("request"))
    for _ in range(3):
        with from_page(page) as steps:
            steps.act('type "x" into "Note"')
    page.goto(address)
    page.evaluate("alert('nobody answers this but Playwright itself')")
    assert page.evaluate("Element.prototype.attachShadow.toString()").count("[native code]") == 1
    assert len(page._impl_obj.listeners("request")) == heard
    until(lambda: threading.active_count() <= threads, "the end of each thread")
    with pytest.raises(Exception, match="closed"):
        steps.observe()


def test_an_async_page_and_an_async_browser_are_awaited(address: str) -> None:
    async def work() -> None:
        async with async_playwright() as driver:
            browser = await driver.chromium.launch(**LAUNCH)
            page = await browser.new_page()
            await page.goto(address)
            async with from_page(page) as steps:
                assert (await steps.act('type "one" into "Note"')).ok
                assert await page.input_value("input") == "one"
                assert steps.playwright is page
            assert await page.title() == "Form"
            await browser.close()
        async with AsyncBrowser(address) as own:
            assert await own.playwright.locator("button").inner_text() == "Save"
            async with own.playwright.expect_popup() as popup:
                await own.playwright.click("a")
            second = await popup.value
            await second.wait_for_load_state()
            assert await second.title() == "Second"

    asyncio.run(work())


def test_the_page_of_a_browser_is_used_with_the_sync_api(address: str) -> None:
    with Browser(address) as own:
        page, said = own.playwright, threading.Event()
        page.fill("input", "by hand")
        assert own.read("Note") == "by hand"
        assert [one.inner_text() for one in page.locator("button").all()] == ["Save"]
        page.on("console", lambda message: said.set() if page.title() and message.text == "hi" else None)
        page.evaluate("console.log('hi')")
        assert said.wait(60)
        page.route("**/second.html", lambda route: route.fulfill(body="<title>Made up</title>"))
        with page.expect_popup() as popup:
            page.click("a")
        popup.value.wait_for_load_state()
        assert popup.value.title() in ("Made up", "Second")


def test_what_is_no_page_is_refused() -> None:
    with pytest.raises(ConfigError, match="page of Playwright, not str"):
        from_page("page")  # type: ignore[call-overload]
    with pytest.raises(ConfigError, match="has no Playwright page"):
        assert LiveScreen(FakeComputer(screen(button("Next")))).playwright
