"""What is hidden, clipped or covered is not listed; what is partly covered has a box that can be clicked."""

from __future__ import annotations

from typing import Any

import pytest

from gui_agent.core.observation import Box, Point


def clicks(eyes: Any) -> Any:
    return eyes.js("window.clicked")


def count_clicks(eyes: Any) -> None:
    eyes.js("addEventListener('click', event => window.clicked = event.composedPath()[0].id, true)")


def test_what_lies_under_an_overlay_is_left_out(eyes: Any) -> None:
    eyes.show(
        """<button>Under</button><p>Words under</p>
        <div style="position:fixed;inset:0;background:#0008"><dialog
        open>Question <button>Yes</button></dialog></div>"""
    )
    assert [e.name for e in eyes.list()] == ["Question", "Yes"]


def test_a_modal_dialog_leaves_only_itself(eyes: Any) -> None:
    eyes.show("<button>Under</button><dialog id=d>Sure? <button>No</button></dialog>")
    eyes.js("d.showModal()")
    assert eyes.names() == ["Sure?", "No"]


@pytest.mark.parametrize(
    "cover", ["left:0;width:60px", "left:60px;width:100px", "left:30px;width:80px", "left:20px;width:120px"]
)
def test_a_partly_covered_button_is_clickable_in_the_middle_of_its_box(eyes: Any, cover: str) -> None:
    eyes.show(
        f"""<div style="position:relative"><button id=b style="width:160px;height:40px">Half</button>
        <div style="position:absolute;top:0;height:50px;background:red;{cover}"></div></div>"""
    )
    count_clicks(eyes)
    button = eyes.one("Half", "button")
    eyes.click(button)
    assert clicks(eyes) == "b"


def test_a_wrapped_link_is_clicked_on_one_of_its_lines(eyes: Any) -> None:
    eyes.show(
        """<div style="width:200px;font:20px monospace">0123456789 <a id=a
        href="#x">abcdef ghijk</a> 0123</div>"""
    )
    count_clicks(eyes)
    eyes.click(eyes.one("abcdef ghijk", "link"))
    assert clicks(eyes) == "a"


def test_hidden_things_are_left_out(eyes: Any) -> None:
    eyes.show(
        """<style>.h{display:none}.v{visibility:hidden}
        .o{opacity:0}.z{width:0;height:0;overflow:hidden;padding:0;border:0}
        .off{position:absolute;left:-999px}
        .sr{position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0)}
        .c{content-visibility:hidden}</style>
        <button class=h>1</button><button class=v>2</button><div class=o><button>3</button>text</div>
        <button class=z>4</button><button class=off>5</button><button class=sr>6</button><input type=hidden
        value=7>
        <details><summary>Seen</summary><button>8</button>more</details><div class=v>a <button
        style="visibility:visible">Back</button></div>
        <div class=c><button>9</button>words</div><div
        hidden>b</div><template><p>c</p></template><noscript>d</noscript>"""
    )
    assert eyes.names() == ["Seen", "Back"]


def test_a_styled_checkbox_is_clicked_through_its_label(eyes: Any) -> None:
    eyes.show(
        """<style>input{position:absolute;opacity:0;width:0;height:0}
        label{padding-left:20px;background:#eee}</style>
        <input type=checkbox id=one><label for=one>Agree</label><br>
        <label><input type=radio style="display:none" id=two>Card</label>"""
    )
    agree, card = eyes.one("Agree", "checkbox"), eyes.one("Card", "radio")
    eyes.click(agree)
    eyes.click(card)
    assert eyes.js("[one.checked, two.checked]") == [True, True]
    assert "checked" in eyes.one("Agree", "checkbox").states
    hit = eyes.at(agree.box.center)
    assert hit is not None
    assert agree.id in hit.ids


def test_a_transparent_file_field_over_a_button_is_listed(eyes: Any) -> None:
    eyes.show(
        """<div style="position:relative;width:120px;height:40px;background:#ccc">Upload
        <input type=file aria-label="Picture"
        style="position:absolute;inset:0;opacity:0;width:120px;height:40px"></div>"""
    )
    assert eyes.one("Picture", "button").attributes["type"] == "file"


def test_what_is_scrolled_out_is_left_out_and_what_is_cut_has_the_visible_part(eyes: Any) -> None:
    eyes.show(
        """<div id=s style="height:100px;overflow:auto"><div style="height:80px">Top</div>
        <button style="display:block;height:60px">Cut</button><button>Below</button></div>"""
    )
    assert eyes.one("Cut").box.height in (20, 19)
    assert "Below" not in eyes.names()
    assert "scrollable" in eyes.by("s").states
    eyes.js("s.scrollTop = 999")
    assert "Below" in eyes.names()
    assert "Top" not in eyes.names()


def test_an_absolute_menu_is_not_clipped_by_a_box_that_does_not_hold_it(eyes: Any) -> None:
    eyes.show(
        """<div style="overflow:hidden;height:30px;width:100px">Bar<div
        style="position:absolute;top:60px"><button>Free</button></div>
        <div style="position:fixed;top:120px"><button>Fixed</button></div></div>
        <div style="overflow:hidden;height:30px;width:100px;position:relative;top:150px">
        <div style="position:absolute;top:60px"><button>Caught</button></div></div>"""
    )
    assert eyes.names("button") == ["Free", "Fixed"]


def test_what_the_pointer_passes_through_is_no_control(eyes: Any) -> None:
    eyes.show(
        """<div style="pointer-events:none"><div onclick="1" style="width:90px">Dead</div></div>
        <button>Live</button>"""
    )
    elements = eyes.list()
    assert [(e.role, e.name) for e in elements] == [("text", "Dead"), ("button", "Live")]


def test_scrolling_that_is_left_is_told(eyes: Any) -> None:
    eyes.show('<div style="height:2000px;width:900px">tall</div>')
    eyes.js("scrollTo(0, 500)")
    more = eyes.look().more
    assert more["above"] == 500
    assert more["below"] > 800
    assert (more["left"], more["right"] > 90) == (0, True)


def test_scrolling_of_the_main_region_counts_when_the_page_itself_stands(eyes: Any) -> None:
    eyes.show(
        """<body style="margin:0"><div id=m style="height:100vh;overflow:auto"><div
        style="height:1600px">long</div></div>"""
    )
    eyes.js("m.scrollTop = 300")
    assert eyes.look().more == {"above": 300, "below": 700, "left": 0, "right": 0}


def test_the_hit_names_what_is_on_top(eyes: Any) -> None:
    eyes.show(
        """<button style="width:200px;height:50px">Buy</button>
        <div id="banner" style="position:absolute;inset:0;width:90px;height:80px;
        background:#eee">Cookies?</div>"""
    )
    hit = eyes.at(Point(40, 40))
    assert hit is not None
    assert hit.description == 'div#banner "Cookies?"'
    buy = eyes.one("Buy")
    there = eyes.at(buy.box.center)
    assert there is not None
    assert (there.id, there.tag, there.type, there.role, there.editable) == (
        buy.id,
        "button",
        "submit",
        "button",
        False,
    )
    assert eyes.at(Point(5000, 10)) is None


def test_a_hit_on_text_names_the_text_and_what_holds_it(eyes: Any) -> None:
    eyes.show('<div style="cursor:pointer;width:200px"><p>First</p><p>Sec<b>ond</b></p></div>')
    card, second = eyes.one("First Second", "generic"), eyes.one("Second", "text")
    hit = eyes.at(second.box.center)
    assert hit is not None
    assert hit.ids == (second.id, card.id)


def test_a_hit_on_a_field_says_that_it_can_be_typed_into(eyes: Any) -> None:
    eyes.show("<input aria-label=A><input aria-label=B readonly><label>C <input></label>")
    hits = [eyes.at(eyes.one(name, "textbox").box.center) for name in "ABC"]
    assert [hit.editable for hit in hits if hit] == [True, False, True]
    label = eyes.at(eyes.one("C", "text").box.center)
    assert label is not None
    assert eyes.one("C", "textbox").id in label.ids


def test_a_hit_on_a_drawing_is_no_field(eyes: Any) -> None:
    eyes.show("<svg width=90 height=90><circle cx=40 cy=40 r=20 fill=red /></svg>")
    circle = eyes.by("circle", "shape")
    hit = eyes.at(circle.box.center)
    assert hit is not None
    assert (hit.id, hit.tag, hit.editable) == (circle.id, "circle", False)


def test_a_box_lies_inside_the_window(eyes: Any) -> None:
    eyes.show('<button style="position:fixed;left:700px;top:550px;width:300px;height:200px">Corner</button>')
    assert eyes.one("Corner").box == Box(700, 550, 100, 50)
