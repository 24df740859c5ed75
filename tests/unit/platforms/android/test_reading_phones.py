"""Reading what phones write: hierarchies and window lists of several versions of Android."""

from __future__ import annotations

import pytest
from guiagent_platforms.android.hierarchy import Hints, read, windows_state

from gui_agent.core.observation import Box


def dump(*nodes: str) -> str:
    inside = "".join(nodes)
    root = f'<node index="0" class="android.widget.FrameLayout" bounds="[0,0][1080,2400]">{inside}</node>'
    return f'<?xml version="1.0"?><hierarchy rotation="0">{root}</hierarchy>UI hierchary dumped to: /dev/tty'


def node(kind: str = "android.view.View", inside: str = "", /, **said: str) -> str:
    given = {"bounds": "[0,100][1080,200]", **{key.replace("_", "-"): value for key, value in said.items()}}
    words = " ".join(f'{key}="{value}"' for key, value in given.items())
    return f'<node class="{kind}" {words}>{inside}</node>'


def names(text: str, hints: Hints | None = None) -> list[tuple[str, str, str]]:
    found = read(text, 1, hints or Hints())
    assert found is not None
    return [(one.role, one.name, one.value) for one in found.nodes]


def test_a_row_is_one_thing_with_the_name_of_its_first_text() -> None:
    texts = node("android.widget.TextView", text="Wi-Fi") + node("android.widget.TextView", text="Home net")
    row = node("android.widget.LinearLayout", texts, clickable="true")
    listed = node("androidx.recyclerview.widget.RecyclerView", row, scrollable="true")
    assert names(dump(listed)) == [("list", "", ""), ("listitem", "Wi-Fi", ""), ("text", "Home net", "")]
    found = read(dump(listed), 1, Hints())
    assert found is not None and found.nodes[1].attributes["whole"], "eyes need not look at it"


def test_the_hint_of_an_empty_field_is_no_value() -> None:
    hints = Hints()
    empty = dump(node("android.widget.EditText", text="Search", resource_id="a:id/q"))
    filled = dump(node("android.widget.EditText", text="cats", resource_id="a:id/q"))
    assert names(empty, hints) == [("textbox", "Search", "")]
    assert names(filled, hints) == [("textbox", "Search", "cats")]
    assert names(empty, hints) == [("textbox", "Search", "")]


def test_a_field_that_was_filled_before_is_known_by_its_id_and_keeps_its_value() -> None:
    hints = Hints()
    filled = dump(node("android.widget.EditText", text="Ada", resource_id="a:id/last_name"))
    assert names(filled, hints) == [("textbox", "Ada", "Ada")]
    found = read(filled, 1, hints)
    assert found is not None and found.nodes[0].description == "last name"
    empty = dump(node("android.widget.EditText", text="Who?", resource_id="a:id/last_name"))
    names(empty, hints)
    hints.note_emptied("a:id/last_name")
    assert names(empty, hints) == [("textbox", "Who?", "")]


def test_a_text_labels_the_field_below_it_and_the_title_of_the_screen_does_not() -> None:
    field = node("android.widget.EditText", index="1", resource_id="a:id/last_name")
    label = node("android.widget.TextView", text="Family name", index="0")
    assert [one[1] for one in names(dump(label, field))] == ["Family name", "Family name"]
    bar = node("androidx.appcompat.widget.Toolbar", label, index="0")
    form = node("android.widget.ScrollView", field, index="1")
    assert [one[:2] for one in names(dump(bar, form))] == [
        ("heading", "Family name"),
        ("textbox", "last name"),
    ]


def test_where_dumps_tell_hints_these_decide() -> None:
    filled = dump(node("android.widget.EditText", text="cats", hint="Search"))
    assert names(filled) == [("textbox", "Search", "cats")]


def test_what_apps_write_into_texts_does_not_break_the_reading() -> None:
    odd = dump(node("android.widget.Button", text="a&#0;b\x0b &amp; c", clickable="true"))
    assert names(odd) == [("button", "a b  & c", "")]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ERROR: could not get idle state.",
        "<hierarchy rotation='0'></hierarchy>",
        "<hierarchy><node></hierarchy>",
        '<!DOCTYPE x [<!ENTITY a "b">]><hierarchy><node/></hierarchy>',
    ],
)
def test_what_is_no_hierarchy_is_none(text: str) -> None:
    assert read(text, 1, Hints()) is None


def test_large_areas_without_content_are_holes() -> None:
    drawn = node("android.view.SurfaceView", bounds="[0,200][1080,1400]")
    small = node("android.view.View", bounds="[0,100][100,200]")
    found = read(dump(small, drawn), 1, Hints())
    assert found is not None and found.holes == [Box(0, 200, 1080, 1200)]


WINDOWS = """
  Window #1 Window{a1b2 u0 InputMethod}:
    mAttrs={(0,0)(fillxfill) ty=INPUT_METHOD fl=NOT_FOCUSABLE}
    touchable region=SkRegion((0,1500,1080,2400))
    isOnScreen=ONSCREEN
  Window #0 Window{c3d4 u0 com.bank/com.bank.Main}:
    mAttrs={(0,0)(fillxfill) ty=BASE_APPLICATION fl=FLAGS}
  mCurrentFocus=Window{c3d4 u0 com.bank/com.bank.Main}
  mFocusedApp=ActivityRecord{9f u0 com.bank/.Main t7}
"""


@pytest.mark.parametrize(
    ("flags", "secure"),
    [("LAYOUT_IN_SCREEN SECURE HARDWARE_ACCELERATED", True), ("81812100", True), ("81810100", False)],
)
def test_windows_tell_keyboard_and_whether_pictures_are_forbidden(flags: str, secure: bool) -> None:
    state = windows_state(WINDOWS.replace("FLAGS", flags).replace("ONSCREEN", "true"))
    assert (state.app, state.window, state.secure) == ("com.bank", "c3d4", secure)
    assert state.keyboard == Box(0, 1500, 1080, 900)
    assert windows_state(WINDOWS.replace("ONSCREEN", "false")).keyboard is None


def test_dialogs_of_the_system_name_the_app_that_failed() -> None:
    said = "  mCurrentFocus=Window{1 u0 Application Not Responding: com.slow.app}"
    assert windows_state(said).failed_app == ("Not Responding", "com.slow.app")


def test_the_app_is_known_on_old_versions_and_beside_a_display_without_focus() -> None:
    said = (
        "  mCurrentFocus=null\n  mFocusedApp=null\n  mCurrentFocus=Window{1 u0 a.b/a.b.Main}\n"
        "  mFocusedApp=AppWindowToken{c1 token=Token{d2 ActivityRecord{e3 u0 a.b/.Main t5}}}\n"
    )
    state = windows_state(said)
    assert (state.app, state.focus) == ("a.b", "a.b/a.b.Main")


def test_only_the_lock_screen_in_front_counts_as_locked() -> None:
    said = "  mCurrentFocus=Window{{1 u0 {}}}\n    KeyguardServiceDelegate\n      showing=true\n"
    assert windows_state(said.format("NotificationShade")).locked
    assert not windows_state(said.format("com.clock/com.clock.Alarm")).locked
