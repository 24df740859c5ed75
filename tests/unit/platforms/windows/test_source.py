"""Elements by UI Automation against trees in memory: roles, states, frozen and vanished programs."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from guiagent_platforms.windows.automation import ComAutomation, box_of
from guiagent_platforms.windows.computer import WindowsSource
from PIL import Image

from gui_agent.computers.desktop.parts import ScreenReading, Source, Window
from gui_agent.core.errors import ConfigError, MissingExtra
from gui_agent.core.observation import Box, Point
from tests.unit.platforms.windows.conftest import FakeAutomation, element

PICTURE = Image.new("RGB", (10, 10))
FORM = Window(1, "Order", "forms", 10, Box(800, 0, 400, 300), outer=Box(790, 0, 420, 310))
GAME = Window(2, "Game", "game", 11, Box(0, 0, 400, 300))
BUTTON, CHECKBOX, EDIT, COMBO, TEXT, WINDOW, PANE = 50000, 50002, 50004, 50003, 50020, 50032, 50033


@pytest.fixture
def trees() -> FakeAutomation:
    save = element(5, BUTTON, "Save", Box(10, 200, 80, 30), element(6, TEXT, "Save", Box(30, 205, 40, 20)))
    form = element(
        1, WINDOW, "Order", Box(-10, 0, 420, 310),
        element(
            2, PANE, "", Box(0, 0, 400, 300),
            element(3, TEXT, "Name", Box(10, 20, 60, 20)),
            element(4, EDIT, "Name", Box(100, 20, 200, 24), patterns="value", value="Ada", readonly=False),
            element(7, EDIT, "Password", Box(100, 60, 200, 24), patterns="value", value="abc", secret=True),
            element(8, CHECKBOX, "Express", Box(10, 100, 100, 20), toggled=1, patterns="toggle"),
            element(9, COMBO, "Size", Box(10, 140, 100, 24), opened=0, enabled=False),
            save,
            element(10, BUTTON, "Bold", Box(100, 200, 30, 30), toggled=1, patterns="toggle invoke"),
            element(11, BUTTON, "gone", Box(0, 0, 0, 0)),
        ),
    )  # fmt: skip
    return FakeAutomation({1: form, 2: element(20, PANE, "", Box(-800, 0, 400, 300))})


@pytest.fixture
def plain() -> FakeAutomation:
    """What window classes and messages tell: here as little as UI Automation does of the game."""
    return FakeAutomation({n: element(90 + n, PANE, "", Box(-800, 0, 400, 300)) for n in (FORM.id, GAME.id)})


@pytest.fixture
def source(trees: FakeAutomation, plain: FakeAutomation) -> Iterator[WindowsSource]:
    made = WindowsSource(lambda: (-800, 0), lambda: trees, lambda: plain, None)
    fits_the_seam: Source = made
    yield made
    fits_the_seam.close()


def read(source: WindowsSource, seconds: float = 5.0) -> ScreenReading:
    return source.read([GAME, FORM], PICTURE, seconds)


def thawed(source: WindowsSource, trees: FakeAutomation) -> None:
    """The program answers again, and its late answer has come."""
    trees.frozen.clear()
    trees.thaw.set()
    until = time.monotonic() + 10
    while not source._asked[FORM.id].done():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_elements_have_roles_values_states_and_places_in_the_picture(source: WindowsSource) -> None:
    nodes = {(node.role, node.name): node for node in read(source).nodes}
    assert {
        ("dialog", "Order"), ("text", "Name"), ("textbox", "Name"), ("textbox", "Password"),
        ("checkbox", "Express"), ("combobox", "Size"), ("button", "Save"), ("togglebutton", "Bold"),
    } == set(nodes)  # fmt: skip
    assert nodes["textbox", "Name"].value == "Ada"
    assert nodes["textbox", "Name"].box == Box(900, 20, 200, 24)
    assert "editable" in nodes["textbox", "Name"].states
    assert nodes["textbox", "Password"].value == "•••"
    assert "password" in nodes["textbox", "Password"].states
    assert nodes["checkbox", "Express"].states == {"checked"}
    assert nodes["combobox", "Size"].states == {"disabled", "collapsed", "haspopup"}
    assert nodes["togglebutton", "Bold"].states == {"pressed"}
    assert nodes["button", "Save"].path == "dialog/group[1]/button[1]"
    assert all(node.window == FORM.id and node.source == "uia" for node in nodes.values())


def test_a_window_that_tells_nothing_is_handed_to_other_eyes(source: WindowsSource) -> None:
    assert read(source).silent == (GAME.id,)


def test_a_frozen_program_does_not_hold_up_the_others_and_is_told_from_before(
    source: WindowsSource, trees: FakeAutomation
) -> None:
    before = read(source)
    trees.frozen.add(FORM.id)
    began = time.monotonic()
    reading = read(source, 0.5)
    assert time.monotonic() - began < 15.0, "the frozen program answers after 20 s"
    assert reading.late == ("forms",)
    assert reading.nodes == before.nodes
    thawed(source, trees)
    assert read(source).late == ()


def test_a_program_that_dies_while_it_is_asked_is_late_and_then_forgotten(
    source: WindowsSource, trees: FakeAutomation
) -> None:
    read(source)
    trees.gone.add(FORM.id)
    assert read(source).late == ("forms",)
    assert source.read([GAME], PICTURE, 5.0).nodes == ()


def test_a_point_has_the_node_that_was_listed(source: WindowsSource, trees: FakeAutomation) -> None:
    save = next(node for node in read(source).nodes if node.name == "Save")
    tree = trees.element_at(Point(15, 202))
    assert tree is not None and tree.runtime == save.key
    assert source.node_at(Point(815, 202), [GAME, FORM]) == save
    assert source.node_at(Point(3000, 2000), [GAME, FORM]) is None


def test_what_has_no_place_has_an_empty_box() -> None:
    assert box_of((float("inf"), 0.0, 1.0, 1.0)).area == 0
    assert box_of(()).area == 0
    assert box_of((1.0, 2.4, 3.0, 4.0)) == Box(1, 2, 3, 4)


def test_without_its_library_the_error_says_how_to_get_it() -> None:
    with pytest.raises(MissingExtra, match="desktop"):
        ComAutomation()


def test_an_answer_that_comes_late_is_never_shown_as_the_present(
    source: WindowsSource, trees: FakeAutomation
) -> None:
    read(source)
    trees.frozen.add(FORM.id)
    assert source.read([GAME, FORM], PICTURE, 0.05).late == ("forms",)
    thawed(source, trees)
    small = Box(0, 0, 9, 9)
    parts = element(50, BUTTON, "Paid", small), element(51, BUTTON, "Sent", small)
    trees.trees[FORM.id] = element(1, WINDOW, "Order", small, *parts)
    reading = read(source)
    assert reading.late == ()
    assert {node.name for node in reading.nodes} == {"Order", "Paid", "Sent"}


def test_programs_that_hang_do_not_keep_a_point_from_being_looked_at(
    source: WindowsSource, trees: FakeAutomation
) -> None:
    save = next(node for node in read(source).nodes if node.name == "Save")
    windows = [Window(number, "", "x", 1, Box(0, 0, 5, 5)) for number in range(100, 120)]
    trees.frozen |= {window.id for window in windows}
    source.read(windows, PICTURE, 0.05)
    read(source, 0.05)
    assert source.node_at(Point(815, 202), [GAME, FORM]) is not None
    assert source.node_at(Point(815, 202), [GAME, FORM]).key == save.key  # type: ignore[union-attr]
    trees.thaw.set()


def test_what_is_not_listed_still_has_its_place_in_the_tree(source: WindowsSource) -> None:
    read(source)
    there = source.node_at(Point(1100, 290), [GAME, FORM])
    assert there is not None and (there.role, there.path) == ("group", "dialog/group[1]")


def test_messages_tell_of_what_ui_automation_is_silent_about_or_late_with(
    source: WindowsSource, trees: FakeAutomation, plain: FakeAutomation
) -> None:
    roll, score = (BUTTON, "Roll", Box(-790, 10, 40, 20)), (TEXT, "Score", Box(-790, 40, 40, 20))
    board = element(3, PANE, "Board", Box(-800, 0, 400, 300), element(4, *roll), element(5, *score))
    plain.trees[GAME.id] = board
    reading = read(source)
    told = {node.name: node for node in reading.nodes if node.window == GAME.id}
    assert {"Board", "Roll", "Score"} == set(told) and reading.silent == ()
    assert {node.source for node in told.values()} == {"win32"}
    trees.gone.add(FORM.id)  # it fails
    plain.trees[FORM.id] = board
    assert "Roll" in {node.name for node in read(source).nodes if node.window == FORM.id}
    trees.frozen.add(GAME.id)  # it takes long
    won = element(6, TEXT, "Won", Box(0, 0, 9, 9))
    plain.trees[GAME.id] = element(3, PANE, "Board", Box(0, 0, 9, 9), element(4, *roll), won)
    reading = read(source, 0.05)
    assert reading.late == () and "Won" in {node.name for node in reading.nodes}
    trees.thaw.set()


def test_without_ui_automation_messages_are_all_there_is(plain: FakeAutomation) -> None:
    def broken() -> FakeAutomation:
        raise ConfigError("UI Automation is not available (CreateObject: no class)")

    source = WindowsSource(lambda: (0, 0), broken, lambda: plain, None)
    plain.trees = {
        FORM.id: element(1, WINDOW, "Order", Box(0, 0, 9, 9), element(2, BUTTON, "Save", Box(0, 0, 9, 9)))
    }
    reading = source.read([FORM], PICTURE, 5.0)
    assert [(node.name, node.source) for node in reading.nodes] == [("Order", "win32"), ("Save", "win32")]
    assert "CreateObject" in source.trouble
    source.close()


def test_values_of_old_programs_count_where_the_new_ones_are_missing(
    source: WindowsSource, trees: FakeAutomation
) -> None:
    trees.trees[FORM.id] = element(
        1, WINDOW, "Order", Box(0, 0, 9, 9),
        element(2, EDIT, "", Box(0, 0, 9, 9), legacy_name="City", legacy_value="Ulm"),
        element(3, BUTTON, "OK", Box(0, 0, 9, 9)),
    )  # fmt: skip
    field = next(node for node in read(source).nodes if node.role == "textbox")
    assert (field.name, field.value) == ("City", "Ulm")
