"""Conditions are decided by looking at the screen."""

from __future__ import annotations

import gzip
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gui_agent.core.conditions import (
    FileExists,
    Shown,
    StateIs,
    TextGone,
    TextShown,
    TitleIs,
    UrlIs,
    ValueIs,
    holds,
    text_on,
)
from gui_agent.core.observation import Element, Observation
from gui_agent.testing import button, checkbox, field, link, row, screen, text

SCREEN = screen(
    row(text("Thank"), text("you, Ada")),
    field("Name", "Ada  Lovelace"),
    checkbox("I agree", on=True),
    button("Send"),
    title="Contact – Done",
    url="https://a.example/form?sent=1",
)


def named(name: str, observation: Observation) -> Element | None:
    return next((element for element in observation.elements if element.name == name), None)


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [
        (TextShown("thank YOU"), True),
        (TextShown("ada lovelace"), True),
        (TextShown("Goodbye"), False),
        (TextShown("contact"), True),
        (TextGone("Goodbye"), True),
        (TextGone("Send"), False),
        (Shown("Send"), True),
        (Shown("Send", on=False), False),
        (Shown("Cancel"), False),
        (Shown("Cancel", on=False), True),
        (ValueIs("Name", "ada lovelace"), True),
        (ValueIs("Name", "Bob"), False),
        (ValueIs("Street", "x"), None),
        (StateIs("I agree", "checked"), True),
        (StateIs("I agree", "checked", on=False), False),
        (StateIs("Send", "disabled"), False),
        (StateIs("Street", "checked", on=False), None),
        (UrlIs("https://a.example/*"), True),
        (UrlIs("https://b.example/*"), False),
        (TitleIs("Contact*"), True),
        (TitleIs("contact*"), False),
    ],
)
def test_verdicts(condition: Any, verdict: bool | None) -> None:
    assert holds(condition, SCREEN, named) is verdict


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert holds(FileExists("~/a.txt"), SCREEN, named) is False
    (tmp_path / "a.txt").write_text("x")
    assert holds(FileExists("~/a.txt"), SCREEN, named) is True


def test_what_stands_in_a_file_is_read_in_documents_too(tmp_path: Path) -> None:
    def told(name: str, words: str) -> bool | None:
        return holds(FileExists(str(tmp_path / name), words), SCREEN, named)

    (tmp_path / "plain.txt").write_text("two lemons\n", encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "sheet.ods", "w") as archive:
        archive.writestr("content.xml", "<?xml version='1.0'?><p>Fish &amp; chips</p><p>34.9</p>")
    (tmp_path / "shop.gnumeric").write_bytes(gzip.compress(b"<?xml version='1.0'?><Cell>Lamp</Cell>"))
    (tmp_path / "broken.ods").write_bytes(b"PK\x03\x04 and no more")
    (tmp_path / "broken.gz").write_bytes(b"\x1f\x8b and no more")
    assert told("plain.txt", "Two  lemons") and told("plain.txt", "limes") is False
    assert told("sheet.ods", "fish & chips") and told("sheet.ods", "34.9") and not told("sheet.ods", "<p>")
    assert told("shop.gnumeric", "lamp") and not told("shop.gnumeric", "Cell")
    assert not any(told(name, "more") for name in ("broken.ods", "broken.gz", "missing.txt"))
    assert str(FileExists("a.txt", "x")) == 'the file a.txt holds "x"'


def test_a_text_may_run_over_several_pieces_but_not_over_their_values() -> None:
    assert text_on(SCREEN, "thank you, ada name")
    said = screen(
        row(text("The author “"), link("Jón"), text("” was added, see")), row(link("all"), text("."))
    )
    assert text_on(said, 'author "Jón" was added, see all.') and not text_on(said, "added, seeall")
    assert not text_on(replace(SCREEN, elements=()), "thank")


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (TextShown("Hi"), '"Hi" is shown'),
        (TextGone("Hi"), '"Hi" is no longer shown'),
        (Shown("the button"), "the button is shown"),
        (Shown("the button", on=False), "the button is gone"),
        (ValueIs("Name", "Ada"), 'Name holds "Ada"'),
        (StateIs("I agree", "checked", on=False), "I agree is not checked"),
        (FileExists("a.txt"), "the file a.txt exists"),
    ],
)
def test_conditions_read_as_sentences(condition: object, words: str) -> None:
    assert str(condition) == words


@pytest.mark.parametrize(
    ("shown", "wanted", "is_there"),
    [
        ("Unsaved changes", "saved", False),
        ("All changes saved", "Saved", True),
        ("Successfully inserted", "success", True),
        ("old-notes.txt", "notes.txt", True),
        ("1,250 kg", "250", False),
        ("250.5 kg", "250", False),
        ("It weighs 250.", "250", True),
        ("13 rows", "3 rows", False),
        ("Björk", "jörk", False),
        ("已保存", "保存", True),
        ("v2", "2", True),
    ],
)
def test_words_stand_on_a_screen_from_their_beginning_and_numbers_whole(
    shown: str, wanted: str, is_there: bool
) -> None:
    assert text_on(screen(text(shown)), wanted) == is_there
