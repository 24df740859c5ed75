"""How well the gates tell tasks of the same sort from others, on a small labelled set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from memory_samples import demonstration, keep, observation, screen

from gui_agent.core.observation import Observation
from gui_agent.memory.embedding import has_sentence_model
from gui_agent.memory.exemplars import ExemplarMemory

needs_model = pytest.mark.skipif(not has_sentence_model(), reason="the sentence model is not on this machine")
TASKS = (
    ("Send the message 'hi' to Ada", "Send the message 'see you at 5' to Grace", "Write 'ok' to Alan"),
    ("Delete the draft invoice 12", "Delete the draft invoice 77", "Remove the unsent bill 9"),
    (
        "Book a flight from Rome to Paris",
        "Book a flight from Oslo to Madrid",
        "Find a plane ticket Berlin - Lisbon",
    ),
    ("Turn on dark mode", "Turn off dark mode", "Switch the theme to dark"),
    (
        "Add a row with 'milk' to the table",
        "Add a row with 'bread' to the table",
        "Insert a line 'eggs' in the sheet",
    ),
    ("Search for red shoes", "Search for blue hats", "Look up green gloves"),
    (
        "Fill the contact form for Ada",
        "Fill the contact form for Alan",
        "Complete the contact form for Grace",
    ),
    (
        "Archive all mails older than 3 days",
        "Archive all mails older than 7 days",
        "Move old mails to the archive",
    ),
    (
        "Rename the folder Photos to Pictures",
        "Rename the folder Docs to Papers",
        "Change the name of a directory",
    ),
    ("Sort the list by price", "Sort the list by date", "Order the items by cost"),
)
"""Remembered; the same sort in the same words; the same sort in other words."""
UNRELATED = (
    "Print a page",
    "Zoom into the map",
    "Play the next song",
    "Call a taxi",
    "Empty the bin",
    "Take a screenshot",
    "Mute the microphone",
    "Translate this text",
    "Connect to wifi",
    "Check the weather",
)


@pytest.fixture(params=["lexical", pytest.param("sentence-transformers", marks=needs_model)])
def filled(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ExemplarMemory]:
    memory = ExemplarMemory(tmp_path / "memory.db", embedder=request.param)
    for number, (task, _, _) in enumerate(TASKS):
        names = [f"{word} {number}" for word in task.split()[:3]]
        keep(memory, demonstration(task, *names, app=f"app{number}"), family=str(number))
    yield memory
    memory.close()


def page(number: int) -> Observation:
    """The screen on which the task of this number is done."""
    return observation(
        screen(*(f"{word} {number}" for word in TASKS[number][0].split()[:3]), app=f"app{number}")
    )


def families(memory: ExemplarMemory, task: str, seen: Observation) -> list[str]:
    return [match.entry.family for match in memory.why(task, seen) if not match.refused]


def test_the_same_task_with_other_values_is_found_and_nothing_else(filled: ExemplarMemory) -> None:
    found = [families(filled, again, page(number)) for number, (_, again, _) in enumerate(TASKS)]
    assert found == [[str(number)] for number in range(len(TASKS))]


def test_a_task_in_other_words_finds_what_was_done_on_its_page(filled: ExemplarMemory) -> None:
    found = [families(filled, other, page(number)) for number, (_, _, other) in enumerate(TASKS)]
    assert [got[:1] for got in found] == [[str(number)] for number in range(len(TASKS))]


def test_an_unrelated_task_finds_only_what_was_done_on_its_page_and_nothing_elsewhere(
    filled: ExemplarMemory,
) -> None:
    for number, task in enumerate(UNRELATED):
        assert families(filled, task, page(number)) == [str(number)]
        assert families(filled, task, observation(screen("Elsewhere", app="other"))) == []
