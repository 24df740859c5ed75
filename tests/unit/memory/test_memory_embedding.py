"""Texts as vectors."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.core.errors import ConfigError, MissingExtra
from gui_agent.memory.embedding import (
    TASK_SHARE,
    EmbeddingKey,
    HashedWords,
    KeyEmbedder,
    choose,
    has_sentence_model,
)
from gui_agent.memory.entry import family_of

needs_model = pytest.mark.skipif(not has_sentence_model(), reason="the sentence model is not on this machine")
PAIRS = (
    ("Delete the draft invoice", "Remove the unsent bill"),
    ("Turn on dark mode", "Switch the theme to dark"),
    ("Log in as bob", "Sign in with user bob"),
    ("Add a row to the table", "Insert a new line in the sheet"),
)


@given(st.lists(st.text(max_size=60), max_size=4))
def test_lexical_vectors_have_length_one_or_are_empty(texts: list[str]) -> None:
    vectors = HashedWords(64).embed(texts)
    assert vectors.shape == (len(texts), 64)
    assert vectors.dtype == np.float32
    lengths = np.linalg.norm(vectors, axis=1)
    assert np.all(np.isclose(lengths, 1, atol=1e-5) | (lengths == 0))


def test_lexical_vectors_are_the_same_in_every_process() -> None:
    vector = HashedWords(16).embed(["Send the report"])[0]
    assert (
        np.flatnonzero(vector).tolist()
        == np.flatnonzero(HashedWords(16).embed(["SEND  the report"])[0]).tolist()
    )
    assert int(np.abs(vector).argmax()) == int(np.abs(HashedWords(16).embed(["send the report"])[0]).argmax())


def test_shared_words_and_endings_bring_texts_nearer() -> None:
    vectors = HashedWords().embed(["send the report", "sending reports", "print the invoice"])
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.1


def test_a_key_vector_mixes_task_and_screen() -> None:
    embedder = KeyEmbedder(HashedWords())
    first, same_task, same_screen = embedder.embed(
        [
            EmbeddingKey("Send 'a'", "mail", "Send\nTo"),
            EmbeddingKey("Send 'b'", "maps", "Zoom"),
            EmbeddingKey("Print", "mail", "Send\nTo"),
        ]
    )
    assert first @ first == pytest.approx(1.0)
    assert embedder.parts(first, same_task)[0] == pytest.approx(1.0)
    assert embedder.parts(first, same_screen)[1] == pytest.approx(1.0)
    assert first @ same_task == pytest.approx(TASK_SHARE, abs=0.1)
    assert np.array_equal(embedder.one(EmbeddingKey("Send 'a'", "mail", "Send\nTo")), first)


@pytest.mark.parametrize("name", ["glove", "minilm", ""])
def test_an_unknown_embedder_is_a_setting_to_fix(name: str) -> None:
    with pytest.raises(ConfigError, match="choose auto, lexical"):
        choose(name)


def test_a_folder_without_a_model_is_a_setting_to_fix(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    with pytest.raises(ConfigError, match="cannot be loaded"):
        choose(f"sentence-transformers:{tmp_path}").embed(["a"])


def test_a_library_that_is_not_installed_is_named_with_its_extra() -> None:
    if importlib.util.find_spec("sentence_transformers") is None:
        with pytest.raises(MissingExtra, match="sentence-transformers"):
            choose("sentence-transformers").embed(["a"])
    assert choose("auto").size == 384


@needs_model
def test_the_sentence_model_knows_meaning() -> None:
    model = choose("sentence-transformers")
    left = model.embed([family_of(first) for first, _ in PAIRS])
    right = model.embed([family_of(second) for _, second in PAIRS])
    cosines = left @ right.T
    assert cosines.argmax(axis=1).tolist() == [0, 1, 2, 3]
    assert cosines.diagonal().min() > 0.35


@needs_model
def test_a_batch_gives_the_same_vectors_as_one_text_alone() -> None:
    model = choose("sentence-transformers")
    texts = ["a", "Send the report to Ada and then archive it", "", "žluťoučký kůň 你好", "word " * 400]
    together = model.embed(texts)
    alone = np.concatenate([model.embed([text]) for text in texts])
    assert np.abs(together - alone).max() < 1e-5
