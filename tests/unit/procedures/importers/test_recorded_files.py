"""Files as the tools write them: each recorder's own output on a page of ours, whole and broken.

`codegen_*` was written by Playwright's code generator, once for each language, while one piece of work was
done; `devtools.json` was checked with the parser of `@puppeteer/replay`.
"""

from __future__ import annotations

import contextlib
import copy
import json
import random
import time
from pathlib import Path
from typing import Any

import pytest

from gui_agent.core.actions import Check, Choose, Click, Press, TypeText, Upload
from gui_agent.core.aiming import places
from gui_agent.core.conditions import Shown, TextShown, UrlIs
from gui_agent.core.errors import ConfigError
from gui_agent.core.trajectory import Demonstration
from gui_agent.procedures.importers import Imported
from gui_agent.procedures.importers.files import LONGEST_SCRIPT, read_recording
from gui_agent.procedures.importers.imported import Failed

RECORDED = Path(__file__).with_name("recorded")
CODEGEN = sorted(RECORDED.glob("codegen_*"))
BROKEN = 120
"""Broken copies of each file."""


def taken(name: str, task: str = "Order a lamp") -> Imported:
    return read_recording(RECORDED / name, task)


def said(demonstration: Demonstration) -> list[str]:
    """Kind, target and value of each step."""
    told = []
    for step in demonstration.steps:
        at = places(step.action).get("at")
        where = f"{at.role}:{at.name or at.attributes.get('id', at.attributes.get('name', ''))}" if at else ""
        match step.action:
            case TypeText(text=value) | Choose(option=value):
                pass
            case Press(keys):
                value = "+".join(keys)
            case Check(on=on):
                value = "on" if on else "off"
            case Upload(files=files):
                value = " ".join(files)
            case _:
                value = ""
        told.append(f"{step.action.kind} {where} {value}".strip())
    return told


@pytest.mark.parametrize("file", CODEGEN, ids=lambda file: file.name)
def test_what_the_code_generator_writes_comes_over_whole_in_every_language(file: Path) -> None:
    imported = read_recording(file, "Order for Ada Lovelace")
    assert imported.complete
    assert imported.demonstration.start == "https://shop.example/orders"
    # A library's script also writes that the second tab was closed at the end.
    done = [one for one in said(imported.demonstration) if one != "close"]
    assert done == said(taken("codegen_pytest.py").demonstration)


def test_what_the_code_generator_writes_means_what_was_done() -> None:
    assert said(taken("codegen_test.ts", "Order for Ada Lovelace").demonstration) == [
        "type textbox:Customer Ada Lovelace",
        "type textbox:Notes two lines\nmore",
        "type spinbutton:Quantity 3",
        "type textbox: SAVE'10\"",
        "choose combobox:Country no",
        "choose combobox:Sizes m",
        "choose combobox:Sizes l",
        "check checkbox:Express on",
        "check radio:Cash on",
        "type textbox:Password ${secret:PASSWORD}",
        "click button:Save",
        "click button:",
        "click link:",
        "click img:Logo",
        "click :?",
        "click button:Once",
        "click button:Ask",
        "click button:Cancel",
        "type textbox:City Oslo",
        "click button:Go",
        "type textbox:City Rome",
        "upload button:Receipt second.html",
        "click link:Open terms",
        "click button:Agree",
    ]


def test_bare_inputs_of_devtools_are_what_the_page_says_and_else_any_control() -> None:
    imported = taken("devtools.json")
    assert said(imported.demonstration) == [
        "type textbox:Customer Ada",
        "press  tab",
        "click :Express",
        "click button:",
        "click button:Once",
        "move img:Help me",
        "type textbox:City Oslo",
        "click :Delete",
        "click :Save",
        "scroll :",
    ]
    assert imported.demonstration.steps[8].expect == (TextShown("Saved Ada"),)
    assert imported.complete


def test_a_project_of_selenium_ide_is_imported() -> None:
    imported = taken("order.side", "")
    assert imported.demonstration.task == "Order a lamp"
    assert imported.demonstration.start == "https://shop.example/orders"
    assert said(imported.demonstration) == [
        "type textbox:Customer Ada",
        "type textbox:who  Lovelace",
        "press  enter",
        "choose combobox:country Norway",
        "click link:Ask",
        "click button:Cancel",
        "type textbox:password ${secret:PASSWORD}",
        "click button:",
    ]
    assert imported.demonstration.steps[-1].expect == (TextShown("Saved Ada"),)
    at = places(imported.demonstration.steps[6].action)["at"]
    assert at.attributes["frame"] == "index=0"
    lost = [str(remark) for remark in imported.remarks if remark.dropped and not remark.needless]
    assert len(lost) == 2
    assert "storeText" in lost[0]
    assert "a variable" in lost[1]
    assert "hunter2" not in repr(imported)


def test_a_test_of_the_browser_library_is_imported_with_its_own_keywords() -> None:
    imported = taken("browser.robot", "")
    assert imported.demonstration.task == "Order A Lamp"
    assert imported.demonstration.start == "https://shop.example/orders"
    assert said(imported.demonstration) == [
        "type textbox:who Ada",
        "type textbox:Note quick",
        "choose combobox:Country Norway",
        "check checkbox:Express on",
        "type textbox:pin ${secret:PASSWORD}",
        "click :Save",
    ]
    assert imported.demonstration.steps[-1].expect == (TextShown("Saved Ada"), UrlIs("*orders*"))
    lost = [remark.reason for remark in imported.remarks if remark.dropped]
    assert lost == [
        'only "Order A Lamp" is read; --task names another',
        "loops, conditions and the like are not supported",
        "Execute Thing has no counterpart",
    ]
    assert said(taken("browser.robot", "Another").demonstration) == ["click :Other"]


def test_a_test_of_the_selenium_library_is_imported() -> None:
    imported = taken("selenium.robot", "Order a lamp for Ada")
    assert said(imported.demonstration) == [
        "type textbox:who Ada",
        "type textbox:pin ${secret:PASSWORD}",
        "choose combobox:country Norway",
        "check checkbox:express on",
        "click :who",
        "press  enter",
        "click link:Terms of use",
        "click button:Save",
        "click button:Cancel",
    ]
    shown = imported.demonstration.steps[-1].expect
    assert isinstance(shown[1], Shown)
    assert shown[0] == TextShown("Saved Ada")
    assert imported.complete or all(remark.needless for remark in imported.remarks if remark.dropped)


def test_a_trajectory_with_pyautogui_calls_is_imported_and_none_is_run(tmp_path: Path) -> None:
    from PIL import Image

    file = tmp_path / "traj.jsonl"
    file.write_text((RECORDED / "traj.jsonl").read_text())
    for number in (1, 2):
        Image.effect_noise((64, 48), 90).save(tmp_path / f"step_{number}.png")
    imported = read_recording(file)
    assert imported.demonstration.task == "Write hello"
    assert said(imported.demonstration) == ["click :", "type  hello", "press  ctrl+s", "click :"]
    first, last = imported.demonstration.steps[0].action, imported.demonstration.steps[3].action
    assert isinstance(first, Click)
    assert isinstance(last, Click)
    assert (first.at.crop, last.button) == ("", "right")
    assert last.at.crop
    assert [remark.line for remark in imported.remarks if remark.dropped] == [4]
    (tmp_path / "result.txt").write_text("0.0\n")
    with pytest.raises(Failed, match=r"traj\.jsonl: its result is 0, not 1"):
        read_recording(file)


JUNK: tuple[Any, ...] = (None, True, -1, 1e20, "", [], {}, "x" * 300, [[]], {"a": 1}, "${x}", "//", "\0")


MARKS = (b"(", b")", b"{", b"}", b"'", b"`", b"${", b"[", b"/*", b"\0")


def broken_json(data: Any, dice: random.Random) -> bytes:
    """The recording with some of its values gone or of another kind."""
    for _ in range(dice.randint(1, 4)):
        holder = data
        while isinstance(holder, dict | list) and holder:
            key = dice.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
            if isinstance(holder[key], dict | list) and holder[key] and dice.random() < 0.8:
                holder = holder[key]
                continue
            if dice.random() < 0.3:
                del holder[key]
            else:
                holder[key] = copy.deepcopy(dice.choice(JUNK))
            break
    return json.dumps(data).encode()


def broken_bytes(data: bytes, dice: random.Random) -> bytes:
    """The file with bytes changed, gone, doubled, or cut off."""
    found = bytearray(data)
    for _ in range(dice.randint(1, 8)):
        place = dice.randrange(len(found) + 1)
        match dice.randrange(4):
            case 0:
                found[place:] = bytes([dice.randrange(256)]) + found[place + 1 :]
            case 1:
                del found[place : place + dice.randint(1, 40)]
            case 2:
                found[place:place] = found[place : place + dice.randint(1, 80)]
            case 3:
                found[place:place] = dice.choice(MARKS)
    return bytes(found if dice.random() < 0.9 else found[: dice.randrange(len(found) + 1)])


@pytest.mark.parametrize("file", sorted(RECORDED.iterdir()), ids=lambda file: file.name)
def test_a_broken_recording_is_one_line_that_names_it(file: Path, tmp_path: Path) -> None:
    dice = random.Random(file.name)
    whole, copy = file.read_bytes(), tmp_path / file.name
    refused = 0
    for _ in range(BROKEN):
        by_structure = file.suffix in (".json", ".side") and dice.random() < 0.6
        copy.write_bytes(broken_json(json.loads(whole), dice) if by_structure else broken_bytes(whole, dice))
        try:
            read_recording(copy, "Order a lamp")
        except ConfigError as error:
            refused += 1
            assert str(error).startswith(file.name)
            assert "\n" not in str(error)
    assert refused, "some of them cannot be read any more"


DEEP = 20_000
NESTED = {
    "brackets.js": "await page.fill(" + "[" * DEEP + "]" * DEEP + ");",
    "objects.ts": "await page.fill(" + "{a: " * DEEP + "1" + "}" * DEEP + ");",
    "calls.mjs": "await page.fill(" + "a(" * DEEP + ")" * DEEP + ");",
    "signs.py": "page.fill(" + "-" * DEEP + "1)",
    "links.py": "page" + ".a" * DEEP + "()",
    "sums.py": "page.fill(" + "1+" * DEEP + "1)",
    "null.py": "page.fill('a\0b')",
    "nested.json": '{"steps": ' + "[" * 500 + "]" * 500 + "}",
    "nested.jsonl": '{"action": ' + "[" * 500 + "]" * 500 + "}",
    "nested.yaml": "[" * 2_000 + "]" * 2_000,
}


@pytest.mark.parametrize("name", NESTED)
def test_a_recording_that_is_nested_without_end_is_told_in_one_line(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(NESTED[name])
    with pytest.raises(ConfigError) as caught:
        read_recording(file, "Send it.")
    assert name in str(caught.value) and len(str(caught.value)) < 300


@pytest.mark.parametrize("name", ["one.js", "one.py", "one.robot", "one.yaml"])
def test_a_script_of_megabytes_is_not_read(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text("a" * 10_000_000)
    began = time.process_time()
    with pytest.raises(ConfigError, match="too large"):
        read_recording(file, "Send it.")
    assert time.process_time() - began < 5


@pytest.mark.nightly
@pytest.mark.parametrize("piece", ["a", "()=>{\n", "a.", "await page.click('a');\n", "page.on('dialog', "])
def test_the_largest_script_is_read_within_seconds(piece: str, tmp_path: Path) -> None:
    file = tmp_path / "one.js"
    file.write_text((piece * LONGEST_SCRIPT)[:LONGEST_SCRIPT])
    began = time.process_time()
    with contextlib.suppress(ConfigError):
        read_recording(file, "Send it.")
    assert time.process_time() - began < 10
