"""Texts as vectors: the protocol, the lexical embedder that only needs NumPy, and the choice.

Vectors are float32, one row per text, of length 1, so that a dot product is a cosine.
"""

from __future__ import annotations

import functools
import importlib.util
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from gui_agent.core.errors import ConfigError, MissingExtra
from gui_agent.elements.words import STOP_WORDS, words
from gui_agent.memory.entry import Entry, family_of, mask_values, places_of

Vectors = npt.NDArray[np.float32]
"""Shape (texts, size)."""

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
"""The sentence model that `auto` uses: 23 million weights, 384 numbers per text."""
_COMMON_WEIGHT = 0.2
"""Weight of a stop word or a mask, which most tasks share; other words weigh 1."""
_GRAM_WEIGHT = 0.35
"""Weight of a triple of characters in a word of four letters; lower in longer words, with more triples."""
_PLACES = 4
"""How many places of the vector one feature is hashed to."""


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def name(self) -> str:
        """Identifies the model and everything that changes its vectors; vectors with another name are
        recomputed.
        """

    @property
    def size(self) -> int:
        """Numbers per vector."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of length 1, shape (len(texts), size); an empty text may give zeros or any row."""


class HashedWords:
    """A lexical embedder: words and their character triples, hashed into a fixed number of signed sums.

    It compares spelling, not meaning: "Remove the file" and "Delete the document" have nothing in common for
        it. Feature hashing after Weinberger et al. 2009.
    """

    def __init__(self, size: int = 384, *, grams: bool = True) -> None:
        self.size = size
        self._grams = grams

    @property
    def name(self) -> str:
        return f"hashed-{'grams' if self._grams else 'words'}-{self.size}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), self.size), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in words(text, masks=True):
                for place, weight in _features(word, self.size, self._grams):
                    row[place] += weight
        return unit(vectors)


@functools.lru_cache(maxsize=50_000)
def _features(word: str, size: int, grams: bool) -> tuple[tuple[int, float], ...]:
    weight = _COMMON_WEIGHT if word in STOP_WORDS or word in "*#" else 1.0
    features = _hash_feature(f"w:{word}", weight, size)
    if grams and len(word) > 3 and weight == 1.0:
        padded = f"^{word}$"
        triples = [padded[i : i + 3] for i in range(len(padded) - 2)]
        share = _GRAM_WEIGHT * (4 / len(triples)) ** 0.5
        features += chain.from_iterable(_hash_feature(f"g:{triple}", share, size) for triple in triples)
    return tuple(features)


def _hash_feature(feature: str, weight: float, size: int) -> list[tuple[int, float]]:
    """Places and signed weights of a feature; several places, so that no chance collision counts in full."""
    codes = [zlib.crc32(f"{number}{feature}".encode()) for number in range(_PLACES)]
    share = weight / _PLACES**0.5
    return [(code % size, share if code >> 31 else -share) for code in codes]


def unit(vectors: Vectors) -> Vectors:
    """The rows scaled to length 1; rows of zeros stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-9), np.float32)


def choose(name: str = "auto") -> Embedder:
    """The embedder with this name.

    Args:
        name: `lexical`; `sentence-transformers:NAME` with a model's name or folder (`MODEL` without one);
            `auto` is `MODEL` if it is already on this machine, else `lexical`; nothing is downloaded.
    """
    kind, _, model = name.partition(":")
    if kind == "sentence-transformers" or (kind == "auto" and has_sentence_model()):
        return SentenceTransformerEmbedder(model or MODEL)
    if kind in ("auto", "lexical"):
        return HashedWords()
    raise ConfigError(f"there is no embedder {name!r}: choose auto, lexical or sentence-transformers:MODEL")


def has_sentence_model() -> bool:
    """Whether sentence-transformers is installed and its cache contains `MODEL`."""
    if importlib.util.find_spec("sentence_transformers") is None:
        return False
    from huggingface_hub import try_to_load_from_cache  # type: ignore[import-not-found, unused-ignore]

    return isinstance(try_to_load_from_cache(MODEL, "config.json"), str)


TASK_SHARE = 0.7
"""The task's share of a key vector's squared length; the rest is the screen's."""
SCREEN_SIZE = 128
"""Numbers of a key vector for app and screen."""
_ROLE = re.compile(r'^[a-z]+ (?=")', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class EmbeddingKey:
    """The key of a query or an entry; the task has its values masked."""

    task: str
    app: str = ""
    screen: str = ""

    @staticmethod
    def of_entry(entry: Entry) -> list[EmbeddingKey]:
        """A key for each program of the run, with its first screen there."""
        task = mask_values(entry.task, entry.values.values())
        return [EmbeddingKey(task, app, screen) for app, screen in places_of(entry).items()]


class KeyEmbedder:
    """Key vectors: the task embedded by a model, next to the hashed words of app and screen.

    The dot product of two key vectors is then a weighted sum of two cosines, so one index serves both. Values
    in a task (quoted texts, numbers) are masked first, because they differ between similar tasks.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._screens = HashedWords(SCREEN_SIZE, grams=False)

    @property
    def name(self) -> str:
        return f"{self.embedder.name}+{self._screens.name}+masked"

    @property
    def size(self) -> int:
        return self.embedder.size + SCREEN_SIZE

    def embed(self, keys: Sequence[EmbeddingKey]) -> Vectors:
        """Vectors of shape (len(keys), size), of length 1, or `TASK_SHARE ** 0.5` without a screen."""
        tasks = self.embedder.embed([family_of(key.task) for key in keys])
        # Every screen has buttons and fields; their names distinguish the screens.
        screens = self._screens.embed([f"{key.app}\n{_ROLE.sub('', key.screen)}" for key in keys])
        joined = (tasks * np.float32(TASK_SHARE**0.5), screens * np.float32((1 - TASK_SHARE) ** 0.5))
        return np.ascontiguousarray(np.concatenate(joined, axis=1), dtype=np.float32)

    def parts(self, query: Vectors, found: Vectors) -> tuple[float, float]:
        """The two cosines of two key vectors: of the tasks and of the screens."""
        task, screen = np.add.reduceat(query * found, (0, self.embedder.size)).tolist()
        return task / TASK_SHARE, screen / (1 - TASK_SHARE)


class SentenceTransformerEmbedder:
    """An embedder that runs a sentence-transformers model, by its name or its folder."""

    def __init__(self, model: str) -> None:
        self._source = model
        self._model: Any = None

    @property
    def name(self) -> str:
        folder = Path(self._source)
        return f"sentence-transformers:{folder.resolve() if folder.is_dir() else self._source}"

    @property
    def size(self) -> int:
        return int(self._load().get_embedding_dimension())

    def embed(self, texts: Sequence[str]) -> Vectors:
        model = self._load()
        found = model.encode(list(texts), batch_size=64, show_progress_bar=False)
        return unit(np.asarray(found, np.float32).reshape(len(texts), self.size))

    def _load(self) -> Any:
        if self._model is None:
            try:
                from sentence_transformers import SentenceTransformer  # type: ignore[import-not-found, unused-ignore]
            except ImportError as error:
                raise MissingExtra("sentence-transformers", f"the embedder {self.name}") from error
            try:
                self._model = SentenceTransformer(self._source, device="cpu")
            except (OSError, ValueError) as error:
                reason = " ".join(str(error).split())[:200]
                raise ConfigError(
                    f"the model {self._source} cannot be loaded ({reason}): give the folder of the model"
                ) from error
        return self._model
