"""The person of a task answers the agent's questions by descriptions, up to a given number."""

from __future__ import annotations

import pytest
from guiagent_eval.app_person import AskedPerson

from gui_agent.core.clarification import Choice, Clarification
from gui_agent.core.observation import Box

TEXTS = ('button "Edit", to the right of "Kitchen"', 'button "Edit", to the right of "Bath"', 'button "Save"')


def question(words: str, texts: tuple[str, ...] = TEXTS) -> Clarification:
    return Clarification(words, [Choice(text, Box(0, 0, 1, 1)) for text in texts])


@pytest.mark.parametrize(
    ("description", "answer"),
    [
        ("the Edit button of the Bath", "2"),
        ("save", "3"),
        ("Edit", "Edit"),  # Two fit.
        ("the blue one", "the blue one"),  # None fits.
    ],
)
def test_the_one_choice_with_all_words_of_the_description_is_chosen(description: str, answer: str) -> None:
    person = AskedPerson({"Dispatch": description}, 1)
    assert person.ask(question('click "Dispatch": no "Dispatch" here; nearest: button "Edit"')) == answer


def test_a_person_who_knows_the_place_picks_the_frame_there_or_points_at_it() -> None:
    boxes = [Box(0, 0, 20, 20), Box(40, 0, 20, 20)]
    asked = Clarification("click the menu: none", [Choice("button", box) for box in boxes])
    assert AskedPerson({"menu": "three lines @45,9"}, 1).ask(asked) == "2"
    assert AskedPerson({"menu": "three lines @90,9"}, 1).ask(asked) == "90,9"


def test_a_description_that_was_not_understood_is_said_once() -> None:
    person = AskedPerson({"wrench icon": "the tool"}, 3)
    assert person.ask(question('click "wrench" icon: no such thing')) == "the tool"
    assert person.ask(question('no "tool" here\nclick "wrench" icon: no such thing')) == "stop"


def test_only_the_words_of_the_step_are_known_not_those_of_the_refusal() -> None:
    person = AskedPerson({"Edit": "Save"}, 1)
    assert person.ask(question('click "a: b": no "a: b" here; nearest: button "Edit"')) is None
    assert person.asked[0][1] == ""


def test_the_longest_words_decide() -> None:
    person = AskedPerson({"Edit": "Bath", "Edit all": "Save"}, 1)
    assert person.ask(question('click "Edit all": none')) == "3"


def test_no_more_questions_are_answered_than_agreed_and_all_are_kept() -> None:
    person = AskedPerson({"Dispatch": "Save", "Send": "Save"}, 1)
    assert [person.ask(question(f'click "{one}": none')) for one in ("Other", "Send", "Dispatch")] == [
        None,
        "3",
        None,
    ]
    kept = person.details()
    assert (kept["answers at most"], kept["answered"]) == (1, 1)
    assert [answer for _, answer in kept["questions"]] == ["", "3", ""]
    assert '  3  button "Save"' in kept["questions"][1][0]
    assert {type(words) for words, _ in kept["questions"]} == {str}
