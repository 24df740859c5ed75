"""Nearest neighbours among key vectors: exact while there are few, inverted lists when there are many.

With FAISS where it is installed, else with NumPy, which is exact at any size and slower at large ones.
The inverted lists keep eight bits per number, a quarter of the memory and of the time; what they find is a
shortlist that the caller scores with the exact vectors.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from gui_agent.memory.embedding import Vectors

Numbers = npt.NDArray[np.int64]
EXACT_UP_TO = 10_000
"""Entries up to which every vector is compared."""
RECALL = 0.99
"""Share of the true five nearest that must be in a shortlist; calibrated when the lists are built."""
SHORTLIST = 32
"""Nearest entries that are looked at with their exact vectors."""
_SAMPLE = 100
_NOISE = 0.35


class VectorIndex(Protocol):
    """Vectors by number, searched by dot product."""

    def add(self, numbers: Numbers, vectors: Vectors) -> None:
        """Add vectors; shapes (n,) and (n, size)."""

    def remove(self, numbers: Numbers) -> None:
        """Remove vectors; numbers that are not there are passed over."""

    def search(self, query: Vectors, limit: int) -> tuple[Numbers, Vectors]:
        """The numbers with the largest dot products and these, best first; at most `limit`."""

    def outgrown(self) -> bool:
        """Whether so much was added that building it anew pays."""

    def __len__(self) -> int: ...


class NumpyIndex:
    """Exact search with one matrix product."""

    def __init__(self, size: int) -> None:
        self._numbers: Numbers = np.zeros(0, np.int64)
        self._vectors: Vectors = np.zeros((0, size), np.float32)

    def add(self, numbers: Numbers, vectors: Vectors) -> None:
        self._numbers = np.concatenate([self._numbers, numbers])
        self._vectors = np.concatenate([self._vectors, vectors])

    def remove(self, numbers: Numbers) -> None:
        kept = ~np.isin(self._numbers, numbers)
        self._numbers, self._vectors = self._numbers[kept], self._vectors[kept]

    def search(self, query: Vectors, limit: int) -> tuple[Numbers, Vectors]:
        scores = self._vectors @ query
        limit = min(limit, len(scores))
        best = np.argpartition(-scores, limit - 1)[:limit] if limit else np.zeros(0, np.int64)
        best = best[np.argsort(-scores[best], kind="stable")]
        return self._numbers[best], scores[best]

    def outgrown(self) -> bool:
        return False

    def __len__(self) -> int:
        return len(self._numbers)


class FaissIndex:
    """A FAISS index that knows the numbers of its vectors: flat, or inverted lists beyond a size."""

    def __init__(self, index: Any, built_with: int) -> None:
        self.index = index
        self._built_with = built_with

    def add(self, numbers: Numbers, vectors: Vectors) -> None:
        if len(numbers):
            self.index.add_with_ids(np.ascontiguousarray(vectors), np.ascontiguousarray(numbers))

    def remove(self, numbers: Numbers) -> None:
        if len(numbers):
            self.index.remove_ids(np.ascontiguousarray(numbers))

    def search(self, query: Vectors, limit: int) -> tuple[Numbers, Vectors]:
        scores, numbers = self.index.search(query[None], min(limit, max(1, self.index.ntotal)))
        there = numbers[0] >= 0
        return numbers[0][there], scores[0][there]

    def outgrown(self) -> bool:
        return len(self) > max(EXACT_UP_TO, 2 * self._built_with)

    def __len__(self) -> int:
        return int(self.index.ntotal)


def build(numbers: Numbers, vectors: Vectors, exact_up_to: int = EXACT_UP_TO) -> VectorIndex:
    """The index that suits this many vectors; shapes (n,) and (n, size)."""
    try:
        import faiss
    except ImportError:
        plain = NumpyIndex(vectors.shape[1])
        plain.add(numbers, vectors)
        return plain
    size = vectors.shape[1]
    if len(numbers) <= exact_up_to:
        found = FaissIndex(faiss.IndexIDMap(faiss.IndexFlatIP(size)), 0)
        found.add(numbers, vectors)
        return found
    lists = _inverted(vectors)
    lists.add_with_ids(np.ascontiguousarray(vectors), np.ascontiguousarray(numbers))
    index = FaissIndex(lists, len(numbers))
    _calibrate(index, numbers, vectors)
    return index


def measured_recall(
    index: VectorIndex,
    numbers: Numbers,
    vectors: Vectors,
    queries: Vectors,
    limit: int = 5,
    shortlist: int = SHORTLIST,
) -> float:
    """Share of the exactly nearest `limit` entries that are in the index's shortlist, 0 to 1.

    Args:
        numbers: of all entries, shape (n,), with their `vectors` (n, size); `queries` has shape (q, size).
    """
    order = np.argsort(numbers)
    hits = 0
    for query in queries:
        scores = vectors @ query
        border = np.partition(scores, -limit)[-limit] - 1e-6
        found, _ = index.search(query, shortlist)
        places = order[np.searchsorted(numbers, found, sorter=order)]
        hits += min(limit, int((scores[places] >= border).sum()))
    return hits / (limit * len(queries))


def _inverted(vectors: Vectors) -> Any:
    """Trained, empty inverted lists: about 4 * sqrt(n) of them, trained on at most 64 vectors each."""
    import faiss

    count, size = vectors.shape
    lists = int(min(4 * count**0.5, count / 40))
    index: Any = faiss.index_factory(size, f"IVF{lists},SQ8", faiss.METRIC_INNER_PRODUCT)
    index.cp.max_points_per_centroid = 64
    index.cp.min_points_per_centroid = 8
    index.cp.niter = 8
    sample = np.random.default_rng(0).permutation(count)[: lists * 64]
    index.train(np.ascontiguousarray(vectors[sample]))
    return index


def _calibrate(index: FaissIndex, numbers: Numbers, vectors: Vectors) -> None:
    """Probe as many lists as it takes to find what an exact search finds, for queries near the entries."""
    random = np.random.default_rng(1)
    queries = vectors[random.permutation(len(vectors))[:_SAMPLE]]
    noise = random.standard_normal(queries.shape).astype(np.float32)
    noise *= _NOISE / np.linalg.norm(noise, axis=1, keepdims=True)
    lists = index.index
    lists.nprobe = 8
    while lists.nprobe < lists.nlist and measured_recall(index, numbers, vectors, queries + noise) < RECALL:
        lists.nprobe = min(lists.nlist, lists.nprobe * 3 // 2)
