"""What the list says of fields, choices, pictures and texts, and in which order."""

from __future__ import annotations

from typing import Any

import pytest

from gui_agent.core.observation import Form


def test_fields_tell_their_value_and_state(eyes: Any) -> None:
    eyes.show(
        """<input aria-label=A value="one two" required><input aria-label=B type=password value=abc><input
        aria-label=C disabled>
        <textarea aria-label=D readonly>x</textarea><input aria-label=E type=range min=0 max=9 value=4>
        <input aria-label=F type=number value=2 min=1 max=5 step=1><input aria-label=G type=checkbox checked>
        <input aria-label=H aria-invalid=true><input aria-label=I type=checkbox><input aria-label=J
        type=date value=2024-02-03>"""
    )
    eyes.js(
        """document.querySelector('[aria-label=I]').indeterminate = true;
        document.querySelector('[aria-label=A]').focus()"""
    )
    fields = {e.name: e for e in eyes.list()}
    assert [fields[n].value for n in "ABDEFJ"] == ["one two", "•••", "x", "4", "2", "2024-02-03"]
    assert fields["A"].states == {"required", "focused", "editable"}
    assert fields["B"].states == {"password", "editable"}
    assert fields["C"].states == {"disabled"}
    assert fields["D"].states == {"readonly", "multiline"}
    assert (fields["G"].states, fields["I"].states) == ({"checked"}, {"mixed"})
    assert "invalid" in fields["H"].states
    assert (fields["F"].attributes["min"], fields["F"].attributes["max"]) == ("1", "5")


def test_a_field_in_a_form_that_says_nothing_has_a_form_with_nothing(eyes: Any) -> None:
    eyes.show("<form><input aria-label=A><input aria-label=B></form>")
    assert [eyes.one(name).does.form for name in "AB"] == [Form(), Form()]


def test_a_select_tells_its_choice_and_options(eyes: Any) -> None:
    eyes.show(
        """<select aria-label=One><option>Red</option><option selected>  Dark
        blue</option></select><select aria-label=Two size=3><option>a</option><option
        selected>b</option><option>c</option>
        <option>d</option></select><select aria-label=Three multiple size=2><option
        selected>x</option><option selected>y</option></select>"""
    )
    one, two, three = eyes.one("One"), eyes.one("Two"), eyes.one("Three")
    assert (one.role, one.value, one.attributes["options"]) == ("combobox", "Dark blue", "Red\nDark blue")
    assert (two.role, two.value) == ("listbox", "b")
    assert three.value == "x\ny"
    options = [e for e in eyes.list() if e.role == "option"]
    assert [e.name for e in options] == ["a", "b", "c", "x", "y"]
    assert "selected" in options[1].states
    eyes.click(options[2])
    assert eyes.one("Two").value == "c"


def test_editable_text_tells_what_is_written(eyes: Any) -> None:
    eyes.show('<div contenteditable id=e aria-label="Note">First <b>bold</b><br>second</div>')
    note = eyes.by("e")
    assert (note.role, note.name, note.value) == ("textbox", "Note", "First bold\nsecond")
    assert {"editable", "multiline"} <= note.states
    hit = eyes.at(note.box.center)
    assert hit is not None
    assert hit.editable


def test_aria_states_are_told(eyes: Any) -> None:
    eyes.show(
        """<div role=treeitem tabindex=0 aria-expanded=false>T</div><button aria-pressed=true>P</button>
        <div role=tab tabindex=0 aria-selected=true>S</div><button aria-haspopup=menu
        aria-expanded=true>M</button>
        <div role=slider tabindex=0 aria-valuetext="half" aria-valuenow=5 aria-valuemin=0
        aria-label=V>o</div>
        <fieldset disabled><button>D</button></fieldset><div aria-disabled=true><a href=#>L</a></div>"""
    )
    found = {e.name: e for e in eyes.list()}
    assert found["T"].states == {"collapsed"}
    assert found["P"].states == {"pressed"}
    assert found["S"].states == {"selected"}
    assert found["M"].states == {"haspopup", "expanded"}
    assert found["V"].value == "half"
    assert found["V"].attributes["min"] == "0"
    assert found["D"].states == found["L"].states == {"disabled"}


def test_shapes_tell_kind_colour_and_size(eyes: Any) -> None:
    eyes.show(
        """<svg width=300 height=100><circle cx=20 cy=20 r=10 fill="red"/><rect x=50 y=10 width=30
        height=20 fill="#0000fe"/>
        <polygon points="100,40 110,10 120,40" fill="lime"/><line x1=150 y1=30 x2=190 y2=30 stroke="black"
        stroke-width=2 />
        <text x=220 y=30 fill="magenta" font-size=20>7</text></svg>"""
    )
    found = [
        (e.role, e.attributes.get("shape"), e.attributes.get("color"), e.attributes["size"])
        for e in eyes.list()
    ]
    assert found == [
        ("img", "circle", "red", "20x20"),
        ("img", "rect", "blue", "30x20"),
        ("img", "triangle", "lime", "20x30"),
        ("img", "line", "black", "40x0"),
        ("text", "text", "magenta", "20px"),
    ]


def test_coloured_boxes_and_icons_without_text_are_listed(eyes: Any) -> None:
    eyes.show(
        """<style>.c{width:40px;height:40px;background:purple}.i::before{content:"★"}.i{display:inline-block;width:20px}
        .u{display:inline-block;width:16px;height:16px;content:url(data:image/png;base64,iVBORw0KGgo=)}</style>
        <div class=c></div><span class="i star"></span><span class=u></span>
        <div style="width:50px;height:20px"></div>"""
    )
    assert [(e.role, e.attributes["class"], e.attributes.get("color")) for e in eyes.list()] == [
        ("img", "c", "purple"),
        ("img", "i star", None),
        ("img", "u", None),
    ]


def test_a_word_moved_out_of_sight_behind_an_icon_names_it(eyes: Any) -> None:
    eyes.show(
        """<style>.p{display:block;width:16px;height:16px;text-indent:-9999px;overflow:hidden;
        background-image:linear-gradient(red,blue)}</style><a><span class=p>Prev</span></a>"""
    )
    assert [(e.role, e.name) for e in eyes.list()] == [("img", "Prev")]


def test_hidden_answers_in_data_attributes_are_not_told(eyes: Any) -> None:
    eyes.show('<button data-answer="yes" data-color="red" class="x" id="row-8371">Go</button>')
    assert dict(eyes.one("Go").attributes) == {"tag": "button", "type": "submit", "class": "x"}


def test_runs_of_one_block_are_one_text_and_controls_divide_them(eyes: Any) -> None:
    eyes.show("<p>See <b>all</b> <i>of</i> it, or <a href=#>ask</a> for more.<br>Second line</p>")
    assert [(e.role, e.name) for e in eyes.list()] == [
        ("text", "See all of it, or"),
        ("link", "ask"),
        ("text", "for more."),
        ("text", "Second line"),
    ]


def test_a_line_of_fields_is_several_texts(eyes: Any) -> None:
    eyes.show("<div><span>Cohen</span> <span>@leo</span><span style='margin-left:9px'>1h</span></div>")
    assert eyes.names() == ["Cohen", "@leo", "1h"]


def test_a_name_that_a_control_tells_is_not_told_again(eyes: Any) -> None:
    eyes.show(
        """<button><span>Save</span></button><div onclick="1"><a href=#>Only</a></div><h2><a
        href=#>Title</a></h2>
        <label><input type=checkbox> Agree</label>"""
    )
    assert [(e.role, e.name) for e in eyes.list()] == [
        ("button", "Save"),
        ("link", "Only"),
        ("link", "Title"),
        ("checkbox", "Agree"),
        ("text", "Agree"),
    ]


def test_a_clickable_card_keeps_what_is_in_it(eyes: Any) -> None:
    eyes.show(
        """<div style="cursor:pointer" class=card><div>Ann</div><div>Hello</div><button>Star</button></div>
        <ul style="cursor:pointer"><li>One</li><li>Two</li></ul>"""
    )
    assert [(e.role, e.name) for e in eyes.list()] == [
        ("generic", "Ann Hello"),
        ("text", "Ann"),
        ("text", "Hello"),
        ("button", "Star"),
        ("listitem", "One"),
        ("listitem", "Two"),
    ]


def test_a_tab_around_a_link_and_a_button_around_an_icon_are_one_thing(eyes: Any) -> None:
    eyes.show(
        """<ul role=tablist><li role=tab tabindex=0><a href=#>General</a></li></ul>
        <button aria-label=Up><i style="display:block;width:9px;height:9px;background:red"></i></button>
        <p role=tab tabindex=0><button>Send</button></p>"""
    )
    assert [(e.role, e.name) for e in eyes.list()] == [
        ("tab", "General"),
        ("button", "Up"),
        ("button", "Send"),
    ]


def test_things_to_drag_are_told(eyes: Any) -> None:
    eyes.show(
        """<div draggable=true>A</div><div style="cursor:move">B</div><div class="ui-draggable">C</div>
        <div style="cursor:ns-resize;height:6px"></div><p>D</p>"""
    )
    dragged = [(e.name, e.role) for e in eyes.list() if e.attributes.get("draggable") == "true"]
    assert dragged == [("A", "generic"), ("B", "generic"), ("C", "generic"), ("", "separator")]


def test_tables_tell_their_cells(eyes: Any) -> None:
    eyes.show(
        "<table><tr><th>Item</th><th>Price</th></tr><tr><td>Tea</td><td>2</td></tr><tr><td>Rum</td><td><button>Buy</button></td></tr></table>"
    )
    assert [(e.role, e.name, e.path.rpartition("tbody/")[2]) for e in eyes.list()] == [
        ("columnheader", "Item", "tr[1]/th[1]"),
        ("columnheader", "Price", "tr[1]/th[2]"),
        ("cell", "Tea", "tr[2]/td[1]"),
        ("cell", "2", "tr[2]/td[2]"),
        ("cell", "Rum", "tr[3]/td[1]"),
        ("button", "Buy", "tr[3]/td[2]/button"),
    ]


@pytest.mark.parametrize(
    ("html", "order"),
    [
        ("<div style='display:flex;flex-direction:row-reverse'><b>2</b><b>1</b></div>", "12"),
        ("<div style='display:flex;flex-direction:column'><b style='order:2'>2</b><b>1</b></div>", "12"),
        ("<b style='float:right'>2</b><b style='float:left'>1</b>", "12"),
        (
            "<div style='display:flex'><div><p>1</p><p>2</p></div><div><p>3</p><p>4</p></div></div>",
            "1234",
        ),
        (
            """<b style='position:absolute;left:90px;top:90px'>4</b><b
        style='position:absolute;left:9px;top:92px'>3</b>
            <b style='position:absolute;left:90px;top:9px'>2</b><b
        style='position:absolute;left:9px;top:9px'>1</b>""",
            "1234",
        ),
    ],
)
def test_the_list_is_in_reading_order(eyes: Any, html: str, order: str) -> None:
    eyes.show(html)
    assert "".join(eyes.names()) == order


HUGE = """<h1>Huge</h1><button id=key>Key</button><div id=all></div><script>
for (let i = 0; i < 4000; i++) all.insertAdjacentHTML('beforeend',
  `<span style="display:inline-block;width:14px;height:8px;font-size:5px;overflow:hidden">${i % 10}</span>`
  + (i % 40 ? '' : '<a href=#>L' + i + '</a>'))</script>"""


def test_a_crowded_page_keeps_controls_before_texts_and_counts_the_rest(eyes: Any) -> None:
    eyes.show(HUGE)
    seen = eyes.look()
    assert len(seen.elements) == eyes.snapshot.cap
    assert seen.left_out > 500
    roles = [e.role for e in seen.elements]
    visible = eyes.js(
        "[...document.links].filter(a => a.getBoundingClientRect().bottom < innerHeight - 2).length"
    )
    assert roles.count("link") >= visible > 20
    assert {"Huge", "Key"} <= {e.name for e in seen.elements}
    assert [e.id for e in seen.elements] == sorted(e.id for e in seen.elements)


def test_a_long_page_lists_only_what_is_in_sight(eyes: Any) -> None:
    eyes.show(
        """<div id=all></div><script>
        all.innerHTML = '<p>Words <b>and</b> <a href=#>link</a></p>'.repeat(9000)</script>"""
    )
    assert 20 < len(eyes.list()) < 80


def test_the_words_of_a_page_that_scrolls_are_told_wherever_they_are(eyes: Any) -> None:
    far = (
        "<p style='margin-top:3000px'>Straße und <b>Wiese</b></p><input type=button value=Fertig title=Ende>"
    )
    eyes.show(f"<h1>Page One</h1><input value=typed>{far}<script>const hidden = 1;</script>")
    assert not eyes.look().words  # only who looks again without having clicked searches for something
    assert eyes.look().words == {"page", "one", "straße", "und", "wiese", "fertig", "ende"}
    eyes.show("<h1>It fits</h1>")
    assert not (eyes.look().words or eyes.look().words)
    eyes.show(f"<x-part></x-part>{far}")
    assert not (eyes.look().words or eyes.look().words)


def test_the_text_of_a_cell_that_shows_a_menu_under_the_mouse_is_what_is_pointed_at(eyes: Any) -> None:
    eyes.show(
        """<style>td { width: 150px } .menu { display: inline-block } .menu:hover p { display: block }
        .menu p { display: none; position: absolute }</style>
        <table><tr><th>Boat</th><th>Actions</th></tr>
        <tr><td>Alma</td><td><div class=menu><b>&hellip;</b><p><a href=#sell>Sell</a></p></div></td></tr>
        <tr><td>Boreas</td><td><span>none</span></td></tr></table>"""
    )
    opener = eyes.one("…")
    assert (opener.role, "haspopup" in opener.states, opener.box.width < 40) == ("generic", True, True)
    assert opener.labels[-1] == "Actions"
    assert eyes.one("none").role == "cell"
