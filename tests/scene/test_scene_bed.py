"""The scene answers as the programs themselves do: screens of real software, questions with known answers."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gui_agent.core.codec import decode
from gui_agent.core.observation import Observation
from gui_agent.scene import Scene
from gui_agent.scene.tables import cell_at_crossing

SCREENS = Path(__file__).with_name("screens")
LEAST = 0.98
"""Share of the questions that is answered rightly; `WRONG` names the others."""
WRONG = json.loads(Path(__file__).with_name("wrong.json").read_text("utf-8"))
"""Why a question is answered wrongly, by program, kind and number of the screen."""
Question = Mapping[str, Any]


def is_record_known(scene: Scene, asked: Question) -> bool:
    """The record of an element has the parts that the program says."""
    element = scene.screen.by_id(asked["of"])
    record = element and scene.records.record_of(element)
    parts = {one.id for one in record.parts} if record else set[int]()
    return {asked["of"], *asked["parts"][:1]} <= parts and _own(parts, scene) <= set(asked["parts"])


def _own(parts: set[int], scene: Scene) -> set[int]:
    """The parts without what only holds the others."""
    boxes = {one.id: one.box for one in scene.screen.elements if one.id in parts}
    return {one for one in parts if not all(boxes[one].encloses(box) for box in boxes.values())}


def is_key_known(scene: Scene, asked: Question) -> bool:
    element = scene.screen.by_id(asked["of"])
    record = element and scene.records.record_of(element)
    return record is not None and any(one.id in asked["any"] for one in record.keys)


def is_name_understood(scene: Scene, asked: Question) -> bool:
    """What a key names is in its record, or in no record at all."""
    found = scene.records.anchors_of(asked["phrase"], in_any_column=False)
    inside = [one for one in found if one.id in asked["parts"]]
    others = [one for one in found if one.id not in asked["parts"] and one.name == asked["phrase"]]
    return bool(inside) and not others


def is_no_key(scene: Scene, asked: Question) -> bool:
    """A number of another column names no record."""
    found = scene.records.anchors_of(asked["phrase"], in_any_column=False)
    return not any(scene.records.record_of(one) for one in found)


def is_cell_found(scene: Scene, asked: Question) -> bool:
    around = scene.records.anchors_of(asked["row"], in_any_column=False)
    found = cell_at_crossing(asked["column"], around, asked["row"], scene, by_place=False)
    return found is not None and found.id in asked["any"]


def is_label_found(scene: Scene, asked: Question) -> bool:
    """A control without its name is labelled by the text that the program says."""
    nameless = [replace(one, name="") if one.id == asked["of"] else one for one in scene.screen.elements]
    alone = Scene(replace(scene.screen, elements=tuple(nameless)))
    element, label = alone.screen.by_id(asked["of"]), alone.screen.by_id(asked["by"])
    return element is not None and label is not None and alone.label_of(element) == label.name


def is_dialog_known(scene: Scene, asked: Question) -> bool:
    return (scene.layers.dialog is not None) == asked["shown"]


ANSWERS: Mapping[str, Callable[[Scene, Question], bool]] = {
    "record": is_record_known,
    "key": is_key_known,
    "named": is_name_understood,
    "no key": is_no_key,
    "cell": is_cell_found,
    "label": is_label_found,
    "dialog": is_dialog_known,
}


@cache
def screens() -> list[tuple[str, Scene, list[Question]]]:
    """All screens by name, with their questions."""
    return list(_read_screens())


def _read_screens() -> Iterator[tuple[str, Scene, list[Question]]]:
    for file in sorted(SCREENS.glob("*.jsonl.gz")):
        lines = gzip.decompress(file.read_bytes()).decode().splitlines()
        for number, line in enumerate(lines, 1):
            told = json.loads(line)
            screen = decode(Observation, json.dumps(told["screen"]))
            yield f"{file.name.partition('.')[0]} {number}", Scene(screen), told["questions"]


def answers() -> Iterator[tuple[str, Question, bool]]:
    for name, scene, questions in screens():
        for asked in questions:
            yield name, asked, ANSWERS[asked["kind"]](scene, asked)


def test_there_are_enough_screens_and_questions() -> None:
    assert len(screens()) >= 120
    assert sum(len(questions) for _, _, questions in screens()) >= 1200


@pytest.mark.parametrize("kind", ANSWERS)
def test_each_kind_of_question_is_answered_rightly(kind: str) -> None:
    told = [(name, asked, right) for name, asked, right in answers() if asked["kind"] == kind]
    wrong = [f"{name}: {asked}" for name, asked, right in told if not right and f"{name} {kind}" not in WRONG]
    assert told and wrong == []


def test_nearly_all_questions_are_answered_rightly() -> None:
    right = Counter(right for *_, right in answers())
    assert right[True] >= LEAST * right.total(), right
