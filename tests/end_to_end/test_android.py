"""Tasks on the simulated phone, from the words of a person to what the phone holds in the end."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from guiagent_eval.phone import PhoneServer, SimulatedPhone
from guiagent_eval.phone.device import ADB_KEYBOARD, LATIN
from phones import adb_server, any_adb

from gui_agent.cli import call

Run = Callable[..., int]


@pytest.fixture(autouse=True)
def adb() -> Iterator[None]:
    with adb_server(any_adb()):
        yield


@pytest.fixture
def server(adb: None) -> Iterator[PhoneServer]:
    with PhoneServer(SimulatedPhone()) as simulated:
        yield simulated


@pytest.fixture
def run(server: PhoneServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Does a task on the phone, in a home of its own; gives the exit code."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)

    def running(task: str, *options: str) -> int:
        quick = ("--set", "computer.options={settle_grace = 0.1}", "--observe", "tree", "--quiet")
        return call(["run", task, "--on", f"android:{server.address}", *quick, *options])

    return running


@pytest.mark.nightly
def test_a_setting_far_down_a_list_is_turned_on(server: PhoneServer, run: Run) -> None:
    assert run('open "Settings", click "Display", tick "Dark theme"') == 0
    assert server.phone.settings["secure"]["ui_night_mode"] == "2"
    assert run('open "Settings", go back, click "About phone", read "Model"') == 0


@pytest.mark.nightly
def test_a_contact_with_foreign_letters_is_kept(server: PhoneServer, run: Run) -> None:
    task = 'open "Contacts", click "Create contact", type "Zoë 金" into "Name", type "555 0199" into "Phone"'
    assert run(f'{task}, click "Save", wait for "Ada Lovelace"') == 0
    people = server.phone.apps["com.android.contacts"].people  # type: ignore[attr-defined]
    assert people["Zoë 金"] == "555 0199"


def test_nothing_is_sent_deleted_or_allowed_without_a_person(server: PhoneServer, run: Run) -> None:
    phone = server.phone
    assert run('open "Messages", click "Allow"') == 5
    assert phone.granted == set()
    phone.granted.add("com.android.messaging")
    phone.home()
    task = 'open "Messages", click "Ada Lovelace", type "hi" into "Text message", click "Send SMS"'
    assert run(task) == 5
    assert not any(phone.apps["com.android.messaging"].sent.values())  # type: ignore[attr-defined]
    task = 'open "Contacts", click "Ada Lovelace", click "Delete"'
    assert run(task) == 5
    assert "Ada Lovelace" in phone.apps["com.android.contacts"].people  # type: ignore[attr-defined]


def test_what_was_done_once_is_done_again_for_another_person(server: PhoneServer, run: Run) -> None:
    phone = server.phone
    phone.granted.add("com.android.messaging")
    messages = phone.apps["com.android.messaging"]
    task = 'open "Messages", click "Ada Lovelace", type "hi" into "Text message", click "Send SMS"'
    assert run(f'{task}, wait for "hi"', "--yes") == 0
    assert call(["learn", "last", "--task", "Send 'hi' to Ada Lovelace"]) == 0
    phone.home()
    messages.stack = ["main"]
    assert run("Send 'see you at 5' to Radia Perlman", "--yes") == 0
    said = {name: texts for name, texts in messages.sent.items() if texts}  # type: ignore[attr-defined]
    assert said == {"Ada Lovelace": ["hi"], "Radia Perlman": ["see you at 5"]}


@pytest.mark.nightly
def test_what_only_the_picture_shows_is_read_with_eyes(server: PhoneServer, run: Run) -> None:
    pytest.importorskip("rapidocr")
    task = 'open "Lab", click "Drawn by itself", click "Count 0", click "Count 1"'
    assert run(task, "--observe", "auto") == 0
    assert server.phone.apps["com.example.lab"].count == 2  # type: ignore[attr-defined]


@pytest.mark.nightly
def test_a_phone_is_shown_in_the_live_view(
    server: PhoneServer, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run('open "Settings"', "--view") == 0
    assert "live view: http://" in capsys.readouterr().err


def test_the_phones_that_adb_knows_are_listed_and_checked(
    server: PhoneServer, run: Run, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert call(["devices"]) == 3
    assert "--simulate" in capsys.readouterr().err
    assert run('open "Settings"') == 0
    capsys.readouterr()
    assert call(["devices"]) == 0
    assert "Simulated Phone, Android 14, 540x1140" in capsys.readouterr().out
    check = ["doctor", "--device", f"android:{server.address}", "--out", str(tmp_path / "told.json"), "--yes"]
    assert call(check) == 0, capsys.readouterr().out
    told = (tmp_path / "told.json").read_text()
    assert "540 x 1140" in told and len(json.loads(told)["checks"]) == 20
    assert "Settings" not in told, "what the screen shows is not sent back"
    server.phone.faults["no_picture"] = 1000
    assert call(check) == 2
    assert "missing: picture" in capsys.readouterr().out


@pytest.mark.nightly
def test_after_kill_9_the_next_start_puts_keyboard_and_settings_back(
    server: PhoneServer, run: Run, tmp_path: Path
) -> None:
    phone, mine = server.phone, "0.75"
    scales, secure = phone.settings["global"], phone.settings["secure"]
    scales["animator_duration_scale"] = mine
    phone.faults["deaf"] = 1_000_000  # so that it is killed while another keyboard is chosen
    task = 'open "Contacts", click "Create contact", type "Zoë" into "Name"'
    program = [sys.executable, "-m", "gui_agent", "run", task]
    killed = subprocess.Popen(
        [*program, "--on", f"android:{server.address}", "--observe", "tree", "--quiet"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
    )
    end = time.monotonic() + 60
    while secure["default_input_method"] == LATIN:
        assert time.monotonic() < end and killed.poll() is None, "the run did not begin"
        time.sleep(0.02)
    killed.kill()
    killed.wait(10)
    assert scales["animator_duration_scale"] == "0" and secure["default_input_method"] == ADB_KEYBOARD
    phone.faults["deaf"] = 0
    phone.log.clear()
    assert run('open "Settings"') == 0
    opened = next(place for place, words in enumerate(phone.log) if words[:2] == ["am", "start"])
    assert phone.log.index(["ime", "set", LATIN]) < opened, "before anything else is done"
    assert scales["animator_duration_scale"] == mine and secure["default_input_method"] == LATIN
    assert not phone.keyboards[ADB_KEYBOARD], "it was not enabled before"
    assert list((tmp_path / ".local/share/guiagent/phones").glob("*.json")) == []


@pytest.mark.nightly
def test_a_tap_during_which_the_cable_was_pulled_is_told_and_not_repeated(
    server: PhoneServer, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    phone = server.phone
    phone.faults["cut"] = 1
    assert run('open "Settings", click "Display"') == 4
    assert "lost the phone during the action" in capsys.readouterr().err
    assert sum(words[:2] == ["input", "tap"] for words in phone.log) == 1
    assert run('open "Settings", click "Display", tick "Dark theme"') == 0
    assert phone.settings["secure"]["ui_night_mode"] == "2"


@pytest.mark.nightly
def test_a_phone_that_does_not_come_back_ends_the_run_with_code_3_and_a_whole_trace(
    server: PhoneServer, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("guiagent_platforms.android.client.BACK", 1.0)
    phone, launch = server.phone, server.phone.launch

    def launched(package: str) -> None:
        launch(package)
        phone.unplug = server.close
        phone.faults["cut"] = 1

    monkeypatch.setattr(phone, "launch", launched)
    assert run('open "Settings", click "Display"') == 3
    (folder,) = (tmp_path / "state/guiagent/runs").iterdir()
    assert any(folder.glob("*.html")), "the report is there"


@pytest.mark.nightly
def test_a_flow_of_maestro_is_run_again_with_other_values(
    server: PhoneServer, run: Run, tmp_path: Path
) -> None:
    pytest.importorskip("yaml")
    flow = "appId: com.android.contacts\nname: Create the contact 'Ada'\n---\n- launchApp\n"
    flow += "- tapOn: Create contact\n- tapOn: Name\n- inputText: Ada\n- tapOn: Save\n"
    (tmp_path / "flow.yaml").write_text(flow, "utf-8")
    assert call(["learn", str(tmp_path / "flow.yaml")]) == 0
    assert run("Create the contact 'Zoë'") == 0
    people = server.phone.apps["com.android.contacts"].people  # type: ignore[attr-defined]
    assert "Zoë" in people and "Ada" not in people
