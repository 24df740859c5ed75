"""The exact search among the stored vectors, and how it stays in step with the table."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gui_agent.memory.embedding import EmbeddingKey, HashedWords, KeyEmbedder
from gui_agent.memory.entry import Entry
from gui_agent.memory.recall import VectorTable
from gui_agent.memory.store import Store

TASKS = [f"{verb} the {thing} of Ada" for verb in ("send", "print", "rename") for thing in "abcdefgh"]


def table(path: Path) -> VectorTable:
    return VectorTable(Store(path), KeyEmbedder(HashedWords(64)))


def test_the_nearest_are_those_with_the_largest_products_best_first(tmp_path: Path) -> None:
    vectors = table(tmp_path / "m.db")
    vectors.store.add(Entry(task) for task in TASKS)
    query = vectors.embedder.embed([EmbeddingKey("send the letter of Ada")])[0]
    every = vectors.nearest(query, 100)
    scores = [round(float(vectors.places_of([number])[number][""] @ query), 5) for number in every]
    assert sorted(every) == list(range(1, len(TASKS) + 1))
    assert scores == sorted(scores, reverse=True)
    assert vectors.nearest(query, 5) == every[:5]


def test_what_is_quarantined_is_not_found_until_it_is_released(tmp_path: Path) -> None:
    vectors = table(tmp_path / "m.db")
    first, _ = vectors.store.add([Entry("send it"), Entry("print it")])
    query = vectors.embedder.embed([EmbeddingKey("send it")])[0]
    assert vectors.nearest(query, 5) == [1, 2]
    vectors.store.quarantine(first.id, "odd")
    assert vectors.nearest(query, 5) == [2]
    assert np.array_equal(vectors.places_of([1])[1][""], query)
    vectors.store.quarantine(first.id, "")
    assert vectors.nearest(query, 5) == [1, 2]


def test_nothing_is_found_in_an_empty_memory_and_what_is_then_added_is(tmp_path: Path) -> None:
    vectors = table(tmp_path / "m.db")
    query = vectors.embedder.embed([EmbeddingKey("send it")])[0]
    assert vectors.nearest(query, 5) == []
    Store(tmp_path / "m.db").add([Entry("send it")])
    assert vectors.nearest(query, 5) == [1]
