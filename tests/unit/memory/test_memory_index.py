"""Nearest neighbours: exact, inverted lists, and without FAISS."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest

from gui_agent.memory.index import FaissIndex, NumpyIndex, VectorIndex, build, measured_recall

needs_faiss = pytest.mark.skipif(importlib.util.find_spec("faiss") is None, reason="faiss is not installed")


def vectors(count: int, size: int = 32, seed: int = 0) -> np.ndarray:
    found = np.random.default_rng(seed).standard_normal((count, size)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def filled(count: int, **settings: int) -> VectorIndex:
    return build(np.arange(count, dtype=np.int64) * 3, vectors(count), **settings)


@needs_faiss
@pytest.mark.parametrize("exact_up_to", [10_000, 500])
def test_a_stored_vector_is_its_own_nearest(exact_up_to: int) -> None:
    index = filled(2000, exact_up_to=exact_up_to)
    assert isinstance(index, FaissIndex)
    numbers, scores = index.search(vectors(2000)[7], 5)
    assert numbers[0] == 21
    assert scores[0] == pytest.approx(1.0, abs=0.02)
    assert list(scores) == sorted(scores, reverse=True)


@needs_faiss
def test_inverted_lists_find_nearly_all_that_an_exact_search_finds() -> None:
    """Random directions are the hardest case: nothing is clustered. The probes are calibrated on the data."""
    index = filled(4000, exact_up_to=500)
    noise = 0.05 * np.random.default_rng(5).standard_normal((200, 32)).astype(np.float32)
    queries = vectors(4000)[:200] + noise
    assert measured_recall(index, np.arange(4000, dtype=np.int64) * 3, vectors(4000), queries) >= 0.98


@needs_faiss
def test_recall_is_measured_against_the_exact_nearest() -> None:
    numbers = np.arange(100, dtype=np.int64)
    half = build(numbers[::2], vectors(100)[::2])
    whole = build(numbers, vectors(100))
    assert measured_recall(whole, numbers, vectors(100), vectors(100)) == 1.0
    assert 0.3 < measured_recall(half, numbers, vectors(100), vectors(100)) < 0.7


@needs_faiss
@pytest.mark.parametrize("exact_up_to", [10_000, 500])
def test_removed_vectors_are_not_found_and_added_ones_are(exact_up_to: int) -> None:
    index = filled(1000, exact_up_to=exact_up_to)
    index.remove(np.array([21, 999_999], np.int64))
    assert len(index) == 999
    assert index.search(vectors(1000)[7], 1)[0][0] != 21
    index.add(np.array([5_000_000], np.int64), vectors(1000)[7:8])
    assert index.search(vectors(1000)[7], 1)[0][0] == 5_000_000


@needs_faiss
def test_an_index_that_has_doubled_is_outgrown() -> None:
    index = filled(1000, exact_up_to=500)
    assert not index.outgrown()
    grown = FaissIndex(filled(1000).index, 10)  # type: ignore[attr-defined]
    assert not grown.outgrown()


def test_without_faiss_numpy_searches_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    index = filled(300)
    assert isinstance(index, NumpyIndex)
    numbers, scores = index.search(vectors(300)[7], 300)
    assert numbers[0] == 21
    assert len(numbers) == 300
    assert np.all(np.diff(scores) <= 0)
    index.remove(np.array([21], np.int64))
    assert index.search(vectors(300)[7], 1)[0][0] != 21
    assert len(index.search(vectors(300)[0], 5)[0]) == 5


@pytest.mark.parametrize("without_faiss", [True, False])
def test_an_empty_index_finds_nothing(monkeypatch: pytest.MonkeyPatch, without_faiss: bool) -> None:
    if without_faiss:
        monkeypatch.setitem(sys.modules, "faiss", None)
    index = build(np.zeros(0, np.int64), np.zeros((0, 32), np.float32))
    assert list(index.search(vectors(1)[0], 5)[0]) == []
