"""A person does a task on the phone with their fingers; it is recorded, and done again with other values."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from fingers import PhonePerson
from guiagent_eval.phone import PhoneServer, SimulatedPhone
from guiagent_platforms.android.computer import AndroidComputer
from guiagent_platforms.android.recorder import PhoneRecorder
from phones import named, opened, phone_at_hand

from gui_agent.cli import call
from gui_agent.cli.teach import save
from gui_agent.core.actions import Back, Check, Click, LongPress, Pinch, Press, Swipe, TypeText
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Point
from gui_agent.core.trajectory import Task
from gui_agent.wiring import make_recorder

Both = tuple[SimulatedPhone, AndroidComputer]


class Someone:
    """A person, and who follows them."""

    def __init__(self, phone: SimulatedPhone, computer: AndroidComputer) -> None:
        self.hand = PhonePerson(phone)
        recorder = make_recorder(computer)
        assert isinstance(recorder, PhoneRecorder)
        self.recorder, self.told = recorder, [""]

    def does(self, work: Callable[[], None]) -> None:
        """Do something and pause until all of it was heard and looked at."""
        work()
        end, looks = time.monotonic() + 100, self.recorder._looks
        while looks.due or not self.recorder._heard.empty() or looks.last_input < self.hand.last - 0.001:
            assert time.monotonic() < end, "nobody looked"
            self.told += [sentence for _, sentence in self.recorder.poll(0.1)]


def test_what_fingers_do_is_recorded_and_done_again_for_another_person(
    adb: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone = SimulatedPhone()
    phone.granted.add("com.android.messaging")
    file = tmp_path / "message.json"
    with PhoneServer(phone) as server:
        given = {"kept": str(tmp_path / "kept"), "observe": "tree", "settle_grace": 0.1}
        with AndroidComputer(name=server.address, **given) as computer:  # type: ignore[arg-type]
            someone = Someone(phone, computer)
            hand = someone.hand
            for work in (
                lambda: hand.tap_on("Messages"),
                lambda: hand.tap_on("Ada Lovelace"),
                lambda: hand.tap_on("Text message"),
                lambda: hand.type("hi"),
                lambda: hand.tap_on("Send SMS"),
            ):
                someone.does(work)
            trajectory = someone.recorder.stop(Task("Send 'hi' to Ada Lovelace"))
            kinds = [type(step.action) for step in trajectory.steps]
            assert kinds == [Click, Click, TypeText, Click], [step.action for step in trajectory.steps]
            save(file, trajectory, someone.recorder, "android")
        sent = phone.apps["com.android.messaging"].sent  # type: ignore[attr-defined]
        assert sent["Ada Lovelace"] == ["hi"]
        phone.apps["com.android.messaging"].stack = ["main"]
        phone.home()
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.chdir(tmp_path)
        options = ["--demo", str(file), "--on", f"android:{server.address}", "--observe", "tree", "--yes"]
        assert call(["run", "Send 'see you at 5' to Grace Hopper", *options, "--quiet"]) == 0
        assert sent["Grace Hopper"] == ["see you at 5"] and sent["Ada Lovelace"] == ["hi"]


def test_every_gesture_is_told_from_the_others(at_hand: Both) -> None:
    phone, computer = at_hand
    opened(computer, "Gallery")
    someone = Someone(phone, computer)
    hand = someone.hand
    someone.does(lambda: hand.spread(Point(270, 250), 50, 150))
    someone.does(hand.press_back)
    someone.does(lambda: hand.tap_on("Clock"))
    someone.does(lambda: hand.tap(named(computer, "06:30").box.center, seconds=0.6))
    someone.does(lambda: hand.tap_on("Cancel"))
    someone.does(lambda: hand.swipe(Point(3, 600), Point(300, 600)))  # back, by a gesture of the phone
    phone.home()
    someone.does(lambda: hand.tap_on("Mail"))
    someone.does(lambda: hand.swipe(Point(480, 216), Point(60, 216)))
    steps = someone.recorder.stop(Task("try all")).steps
    pinch, back, _, hold, _, edge, _, swipe = (step.action for step in steps)
    assert isinstance(pinch, Pinch) and pinch.scale == pytest.approx(3, rel=0.1)
    assert isinstance(back, Back) and isinstance(edge, Back)
    assert isinstance(hold, LongPress) and isinstance(swipe, Swipe)
    assert steps[3].found["at"].element is not None and steps[3].found["at"].element.name == "06:30"


def test_enter_switches_and_secrets_are_told_as_such(at_hand: Both) -> None:
    phone, computer = at_hand
    opened(computer, "Tasks")
    someone = Someone(phone, computer)
    hand = someone.hand
    someone.does(lambda: hand.tap_on("New task"))
    someone.does(lambda: hand.type("Buy stamps"))
    someone.does(hand.enter)
    someone.does(lambda: hand.tap_on("Pay the rent"))
    someone.does(hand.press_back)
    someone.does(lambda: hand.tap_on("Vault"))
    someone.does(lambda: hand.tap(Point(200, 200)))  # the field of the PIN
    someone.does(lambda: hand.type("4711"))
    someone.does(lambda: hand.tap_on("Unlock"))
    trajectory = someone.recorder.stop(Task("buy stamps"))
    actions = [step.action for step in trajectory.steps]
    assert [type(one) for one in actions] == [TypeText, Press, Check, Back, Click, TypeText, Click], actions
    assert actions[0].text == "Buy stamps" and actions[1].keys == ("enter",)  # type: ignore[union-attr]
    assert someone.recorder.secrets == ("PIN",) and "4711" not in str(trajectory)


def test_on_a_turned_phone_places_are_those_of_the_turned_screen(at_hand: Both) -> None:
    phone, computer = at_hand
    phone.rotation = 3
    opened(computer, "Tasks")
    someone = Someone(phone, computer)
    someone.does(lambda: someone.hand.tap_on("Pay the rent"))
    (step,) = someone.recorder.stop(Task("tick")).steps
    assert isinstance(step.action, Check) and step.found["at"].element.name == "Pay the rent"  # type: ignore[union-attr]


def test_what_a_person_does_through_a_view_is_recorded_as_well(at_hand: Both) -> None:
    phone, computer = at_hand
    opened(computer, "Notes")
    someone = Someone(phone, computer)
    acts = computer.perform
    someone.does(lambda: acts(Click(named(computer, "New note").box.center)))
    someone.does(lambda: acts(Click(named(computer, "Title").box.center)))
    someone.does(lambda: acts(TypeText("Gifts")))
    someone.does(lambda: acts(Click(named(computer, "Save").box.center)))
    steps = someone.recorder.stop(Task("Write a note called Gifts")).steps
    assert [type(step.action) for step in steps] == [Click, TypeText, Click]
    assert steps[1].action.text == "Gifts"  # type: ignore[union-attr]
    assert computer.listeners == []


def test_what_was_typed_and_not_seen_is_said_and_never_made_up(at_hand: Both) -> None:
    phone, computer = at_hand
    opened(computer, "Tasks")
    someone = Someone(phone, computer)
    someone.does(lambda: someone.hand.tap_on("New task"))

    def in_haste() -> None:
        someone.hand.type("Buy stamps")
        someone.hand.enter()

    someone.does(in_haste)
    assert any("disappeared before it could be read" in one for one in someone.told)
    steps = someone.recorder.stop(Task("buy stamps")).steps
    assert not any(isinstance(step.action, TypeText) for step in steps)


def test_a_phone_that_hides_its_touches_says_what_to_do(adb: int, tmp_path: Path) -> None:
    with phone_at_hand(tmp_path) as (_, computer), pytest.MonkeyPatch.context() as patch:
        patch.setattr("guiagent_eval.phone.commands.LISTED", "could not open /dev/input: Permission denied")
        with pytest.raises(ConfigError, match="--view"):
            make_recorder(computer)
