"""The bed for eyes, through its door: what is asked for, what counts as right, and its recipes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gui_agent.computers.environment import for_children

ROOT = Path(__file__).parents[3]
BENCH = ROOT / "eval/bench/bench_eyes.py"
PAGE = ROOT / "tests/pages/eyes.html"
SIGHT = """
from gui_agent.computers.desktop.parts import Node, ScreenReading
from gui_agent.core.observation import Box

def node(key, role, name, box, **more):
    return Node(key=key, role=role, name=name, box=Box(*box), window=0, source="vision", **more)

SEEN = (
    node(1, "text", "Name", (20, 20, 44, 18)),
    node(2, "textbox", "Name", (100, 15, 200, 26), value="Adx"),
    node(3, "button", "Save", (20, 80, 120, 34)),
    node(4, "button", "Send", (400, 400, 120, 34)),
    node(5, "checkbox", "Gift", (20, 140, 20, 20)),
)

class Sight:
    def read(self, windows, picture, seconds):
        return ScreenReading(SEEN)
"""
"""Eyes without OCR: a field and a button in their places, a button elsewhere, a tick that is not seen."""


def bench(*arguments: object, at: Path) -> subprocess.CompletedProcess[str]:
    (at / "sight.py").write_text(SIGHT, "utf-8")
    return subprocess.run(
        [sys.executable, str(BENCH), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=at,
        env={**for_children(), "PYTHONPATH": str(at)},
    )


def test_a_control_is_right_where_its_box_is_and_what_nobody_sees_is_not_asked_for(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    ran = bench("--pages", PAGE, "--eyes", "sight:Sight", "--out", out, at=tmp_path)
    assert ran.returncode == 0, ran.stderr
    lines = {" ".join(line.split()) for line in ran.stdout.splitlines()}
    wanted = {"button asked 2 right 1 wrong 1 none 0", "textbox asked 1 right 1 wrong 0 none 0"}
    assert wanted | {"all asked 4 right 3 wrong 1 none 0"} <= lines
    (screen,) = json.loads(out.read_text("utf-8"))["screens"]
    assert [(miss["name"], miss["outcome"]) for miss in screen["misses"]] == [("Send", "wrong")]
    counts = screen["counts"]
    assert (counts["button there"], counts["button boxed"], counts["all false"]) == (2, 1, 1)
    assert (counts["checked yes asked"], counts["checked yes right"]) == (1, 0)
    assert (counts["value letters"], counts["value letters right"]) == (3, 2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--only", "bootstrp"), 'did you mean "bootstrap"'),
        (("--pages", "x.html", "--eyes", "sight:None_"), "it is PACKAGE.MODULE:NAME"),
        (("--report", "sight.py"), "Expecting value"),
        (("--workers", "0"), "--workers must be at least 1"),
    ],
)
def test_bad_input_gives_one_clear_line(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    ran = bench(*arguments, at=tmp_path)
    assert ran.returncode != 0
    assert said in ran.stderr.splitlines()[-1]
    assert "Traceback" not in ran.stderr


def test_every_recipe_is_in_one_half_and_each_kind_is_split_evenly(tmp_path: Path) -> None:
    ran = bench("--list", at=tmp_path)
    assert ran.returncode == 0, ran.stderr
    rows = [line.split() for line in ran.stdout.splitlines()]
    for kind in ("application", "library", "program", "window"):
        halves = [row[2] for row in rows if row[1] == kind]
        assert abs(halves.count("seen") - halves.count("never")) <= 1
    web = sum(int(row[3]) for row in rows if row[1] in ("application", "library"))
    assert web >= 60
    assert sum(row[1] in ("program", "window") for row in rows) >= 25


def test_pages_of_libraries_show_every_part_of_their_content() -> None:
    told = subprocess.run(
        [
            *(sys.executable, "-c"),
            "import re, sys; sys.path.insert(0, 'eval/bench')\n"
            "from eyes_recipes import *\n"
            "for one in read_recipes().values():\n"
            "    for screen in one.screens if one.kind == 'library' else ():\n"
            "        page, parts = page_of(one, screen), content_called(screen.content)['parts']\n"
            "        left = set(re.findall(r'\\{(label|items?|id|on|off|body|title|rows|cells)\\}', page))\n"
            "        shown = [part[1] for part in parts if part[0] in one.widgets]\n"
            "        print(one.name, screen.content, len(shown), sorted(left), sep='|')\n",
        ],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    rows = [line.split("|") for line in told.stdout.splitlines()]
    assert len(rows) >= 40
    assert [row for row in rows if row[3] != "[]" or int(row[2]) < 3] == []
