"""What stays of a screen when only what matters for a task is kept."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gui_agent.core.observation import Box, Element, Observation, Size
from gui_agent.elements.abstraction import abstract, line, lines, relevant
from gui_agent.elements.words import task_words

SIZE = Size(1000, 2000)


def element(
    number: int, role: str, name: str, *states: str, top: int | None = None, height: int = 20
) -> Element:
    place = Box(0, number * 100 if top is None else top, 200, height)
    return Element(number, role, name, place, states=frozenset(states))


def names(elements: tuple[Element, ...]) -> list[str]:
    return [item.name for item in elements]


def screen(*elements: Element) -> Observation:
    return Observation(SIZE, elements)


def test_far_text_without_a_word_of_the_task_goes() -> None:
    seen = screen(
        element(1, "heading", "Mail"),
        element(2, "text", "Weather: rain"),
        element(3, "text", "Message to Ada"),
        element(4, "button", "Other"),
    )
    assert names(relevant(seen, "Send a message to Ada")) == ["Mail", "Message to Ada", "Other"]


def test_words_of_the_task_come_before_other_controls_when_the_list_is_full() -> None:
    seen = screen(
        *(element(n, "button", f"Item {n}") for n in range(1, 50)), element(50, "button", "Archive")
    )
    assert names(relevant(seen, "archive it", cap=3)) == ["Item 1", "Item 2", "Archive"]


def test_what_was_used_stays_even_beyond_the_cap() -> None:
    seen = screen(*(element(n, "button", f"Item {n}") for n in range(1, 50)))
    assert 40 in {item.id for item in relevant(seen, "x", used={40, 41, 42}, cap=1)}
    assert len(relevant(seen, "x", used={40, 41, 42}, cap=1)) == 3


def test_texts_beside_a_used_element_stay() -> None:
    seen = screen(
        element(1, "text", "Total"), element(2, "textbox", "", top=125), element(9, "text", "All about us")
    )
    assert names(relevant(seen, "x", used={2})) == ["Total", ""]


def test_a_control_in_disguise_stays_while_there_is_room() -> None:
    seen = screen(element(1, "text", "Forward"), element(2, "text", "It will rain all day", "new"))
    assert names(relevant(seen, "x")) == ["Forward", "It will rain all day"]
    assert names(relevant(seen, "x", cap=1)) == ["It will rain all day"]


def test_an_open_dialog_comes_first() -> None:
    dialog = element(90, "dialog", "Sure?", top=0, height=250)
    seen = screen(
        dialog, element(1, "text", "This deletes all"), *(element(n, "button", "b") for n in range(3, 60))
    )
    assert names(relevant(seen, "x", cap=2)) == ["Sure?", "This deletes all"]


def test_the_focused_element_stays() -> None:
    seen = screen(
        *(element(n, "button", f"b{n}") for n in range(1, 60)), element(60, "textbox", "Here", "focused")
    )
    assert "Here" in names(relevant(seen, "x", cap=1))


def test_disabled_controls_without_a_word_of_the_task_go() -> None:
    seen = screen(element(1, "button", "Save", "disabled"), element(2, "button", "Undo", "disabled"))
    assert names(relevant(seen, "save it")) == ["Save"]


def test_a_line_shows_role_name_value_and_states() -> None:
    box = Box(0, 0, 1, 1)
    field = Element(1, "textbox", "Name", box, value="Ada", states=frozenset({"focused", "new", "invalid"}))
    assert line(field) == 'textbox "Name" = "Ada" (focused, invalid)'
    assert line(Element(2, "text", "Hello", box)) == "Hello"
    assert lines([field, field]).count("\n") == 1


def test_common_words_tell_nothing_apart() -> None:
    assert task_words("Send the message to my friend") == {"send", "message", "friend"}


def test_what_a_task_names_stays_and_most_other_things_go() -> None:
    full = abstract(screen(*(element(n, "text", f"Long line of text number {n}") for n in range(1, 30))), "")
    assert full.elements == ()
    shown = screen(*(element(n, "text", f"Line {n}") for n in range(1, 30)), element(30, "button", "Send"))
    kept = relevant(shown, "Send it")
    assert 30 in {one.id for one in kept} and 7 not in {one.id for one in kept}
    assert len(lines(shown.elements)) > 5 * len(lines(kept))


@given(st.integers(0, 60), st.integers(1, 60), st.sets(st.integers(1, 60), max_size=5))
def test_the_order_and_the_cap_are_kept(count: int, cap: int, used: set[int]) -> None:
    roles = ("text", "button", "heading")
    seen = screen(*(element(n, roles[n % 3], f"name {n}") for n in range(1, count + 1)))
    kept = [item.id for item in relevant(seen, "name", used, cap)]
    assert kept == sorted(kept)
    assert len(kept) <= max(cap, len(used) + cap)
    assert {number for number in used if number <= count} <= set(kept)
