"""Words of the old style become fewer, and the terms of the glossary are the ones in use."""

from __future__ import annotations

import re
from functools import cache

import pytest
import words

GLOSSARY = (words.ROOT / "docs/glossary.md").read_text("utf-8")
ROWS = re.findall(r"^\| ([a-z ]+) \| (.+) \| (.+) \|$", GLOSSARY.partition("|---|")[2], re.MULTILINE)
REMAINING = words.OLD["remaining"]


@pytest.mark.parametrize("room", words.OLD["most"])
def test_a_folder_has_no_more_old_phrases_than_its_maximum(room: str) -> None:
    lines = words.phrase_lines()[room]
    assert len(lines) <= words.OLD["most"][room], "\n".join(lines[-20:])


def test_no_file_has_one_of_the_old_sentences() -> None:
    found = words.old_sentences()
    assert not {sentence: found[sentence] for sentence in set(found) - set(REMAINING["sentences"])}


def test_no_function_or_class_has_an_old_name() -> None:
    found = words.old_names()
    assert not {name: found[name] for name in set(found) - set(REMAINING["names"])}


def test_no_function_is_named_by_a_preposition_alone() -> None:
    bare = words.bare_functions()
    assert len(bare) <= REMAINING["bare"], bare


def test_a_sentence_is_found_across_lines_and_comments() -> None:
    text = "    # its end\n    # is detached\n    here"
    assert words.MARKS.sub(" ", text).strip() == "its end is detached here"


@cache
def code_of(file: str) -> str:
    package = words.ROOT / "gui_agent"
    return (package / file).read_text("utf-8")


@pytest.mark.parametrize(("term", "places"), [(term, places) for term, _, places in ROWS])
def test_the_code_that_the_glossary_names_uses_the_term(term: str, places: str) -> None:
    named = re.findall(r"`([\w/]+\.py)`", places) or ["core/protocols.py"]
    spelled = re.compile(term.replace(" ", r"[ _]?"), re.IGNORECASE)
    assert any(spelled.search(code_of(file)) for file in named), named


@pytest.mark.parametrize("term", [term for term, _, _ in ROWS])
def test_documents_use_each_term_of_the_glossary(term: str) -> None:
    spelled = re.compile(rf"\b{term}", re.IGNORECASE)
    using = [
        path
        for path, text in words.files().items()
        if path.suffix == ".md" and path.name != "glossary.md" and spelled.search(text)
    ]
    assert using, f"no other document says {term!r}"


def test_the_glossary_has_one_term_for_a_thing() -> None:
    terms = [term for term, _, _ in ROWS]
    assert len(terms) > 20
    assert terms == sorted(set(terms))
    assert len({meaning for _, meaning, _ in ROWS}) == len(ROWS)
