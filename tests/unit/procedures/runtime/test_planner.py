"""What was demonstrated once is done again with other values, step by step, or not at all."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gui_agent.core.errors import ActionFailed
from gui_agent.core.trajectory import Ending, Trajectory
from gui_agent.procedures.recordings.from_run import from_trajectory
from gui_agent.testing import FakeComputer, button, choice, field, form, link, screen, text, when
from tests.unit.procedures.induction.conftest import Record, Recording, Run

TASK = 'Send "hi" to Ada'
THANKS = screen(text("Message sent"))
RULES = [when("click", "Send", go="thanks")]


def mail() -> FakeComputer:
    """The page on which the demonstration is made."""
    return FakeComputer(
        {"mail": screen(form(field("To"), field("Text"), button("Send"))), "thanks": THANKS}, RULES
    )


def write(hand: Recording) -> None:
    hand.type("To", "Ada")
    hand.type("Text", "hi")
    hand.click("Send")


@pytest.fixture
def again(record: Record, run: Run) -> Callable[..., tuple[Trajectory, FakeComputer]]:
    """Runs the demonstrated mail on another computer."""

    def ran(computer: FakeComputer, task: str, **values: str) -> tuple[Trajectory, FakeComputer]:
        return run(computer, [record(mail(), TASK, write)], task, **values), computer

    return ran


Again = Callable[..., tuple[Trajectory, FakeComputer]]


def ending(trajectory: Trajectory) -> Ending:
    assert trajectory.ending is not None
    return trajectory.ending


def typed(computer: FakeComputer) -> list[str]:
    return [action.text for action in computer.performed if action.kind == "type"]


def test_one_demonstration_is_replayed_with_new_values(again: Again) -> None:
    trajectory, computer = again(mail(), 'Send "see you at 5" to Grace')
    assert ending(trajectory).kind == "done"
    assert typed(computer) == ["Grace", "see you at 5"]
    assert sum(turn.decision.calls for turn in trajectory.turns) == 0


def test_the_fields_may_stand_elsewhere(again: Again) -> None:
    moved = screen(text("News"), form(button("Send"), field("Text")), form(field("To")))
    trajectory, computer = again(
        FakeComputer({"mail": moved, "thanks": THANKS}, RULES), 'Send "hello" to Grace'
    )
    assert ending(trajectory).kind == "done"
    assert typed(computer) == ["Grace", "hello"]


def test_values_by_name_override_the_instruction(again: Again) -> None:
    trajectory, computer = again(mail(), 'Send "hello" to Grace', to="Alan")
    assert ending(trajectory).reason == ""
    assert typed(computer) == ["Alan", "hello"]


def test_an_instruction_of_another_kind_touches_nothing(again: Again) -> None:
    trajectory, computer = again(mail(), "Delete all mails of Ada")
    assert ending(trajectory).kind == "not_done"
    assert "no demonstration fits" in ending(trajectory).reason
    assert computer.performed == []


def test_a_renamed_target_without_evidence_is_refused(again: Again) -> None:
    other = screen(form(field("To"), field("Text"), button("Discard")))
    trajectory, computer = again(FakeComputer(other), 'Send "hello" to Grace')
    assert ending(trajectory).kind == "not_done"
    assert "Send" in ending(trajectory).reason
    assert not any(action.kind == "click" for action in computer.performed)


def test_two_equal_targets_are_refused(again: Again) -> None:
    double = screen(form(field("To"), field("Text"), button("Send")), form(button("Send")))
    trajectory, computer = again(
        FakeComputer({"mail": double, "thanks": THANKS}, RULES), 'Send "hello" to Grace'
    )
    if ending(trajectory).kind == "done":  # the container told them apart
        assert computer.performed[-1].at.y < double.size.height  # type: ignore[union-attr]
    else:
        assert "fit" in ending(trajectory).reason


def test_a_target_behind_a_dialog_is_waited_for_and_then_refused(again: Again) -> None:
    covered = screen(text("We use cookies"), button("Accept"))
    trajectory, computer = again(FakeComputer(covered), 'Send "hello" to Grace')
    assert ending(trajectory).kind == "not_done"
    assert '"To" is not on the screen' in ending(trajectory).reason
    assert computer.performed == []


def test_a_step_without_its_effect_is_not_called_done(again: Again) -> None:
    failing = {
        "mail": screen(form(field("To"), field("Text"), button("Send"))),
        "thanks": screen(text("Mailbox full")),
    }
    trajectory, _ = again(FakeComputer(failing, RULES), 'Send "hello" to Grace')
    assert ending(trajectory).kind == "not_done"
    assert "Message sent" in ending(trajectory).reason


def test_what_appears_late_is_waited_for(again: Again) -> None:
    screens = {
        "loading": screen(text("One moment")),
        "mail": screen(form(field("To"), field("Text"), button("Send"))),
        "thanks": THANKS,
    }
    trajectory, computer = again(
        FakeComputer(screens, RULES, after_looks={2: "mail"}), 'Send "hello" to Grace'
    )
    assert ending(trajectory).kind == "done"
    assert typed(computer) == ["Grace", "hello"]


def test_a_failed_action_is_tried_again_and_then_told(again: Again) -> None:
    once = FakeComputer(
        {"mail": screen(form(field("To"), field("Text"), button("Send"))), "thanks": THANKS},
        RULES,
        errors={("perform", 1): ActionFailed("the page was busy")},
    )
    assert ending(again(once, 'Send "hello" to Grace')[0]).kind == "done"
    always = FakeComputer(
        screen(form(field("To"), field("Text"), button("Send"))),
        errors={("perform", n): ActionFailed("the page was busy") for n in range(1, 30)},
    )
    trajectory, _ = again(always, 'Send "hello" to Grace')
    assert ending(trajectory).kind == "not_done"
    assert "busy" in ending(trajectory).reason


def test_fields_that_the_instruction_does_not_mention_are_slots_by_name(record: Record, run: Run) -> None:
    def page() -> FakeComputer:
        return FakeComputer(
            {
                "f": screen(form(field("First name"), choice("Country", "Canada", "Chile"), button("Send"))),
                "thanks": THANKS,
            },
            RULES,
        )

    def fill(hand: Recording) -> None:
        hand.type("First name", "Ada")
        hand.choose("Country", "Chile")
        hand.click("Send")

    demonstration = record(page(), "Register the member", fill)
    computer = page()
    trajectory = run(computer, [demonstration], "Register the member", first_name="Grace", country="Canada")
    assert ending(trajectory).kind == "done"
    assert typed(computer) == ["Grace"]
    strange = run(page(), [demonstration], "Register the member", firstname="Grace")
    assert 'no slot "firstname"' in ending(strange).reason


def test_a_finished_run_is_a_demonstration(again: Again, run: Run) -> None:
    trajectory, _ = again(mail(), 'Send "see you" to Grace')
    learned = from_trajectory(trajectory, "fake", origin="run 1")
    computer = mail()
    second = run(computer, [learned], 'Send "good night" to Alan')
    assert ending(second).kind == "done"
    assert typed(computer) == ["Alan", "good night"]


def test_links_lead_on_and_each_screen_is_read_anew(record: Record, run: Run) -> None:
    def pages(*names: str) -> FakeComputer:
        screens = {
            "list": screen(*(link(name) for name in names)),
            "one": screen(button("Archive")),
            "end": screen(text("Archived")),
        }
        rules = [*(when("click", name, go="one") for name in names), when("click", "Archive", go="end")]
        return FakeComputer(screens, rules)

    def archive(hand: Recording) -> None:
        hand.click("Invoices")
        hand.click("Archive")

    demonstration = record(pages("Letters", "Invoices"), "Archive the folder Invoices", archive)
    computer = pages("Photos", "Letters", "Music")
    assert ending(run(computer, [demonstration], "Archive the folder Music")).kind == "done"
    missing = run(pages("Photos"), [demonstration], "Archive the folder Music")
    assert ending(missing).kind == "not_done"
    assert "Music" in ending(missing).reason
