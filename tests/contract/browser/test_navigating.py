"""Looking while a page goes elsewhere or gives no answer: every wait has an end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from gui_agent.computers.browser.cdp import isolated_world, sender
from gui_agent.computers.browser.cdp.isolated_world import IsolatedWorld
from gui_agent.computers.browser.look import preview, settling, snapshot
from gui_agent.computers.browser.look.frames import FRAME
from gui_agent.core.actions import Click, Press


@pytest.mark.nightly
def test_a_picture_begun_before_another_document_comes_is_not_waited_for(desk: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(preview, "DRAWING", 20.0)
    desk.open("forms.html")

    async def begin_and_leave(browsing: Any) -> float:
        slowest = 0.0
        for number in range(20):
            tab = browsing.session.current
            documents = tab.documents
            browsing.preview.begin(tab)
            await tab.cdp.send("Page.navigate", {"url": f"{desk.address}/second.html?{number}"})
            while tab.documents == documents:
                await tab.changes.wait(5)
            began = time.monotonic()
            await browsing.preview.drop()
            slowest = max(slowest, time.monotonic() - began)
        return slowest

    assert desk.computer.on_loop(begin_and_leave, 100) < preview.DRAWING / 2
    assert desk.look(picture=True).screenshot is not None


def test_a_look_goes_on_without_a_picture_that_never_comes(desk: Any, monkeypatch: Any) -> None:
    async def never(*_given: object) -> Any:
        await asyncio.Event().wait()

    desk.open("forms.html")
    monkeypatch.setattr(preview, "capture", never)
    monkeypatch.setattr(preview, "DRAWING", 0.05)
    monkeypatch.setattr(preview, "LOOKING", 0.1)
    seen = desk.look(picture=True)
    assert seen.screenshot is None
    assert any("no picture" in notice for notice in seen.notices)
    assert desk.find("Name")


def test_a_tab_that_is_closed_under_the_look_gives_way_to_the_next(own_desk: Callable[..., Any]) -> None:
    desk = own_desk()
    desk.open("forms.html")
    take = snapshot.Snapshot.take

    async def closed_first(self: Any, page: Any) -> Any:
        if "second" in page.url:
            await page.close()
        return await take(self, page)

    with pytest.MonkeyPatch.context() as patched:
        desk.computer.call(lambda page: page.evaluate(f"open('{desk.address}/second.html')"))
        desk.computer.settle()
        patched.setattr(snapshot.Snapshot, "take", closed_first)
        assert desk.look().place.url.endswith("forms.html")


def wait_no_longer_than(desk: Any, seconds: float) -> None:
    """From now on, for an answer of the page that is open."""

    async def limit(browsing: Any) -> None:
        browsing.session.current.cdp._seconds = seconds

    desk.computer.on_loop(limit)


def test_an_action_ends_and_the_next_start_works_where_the_page_hangs(
    own_desk: Callable[..., Any],
) -> None:
    desk = own_desk()
    desk.open("forms.html")
    wait_no_longer_than(desk, 2.0)
    began = time.monotonic()
    desk.js("setTimeout(() => { for (;;); }, 0); 0")
    with pytest.raises(sender.Silent, match="has not answered for 2 s"):
        desk.computer.perform(Click(desk.find("Name").box.center))
    assert time.monotonic() - began < sender.ANSWERING
    assert "Second" in desk.open("second.html").place.title


def test_time_does_not_count_while_a_dialog_stands_open(own_desk: Callable[..., Any]) -> None:
    desk = own_desk()
    desk.open("forms.html")
    desk.js("document.querySelector('h1, body').onclick = () => { window.said = confirm('Sure?') }; 0")
    wait_no_longer_than(desk, 2.0)
    desk.computer.perform(Click(desk.find("Name").box.center))
    time.sleep(2.5)
    assert "Sure?" in desk.look().elements[0].name
    desk.act(Press(("enter",)))
    assert desk.js("said") is True


def test_a_frame_of_another_site_that_hangs_is_left_out(own_desk: Callable[..., Any]) -> None:
    desk = own_desk()
    desk.open("forms.html")
    other = desk.address.replace("127.0.0.1", "localhost")
    desk.js(
        "document.body.prepend(Object.assign(document.createElement('iframe'),"
        f" {{src: '{other}/second.html', id: 'other'}})); 0"
    )
    desk.computer.settle()
    desk.look()
    hang = "setTimeout(() => { for (;;); }, 0)"
    desk.computer.call(lambda page: page.frames[-1].evaluate(hang))
    began = time.monotonic()
    desk.look()
    first = time.monotonic() - began
    assert FRAME <= first < 4 * FRAME
    began = time.monotonic()
    desk.look()
    assert time.monotonic() - began < first - FRAME / 2, "waited for it once more"
    assert desk.find("Name")


def test_a_page_is_asked_again_however_long_its_first_answer_took(desk: Any, monkeypatch: Any) -> None:
    for module in (isolated_world, settling):
        monkeypatch.setattr(module, "MOVING", 0.0)  # over with the first answer, as on a busy machine
    put, moved = IsolatedWorld._put, [True]

    async def moves_once(self: Any) -> None:
        if moved:
            moved.clear()
            raise sender.errors()("Execution context was destroyed")
        await put(self)

    monkeypatch.setattr(IsolatedWorld, "_put", moves_once)
    assert desk.open("forms.html").elements and not moved


def test_a_page_that_never_keeps_a_document_is_looked_at_without_its_elements(
    desk: Any, monkeypatch: Any
) -> None:
    async def moving(self: Any) -> None:
        raise sender.errors()("Execution context was destroyed")

    desk.open("forms.html")
    monkeypatch.setattr("gui_agent.computers.browser.cdp.isolated_world.MOVING", 0.2)
    monkeypatch.setattr(IsolatedWorld, "_put", moving)
    desk.computer.call(lambda page: page.reload())
    seen = desk.look()
    assert seen.elements == ()
    assert any("keeps navigating" in notice for notice in seen.notices)
