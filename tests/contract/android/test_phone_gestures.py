"""Two fingers, turning, further displays, keys that only phones have, and web pages inside apps."""

from __future__ import annotations

import http.server
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from guiagent_eval.phone import PhoneServer, SimulatedPhone
from guiagent_eval.phone.device import ADB_KEYBOARD, LATIN
from guiagent_platforms.android.computer import AndroidComputer
from phones import act, named, opened, phone_at_hand

from gui_agent.computers.browser.launch import find_executable
from gui_agent.core.actions import Back, Click, Pinch, Press, Rotate, TypeText
from gui_agent.core.errors import ActionFailed, ConfigError
from gui_agent.core.observation import Point

Both = tuple[SimulatedPhone, AndroidComputer]


@pytest.mark.parametrize("scale", [2.0, 6.0, 0.5])
def test_two_fingers_zoom_where_the_back_end_has_two(adb: int, tmp_path: Path, scale: float) -> None:
    pytest.importorskip("uiautomator2")
    with phone_at_hand(tmp_path, backend="u2") as (phone, computer):
        opened(computer, "Gallery")
        computer.perform(Pinch(Point(270, 250), scale))
        assert phone.apps["com.example.gallery"].zoom == pytest.approx(scale, rel=0.1)  # type: ignore[attr-defined]
        with pytest.raises(ActionFailed, match="no room for two fingers"):
            computer.perform(Pinch(Point(5, 250), scale))


def test_without_a_second_finger_it_is_said_what_gives_one(at_hand: Both) -> None:
    _, computer = at_hand
    with pytest.raises(ActionFailed, match="u2"):
        computer.perform(Pinch(Point(270, 250)))


def test_a_turned_phone_is_seen_turned_and_turned_back_at_the_end(adb: int, tmp_path: Path) -> None:
    phone = SimulatedPhone()
    phone.settings["system"]["accelerometer_rotation"] = "1"
    with phone_at_hand(tmp_path, phone) as (_, computer):
        opened(computer, "Settings")
        computer.perform(Rotate("landscape"))
        seen = computer.observe()
        assert (seen.size.width, seen.size.height) == (1140, 540)
        act(computer, "Apps")
        assert phone.front.screen == "Apps", "places are those of the turned screen"
        assert phone.settings["system"]["accelerometer_rotation"] == "0"
    assert phone.settings["system"]["accelerometer_rotation"] == "1"
    assert "user_rotation" not in phone.settings["system"] and phone.rotation == 0


def test_an_app_that_does_not_turn_is_told(at_hand: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("guiagent_platforms.android.acting.SHOWING", 0.3)
    _, computer = at_hand
    opened(computer, "Vault")
    with pytest.raises(ActionFailed, match="does not support landscape"):
        computer.perform(Rotate("landscape"))


def test_another_display_is_operated_and_that_of_the_person_left_alone(adb: int, tmp_path: Path) -> None:
    phone = SimulatedPhone()
    other = phone.second()
    given = {"kept": str(tmp_path), "observe": "tree", "settle_grace": 0.1, "settle_quiet": 0.05}
    with PhoneServer(phone) as server:
        with AndroidComputer(name=f"{server.address}#2", **given) as computer:  # type: ignore[arg-type]
            assert computer.observe().size == other.size
            opened(computer, "Contacts", "Create contact")
            computer.perform(TypeText("Ada Zwei", named(computer, "Name").box.center))
            act(computer, "Save")
        assert "Ada Zwei" in phone.apps["com.android.contacts"].people  # type: ignore[attr-defined]
        assert phone.front.label == "Home", "the person's screen stays as it was"
        with pytest.raises(ConfigError, match="no display 7; it has 0, 2"):
            AndroidComputer(name=f"{server.address}#7", **given)  # type: ignore[arg-type]


def test_a_phone_that_falls_asleep_is_woken_and_one_that_locks_is_told(at_hand: Both) -> None:
    phone, computer = at_hand
    phone.awake = False
    assert any(one.name == "Settings" for one in computer.observe().elements)
    assert phone.awake
    phone.locked = True
    assert any("only the person can unlock it" in one for one in computer.observe().notices)


def test_the_action_of_the_keyboard_is_not_a_new_line(at_hand: Both) -> None:
    phone, computer = at_hand
    phone.granted.add("com.android.messaging")
    opened(computer, "Messages", "Ada Lovelace")
    computer.perform(TypeText("hello", named(computer, "Text message").box.center))
    computer.perform(Press(("keyboardaction",)))
    sent = phone.apps["com.android.messaging"].sent  # type: ignore[attr-defined]
    assert sent["Ada Lovelace"] == ["hello"], "Enter would have begun a new line"
    assert phone.settings["secure"]["default_input_method"] == LATIN and not phone.keyboards[ADB_KEYBOARD]
    phone.home()
    with pytest.raises(ActionFailed, match="tap the field first"):
        computer.perform(Press(("keyboardaction",)))


def test_apps_that_were_used_are_brought_back(at_hand: Both) -> None:
    phone, computer = at_hand
    opened(computer, "Clock")
    opened(computer, "Notes")
    computer.perform(Press(("recentapps",)))
    act(computer, "Clock")
    assert phone.front.label == "Clock"


def test_notifications_pulled_down_are_told_and_closed(at_hand: Both) -> None:
    phone, computer = at_hand
    opened(computer, "Clock")
    phone.swipe(Point(200, 2), Point(200, 900))
    seen = computer.observe()
    assert any("notifications are pulled down over com.android.deskclock" in one for one in seen.notices)
    computer.perform(Back())
    assert any(one.name == "Add alarm" for one in computer.observe().elements)


def test_input_that_the_phone_forbids_is_told_with_the_switch_that_allows_it(at_hand: Both) -> None:
    phone, computer = at_hand
    clock = named(computer, "Clock")
    phone.faults["forbidden"] = 1
    with pytest.raises(ActionFailed, match="USB debugging \\(Security settings\\)"):
        computer.perform(Click(clock.box.center))
    with pytest.raises(ActionFailed, match=r"rotation cannot be changed: .*USB debugging"):
        computer.perform(Rotate("landscape"))


def test_settings_that_the_phone_forbids_to_change_do_not_stop_the_run(adb: int, tmp_path: Path) -> None:
    phone = SimulatedPhone()
    phone.faults["forbidden"] = 1
    with phone_at_hand(tmp_path, phone) as (_, computer):
        assert any(one.name == "Clock" for one in computer.observe().elements)
    assert not list((tmp_path / "kept").glob("*.json")), "nothing was changed, so nothing is left to put back"


def test_what_the_phone_does_not_let_be_put_back_is_put_back_at_the_next_start(
    adb: int, tmp_path: Path
) -> None:
    with PhoneServer(SimulatedPhone()) as server:
        scales = server.phone.settings["global"]
        with AndroidComputer(name=server.address, kept=str(tmp_path), observe="tree"):
            server.phone.faults["forbidden"] = 1
        assert scales["window_animation_scale"] == "0" and list(tmp_path.glob("*.json"))
        server.phone.faults["forbidden"] = 0
        AndroidComputer(name=server.address, kept=str(tmp_path), observe="tree").close()
        assert scales["window_animation_scale"] == "1.0" and not list(tmp_path.glob("*.json"))


PAGE = b"""<!doctype html><meta name=viewport content="width=device-width"><body style="margin:0">
<h1>Tea shop</h1><label>Your name <input id=n></label>
<button onclick="this.textContent='Sent to '+n.value">Send order</button>
<a href="/more">More teas</a><div style="height:3000px"></div><a href="#end">The end</a>"""


@pytest.fixture
def devtools(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """A real browser without a window that shows a page as large as the web view of the phone."""

    class Site(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(PAGE)

        def log_message(self, *_: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        command = [
            find_executable("", ""),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--window-size=508,400",
        ]
        command += [f"--user-data-dir={tmp_path / 'profile'}", "--remote-debugging-port=0"]
        command += [f"http://127.0.0.1:{site.server_port}/"]
        browser = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            told, end = tmp_path / "profile/DevToolsActivePort", time.monotonic() + 60
            while not told.exists() or not told.read_text().strip():
                assert time.monotonic() < end and browser.poll() is None, "the browser did not start"
                time.sleep(0.05)
            port = int(told.read_text().split()[0])
            urllib.request.urlopen(f"http://127.0.0.1:{port}/json/version", timeout=60).close()
            yield "127.0.0.1", port
        finally:
            browser.kill()
            browser.wait(60)
            site.shutdown()


def test_a_web_page_that_the_phone_does_not_describe_is_read_through_devtools(
    at_hand: Both, devtools: tuple[str, int]
) -> None:
    phone, computer = at_hand
    phone.launch("com.android.browser")
    phone.apps["com.android.browser"].silent = True  # type: ignore[attr-defined]
    assert not any(one.name == "Send order" for one in computer.observe().elements)
    phone.web = devtools
    end, seen = time.monotonic() + 100, {}
    while "Send order" not in seen and time.monotonic() < end:  # on a busy machine no answer comes in time
        computer._screen._pages._silent = 0.0  # an app that did not answer is left in peace for a while
        seen = {one.name: one for one in computer.observe().elements}
    view = next(one for one in seen.values() if one.role == "document")
    assert seen["Send order"].role == "button" and seen["Your name"].role == "textbox"
    assert seen["More teas"].does.link == "/more", "the guard knows a link of a page on any device"
    assert view.box.encloses(seen["More teas"].box) and "The end" not in seen
    again = {one.name: one.id for one in computer.observe().elements}
    assert again["Send order"] == seen["Send order"].id, "the same thing keeps its number"
    computer.perform(Click(seen["Send order"].box.center), seen["Send order"])
    assert any(words[:2] == ["input", "tap"] for words in phone.log)
