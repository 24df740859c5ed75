"""However a key is spelled, it is judged as the key that the browser presses."""

from __future__ import annotations

import pytest
from obedient import Obedient, errors

from gui_agent.core.actions import Hold, Press

HARM = "fetch('/harm', {method: 'POST', keepalive: true})"
DELETE = f'<button autofocus onclick="{HARM}">Delete account</button>'
MAIL = f"""<label>To <input></label><textarea aria-label="Message" autofocus></textarea>
<script>onkeydown = (e) => {{ if (e.ctrlKey && e.key === 'Enter') {HARM} }}</script>"""
ROWS = f"""<div role="listbox"><div role="option" aria-selected="true" tabindex="0">Letter</div></div>
<script>document.querySelector('[role=option]').focus();
onkeydown = (e) => {{ if (e.key === 'Delete') {HARM} }}</script>"""


@pytest.mark.parametrize(
    ("page", "keys"),
    [
        (DELETE, ("spacebar",)),
        (DELETE, ("En_ter",)),
        (DELETE, ("KP_Enter",)),
        (DELETE, ("shift+Enter",)),
        (DELETE, ("ctrl", "space")),
        (DELETE, ("Shift+Space",)),
        (f"<button autofocus>Help</button>{DELETE.replace('autofocus', '')}", ("tab", "enter")),
        (f"<button autofocus>Help</button>{DELETE.replace('autofocus', '')}", ("tab+space",)),
        (MAIL, ("ctrl+Enter",)),
        (MAIL, ("ctl", "enter")),
        (MAIL, ("ControlOrMeta+Return",)),
        (ROWS, ("shift+Delete",)),
        (ROWS, ("ctrl", "del")),
    ],
)
def test_a_key_that_does_harm_is_not_pressed_unasked(
    obedient: Obedient, page: str, keys: tuple[str, ...]
) -> None:
    obedient.page(page)
    assert errors(obedient.run(Press(keys))) == ["Forbidden"]
    assert obedient.sent == []


def test_what_is_no_key_is_a_mistake_before_anybody_is_asked(obedient: Obedient) -> None:
    obedient.page(DELETE)
    done = obedient.run(Press(("entre",)), Hold(("entre",), 1.0))
    assert errors(done) == ["ActionFailed", "ActionFailed"]
    assert "no key called 'entre'" in done.steps[0].outcome.summary


@pytest.mark.parametrize(
    "keys",
    [("shift+tab",), ("ctrl+a",), ("ctrl", "c"), ("PgDn",), ("down",), ("Shift+End",), ("alt+tab",), ("f5",)],
)
def test_everyday_keys_ask_nobody(obedient: Obedient, keys: tuple[str, ...]) -> None:
    obedient.page(DELETE)
    assert errors(obedient.run(Press(keys))) == [""]


def test_shift_enter_begins_a_line_in_a_chat(obedient: Obedient) -> None:
    obedient.page('<textarea aria-label="Message" autofocus></textarea><button>Send</button>')
    assert errors(obedient.run(Press(("shift+enter",)))) == [""]
