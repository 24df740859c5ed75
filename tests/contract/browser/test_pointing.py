"""Mouse and keys: clicks, hover, drags, scrolling, chords, and what lies on top."""

from __future__ import annotations

import time
from typing import Any

import pytest

from gui_agent.core.actions import Click, Drag, Hold, LongPress, Move, Press, Scroll, Swipe
from gui_agent.core.errors import ActionFailed, Stale
from gui_agent.core.observation import Point


def said(desk: Any, identity: str = "log") -> str:
    text: str = desk.js(f"document.getElementById('{identity}').textContent")
    return text


def test_a_canvas_is_clicked_by_coordinates(desk: Any) -> None:
    desk.open("pointing.html")
    desk.act(Click(Point(75, 133)))
    assert said(desk) == "canvas 55 113"


def test_a_covered_button_is_refused_and_what_covers_it_is_named(desk: Any) -> None:
    desk.open("pointing.html")
    banner = desk.find("Accept").box
    under = Point(310, 210)
    order = desk.js("document.getElementById('covered').getBoundingClientRect().toJSON()")
    assert order["left"] < under.x < order["right"]
    desk.js("document.getElementById('banner').hidden = true")
    desk.look()
    element = desk.find("Order")
    desk.js("document.getElementById('banner').hidden = false")
    with pytest.raises(Stale, match=r'button "Order" is covered by .*[Cc]ookie consent.*close'):
        desk.computer.perform(Click(under), element)
    assert said(desk) == "-"
    desk.computer.perform(Click(banner.center))
    desk.computer.perform(Click(under), element)
    assert said(desk) == "ordered"


def test_a_veil_is_named_by_what_is_seen_on_it_and_not_by_its_styles(desk: Any) -> None:
    desk.open("pointing.html")
    element = desk.find("Target")
    veil = "<style>.anticon { display: inline-block; color: inherit }</style><p>New here? <b>Got it</b></p>"
    desk.js(
        "document.body.append(Object.assign(document.createElement('div'), {innerHTML: `" + veil + "`,"
        " style: 'position: fixed; inset: 0; z-index: 99'}))"
    )
    with pytest.raises(Stale, match=r'"Target" is covered by div "New here\? Got it"'):
        desk.computer.perform(Click(element.box.center), element)


def test_a_scroll_goes_on_over_something_that_is_covered(desk: Any) -> None:
    desk.open("targets.html")
    covered = desk.find("In the middle")
    wide = "left: 350px; top: 300px; width: 300px; height: 200px"
    desk.js(f"document.querySelector('.over').style.cssText = '{wide}'")
    with pytest.raises(Stale, match="covered"):
        desk.computer.perform(Click(covered.box.center), covered)
    desk.computer.perform(Scroll(covered.box.center, down=300), covered)
    desk.computer.settle()
    assert desk.js("scrollY") > 100


def test_an_element_that_is_gone_is_stale(desk: Any) -> None:
    desk.open("pointing.html")
    target = desk.find("Target")
    desk.js("document.getElementById('press').remove()")
    with pytest.raises(Stale, match='button "Target"'):
        desk.computer.perform(Click(target.box.center), target)


def test_an_element_that_the_page_draws_anew_is_still_itself(desk: Any) -> None:
    desk.open("pointing.html")
    target = desk.find("Target")
    desk.js("{ const b = document.getElementById('press'); b.outerHTML = b.outerHTML }")
    desk.computer.perform(Click(target.box.center), target)


def test_a_menu_opens_on_hover(desk: Any) -> None:
    desk.open("pointing.html")
    desk.use("File", Move)
    desk.use("Export")
    assert said(desk) == "exported"


def test_double_right_and_modified_clicks(desk: Any) -> None:
    desk.open("pointing.html")
    at = desk.find("Target").box.center
    desk.act(Click(at, clicks=2))
    assert said(desk) == "double"
    desk.act(Click(at, button="right"))
    assert said(desk) == "context"
    desk.act(Click(at, modifiers=("ctrl",)))
    assert said(desk) == "click 1 ctrl held false"
    with pytest.raises(ActionFailed, match="cannot be held"):
        desk.act(Click(at, modifiers=("enter",)))


def test_a_long_press_holds_the_button(desk: Any) -> None:
    desk.open("pointing.html")
    desk.use("Target", LongPress, 0.4)
    assert said(desk) == "click 1  held true"


def test_the_wheel_scrolls_the_page_and_a_part_of_it(desk: Any) -> None:
    desk.open("pointing.html")
    desk.act(Scroll(Point(100, 460), down=150))
    assert desk.js("document.getElementById('scroller').scrollTop") == 150
    desk.act(Scroll(Point(700, 700), down=400))
    assert desk.js("scrollY") == 400
    assert desk.seen.more["above"] == 400
    desk.act(Scroll(Point(700, 700), down=-100))
    assert desk.js("scrollY") == 300


def test_chords_reach_the_page(desk: Any) -> None:
    desk.open("pointing.html")
    desk.act(Press(("Control", "k")))
    assert said(desk) == "palette"
    desk.act(Press(("down",), times=3))
    assert desk.js("keys.slice(-3)") == ["ArrowDown"] * 3


def test_a_held_key_repeats_and_is_let_go(desk: Any) -> None:
    desk.open("pointing.html")
    began = time.monotonic()
    desk.act(Hold(("right",), 0.8))
    assert time.monotonic() - began >= 0.8
    assert desk.js("keys.filter((key) => key === 'ArrowRight').length") > 1


def test_an_unknown_key_is_refused(desk: Any) -> None:
    desk.open("pointing.html")
    with pytest.raises(ActionFailed, match="no key called 'hyper'"):
        desk.act(Press(("hyper", "x")))


def test_a_swipe_needs_a_touch_screen(desk: Any) -> None:
    desk.open("pointing.html")
    with pytest.raises(ActionFailed, match="use scroll"):
        desk.act(Swipe(Point(1, 1), Point(1, 90)))


def test_a_sortable_list_is_sorted_by_dragging(desk: Any) -> None:
    desk.open("drag.html")
    places = desk.js("[...document.querySelectorAll('li')].map((li) => li.getBoundingClientRect().toJSON())")
    first, last = (Point(round(box["left"] + 50), round(box["top"] + 25)) for box in (places[0], places[2]))
    desk.act(Drag(first, last))
    assert desk.js("[...document.querySelectorAll('li')].map((li) => li.textContent)") == [
        "Beta",
        "Gamma",
        "Alpha",
    ]


def test_a_list_that_takes_its_time_is_sorted_by_dragging(desk: Any) -> None:
    desk.open("drag.html")
    # As libraries with animations do, it hears nothing just after the press, nor while it makes room.
    desk.js("""(() => {
        const heard = (event) => { if (performance.now() < deaf) event.stopImmediatePropagation(); };
        let deaf = 0;
        addEventListener("mousedown", () => { deaf = performance.now() + 60; }, true);
        addEventListener("mousemove", heard, true);
        new MutationObserver(() => { deaf = performance.now() + 200; }).observe(list, { childList: true });
    })()""")
    places = desk.js("[...document.querySelectorAll('li')].map((li) => li.getBoundingClientRect().toJSON())")
    first, last = (Point(round(box["left"] + 50), round(box["top"] + 30)) for box in (places[0], places[2]))
    desk.act(Drag(first, last))
    assert desk.js("[...list.children].map((li) => li.textContent)") == ["Beta", "Gamma", "Alpha"]


def test_native_drag_and_drop(desk: Any) -> None:
    desk.open("drag.html")
    source, target = desk.find("Parcel"), desk.find("Shelf")
    desk.act(Drag(source.box.center, target.box.center), source)
    assert said(desk, "said") == "parcel true"


def test_a_range_is_dragged(desk: Any) -> None:
    desk.open("drag.html")
    box = desk.find("Level").box
    desk.act(Drag(Point(box.left + 8, box.center.y), box.center))
    assert 45 <= int(desk.value("level")) <= 55
