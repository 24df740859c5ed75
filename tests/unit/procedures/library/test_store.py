"""Demonstrations and programs on disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gui_agent.core.actions import Click, Press, TypeText
from gui_agent.core.codec import encode
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Fingerprint
from gui_agent.core.trajectory import Demonstration, DemoStep
from gui_agent.procedures.language.program import (
    Aim,
    Captioned,
    Const,
    DoStep,
    ForEach,
    HasRole,
    Item,
    Note,
    Program,
    ReadText,
    Remember,
    Selector,
    Slot,
    SlotParameter,
    With,
)
from gui_agent.procedures.library.store import load_demonstration, load_program, save_demonstration

DEMO = Demonstration(
    "Say hi",
    (DemoStep(TypeText("hi", Fingerprint("textbox", "Say"))), DemoStep(Click(Fingerprint("button", "OK")))),
    slots={"text": "hi"},
)


def test_a_demonstration_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "demo.json"
    save_demonstration(path, DEMO)
    assert load_demonstration(path) == DEMO


def test_a_program_comes_back_as_it_was(tmp_path: Path) -> None:
    row = Selector((Captioned(Item()), With(Selector((Captioned(Const("Total")),)), 2)))
    body = (DoStep(Click(Fingerprint("button", "Add")), at=Aim((row,))), DoStep(Press(("enter",))))
    program = Program(
        "add", ("Add {things}",), (ForEach(Slot("things"), body),), (SlotParameter("things", "list"),)
    )
    (tmp_path / "add.json").write_bytes(encode(program))
    assert load_program(tmp_path / "add.json") == program


NUMBER = ReadText(Selector((HasRole("text"), Captioned(Const("Order number"), "starts"))))


@pytest.mark.parametrize("apart", [True, False])
def test_what_one_demonstration_was_once_taken_to_read_is_typed_as_it_was_shown(
    tmp_path: Path, apart: bool
) -> None:
    """Whether the reading is a step of its own or inside the step that types."""
    action = TypeText("A-4711", Fingerprint("textbox", "Number"))
    typing = DoStep(action, text=Note("number") if apart else NUMBER)
    noted = replace(typing, text=Note("number"))
    steps = (Remember("number", NUMBER), typing) if apart else (typing,)
    (tmp_path / "old.json").write_bytes(encode(Program("complain", ("Complain",), steps)))
    assert load_program(tmp_path / "old.json").steps == (replace(typing, text=Const("A-4711")),)
    for program in (
        Program("complain", ("Complain",), steps, demonstrations=2),
        Program("complain", ("Complain",), (Remember("number", NUMBER, shown=True), noted)),
    ):
        (tmp_path / "new.json").write_bytes(encode(program))
        assert load_program(tmp_path / "new.json") == program


def test_an_answer_that_was_found_by_what_it_says_is_refused(tmp_path: Path) -> None:
    cell = ReadText(Selector((HasRole("cell"), Captioned(Const("0")))))
    asks = Program("failed", ("How many failed?",), (DoStep(Press(("enter",))),), answer=cell)
    (tmp_path / "old.json").write_bytes(encode(asks))
    with pytest.raises(ConfigError, match="teach it again"):
        load_program(tmp_path / "old.json")
    value = ReadText(Selector((HasRole("textbox"), Captioned(Const("Total")))))
    whole = replace(asks, answer=value)
    (tmp_path / "new.json").write_bytes(encode(whole))
    assert load_program(tmp_path / "new.json") == whole


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ('"kind": "click"', '"kind": "explode"', "steps.1.action"),
        ('"clicks": 1', '"cliks": 1', "cliks"),
        ("guiagent-demonstration-1", "guiagent-demonstration-9", "format"),
        ("{", "", "JSON"),
    ],
)
def test_a_mistake_is_named_in_one_line(tmp_path: Path, old: str, new: str, place: str) -> None:
    path = tmp_path / "demo.json"
    save_demonstration(path, DEMO)
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(ConfigError, match=place) as caught:
        load_demonstration(path)
    assert "\n" not in str(caught.value)
    assert "demo.json" in str(caught.value)


def test_a_missing_file_is_named_with_the_nearest_one_beside_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot read the demonstration .*none\.json: .*path$"):
        load_demonstration(tmp_path / "none.json")
    (tmp_path / "order.json").write_text("{}")
    with pytest.raises(ConfigError, match=r'did you mean ".*order\.json"'):
        load_demonstration(tmp_path / "ordr")
