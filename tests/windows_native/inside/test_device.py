"""The device on real windows: pointer, keys, text, clipboard, windows, programs, settling."""

from __future__ import annotations

import ctypes
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import programs
import pytest
from guiagent_platforms.windows.computer import WindowsComputer
from guiagent_platforms.windows.device import BUTTONS
from guiagent_platforms.windows.native import KEYS
from programs import OPEN_FORM, saved, until

from gui_agent.computers.desktop.elements import covered_by
from gui_agent.core.actions import Check, Click, Close, Drag, Press, Scroll, Switch, TypeText
from gui_agent.core.observation import Element, Point
from gui_agent.testing.contract import check_computer

USER: Any = ctypes.WinDLL("user32")
HUNDRED = ("né 你好 €😀 žluť Привет ßÆ" * 6)[:100]


def shown(computer: WindowsComputer, role: str, name: str = "") -> Element:
    """An element, waited for."""

    def found() -> Element | None:
        elements = computer.observe(picture=False).elements
        return next((one for one in elements if one.role == role and name in ("", one.name)), None)

    told: Element = until(found, f'{role} "{name}" on the screen')
    return told


@pytest.fixture
def notepad(computer: WindowsComputer) -> WindowsComputer:
    computer.start("notepad")
    computer.settle()
    return computer


@pytest.fixture
def form(computer: WindowsComputer) -> WindowsComputer:
    computer.start(OPEN_FORM)
    computer.settle()
    return computer


def content(computer: WindowsComputer) -> str:
    """What stands in the editor in front."""
    return shown(computer, "textbox").value


def down(computer: WindowsComputer, key: str) -> bool:
    """Whether Windows believes that a key is held."""
    del computer
    return bool(USER.GetAsyncKeyState(KEYS[key]) & 0x8000)


def test_the_pointer_comes_to_each_pixel_that_it_is_sent_to(computer: WindowsComputer) -> None:
    device, size = computer.device, computer.device.size
    for x in range(0, size.width, 97):
        for y in range(0, size.height, 83):
            point = Point(x, y)
            device.move(point)
            until(lambda point=point: device.pointer == point, f"the pointer at {point}", 2)


def test_a_hundred_characters_of_any_script_are_right_in_notepad(notepad: WindowsComputer) -> None:
    field = shown(notepad, "textbox")
    notepad.perform(TypeText(HUNDRED, field.box.center), field)
    until(lambda: content(notepad) == HUNDRED, "the text in notepad", 5)


def test_a_hundred_characters_of_any_script_are_right_in_a_form(form: WindowsComputer) -> None:
    field = shown(form, "textbox", "Name")
    form.perform(TypeText(HUNDRED, field.box.center), field)
    save = shown(form, "button", "Save")
    form.perform(Click(save.box.center), save)
    assert saved()["Name"] == HUNDRED


def test_keys_carry_the_scan_codes_that_some_programs_read(form: WindowsComputer) -> None:
    field = shown(form, "textbox", "Hasty")
    form.perform(Click(field.box.center), field)
    form.perform(Press(("x",)))
    form.perform(Press(("left",)))
    save = shown(form, "button", "Save")
    form.perform(Click(save.box.center), save)
    assert saved()["scans"] == [0x2D, 0x4B]


def test_switching_to_the_window_in_front_opens_no_menu(notepad: WindowsComputer) -> None:
    notepad.perform(Switch("Notepad"))
    notepad.device.type_text("shown")
    until(lambda: content(notepad) == "shown", "the text in the editor", 5)


def test_a_minimised_window_is_switched_to(notepad: WindowsComputer) -> None:
    window = next(one for one in notepad.device.windows() if "Notepad" in one.title)
    USER.ShowWindow(ctypes.c_void_p(window.id), 6)
    until(lambda: window.id not in [one.id for one in notepad.device.windows()], "minimising")
    notepad.perform(Switch("Notepad"))
    assert window.id in [one.id for one in notepad.device.windows() if one.active]


def test_a_window_that_lets_the_mouse_through_covers_nothing(notepad: WindowsComputer) -> None:
    make = USER.CreateWindowExW
    make.restype = ctypes.c_void_p
    size = notepad.device.size
    over = make(
        0x80000 | 0x20 | 0x8 | 0x8000000, "Static", "overlay", 0x90000000, 0, 0, size.width, size.height,
        None, None, None, None,
    )  # fmt: skip
    try:
        USER.SetLayeredWindowAttributes(ctypes.c_void_p(over), 0, 1, 2)
        window = next(one for one in notepad.device.windows() if "Notepad" in one.title)
        assert covered_by(window.box.center, window.id, notepad.device.windows()) is None
    finally:
        USER.DestroyWindow(ctypes.c_void_p(over))


def test_the_clipboard_gives_any_text(notepad: WindowsComputer) -> None:
    notepad.device.type_text("pâste 你")
    for key in ("a", "c"):
        notepad.perform(Press(("ctrl", key)))
    until(lambda: notepad.device.clipboard == "pâste 你", "the copied text", 5)


def test_mouse_gestures_do_what_a_hand_does(notepad: WindowsComputer) -> None:
    notepad.device.type_text("\n".join(f"line {i} word" for i in range(90)))
    notepad.perform(Press(("ctrl", "home")))
    box = shown(notepad, "textbox").box
    at = Point(box.left + 10, box.top + 8)
    notepad.perform(Drag(at, Point(at.x + 100, at.y + 50)))
    notepad.perform(Press(("ctrl", "c")))
    until(lambda: "\n" in notepad.device.clipboard[:40], "dragging to choose text", 5)
    time.sleep(0.8)  # a press so soon after another one in this place would count as a double click
    notepad.perform(Click(at, clicks=2))
    notepad.perform(Press(("ctrl", "c")))
    told = lambda: notepad.device.clipboard  # noqa: E731
    try:
        until(lambda: told().strip() in ("line", "word"), "choosing a word", 5)
    except AssertionError:
        raise AssertionError(f"a double click chose {told()!r}") from None
    notepad.perform(Click(at, button="right"))
    until(lambda: any(one.popup for one in notepad.device.windows()), "the menu of the place", 5)
    notepad.perform(Press(("escape",)))
    before = notepad.device.pixels()
    notepad.perform(Scroll(box.center, down=600))
    until(lambda: notepad.device.pixels() != before, "scrolling", 5)


def test_windows_tell_their_program_title_and_place(notepad: WindowsComputer) -> None:
    window = next(one for one in notepad.device.windows() if "Notepad" in one.title)
    assert (window.app, window.active, window.popup) == ("notepad", True, False)
    assert window.outer is not None and window.outer.encloses(window.box)
    notepad.perform(Close())
    assert window.id not in [one.id for one in notepad.device.windows()]


def test_a_dialog_is_read_with_labels_and_states_in_less_than_60_ms(notepad: WindowsComputer) -> None:
    notepad.perform(Press(("ctrl", "f")))
    case = shown(notepad, "checkbox", "Match Case")
    assert shown(notepad, "textbox", "Find What") and shown(notepad, "radio", "Down")
    notepad.perform(Check(case.box.center, True), case)
    until(lambda: "checked" in shown(notepad, "checkbox", "Match Case").states, "the tick", 5)
    took = []
    for _ in range(40):
        began = time.perf_counter()
        notepad.observe()
        took.append(time.perf_counter() - began)
    # What else runs on the machine can only add to it.
    assert statistics.quantiles(took, n=4)[0] < 0.06, sorted(took)


def test_a_program_that_hangs_is_told_and_holds_nothing_up(form: WindowsComputer) -> None:
    window = next(one for one in form.device.windows() if one.title == "Order form")
    assert form.device.caught_up(window, 1.0) is None
    thread = ctypes.c_ulong()
    number = USER.GetWindowThreadProcessId(ctypes.c_void_p(window.id), ctypes.byref(thread))
    kernel: Any = ctypes.WinDLL("kernel32")
    kernel.OpenThread.restype = ctypes.c_void_p
    handle = ctypes.c_void_p(kernel.OpenThread(0x2, False, number))
    kernel.SuspendThread(handle)
    try:
        assert form.device.caught_up(window, 1.0) is False
        began = time.monotonic()
        assert window.app in form.observe().hung
        assert time.monotonic() - began < 5
    finally:
        kernel.ResumeThread(handle)
    until(lambda: form.device.caught_up(window, 1.0) is None, "the program going on")
    assert form.observe().hung == ()


def test_no_program_here_has_higher_rights(notepad: WindowsComputer) -> None:
    notepad.device.type_text("may be typed into")
    assert content(notepad) == "may be typed into"


def test_a_file_beside_this_process_is_found_by_the_program(
    computer: WindowsComputer, monkeypatch: pytest.MonkeyPatch
) -> None:
    (programs.SCRATCH / "note5.txt").write_text("here")
    monkeypatch.chdir(programs.SCRATCH)
    computer.start("notepad note5.txt")
    until(lambda: content(computer) == "here", "the text of the file", 10)


def test_the_panic_key_stops_the_agent_in_any_program(notepad: WindowsComputer) -> None:
    script = (
        "from guiagent_platforms.windows.device import WindowsDevice as D; d = D();"
        "keys = 'ctrl', 'alt', 'q';"
        "[d.press_key(k) for k in keys]; [d.release_key(k) for k in reversed(keys)]; d.close()"
    )
    other = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT)  # fmt: skip
    with pytest.raises(KeyboardInterrupt):
        time.sleep(60)
    other.communicate(timeout=60)
    from gui_agent.core.errors import ComputerLost

    with pytest.raises(ComputerLost, match="the panic key was pressed"):
        notepad.device.type_text("never typed")


def test_the_corner_stops_the_agent(notepad: WindowsComputer) -> None:
    notepad.device.move(Point(500, 500))
    until(lambda: notepad.device.pointer == Point(500, 500), "the pointer in the middle", 5)
    time.sleep(0.3)  # the watch must have seen it there
    with pytest.raises(KeyboardInterrupt):
        USER.SetCursorPos(0, 0)
        time.sleep(20)


def killed(computer: WindowsComputer, begun: Callable[[], Any], *command: str) -> None:
    """Start a process of this Python, kill it as soon as something holds, and see what it leaves behind."""
    before = programs.pythons()
    other = subprocess.Popen([sys.executable, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT)  # fmt: skip
    try:
        until(begun, "its work", 90)
    except AssertionError as error:
        other.kill()
        raise AssertionError(other.communicate(timeout=30)[0].decode()) from error
    finally:
        other.kill()
    for key in ("ctrl", "alt", "shift", "meta"):
        until(lambda key=key: not down(computer, key), f"letting go of {key}", 30)
    for button in BUTTONS:
        until(lambda button=button: not USER.GetAsyncKeyState(button) & 0x8000, "letting go of a button", 10)
    until(lambda: programs.pythons() <= before, "the end of all its processes", 30)


@pytest.mark.parametrize("after", [0, 6])
def test_keys_and_buttons_of_a_killed_run_are_let_go(computer: WindowsComputer, after: int) -> None:
    """At once, when its guard is still starting, and later."""
    script = (
        f"import time; from guiagent_platforms.windows.device import WindowsDevice as D; d = D();"
        f"time.sleep({after}); d.press_key('ctrl'); d.press_button('left'); time.sleep(60)"
    )
    killed(computer, lambda: down(computer, "ctrl") and USER.GetAsyncKeyState(1) & 0x8000, "-c", script)


def test_a_killed_command_leaves_nothing_but_the_program_that_it_opened(computer: WindowsComputer) -> None:
    words = 'open "notepad"' + "".join(f', type "line {number} is typed, "' for number in range(40))
    options = (
        "--on",
        "desktop",
        "--countdown",
        "0",
        "--yes",
        "--set",
        "computer.options.observe=tree",
        "--set",
        "computer.options.panic_key=ctrl+alt+p",
    )
    runs = ("--runs", str(programs.SCRATCH / "runs"))

    def typing() -> bool:
        fields = [one for one in computer.observe(picture=False).elements if one.role == "textbox"]
        return any("is typed" in one.value for one in fields)

    killed(computer, typing, "-m", "gui_agent", "run", words, *options, *runs)
    assert programs.running("notepad")


def test_it_keeps_the_promises_of_a_computer() -> None:
    check_computer(lambda: WindowsComputer(open="notepad", observe="tree", reading=3.0))


def test_the_checkout_is_what_is_tested() -> None:
    import gui_agent

    assert Path(gui_agent.__file__).is_relative_to(Path(__file__).parents[3])


def test_the_doctor_finds_nothing_wrong_on_the_screen(capfd: pytest.CaptureFixture[str]) -> None:
    from gui_agent.cli import call

    told = call(["doctor", "--screen"])
    said = capfd.readouterr().out
    print(said)
    assert told == 0, said
    tried = (
        "a panic key is heard in any program",
        "keys are released when a run is killed",
    )
    assert all(one in said for one in tried) and "MISSING" not in said


def test_the_benchmark_records_need_no_unix() -> None:
    from guiagent_eval.records import EvalFolder

    from gui_agent.core.errors import ConfigError

    first, second = EvalFolder(programs.SCRATCH), EvalFolder(programs.SCRATCH)
    first.lock()
    with pytest.raises(ConfigError, match="being written by another process"):
        second.lock()
    first.close()
