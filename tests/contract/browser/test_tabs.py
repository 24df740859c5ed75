"""Tabs, pop-ups, navigation and history."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from gui_agent.core.actions import Back, Close, Navigate, Open, Press, Switch
from gui_agent.core.errors import ActionFailed


@pytest.mark.parametrize("name", ["Open second", "Pop up"])
def test_a_new_tab_is_followed_and_told(desk: Any, name: str) -> None:
    desk.open("tabs.html")
    desk.use(name)
    assert desk.seen.place.title == "Second tab"
    assert desk.seen.place.others == ("First tab",)
    assert desk.seen.notices == ('a new tab opened: "Second tab"',)
    desk.use("Press")
    assert "pressed" in desk.text()


def test_a_tab_that_closes_itself_gives_way_to_the_one_before(desk: Any) -> None:
    desk.open("tabs.html")
    desk.use("Pop up")
    desk.use("Close me")
    assert desk.seen.place.title == "First tab"
    assert desk.seen.notices == ('the tab "Second tab" was closed',)
    desk.use("Hash")
    assert desk.seen.place.title == "Part"


def test_tabs_are_switched_by_title_and_closed(desk: Any) -> None:
    desk.open("tabs.html")
    desk.use("Open second")
    desk.act(Switch("first"))
    assert desk.seen.place.title == "First tab"
    desk.act(Switch("second.html"))
    assert desk.seen.place.title == "Second tab"
    with pytest.raises(ActionFailed, match='no tab fits "third"; the tabs are "First tab", "Second tab"'):
        desk.act(Switch("third"))
    with pytest.raises(ActionFailed, match="several tabs fit"):
        desk.act(Switch("tab"))
    desk.act(Close())
    assert desk.seen.place.title == "First tab"
    with pytest.raises(ActionFailed, match="the only tab"):
        desk.act(Close())


def test_a_page_is_opened_in_a_new_tab(desk: Any) -> None:
    desk.open("tabs.html")
    desk.act(Navigate(f"{desk.address}/second.html", new_tab=True))
    assert desk.seen.place.title == "Second tab"
    assert desk.seen.place.others == ("First tab",)


def test_links_are_followed_and_back_returns(desk: Any) -> None:
    desk.open("tabs.html")
    desk.use("Go to second")
    assert desk.seen.place.title == "Second tab"
    desk.act(Back())
    assert desk.seen.place.title == "First tab"
    desk.act(Press(("alt", "right")))
    assert desk.seen.place.title == "Second tab"
    desk.act(Press(("f5",)))
    assert desk.seen.place.title == "Second tab"


def test_a_slow_page_is_waited_for(desk: Any) -> None:
    desk.open("tabs.html")
    desk.use("Slow link")
    assert desk.seen.place.title == "Slow page"
    assert desk.settled.quiet
    assert desk.settled.seconds >= 0.6


def test_back_without_a_page_before_says_so(own_desk: Any) -> None:
    desk = own_desk()
    with pytest.raises(ActionFailed, match="no page to go back to"):
        desk.act(Back())


def test_a_change_of_the_fragment_is_a_page_to_go_back_from(desk: Any) -> None:
    desk.open("tabs.html")
    desk.use("Hash")
    assert desk.seen.place.url.endswith("#part")
    desk.act(Back())
    assert desk.seen.place.url.endswith("tabs.html")


def test_open_takes_addresses_and_files_only(desk: Any) -> None:
    desk.act(Open(f"{desk.address}/second.html"))
    assert desk.seen.place.title == "Second tab"
    with pytest.raises(ActionFailed, match="no address, and there is no such file"):
        desk.act(Open("Text Editor"))


def test_a_page_may_keep_the_keys_that_a_browser_has_a_use_for(desk: Any) -> None:
    page = """<title>Files</title><p>nothing yet</p><script>
        const kept = { F5: "copied", r: "renamed", ArrowLeft: "went up" };
        addEventListener("keydown", (event) => {
          if (!kept[event.key]) return;
          document.querySelector("p").textContent += " " + kept[event.key];
          event.preventDefault();
        });</script>"""
    desk.computer.start(f"data:text/html,{quote(page)}")
    for keys in (("f5",), ("ctrl", "r"), ("alt", "left")):
        desk.act(Press(keys))
    assert "nothing yet copied renamed went up" in desk.text()
