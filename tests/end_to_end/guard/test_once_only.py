"""What is paid or sent once is not done again by a reload, a triple click, repeated or held keys."""

from __future__ import annotations

import pytest
from obedient import Obedient, errors

from gui_agent.core.actions import Back, Click, Hold, Press, Proposal
from gui_agent.core.observation import Words
from gui_agent.testing import ScriptedApprover

PAY = (
    "<form method=post action='/harm'><label>Amount <input name=a value=9></label><button>Pay</button></form>"
)
ASKED = "<button autofocus onclick=\"fetch('/harm', {method: 'POST'})\">Pay 900 EUR</button>"
pay = Click(Words("Pay"))


@pytest.mark.parametrize("keys", [("f5",), ("ctrl+r",), ("Control", "r"), ("ctrl", "F5"), ("ctrl+shift+R",)])
def test_a_page_that_came_by_paying_is_not_loaded_again(obedient: Obedient, keys: tuple[str, ...]) -> None:
    obedient.page(PAY)
    done = obedient.run(pay, Press(keys), yes=True)
    assert errors(done) == ["", "Forbidden"]
    assert obedient.sent == ["/harm"]


def test_a_person_may_load_it_again(obedient: Obedient) -> None:
    obedient.page(PAY)
    person = ScriptedApprover([True])
    assert errors(obedient.run(pay, Press(("f5",)), yes=True, person=person)) == ["", ""]
    assert obedient.sent == ["/harm", "/harm"]
    assert "a second time" in person.questions[0]


def test_a_page_that_opens_in_a_new_window_is_known_too(obedient: Obedient) -> None:
    obedient.page(PAY.replace("<form", "<form target=_blank"))
    assert errors(obedient.run(pay, Press(("f5",)), yes=True)) == ["", "Forbidden"]
    assert obedient.sent == ["/harm"]


def test_a_page_after_a_redirect_and_any_other_page_is_loaded_again_unasked(obedient: Obedient) -> None:
    obedient.page(PAY.replace("/harm", "/moved"))
    reload = Press(("f5",))
    assert errors(obedient.run(reload, pay, reload, yes=True)) == ["", "", ""]
    obedient.page(PAY)
    assert errors(obedient.run(pay, Click(Words("Next")), reload, Back(), yes=True)) == [""] * 4
    assert obedient.sent == ["/moved", "/harm"]


@pytest.mark.parametrize(
    "action",
    [
        Click(Words("Pay 900 EUR"), clicks=3),
        Click(Words("Pay 900 EUR"), clicks=2),
        Press(("enter",), times=4),
        Press(("space",), times=2),
        Hold(("Enter",), 1.0),
    ],
)
def test_one_action_pays_once_at_most(obedient: Obedient, action: Proposal) -> None:
    obedient.page(ASKED)
    done = obedient.run(action, yes=True)
    assert errors(done) == ["Forbidden"]
    assert "more than once" in done.steps[0].outcome.summary
    assert obedient.sent == []


@pytest.mark.parametrize(
    "action",
    [
        Click(Words("More"), clicks=2),
        Press(("tab",), times=3),
        Press(("enter",), times=2),
        Hold(("down",), 0.1),
    ],
)
def test_what_may_be_repeated_is(obedient: Obedient, action: Proposal) -> None:
    obedient.page("<button autofocus>More</button>")
    assert errors(obedient.run(action)) == [""]
