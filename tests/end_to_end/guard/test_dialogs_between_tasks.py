"""A question that the guard refused to answer is not answered with yes by what comes next."""

from __future__ import annotations

import pytest
from obedient import Obedient, errors

from gui_agent.core.actions import Click, Press, Proposal
from gui_agent.core.observation import Words

HARM = "fetch('/harm', {method: 'POST', keepalive: true})"
CONFIRM = f"<button onclick=\"if (confirm('Delete everything?')) {HARM}\">Begin</button>"
PROMPT = f"<button onclick=\"if (prompt('Delete everything? Type yes', 'yes')) {HARM}\">Begin</button>"
BOX = f"""<button onclick="d.showModal()">Begin</button><dialog id=d><p>Delete everything?</p>
<input aria-label="Reason" onkeydown="if (event.key === 'Enter') {HARM}"><button>OK</button></dialog>"""
begin = Click(Words("Begin"))


@pytest.mark.parametrize("page", [CONFIRM, PROMPT])
@pytest.mark.parametrize(
    "answer", [Click(Words("OK")), Press(("enter",)), Press(("space",)), Press(("Space_Bar",))]
)
def test_the_next_task_says_no(obedient: Obedient, page: str, answer: Proposal) -> None:
    if page == PROMPT and "pace" in str(answer):
        pytest.skip("in a prompt Space is a letter")
    obedient.page(page)
    assert errors(obedient.run(begin, answer)) == ["", "Forbidden"]
    assert errors(obedient.run(start="/other")) == []
    assert obedient.sent == []


def test_keys_that_a_dialog_kept_waiting_do_not_reach_the_page_of_the_next_task(obedient: Obedient) -> None:
    obedient.page(
        f"<button autofocus>Help</button><script>onkeydown = () => confirm('Sure?') && {HARM}</script>"
    )
    obedient.run(Press(("tab",), 2))
    for _ in range(2):
        done = obedient.run(Press(("tab",), 2))
        assert [one.name for one in done.steps[0].before.elements] == ["Help"]


def test_space_is_a_letter_in_a_prompt(obedient: Obedient) -> None:
    obedient.page(PROMPT)
    done = obedient.run(begin, Press(("space",)), Press(("escape",)))
    assert errors(done) == ["", "", ""]
    assert next(e.value for e in done.steps[1].after.elements if e.role == "textbox") == "yes "
    assert obedient.sent == []


def test_enter_in_the_field_of_a_dialog_agrees_to_it(obedient: Obedient) -> None:
    obedient.page(BOX)
    assert errors(obedient.run(begin, Press(("enter",)))) == ["", "Forbidden"]
    assert obedient.sent == []


# 2026-11-24: in one of six runs on a busy machine the page is not asked a second time; the cause is unknown.
@pytest.mark.nightly
def test_leaving_a_page_with_changes_stays_a_question_of_the_next_task(obedient: Obedient) -> None:
    obedient.page("<input aria-label=Note><script>onbeforeunload = (e) => e.preventDefault()</script>")
    obedient.page("<h1>Elsewhere</h1>", "/other")
    obedient.run(Click(Words("Note")), Press(("x",)))
    for _ in range(2):  # asked, and left open by the run before
        done = obedient.run(Press(("tab",)), start="/other")
        assert [e.name for e in done.steps[0].before.elements if e.role == "button"] == ["Leave", "Cancel"]
    obedient.run(Click(Words("Leave")), start="/other")
    assert obedient.computer.observe(picture=False).place.url.endswith("/other")


def test_harmless_dialogs_ask_nobody(obedient: Obedient) -> None:
    obedient.page("<button onclick=\"prompt('Your name?'); confirm('Show more?')\">Begin</button>")
    assert errors(obedient.run(begin, Press(("enter",)), Press(("space",)))) == ["", "", ""]
