"""What is done on phones besides tapping: files, keys together, and several phones at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from guiagent_eval.phone import SimulatedPhone
from guiagent_platforms.android.computer import AndroidComputer
from phones import act, named, opened, phone_at_hand

from gui_agent.core.actions import Click, Press, TypeText, Upload
from gui_agent.core.errors import ActionFailed

Both = tuple[SimulatedPhone, AndroidComputer]


def test_four_phones_are_operated_at_once_and_none_gets_what_is_for_another(adb: int, tmp_path: Path) -> None:
    def contact(number: int) -> SimulatedPhone:
        with phone_at_hand(tmp_path / str(number)) as (phone, computer):
            opened(computer, "Contacts", "Create contact")
            for letter in "abc":
                computer.perform(TypeText(f"{letter}{number} é", named(computer, "Name").box.center))
            act(computer, "Save")
            return phone

    with ThreadPoolExecutor(4) as pool:
        phones = list(pool.map(contact, range(4)))
    for number, phone in enumerate(phones):
        people = phone.apps["com.android.contacts"].people  # type: ignore[attr-defined]
        assert [name for name in people if name[-1] == "é"] == [f"a{number} éb{number} éc{number} é"]


def test_a_file_is_put_on_the_phone_and_chosen_in_its_picker(at_hand: Both, tmp_path: Path) -> None:
    phone, computer = at_hand
    file = tmp_path / "Grüße 1.txt"
    file.write_bytes(b"hello" * 50_000)
    opened(computer, "Mail", "Compose")
    button = named(computer, "Attach file")
    computer.perform(Upload(button.box.center, (str(file),)), button)
    assert phone.front.label == "Mail" and phone.files["/sdcard/Download/Grüße 1.txt"] == file.read_bytes()
    assert phone.apps["com.example.mail"].attached == ["Grüße 1.txt"]  # type: ignore[attr-defined]
    with pytest.raises(ActionFailed, match="cannot be read"):
        computer.perform(Upload(button.box.center, (str(tmp_path / "none"),)))
    subject = named(computer, "Subject")
    with pytest.raises(ActionFailed, match="no picker shows"):
        computer.perform(Upload(subject.box.center, (str(file),)))


def test_keys_are_pressed_together(at_hand: Both) -> None:
    phone, computer = at_hand
    opened(computer, "Notes", "Ideas")
    field = named(computer, "a robot")
    computer.perform(Click(field.box.center), field)
    computer.perform(Press(("ctrl", "a")))
    computer.perform(TypeText("a boat"))
    assert phone.front.value("body") == "a boat"
    assert ["input", "keycombination", "113", "29"] in phone.log
