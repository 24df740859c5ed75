"""A recorded element is found again from all its evidence, or refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Fingerprint, Observation
from gui_agent.procedures.language.view import View
from gui_agent.procedures.runtime.locate import rematch
from gui_agent.scene.fingerprints import fingerprint
from gui_agent.testing import button, field, form, link, screen, text


def remembered(observation: Observation, name: str) -> Fingerprint:
    element = next(e for e in observation.elements if e.name == name)
    return fingerprint(element, observation)


BEFORE = screen(text("Write to us"), form(field("Name"), field("Mail"), button("Send")), link("Help"))


def test_a_moved_target_is_found() -> None:
    now = screen(
        link("Help"), text("News"), text("Write to us"), form(button("Send"), field("Mail"), field("Name"))
    )
    assert rematch(remembered(BEFORE, "Send"), View(now)).name == "Send"


def test_a_target_with_a_longer_name_is_found_when_all_else_agrees() -> None:
    now = screen(text("Write to us"), form(field("Name"), field("Mail"), button("Send now")), link("Help"))
    assert rematch(remembered(BEFORE, "Send"), View(now)).name == "Send now"


def test_a_target_that_became_a_link_is_found() -> None:
    now = screen(text("Write to us"), form(field("Name"), field("Mail"), link("Send")), link("Help"))
    assert rematch(remembered(BEFORE, "Send"), View(now)).name == "Send"


def test_another_button_at_the_same_place_is_refused() -> None:
    now = screen(text("Write to us"), form(field("Name"), field("Mail"), button("Delete")), link("Help"))
    with pytest.raises(NotFound, match="nearest") as caught:
        rematch(remembered(BEFORE, "Send"), View(now))
    assert "\n" not in str(caught.value)


def test_a_renamed_target_with_the_same_id_is_found() -> None:
    before = screen(form(field("Name"), button("Send", id="submit")))
    now = screen(form(field("Name"), button("Go", id="submit")))
    print_of = remembered(before, "Send")
    kept = Fingerprint(
        **{**{s: getattr(print_of, s) for s in print_of.__slots__}, "attributes": {"id": "submit"}}
    )
    assert rematch(kept, View(now)).name == "Go"


def test_two_that_fit_equally_well_are_told() -> None:
    now = screen(form(button("Send")), form(button("Send")))
    with pytest.raises(Ambiguous) as caught:
        rematch(Fingerprint("button", "Send"), View(now))
    assert len(caught.value.candidates) == 2


def test_a_target_hidden_by_a_dialog_is_refused() -> None:
    now = screen(text("We use cookies"), button("Accept"))
    with pytest.raises(NotFound):
        rematch(remembered(BEFORE, "Send"), View(now))


@given(
    st.lists(
        st.sampled_from(["Save", "Print", "Share", "Copy", "Paste", "Undo", "Redo", "Help", "Exit"]),
        min_size=2,
        unique=True,
    ),
    st.randoms(),
)
def test_whatever_the_order_the_same_name_is_found_again(names: list[str], chance: object) -> None:
    before = screen(*(button(name) for name in names))
    mixed = sorted(names, key=lambda _: chance.random())  # type: ignore[attr-defined]
    now = screen(*(button(name) for name in mixed))
    for name in names:
        assert rematch(remembered(before, name), View(now)).name == name
