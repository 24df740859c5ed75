"""An answer that the person keeps allows its meaning at its place in all runs, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gui_agent.agent.guard import MEANINGS, PolicyGuard, parse
from gui_agent.agent.guard.asking import Answer, Question, kept_name
from gui_agent.agent.guard.kept_answers import KeptAnswers
from gui_agent.agent.guard.policy import Policy, careful
from gui_agent.core.actions import Click
from gui_agent.core.errors import ConfigError, Forbidden
from gui_agent.core.observation import Observation
from gui_agent.testing import button, field, screen, spot, text

MAIL = "https://mail.example/inbox"


class Says:
    """A person who gives one answer to every question."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.asked: list[Question] = []

    def answer(self, question: Question, observation: Observation) -> Answer:
        self.asked.append(question)
        return self._answer


def tried(
    kept: KeptAnswers, person: Says, name: str = "Send", url: str = MAIL, policy: Policy | None = None
) -> PolicyGuard:
    """The guard of a new run, after the person's agent has clicked a button."""
    shown = screen(button(name), url=url)
    place, guard = spot(shown, name), PolicyGuard(policy or careful(), person, kept=kept)
    guard.check(Click(place.point), {"at": place}, shown)
    return guard


def test_the_next_run_does_not_ask_and_says_which_answer_let_it_pass(tmp_path: Path) -> None:
    kept, person = KeptAnswers(tmp_path / "answers"), Says("always")
    tried(kept, person)
    guard = tried(KeptAnswers(tmp_path / "answers"), person)
    assert [one.always for one in person.asked] == ["send on mail.example"]
    assert guard.take_kept_answers() == ("send@mail.example",)
    assert guard.take_kept_answers() == ()
    ((name, asked, since),) = kept.all()
    assert name == "send@mail.example" and 'click button "Send"' in asked and since > 0


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("Delete", MAIL),
        ("Publish", MAIL),
        ("Send", "https://mail.example:8443/inbox"),
        ("Send", "https://www.mail.example/"),
        ("Send", "https://mail.example.evil.example/"),
        ("Send", "https://evil.example/mail.example"),
        ("Send", "https://mail.example@evil.example/"),
    ],
)
def test_another_meaning_and_another_host_are_asked_about(name: str, url: str, tmp_path: Path) -> None:
    kept, person = KeptAnswers(tmp_path), Says("no")
    kept.keep("send@mail.example")
    with pytest.raises(Forbidden, match="the person said no"):
        tried(kept, person, name, url)
    assert len(person.asked) == 1


def test_what_a_rule_forbids_stays_forbidden(tmp_path: Path) -> None:
    kept, person = KeptAnswers(tmp_path), Says("always")
    kept.keep("send@mail.example")
    forbids = parse('extends = "default"\n[[rule]]\neffect = "forbid"\nmeaning = "send"', "p.toml")
    with pytest.raises(Forbidden, match="forbidden"):
        tried(kept, person, policy=forbids)


def test_a_payment_is_asked_about_in_each_run(tmp_path: Path) -> None:
    kept, person = KeptAnswers(tmp_path), Says("always")
    for _ in range(2):
        tried(kept, person, "Buy now", "https://shop.example/")
    assert [one.always for one in person.asked] == ["", ""] and not [*kept.all()]
    kept.keep("pay@shop.example")  # also not by a file from elsewhere
    tried(kept, person, "Buy now", "https://shop.example/")
    assert len(person.asked) == 3


def test_a_withdrawn_answer_allows_nothing_and_leaves_the_others(tmp_path: Path) -> None:
    kept, person = KeptAnswers(tmp_path), Says("no")
    kept.keep("send@mail.example")
    kept.keep("delete@mail.example:8443")
    assert kept.withdraw("send@mail.example") and not kept.withdraw("send@mail.example")
    with pytest.raises(Forbidden):
        tried(kept, person)
    assert [name for name, *_ in kept.all()] == ["delete@mail.example:8443"]


def test_a_name_leads_out_of_no_folder(tmp_path: Path) -> None:
    kept = KeptAnswers(tmp_path / "answers")
    kept.keep("send@../../elsewhere")
    assert [path.name for path in tmp_path.iterdir()] == ["answers"]
    assert kept.is_kept("send", "../../elsewhere") and not kept.withdraw("..")


def test_an_answer_holds_for_this_run_where_it_cannot_be_kept(tmp_path: Path) -> None:
    (tmp_path / "answers").write_text("a file where the folder belongs")
    person = Says("always")
    guard = tried(KeptAnswers(tmp_path / "answers"), person)
    shown = screen(button("Send"), url=MAIL)
    guard.check(Click(spot(shown, "Send").point), {"at": spot(shown, "Send")}, shown)
    assert len(person.asked) == 1


@pytest.mark.parametrize(
    "wrong", ["send", "send@", "*@mail.example", "send@*.example", "sned@mail.example", "pay@shop.example"]
)
def test_an_answer_names_one_meaning_and_one_place(wrong: str) -> None:
    with pytest.raises(ConfigError):
        kept_name(wrong)


@pytest.mark.parametrize("meaning", sorted(MEANINGS.keys() - {"script-address"}))
def test_with_yes_nothing_is_forbidden_but_what_a_rule_of_the_person_forbids(meaning: str) -> None:
    shown = screen(button("Send"), url=MAIL)
    PolicyGuard(careful(), yes=True).check_meaning(meaning, "it", shown)
    own = parse(f'extends = "default"\n[[rule]]\neffect = "forbid"\nmeaning = "{meaning}"', "p.toml")
    with pytest.raises(Forbidden, match="forbidden"):
        PolicyGuard(own, yes=True).check_meaning(meaning, "it", shown)


def test_a_question_says_where_and_what_would_leave() -> None:
    fields: list[Any] = [field("To", value="bob@example.org"), field("Subject", value="Lunch")]
    shown = screen(*fields, field("PIN", value="1234", states=("password",)), text("Total 98.00 EUR"),
                   button("Send"), url=MAIL)  # fmt: skip
    person, place = Says("once"), spot(shown, "Send")
    PolicyGuard(careful(), person).check(Click(place.point), {"at": place}, shown)
    (question,) = person.asked
    for part in ("mail.example", 'To "bob@example.org"', 'Subject "Lunch"', "98.00 EUR"):
        assert part in question.text
    assert "1234" not in question.text
