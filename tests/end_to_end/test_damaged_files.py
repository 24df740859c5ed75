"""Damaged files of every format end in one clear line, in time, and never in a fault of the program.

`FUZZ=400` tries so many mutations of each format; by default it is a dozen.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from guiagent_eval.osworld.tasks import read_tasks
from guiagent_eval.records import EvalFolder

from gui_agent.agent.guard import Ledger
from gui_agent.agent.guard.policy import load as load_policy
from gui_agent.agent.loop import Agent
from gui_agent.api.row_list import read_rows
from gui_agent.content import content
from gui_agent.core.actions import Click
from gui_agent.core.errors import GuiAgentError
from gui_agent.core.observation import Words
from gui_agent.memory.entry import Entry
from gui_agent.memory.exchange import export_jsonl, import_jsonl, rescue
from gui_agent.memory.store import Store
from gui_agent.models.cassette import Tape
from gui_agent.procedures.importers.files import read_recording
from gui_agent.procedures.library.store import load_known, save_demonstration
from gui_agent.procedures.recordings.from_run import from_trajectory
from gui_agent.settings import load as load_settings
from gui_agent.skills.guides import read_guide
from gui_agent.skills.pack import read_skill
from gui_agent.testing import (
    ExactGrounder,
    FakeComputer,
    OpenGuard,
    ScriptedPlanner,
    button,
    do,
    done,
    screen,
    when,
)
from gui_agent.trace import list_runs, read_run
from gui_agent.trace.reader import verify
from gui_agent.trace.writer import RunWriter

COUNT = int(os.environ.get("FUZZ", "12"))
SLOW = 20.0
"""Seconds of computing that reading a file may take; what waits is ended by the time limit of the test."""
HORRORS: tuple[bytes, ...] = (
    b"",
    b"\0" * 99,
    b"\xff\xfe\xfa",
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b"null",
    b"[[]]",
    b'{"format": 7}',
    b"9" * 5_000,
    b'"\\ud800"',
    "\u202e{}".encode(),
    b"- " * 40_000,
    b"a = " + b"[" * 5_000 + b"]" * 5_000,
    b"await page.fill(" + b"[" * 20_000 + b"]" * 20_000 + b");",
    b"page.fill(" + b"-" * 20_000 + b"1)",
    b"page" + b".a" * 20_000 + b"()",
    b"a" * 500_000,
    b"a" * 10_000_000,
)
VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    1e308,
    10**40,
    "",
    "\ud800",
    "a" * 9_999,
    [],
    {},
    [[1]],
    {"kind": "x"},
)
CODEGEN = """import { test } from '@playwright/test';
test('test', async ({ page }) => {
  await page.goto('https://example.org/');
  await page.getByRole('textbox', { name: 'Name' }).fill('Ada');
  await page.getByRole('button', { name: 'Send' }).click();
});
"""
DEVTOOLS = {
    "title": "Send",
    "steps": [
        {"type": "navigate", "url": "https://example.org/"},
        {
            "type": "click",
            "selectors": [["aria/Send"], ["#send"]],
            "offsetX": 5,
            "offsetY": 5,
            "target": "main",
        },
        {"type": "change", "selectors": [["#name"]], "value": "Ada", "target": "main"},
    ],
}
CODEGEN_PYTHON = """from playwright.sync_api import Page, expect
def test_example(page: Page) -> None:
    page.goto("https://example.org/")
    page.get_by_role("textbox", name="Name").fill("Ada")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Sent")).to_be_visible()
"""
SELENIUM = {
    "name": "Send",
    "url": "https://example.org",
    "tests": [
        {
            "name": "Send",
            "commands": [
                {"command": "open", "target": "/", "value": "", "targets": []},
                {"command": "type", "target": "id=name", "value": "Ada", "targets": [["id=name", "id"]]},
                {"command": "click", "target": "css=#send", "value": "", "targets": [["css=#send", "css"]]},
            ],
        }
    ],
}
MAESTRO = """appId: org.example.notes
---
- launchApp
- tapOn: "New"
- inputText: "milk"
- repeat:
    times: 2
    commands:
      - tapOn:
          id: "save"
- assertVisible: "milk"
"""
ROBOT = """*** Settings ***
Library    Browser

*** Test Cases ***
Send
    New Page    https://example.org/
    Fill Text    id=name    Ada
    Click    text=Send
"""
OSWORLD = {
    "id": "0",
    "instruction": "Make it bold",
    "snapshot": "writer",
    "config": [{"type": "launch", "parameters": {"command": ["soffice", "a.odt"]}}],
    "evaluator": {
        "func": "exact_match",
        "result": {"type": "vm_file", "path": "/a"},
        "expected": {"type": "rule"},
    },
}
POLICY = """extends = "default"
default = "ask"
domains = ["*.example.org"]
[[rule]]
effect = "allow"
meaning = "send"
target = "^Send"
"""


SETTINGS = '[limits]\nsteps = 5\n[secrets]\nA = "env:B"\n'
LEDGER = '{"at": "2026", "state": "done", "key": "a", "what": "b"}\n' * 3
GUIDE = "---\nname: a-guide\ndescription: d\napp: mousepad\n---\nDo it.\n"
PACK = "---\nname: a-skill\ndescription: d\nmetadata:\n  start: x\n---\nDo it.\n"
TAPE = '{"host": "h", "path": "/p", "body": {}, "answer": {}}\n'


def _run(folder: Path) -> Path:
    planner = ScriptedPlanner([do(Click(Words("Send"))), done("sent")])
    screens = {"form": screen(button("Send")), "thanks": screen(button("Again"))}
    computer = FakeComputer(screens, [when("click", "Send", go="thanks")])
    Agent(
        computer, planner, grounder=ExactGrounder(), guard=OpenGuard(), observers=[RunWriter(folder / "runs")]
    ).run("send it")
    (made,) = (folder / "runs").iterdir()
    return made


def _memory(folder: Path) -> Path:
    store = Store(folder / "memory.db")
    store.add(Entry(f"task {number}", screen="x" * 900) for number in range(20))
    store.database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    return folder / "memory.db"


def _exchange(folder: Path) -> Path:
    export_jsonl(Store(_memory(folder)), folder / "kept.jsonl")
    return folder / "kept.jsonl"


def _demonstration(folder: Path) -> Path:
    save_demonstration(folder / "demo.json", from_trajectory(read_run(_run(folder)).trajectory))
    return folder / "demo.json"


def _in_run(name: str) -> Callable[[Path], Path]:
    return lambda folder: _run(folder) / name


def _text(name: str, text: str) -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
        return folder / name

    return made


def _eval(folder: Path) -> Path:
    made = EvalFolder.create(folder / "eval", {"benchmark": "x"})
    made.close()
    return next(path for path in (folder / "eval").rglob("*.json*") if path.is_file())


def _read_run(path: Path) -> None:
    list_runs(path.parent.parent)
    verify(path.parent)
    read_run(path.parent)


def _open_memory(path: Path) -> None:
    store = Store(path)
    try:
        store.check()
        store.entries()
        list(store.whole_entries())
    finally:
        store.close()


def _rescue(path: Path) -> None:
    assert rescue(path).damaged.is_file()


def _import(path: Path) -> None:
    import_jsonl(Store(path.with_name("other.db")), path)


def _recorded(path: Path) -> None:
    read_recording(path, "Send it")


def _workbook(folder: Path) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["name", "amount"], ["Ada", 3.0], ["Bo", 2.5]):
        book.active.append(row)
    book.save(folder / "rows.xlsx")
    return folder / "rows.xlsx"


def _member(name: str) -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        with zipfile.ZipFile(_workbook(folder)) as book:
            (folder / "member").write_bytes(book.read(name))
        return folder / "member"

    return made


def _read_with(name: str) -> Callable[[Path], None]:
    """Read the workbook of which one member is the file that was damaged."""

    def read(path: Path) -> None:
        with (
            zipfile.ZipFile(path.with_name("rows.xlsx")) as whole,
            zipfile.ZipFile(path.with_name("inside.xlsx"), "w") as made,
        ):
            for one in whole.namelist():
                made.writestr(one, path.read_bytes() if one == name else whole.read(one))
        read_rows(path.with_name("inside.xlsx"))

    return read


SHEET, BOOK, STYLES = "xl/worksheets/sheet1.xml", "xl/workbook.xml", "xl/styles.xml"


FORMATS: dict[str, tuple[Callable[[Path], Path], Callable[[Path], object]]] = {
    "run.json": (_in_run("run.json"), _read_run),
    "steps": (_in_run("steps.jsonl"), _read_run),
    "observations": (_in_run("observations.jsonl"), _read_run),
    "ending": (_in_run("ending.json"), _read_run),
    "audit chain": (_in_run("audit.jsonl"), _read_run),
    "audit seal": (_in_run("audit.json"), _read_run),
    "rows": (_workbook, read_rows),
    "sheet of rows": (_member(SHEET), _read_with(SHEET)),
    "workbook of rows": (_member(BOOK), _read_with(BOOK)),
    "styles of rows": (_member(STYLES), _read_with(STYLES)),
    "demonstration": (_demonstration, load_known),
    "recording": (_text("rec.json", json.dumps(DEVTOOLS)), read_recording),
    "script": (_text("rec.spec.ts", CODEGEN), read_recording),
    "Python script": (_text("rec.py", CODEGEN_PYTHON), _recorded),
    "Selenium": (_text("rec.side", json.dumps(SELENIUM)), _recorded),
    "flow": (_text("flow.yaml", MAESTRO), _recorded),
    "Robot": (_text("rec.robot", ROBOT), _recorded),
    "OSWorld tasks": (_text("tasks/writer/0.json", json.dumps(OSWORLD)), lambda p: read_tasks(p.parents[1])),
    "policy": (_text("guard.toml", POLICY), load_policy),
    "settings": (
        _text("own.toml", SETTINGS),
        lambda p: load_settings([p]),
    ),
    "memory": (_memory, _open_memory),
    "rescued memory": (_memory, _rescue),
    "exchange": (_exchange, _import),
    "ledger": (
        _text("ledger.jsonl", LEDGER),
        Ledger,
    ),
    "guide": (
        _text("SKILL.md", "---\nname: a-guide\ndescription: d\napp: mousepad\n---\nDo it.\n"),
        read_guide,
    ),
    "pack": (
        _text("SKILL.md", PACK),
        lambda path: read_skill(path.parent),
    ),
    "eval results": (_eval, lambda path: EvalFolder(path.parent).records()),
    "tape": (
        _text("models.jsonl", TAPE),
        lambda p: Tape(p.parent, replay=True),
    ),
}


def mutated(data: bytes, chance: random.Random) -> bytes:
    """The same file, damaged: by structure where it is JSON, else by its bytes."""
    way = chance.randrange(6)
    if way == 0:
        return chance.choice(HORRORS)
    if way in (1, 2):
        lines = data.split(b"\n")
        at = chance.randrange(len(lines))
        try:
            value = json.loads(lines[at])
        except (ValueError, RecursionError):
            try:
                return json.dumps(changed(json.loads(data), chance)).encode()
            except (ValueError, RecursionError):
                return data[: chance.randrange(len(data) + 1)]
        lines[at] = json.dumps(changed(value, chance)).encode()
        return b"\n".join(lines)
    place = chance.randrange(len(data) + 1)
    if way == 3:
        return data[:place]
    noise = chance.randbytes(chance.choice((1, 4, 400)))
    return data[:place] + noise + data[place + (len(noise) if way == 4 else 0) :]


def changed(value: Any, chance: random.Random) -> Any:
    """A value of JSON with one part of it replaced or left out."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(sorted(value))
        if chance.random() < 0.15:
            return {name: item for name, item in value.items() if name != key}
        return {**value, key: changed(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.9:
        at = chance.randrange(len(value))
        return [*value[:at], changed(value[at], chance), *value[at + 1 :]]
    return chance.choice(VALUES)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.timeout(300 + COUNT * 10)
@pytest.mark.parametrize("kind", FORMATS)
def test_a_damaged_file_is_one_clear_line(kind: str, tmp_path: Path) -> None:
    make, read = FORMATS[kind]
    sample = tmp_path / "sample"
    sample.mkdir()
    place = make(sample).relative_to(sample)
    read_at = tmp_path / "tried"
    for number in range(COUNT):
        shutil.rmtree(read_at, ignore_errors=True)
        shutil.copytree(sample, read_at)
        given = mutated((sample / place).read_bytes(), random.Random(f"{kind} {number}"))
        (read_at / place).write_bytes(given)
        began = time.process_time()
        try:
            read(read_at / place)
        except GuiAgentError as error:
            assert str(error) and len(str(error)) < 2_000, number
        except Exception as fault:  # noqa: BLE001 - any fault is the finding
            pytest.fail(f"{kind}, mutation {number}: {type(fault).__name__}: {fault}"[:300])
        assert time.process_time() - began < SLOW, f"{kind}, mutation {number}"
        kept = [path for path in read_at.rglob("*") if path.is_file() and path.read_bytes() == given]
        assert kept or kind == "memory", "what was there is still there"


def test_the_sample_of_every_format_is_read(tmp_path: Path) -> None:
    for kind, (make, read) in FORMATS.items():
        folder = tmp_path / kind
        folder.mkdir()
        if kind not in ("pack", "script", "Robot"):  # these need a second file beside them, or an extra
            read(make(folder))
    assert content("configs").is_dir()
