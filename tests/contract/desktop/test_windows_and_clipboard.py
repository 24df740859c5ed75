"""Windows are listed, brought to the front and closed; the clipboard works in both directions."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from private import element, needs, shown, until

from gui_agent.computers.desktop.parts import Window
from gui_agent.computers.virtual.computer import VirtualComputer
from gui_agent.computers.x11.device import X11Device
from gui_agent.core.actions import Click, Close, Press, Select, Switch, TypeText
from gui_agent.core.errors import ActionFailed


def windows(desktop: VirtualComputer) -> Sequence[Window]:
    return [window for window in desktop.device.windows() if not window.popup]


@pytest.fixture
def two(editor: VirtualComputer) -> VirtualComputer:
    needs("xterm")
    editor.start("xterm -title Shell")
    until(lambda: len(windows(editor)) == 2, "the second window")
    editor.settle()
    return editor


def test_each_has_title_program_process_and_place(two: VirtualComputer) -> None:
    first, second = sorted(windows(two), key=lambda window: window.app)
    assert (first.app, second.app) == ("mousepad", "xterm")
    assert "Mousepad" in first.title and second.title == "Shell"
    assert first.pid and first.box.area and first.outer is not None and first.outer.encloses(first.box)
    assert [window.app for window in windows(two) if window.active] == ["xterm"]


def test_one_is_brought_to_the_front_by_a_part_of_its_title(two: VirtualComputer) -> None:
    two.perform(Switch("mousepad"))
    assert two.observe(picture=False).place.app == "mousepad"
    two.perform(Switch("shell"))
    assert two.observe(picture=False).place.app == "xterm"
    with pytest.raises(ActionFailed, match=r"no window is called.*there are"):
        two.perform(Switch("Nobody"))


def test_closing_closes_the_one_in_front_and_tells(two: VirtualComputer) -> None:
    two.observe(picture=False)
    two.perform(Close())
    until(lambda: len(windows(two)) == 1, "the end of the window")
    assert 'the window "Shell" closed' in two.observe(picture=False).notices


def test_a_window_takes_the_whole_screen_and_its_former_size_again(editor: VirtualComputer) -> None:
    device = editor.device
    assert isinstance(device, X11Device)
    before = windows(editor)[0]
    device.maximise(before)
    until(lambda: windows(editor)[0].box.width > 1200, "the larger window")
    device.maximise(before, on=False)
    until(lambda: windows(editor)[0].box == before.box, "the former size")


def test_a_menu_is_a_window_without_frame(editor: VirtualComputer) -> None:
    menu = shown(editor, "menuitem", "File")
    editor.perform(Click(menu.box.center), menu)
    until(lambda: any(window.popup for window in editor.device.windows()), "the menu")
    item = shown(editor, "menuitem", "Save As...")
    editor.perform(Press(("escape",)))
    assert item.box.area


def test_the_clipboard_is_read_from_a_program(editor: VirtualComputer) -> None:
    shown(editor, "textbox")
    editor.perform(TypeText("né 你好 😀"))
    editor.perform(Press(("ctrl", "a")))
    editor.perform(Press(("ctrl", "c")))
    until(lambda: editor.device.clipboard == "né 你好 😀", "the text on the clipboard")


def test_a_clipboard_without_a_text_is_empty(desktop: VirtualComputer) -> None:
    assert desktop.clipboard() == ""


def test_a_long_text_is_read_whole(desktop: VirtualComputer) -> None:
    needs("mousepad")
    long = "né 你好 " * 60_000
    file = desktop.running.home / "long.txt"
    file.write_text(long)
    desktop.start(f"mousepad {file}")
    field = shown(desktop, "textbox")
    desktop.perform(Click(field.box.center), field)
    for key in ("a", "c"):
        desktop.perform(Press(("ctrl", key)))

    def is_copied() -> bool:
        try:
            return desktop.clipboard() == long
        except ActionFailed:  # the program is still busy with it
            return False

    until(is_copied, "the long text on the clipboard")


def test_selected_words_are_copied_and_the_copy_is_said(editor: VirtualComputer) -> None:
    field = shown(editor, "textbox")
    editor.perform(TypeText("private", field.box.center), field)
    for key in ("a", "x"):
        editor.perform(Press(("ctrl", key)))
    until(lambda: editor.clipboard() == "private", "the text that was cut")
    editor.perform(TypeText("Dear Bob,\nsee you soon", field.box.center), field)
    until(lambda: "soon" in element(editor.observe(picture=False), "textbox").value, "the text")
    editor.perform(Press(("ctrl", "c")))
    assert not any("copied" in news for news in editor.observe(picture=False).notices)
    editor.perform(Select(field.box.center, "Bob,\nsee you"), field)
    editor.perform(Press(("Control", "c")))
    until(lambda: 'copied "Bob, see you"' in editor.observe(picture=False).notices, "the copy")
    assert not any("copied" in news for news in editor.observe(picture=False).notices)
    assert editor.device.clipboard == "Bob,\nsee you"


def test_a_program_opens_by_the_name_that_menus_show(desktop: VirtualComputer) -> None:
    needs("mousepad")
    desktop.start("mousepad")
    until(lambda: windows(desktop), "a window")
    with pytest.raises(ActionFailed, match=r"did you mean \"Mousepad\""):
        desktop.start("Mouspad")


def test_a_file_opens_in_the_program_for_it(desktop: VirtualComputer) -> None:
    needs("mousepad")
    home = desktop.running.home
    (home / "notes.txt").write_text("hello there")
    desktop.start("~/notes.txt")
    # Which program that is depends on what else is installed; each shows the text and names the file.
    until(lambda: "notes" in desktop.observe(picture=False).place.title, "a window of the file")

    def read() -> bool:
        elements = desktop.observe(picture=False).elements
        return any("hello there" in f"{one.name} {one.value}" for one in elements)

    until(read, "the text of the file")
