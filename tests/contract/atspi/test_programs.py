"""What real programs tell of themselves."""

from __future__ import annotations

import os
import signal
import time

import pytest

from gui_agent.core.observation import Point
from tests.contract.atspi.conftest import Bench, named


def click(bench: Bench, point: Point) -> None:
    bench.device.move(point)
    bench.device.press_button("left")
    bench.device.release_button("left")


def test_a_text_editor_tells_its_menus_and_its_text(bench: Bench) -> None:
    (bench.home / "list.txt").write_text("milk\ntea\n")
    bench.open("mousepad --disable-server list.txt")
    reading = bench.until(lambda seen: named(seen, "File"))
    (field,) = [node for node in reading.nodes if node.role == "textbox"]
    assert field.value == "milk\ntea\n"
    assert {"editable", "multiline"} <= field.states
    assert not reading.silent
    assert not reading.late


def test_a_menu_tells_its_items_only_while_it_is_open(bench: Bench) -> None:
    bench.open("mousepad --disable-server")
    menu = named(bench.until(lambda seen: named(seen, "File")), "File")
    assert menu is not None
    assert named(bench.look(), "Save As...") is None
    click(bench, menu.box.center)
    item = named(bench.until(lambda seen: named(seen, "Save As...")), "Save As...", "menuitem")
    assert item is not None
    assert item.window != menu.window
    click(bench, item.box.center)
    bench.until(lambda seen: any(node.role == "dialog" for node in seen.nodes))


def test_what_is_at_a_point_is_asked_of_the_program(bench: Bench) -> None:
    bench.open("mousepad --disable-server")
    menu = named(bench.until(lambda seen: named(seen, "File")), "File")
    assert menu is not None
    windows = bench.device.windows()
    assert bench.source.node_at(menu.box.center, windows) == menu
    assert bench.source.node_at(Point(1279, 799), windows) is None


def test_a_frozen_program_is_late_and_the_others_are_read(bench: Bench) -> None:
    bench.open("mousepad --disable-server")
    bench.until(lambda seen: named(seen, "File"))
    frozen = bench.device.windows()[-1]
    bench.open("galculator")
    bench.until(lambda seen: named(seen, "Calculator"))
    os.kill(frozen.pid, signal.SIGSTOP)
    try:
        began = time.monotonic()
        reading = bench.look(seconds=0.5)
        assert reading.late == ("mousepad",)
        assert named(reading, "Calculator"), "the other program is read"
        assert any(node.window == frozen.id for node in reading.nodes), "what was known before is told"
        assert time.monotonic() - began < 3
        assert bench.look(seconds=0.5).late == ("mousepad",)
    finally:
        os.kill(frozen.pid, signal.SIGCONT)
    bench.until(lambda seen: not seen.late)


def test_a_program_that_exposes_nothing_is_silent(bench: Bench) -> None:
    bench.open("xterm")
    bench.until(lambda seen: seen.silent)
    assert [window.id for window in bench.device.windows()] == list(bench.look().silent)


def test_a_program_that_ends_takes_its_elements_with_it(bench: Bench) -> None:
    bench.open("mousepad --disable-server")
    bench.until(lambda seen: named(seen, "File"))
    bench.device.close_window(bench.device.windows()[-1])
    bench.until(lambda seen: not seen.nodes)


@pytest.mark.nightly
def test_a_spreadsheet_tells_its_visible_cells(bench: Bench) -> None:
    (bench.home / "tea.csv").write_text("kind,price\nAssam,4\n")
    bench.open("soffice --norestore --nologo --calc --infilter=CSV:44,34,76,1 tea.csv")
    reading = bench.until(lambda seen: (node := named(seen, "B2", "gridcell")) and node.value)
    cells = {node.name: node for node in reading.nodes if node.role == "gridcell"}
    assert (cells["A2"].value, cells["B2"].value, cells["C7"].value) == ("Assam", "4", "")
    assert (cells["B2"].attributes["row"], cells["B2"].attributes["column"]) == ("2", "B")
    bench.until(lambda seen: (node := named(seen, "A1")) and "selected" in node.states)
    click(bench, cells["C7"].box.center)
    bench.until(lambda seen: (node := named(seen, "C7")) and "selected" in node.states)
    bench.device.type_text("42")
    bench.device.press_key("enter")
    bench.device.release_key("enter")
    bench.until(lambda seen: (node := named(seen, "C7")) and node.value == "42")
