"""A display of its own by the person's scrcpy, so that the screen they look at stays free."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from guiagent_eval.phone import PhoneServer, SimulatedPhone
from guiagent_platforms.android.client import AdbDevice, AdbServer
from guiagent_platforms.android.computer import AndroidComputer
from guiagent_platforms.android.scrcpy import PLACE, ScrcpyDisplay
from phones import act, named, opened, phone_at_hand

from gui_agent.cli import call
from gui_agent.core.actions import Click, LongPress, Pinch, Rotate, Scroll, TypeText
from gui_agent.core.errors import ComputerLost
from gui_agent.core.observation import Point
from gui_agent.testing import check_computer

pytest.importorskip("av")


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A server of scrcpy, as an installation of it has one."""
    file = tmp_path / "scrcpy-server-v3.3.4"
    file.write_bytes(b"the server of scrcpy")
    monkeypatch.setenv("SCRCPY_SERVER_PATH", str(file))
    return file


@pytest.fixture
def both(adb: int, tmp_path: Path) -> Iterator[tuple[SimulatedPhone, AndroidComputer]]:
    with phone_at_hand(tmp_path, backend="scrcpy") as at_hand:
        yield at_hand


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + 100
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def made(phone: SimulatedPhone) -> SimulatedPhone:
    """The display that was made."""
    (display,) = (one for one in phone.displays.values() if one.mirroring.virtual)
    return display


def test_the_run_works_on_a_display_of_its_own(both: tuple[SimulatedPhone, AndroidComputer]) -> None:
    phone, computer = both
    phone.launch("com.android.browser")
    fingers = len(made(phone).log)
    opened(computer, "Contacts", "Create contact")
    computer.perform(TypeText("Zoë", (field := named(computer, "Name")).box.center), field)
    computer.settle()
    act(computer, "Save")
    people = phone.apps["com.android.contacts"].people  # type: ignore[attr-defined]
    until(lambda: "Zoë" in people)
    assert phone.front.package == "com.android.browser", "the person's screen is as they left it"
    assert len(made(phone).log) > fingers, "fingers went through scrcpy"
    assert not any(one[:2] in (["input", "tap"], ["input", "swipe"]) for one in phone.log)
    assert not any(one[0] == "screencap" for one in phone.log)


def test_pictures_and_elements_are_of_its_display(both: tuple[SimulatedPhone, AndroidComputer]) -> None:
    phone, computer = both
    opened(computer, "Settings")
    seen = computer.observe()
    assert any(one.name == "Display" for one in seen.elements)
    assert (seen.size.width, seen.size.height) == (528, 1136), "as even as encoders take it"
    drawn = made(phone).frame().convert("L").resize((66, 142)).tobytes()

    def apart() -> float:
        pairs = zip(computer.grab().convert("L").resize((66, 142)).tobytes(), drawn, strict=True)
        return sum(abs(one - other) for one, other in pairs) / (66 * 142)

    until(lambda: apart() < 4)  # the video of the screen is a moment behind


def test_fingers_hold_scroll_pinch_and_turn(both: tuple[SimulatedPhone, AndroidComputer]) -> None:
    phone, computer = both
    opened(computer, "Settings")
    computer.perform(Scroll(Point(264, 600), down=300))
    until(lambda: made(phone).front.scrolled.get("main", 0) > 100 or any(made(phone).front.scrolled.values()))
    opened(computer, "Gallery")
    computer.perform(Pinch(Point(264, 500), 2.0))
    until(lambda: any(words[0] == "finger" and words[1] == "2" for words in made(phone).log))
    opened(computer, "Notes")
    computer.perform(Rotate("landscape"))
    assert computer.observe().size.width == 1136
    assert phone.rotation == 0, "only its own display was turned"
    note = named(computer, "Ideas")
    computer.perform(LongPress(note.box.center, 0.6), note)
    computer.settle()
    assert made(phone).dialog or made(phone).front.stack


def test_every_promise_of_computers_is_kept(adb: int, tmp_path: Path) -> None:
    with PhoneServer(SimulatedPhone()) as server:
        given = {"kept": str(tmp_path), "observe": "tree", "settle_grace": 0.1}
        check_computer(lambda: AndroidComputer(name=f"{server.address}#new", **given))  # type: ignore[arg-type]
        until(lambda: list(server.phone.displays) == [0])  # the displays go with the runs


@pytest.mark.parametrize("version", ["3.0", "3.3.4", "4.1"])
def test_versions_that_are_known_are_told_by_the_server_itself(
    adb: int, tmp_path: Path, version: str
) -> None:
    phone = SimulatedPhone()
    phone.mirroring.version = version
    with phone_at_hand(tmp_path, phone, "scrcpy") as (_, computer):
        opened(computer, "Settings")
        assert computer.observe().screenshot is not None
    assert PLACE in phone.files


def test_a_version_that_is_not_known_is_refused(adb: int, tmp_path: Path) -> None:
    phone = SimulatedPhone()
    phone.mirroring.version = "2.7"
    with pytest.raises(ComputerLost, match=r"scrcpy 2\.7 .* from 3\.0 to 4\.x"):
        phone_at_hand(tmp_path, phone, "scrcpy").__enter__()


def test_a_phone_that_makes_no_display_says_why(adb: int, tmp_path: Path) -> None:
    phone = SimulatedPhone()
    phone.faults["no_display"] = 1
    with pytest.raises(ComputerLost, match="not supported before Android 10"):
        phone_at_hand(tmp_path, phone, "scrcpy").__enter__()


def test_without_scrcpy_it_is_said_what_to_install(
    adb: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    installed.unlink()
    with pytest.raises(ComputerLost, match=r"needs scrcpy 3\.0 or later"):
        phone_at_hand(tmp_path, None, "scrcpy").__enter__()


def test_a_display_that_shows_nothing_yet_takes_an_app(adb: int, tmp_path: Path) -> None:
    phone = SimulatedPhone()
    phone.mirroring.bare = True
    with phone_at_hand(tmp_path, phone, "scrcpy") as (_, computer):
        assert any("open an app" in one for one in computer.observe().notices)
        opened(computer, "Settings")
        seen = computer.observe()
        assert seen.screenshot is not None and any(one.name == "Display" for one in seen.elements)


def test_a_video_that_begins_late_is_waited_for(adb: int, tmp_path: Path) -> None:
    phone = SimulatedPhone()
    phone.mirroring.late = 0.6
    with phone_at_hand(tmp_path, phone, "scrcpy") as (_, computer):
        assert computer.observe().screenshot is not None


def test_a_display_that_goes_away_ends_the_run(both: tuple[SimulatedPhone, AndroidComputer]) -> None:
    phone, computer = both
    opened(computer, "Settings")
    phone.unplug()

    def is_lost() -> bool:  # a socket takes what is written to it until the end of its peer has arrived
        try:
            computer.perform(Click(Point(200, 200)))
        except ComputerLost as error:
            assert "the display that scrcpy made is gone" in str(error)
            return True
        return False

    until(is_lost)
    until(lambda: len(phone.displays) == 1)


def test_the_list_of_phones_tells_of_it(
    adb: int, installed: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with PhoneServer(SimulatedPhone()) as server:
        AdbServer().connect(server.address)
        assert call(["devices"]) == 0
        assert "a display of its own with #new (scrcpy 3.3.4)" in capsys.readouterr().out
        installed.unlink()
        monkeypatch.setattr("shutil.which", lambda name: None)
        assert call(["devices"]) == 0
        assert "no display of its own (that needs scrcpy" in capsys.readouterr().out


def test_pictures_begin_anew_when_the_stream_is_damaged(adb: int) -> None:
    with PhoneServer(SimulatedPhone()) as server:
        AdbServer().connect(server.address)
        display = ScrcpyDisplay(AdbDevice(AdbServer(), server.address))
        try:
            until(lambda: display.frame)
            before = display.frame
            made(server.phone).launch("com.android.settings")
            until(lambda: display.frame != before)
        finally:
            display.close()
        until(lambda: len(server.phone.displays) == 1)
        with pytest.raises(ComputerLost):
            assert display.frame
