"""What goes wrong on phones: each trouble is brought about on the simulated one, and told or overcome."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from guiagent_eval.phone import PhoneServer, SimulatedPhone
from guiagent_eval.phone.device import ADB_KEYBOARD, LATIN, U2_KEYBOARD
from guiagent_platforms.android.client import AdbServer
from guiagent_platforms.android.computer import AndroidComputer
from phones import act, named, opened, phone_at_hand

from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Check, Choose, Click, LongPress, Navigate, Open, Scroll, TypeText
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError, Stale
from gui_agent.core.observation import Mark, Point, Size, Words
from gui_agent.testing import OpenGuard, ScriptedPlanner, do, done

Both = tuple[SimulatedPhone, AndroidComputer]


@pytest.mark.parametrize("installed", [ADB_KEYBOARD, U2_KEYBOARD])
def test_unicode_is_typed_and_the_keyboard_of_the_person_given_back(at_hand: Both, installed: str) -> None:
    phone, computer = at_hand
    phone.keyboards = {LATIN: True, installed: False}
    opened(computer, "Contacts", "Create contact")
    computer.perform(TypeText("Zoë 金 100%s\\'\"$(id)", named(computer, "Name").box.center))
    assert phone.front.value("name") == "Zoë 金 100%s\\'\"$(id)"
    assert phone.settings["secure"]["default_input_method"] == LATIN
    assert not phone.keyboards[installed], "it was not enabled before"


def test_ascii_arrives_letter_by_letter_without_another_keyboard(at_hand: Both) -> None:
    phone, computer = at_hand
    opened(computer, "Contacts", "Create contact")
    wild = "a%s b; rm -rf / && $(id) `x` 'q' \"d\" \\ | > < * ? ~ # %%s"
    computer.perform(TypeText(wild, named(computer, "Name").box.center))
    assert phone.front.value("name") == wild
    assert not any(words[0] == "ime" for words in phone.log)


def test_a_keyboard_that_rewrites_is_replaced_by_one_that_does_not(at_hand: Both) -> None:
    phone, computer = at_hand
    phone.faults["rewrite"] = 1
    opened(computer, "Contacts", "Create contact")
    computer.perform(TypeText("teh end", named(computer, "Name").box.center))
    assert phone.front.value("name") == "teh end"
    assert phone.settings["secure"]["default_input_method"] == LATIN


def test_letters_that_nothing_can_type_are_refused_before_any_is_typed(at_hand: Both) -> None:
    phone, computer = at_hand
    del phone.keyboards[ADB_KEYBOARD]
    opened(computer, "Contacts", "Create contact")
    with pytest.raises(ActionFailed, match="ADBKeyboard"):
        computer.perform(TypeText("Zoë", named(computer, "Name").box.center))
    assert phone.front.value("name") == ""


def test_replacing_clears_what_stood_there(at_hand: Both) -> None:
    phone, computer = at_hand
    opened(computer, "Contacts", "Create contact")
    place = named(computer, "Name").box.center
    computer.perform(TypeText("first", place))
    computer.perform(TypeText(" half", place))
    assert phone.front.value("name") == "first half"
    computer.perform(TypeText("second", place, replace=True))
    assert phone.front.value("name") == "second"


def test_what_the_keyboard_covers_is_not_offered(adb: int, tmp_path: Path) -> None:
    with phone_at_hand(tmp_path, SimulatedPhone(Size(540, 800))) as (phone, computer):
        opened(computer, "Lab")
        assert phone.keyboard_box.contains(named(computer, "Hold me").box.center)
        computer.perform(Click(named(computer, "Remark").box.center))
        computer.settle()
        assert phone.keyboard
        covered = [one for one in computer.observe().elements if phone.keyboard_box.contains(one.box.center)]
        assert covered == []


@pytest.mark.parametrize(
    ("app", "height", "before", "field", "aim"),
    [("Lab", 800, (), "Remark", "Hold me"), ("Clock", 1200, ("Add alarm",), "Label", "Save alarm")],
    ids=["an app under the keyboard", "an app that makes room for it"],
)
def test_the_keyboard_is_put_away_from_what_it_covers(
    adb: int, tmp_path: Path, app: str, height: int, before: tuple[str, ...], field: str, aim: str
) -> None:
    with phone_at_hand(tmp_path, SimulatedPhone(Size(540, height))) as (phone, computer):
        opened(computer, app)
        for name in before:
            computer.perform(Click(named(computer, name).box.center))
            computer.settle()
        hold = Mark(named(computer, aim).id)
        planner = ScriptedPlanner([do(Click(Words(field)), LongPress(hold)), done()])
        trajectory = Agent(computer, planner, guard=OpenGuard()).run("t").trajectory
        taken = [(step.error, step.action.kind) for step in trajectory.steps if step.action]
        assert taken == [("", "click"), ("", "back"), ("", "long_press")]
        assert aim in [one.name for one in trajectory.steps[0].after.beyond]
        assert not phone.keyboard


@pytest.mark.parametrize(("fault", "times"), [("dump_null", 1), ("dump_killed", 1), ("cut_picture", 2)])
def test_a_look_that_fails_once_is_repeated(at_hand: Both, fault: str, times: int) -> None:
    phone, computer = at_hand
    phone.faults[fault] = times
    seen = computer.observe()
    assert seen.screenshot is not None
    assert any(one.name == "Settings" for one in seen.elements)
    assert phone.faults[fault] == 0


def test_pictures_of_old_versions_of_android_are_read(at_hand: Both) -> None:
    phone, computer = at_hand
    phone.faults["old_picture"] = 100
    seen = computer.observe()
    assert seen.screenshot is not None and (seen.size.width, seen.size.height) == (540, 1140)
    assert not any("-p" in words for words in phone.log), "the slow way is not needed"


def test_a_keyboard_that_does_not_listen_yet_is_asked_again(at_hand: Both) -> None:
    phone, computer = at_hand
    phone.faults["deaf"] = 2
    opened(computer, "Contacts", "Create contact")
    computer.perform(TypeText("Zoë", named(computer, "Name").box.center))
    assert phone.front.value("name") == "Zoë"


def test_a_start_that_the_phone_refuses_is_told(at_hand: Both) -> None:
    _, computer = at_hand
    with pytest.raises(ActionFailed, match="cannot be opened: Error: Activity not started"):
        computer.perform(Navigate("market://details?id=org.example"))


def test_a_screen_that_never_rests_is_asked_once(at_hand: Both) -> None:
    phone, computer = at_hand
    phone.faults["dump_idle"] = 100
    notices = computer.observe().notices
    assert any("never comes to rest" in one for one in notices)
    computer.observe()
    assert phone.faults["dump_idle"] == 99, "asked again although it is known for 20 seconds"


def test_a_phone_without_pictures_still_tells_its_elements(at_hand: Both) -> None:
    phone, computer = at_hand
    phone.faults["no_picture"] = 1000
    seen = computer.observe()
    assert seen.screenshot is None and seen.controls
    assert any("no picture" in one for one in seen.notices)


def test_a_screen_that_forbids_pictures_is_named_as_such(at_hand: Both) -> None:
    _, computer = at_hand
    opened(computer, "Vault")
    seen = computer.observe()
    assert any("forbids pictures" in one for one in seen.notices)
    assert any(one.name == "Unlock" for one in seen.elements)


def test_toasts_are_told(at_hand: Both) -> None:
    _, computer = at_hand
    opened(computer, "Lab", "Say hello")
    assert any("Hello there" in one for one in computer.observe().notices)


def test_toasts_that_are_gone_before_all_was_looked_at_are_told_once(at_hand: Both) -> None:
    phone, computer = at_hand
    opened(computer, "Lab", "Say hello")
    phone.toasts = ("", 0.0)
    assert any("Hello there" in one for one in computer.observe().notices)
    assert not any("Hello there" in one for one in computer.observe().notices)


def test_an_app_that_hangs_and_one_that_crashes_are_told(at_hand: Both) -> None:
    _, computer = at_hand
    opened(computer, "Lab", "Freeze")
    computer.perform(Click(Point(270, 150)))
    seen = computer.observe()
    assert any("com.example.lab does not respond" in one for one in seen.notices)
    act(computer, "Wait")
    act(computer, "Crash")
    seen = computer.observe()
    assert seen.crashed == ("com.example.lab",)
    assert any("FATAL EXCEPTION" in one for one in seen.notices)


def test_a_dialog_that_came_in_between_stops_the_tap(at_hand: Both) -> None:
    phone, computer = at_hand
    opened(computer, "Contacts")
    expected = named(computer, "Grace Hopper")
    phone.ask("Sync contacts?", "", {"Later": ""})
    with pytest.raises(Stale):
        computer.perform(Click(expected.box.center), expected)
    assert phone.front.screen == "main"


def test_a_list_that_moved_in_between_stops_the_tap(at_hand: Both) -> None:
    phone, computer = at_hand
    opened(computer, "Contacts")
    expected = named(computer, "Grace Hopper")
    phone.front.scrolled["main"] = 200
    with pytest.raises(Stale):
        computer.perform(Click(expected.box.center), expected)
    assert phone.front.screen == "main"


def test_rotation_changes_picture_and_places_together(at_hand: Both) -> None:
    phone, computer = at_hand
    phone.rotation = 1
    seen = computer.observe()
    assert (seen.size.width, seen.size.height) == (phone.size.height, phone.size.width)
    assert seen.screenshot is not None and seen.screenshot.size == seen.size
    act(computer, "Settings")
    assert phone.front.label == "Settings"


def test_a_look_survives_an_unplugged_cable(at_hand: Both) -> None:
    phone, computer = at_hand
    for _ in range(3):
        phone.unplug()
        assert computer.observe(picture=False).controls


def test_a_phone_that_stays_offline_is_disconnected_and_connected(at_hand: Both) -> None:
    phone, computer = at_hand
    phone.faults["mute"] = 1
    phone.unplug()
    end = time.monotonic() + 100
    while phone.faults["mute"] or "offline" not in {one.state for one in AdbServer().phones()}:
        assert time.monotonic() < end, "adb does not connect by itself"
        time.sleep(0.02)
    assert computer.observe(picture=False).controls


def test_an_action_is_not_repeated_when_the_connection_breaks(at_hand: Both) -> None:
    phone, computer = at_hand
    phone.faults["cut"] = 1
    taps = sum(words[:2] == ["input", "tap"] for words in phone.log)
    with pytest.raises(ActionFailed, match="lost the phone during the action"):
        computer.perform(Click(Point(60, 170)))
    assert sum(words[:2] == ["input", "tap"] for words in phone.log) == taps + 1
    assert computer.observe().controls


def test_a_phone_that_is_gone_is_lost(adb: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("guiagent_platforms.android.client.BACK", 0.5)
    with PhoneServer(SimulatedPhone()) as server:
        computer = AndroidComputer(name=server.address, kept=str(tmp_path), observe="tree")
        server.close()
        with pytest.raises(ComputerLost, match=r"guiagent devices|plug it in"):
            computer.observe()
        computer.close()


def test_settings_come_back_after_a_kill(adb: int, tmp_path: Path) -> None:
    with PhoneServer(SimulatedPhone()) as server:
        phone, scale = server.phone, "animator_duration_scale"
        phone.settings["global"][scale] = "0.5"
        killed = AndroidComputer(name=server.address, kept=str(tmp_path), observe="tree")
        killed._changed.use_keyboard(ADB_KEYBOARD)
        assert phone.settings["global"][scale] == "0"
        kept = json.loads(next(tmp_path.glob("*.json")).read_text("utf-8"))
        assert kept[f"global {scale}"] == "0.5"
        with AndroidComputer(name=server.address, kept=str(tmp_path), observe="tree"):
            assert phone.settings["secure"]["default_input_method"] == LATIN
        assert phone.settings["global"][scale] == "0.5"
        assert not phone.keyboards[ADB_KEYBOARD]
        assert list(tmp_path.glob("*.json")) == []


def test_a_locked_phone_says_so(adb: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    phone = SimulatedPhone()
    phone.awake = False
    with phone_at_hand(tmp_path, phone) as (_, computer):
        assert phone.awake and computer.observe().controls
    phone.locked = True
    with pytest.raises(ComputerLost, match="unlock it"), phone_at_hand(tmp_path, phone):
        pass


def test_a_phone_that_trusts_nobody_yet_says_what_to_do(adb: int, tmp_path: Path) -> None:
    phone = SimulatedPhone()
    phone.asks_for_key = True
    with PhoneServer(phone) as server, pytest.raises(ComputerLost, match="allow USB debugging"):
        AndroidComputer(name=server.address, kept=str(tmp_path))


def test_several_phones_do_not_mix_and_must_be_named(adb: int, tmp_path: Path) -> None:
    with phone_at_hand(tmp_path) as (one, first), phone_at_hand(tmp_path) as (other, second):
        with pytest.raises(ConfigError, match="--on android:"):
            AdbServer().serial_of("")
        opened(first, "Contacts")
        opened(second, "Settings", "Display")
        assert (one.front.label, other.front.label, other.front.screen) == ("Contacts", "Settings", "Display")


def test_a_phone_that_is_unplugged_between_steps_is_used_again_when_it_is_back(at_hand: Both) -> None:
    phone, computer = at_hand
    opened(computer, "Settings")
    for _ in range(3):
        phone.unplug()
        assert named(computer, "Display").role == "listitem"
    act(computer, "Display")
    assert phone.front.screen == "Display"


def test_addresses_of_other_kinds_are_not_opened(at_hand: Both) -> None:
    phone, computer = at_hand
    for address in ("javascript:alert(1)", "file:///sdcard/x", "intent://x#Intent;end", "tel://123"):
        with pytest.raises(ActionFailed):
            computer.perform(Open(address if "://" in address else f"{address}://"))
    assert not any(words[:2] == ["am", "start"] for words in phone.log)
    computer.start("https://example.org/a?b=c&d=$(id)")
    assert any("https://example.org/a?b=c&d=$(id)" in words for words in phone.log)


def test_an_app_that_only_its_icon_names_is_found_on_the_home_screen(at_hand: Both) -> None:
    phone, computer = at_hand
    phone.apps["com.android.contacts"].label = "Kontakte"  # type: ignore[misc]
    assert computer.opening("Kontakte").command == ()
    computer.perform(Open("Kontakte"))
    assert phone.front.package == "com.android.contacts"


def test_an_app_that_is_not_there_is_named_with_those_that_are(at_hand: Both) -> None:
    _, computer = at_hand
    with pytest.raises(ActionFailed, match=r"no app is called.*com\.android\.browser"):
        computer.perform(Open("Photos"))


def test_what_no_element_describes_is_offered_to_the_eyes(at_hand: Both) -> None:
    _, computer = at_hand
    opened(computer, "Lab", "Drawn by itself")
    look = computer._screen.look()
    assert look.hierarchy is not None
    assert [hole.height for hole in look.hierarchy.holes] == [400]
    reading = computer._screen.read(look.windows, look.frame.image(), 1.0)  # type: ignore[union-attr]
    assert len(reading.silent) == 1


def test_options_are_chosen_and_boxes_left_as_wanted(at_hand: Both) -> None:
    phone, computer = at_hand
    opened(computer, "Lab")
    spinner = next(one for one in computer.observe().elements if one.role == "combobox")
    assert spinner.value == "Red"
    computer.perform(Choose(spinner.box.center, "Blue"))
    assert phone.front.color == "Blue"  # type: ignore[attr-defined]
    place = named(computer, "I agree").box.center
    computer.perform(Check(place, on=True))
    computer.perform(Check(place, on=True))
    assert phone.front.value("agree") == "yes"
    computer.perform(LongPress(named(computer, "Hold me").box.center))
    assert phone.toast_text() == "Held"


def test_a_switch_has_the_name_of_its_row(at_hand: Both) -> None:
    phone, computer = at_hand
    opened(computer, "Settings", "Display")
    switch = named(computer, "Dark theme")
    assert switch.role == "switch" and "checked" not in switch.states
    computer.perform(Check(switch.box.center))
    assert phone.settings["secure"]["ui_night_mode"] == "2"
    assert "checked" in named(computer, "Dark theme").states


def test_a_pin_is_typed_without_being_shown(at_hand: Both) -> None:
    _, computer = at_hand
    opened(computer, "Vault")
    computer.perform(TypeText("4711", named(computer, "PIN").box.center))
    pin = next(one for one in computer.observe().elements if "password" in one.states)
    assert set(pin.value) == {"•"} and len(pin.value) == 4
    act(computer, "Unlock")
    assert any(one.name == "The vault is open" for one in computer.observe().elements)


def test_elements_keep_their_ids_while_a_list_is_scrolled(at_hand: Both) -> None:
    _, computer = at_hand
    opened(computer, "Contacts")
    before = {one.name: one.id for one in computer.observe().elements if one.role == "listitem"}
    computer.perform(Scroll(Point(270, 600), down=400))
    computer.settle()
    after = {one.name: one.id for one in computer.observe().elements if one.role == "listitem"}
    both = before.keys() & after.keys()
    assert len(both) > 3 and len(after.keys() - before.keys()) > 3
    assert {name: before[name] for name in both} == {name: after[name] for name in both}


def test_pixels_and_elements_are_of_the_same_moment(at_hand: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    phone, computer = at_hand
    pictures = 0

    def wait(command: str) -> None:
        nonlocal pictures
        pictures += command == "screencap"
        if command == "screencap" and pictures == 2:  # the elements of the home screen were told just before
            phone.launch("com.android.settings")

    monkeypatch.setattr(phone, "wait", wait)
    seen = computer.observe()
    assert {"Apps", "Display"} <= {one.name for one in seen.elements}
    assert seen.place.app == "com.android.settings"
