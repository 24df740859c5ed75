"""Opens the screens of recipes, and tells for each the picture and what the tree says is visible on it."""

from __future__ import annotations

import io
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from eyes_recipes import RECIPES, Recipe, ScreenRecipe, content_lines, page_of
from guiagent_eval.app_catalogue import App, applications
from guiagent_eval.app_data import fill_in
from guiagent_eval.app_server import AppServer, install, placeholders
from guiagent_eval.apps import simulated_phone
from PIL import Image

from gui_agent import LiveScreen
from gui_agent.computers.browser.computer import BrowserComputer
from gui_agent.core.actions import Press
from gui_agent.core.errors import BenchmarkError, GuiAgentError
from gui_agent.core.observation import Box, Element, Observation
from gui_agent.core.protocols import Computer

if TYPE_CHECKING:
    from gui_agent.computers.virtual.computer import VirtualComputer

CONTROLS = frozenset(
    (
        *(
            "button",
            "togglebutton",
            "link",
            "textbox",
            "searchbox",
            "checkbox",
            "radio",
            "switch",
            "combobox",
        ),
        *("listbox", "option", "tab", "menuitem", "treeitem", "slider", "spinbutton"),
    )
)
"""Roles of the controls that are asked for and sought."""
STARTING = 25.0
"""Seconds within which a screen must show its controls."""
FEW = 3
"""Controls from which on a screen counts as shown."""
PAINTED = 2.0
"""Least standard deviation of the brightness, 0 to 255, where something is painted."""
LEAST = 7
"""Pixels; a control smaller than this, or at the right or lower edge of the picture, is probably cut off."""
BESIDE = 3
"""Pixels around a control within which its edge is painted."""
INNER = ((0.5, 0.5), (0.25, 0.3), (0.75, 0.3), (0.25, 0.7), (0.75, 0.7))
"""Places in a control, as fractions of its size; it must be on top at `ON_TOP` of them."""
ON_TOP = 3
OVERLAP = 0.3
"""Share of the smaller of two controls from which on an overlap makes the boxes of both doubtful."""
JPEG = 40
"""Quality of the compressed picture of a remote desktop, 1 to 95."""


@dataclass(frozen=True)
class Shot:
    """A screen: its picture, and the visible elements by the tree."""

    name: str
    picture: Image.Image
    told: Observation
    group: str
    """Where it counts: web, desktop, phone or vnc."""


def compressed(shot: Shot) -> Shot:
    """The same screen as a remote desktop shows it, with the traces of JPEG."""
    sink = io.BytesIO()
    shot.picture.convert("RGB").save(sink, "JPEG", quality=JPEG, subsampling=2)
    return replace(shot, name=f"{shot.name}, compressed", picture=Image.open(sink), group="vnc")


def shots(recipe: Recipe, cache: Path, say: Callable[[str], None]) -> Iterator[Shot]:
    """All screens of a recipe; one that cannot be shown is reported and left out.

    Raises:
        GuiAgentError: the recipe cannot be installed or started.
    """
    opened = {"application": _of_application, "library": _of_library, "phone": _of_phone}
    for shot in opened.get(recipe.kind, _of_program)(recipe, cache, say):
        count = sum(one.role in CONTROLS for one in shot.told.elements)
        if count < FEW:
            say(f"left out: {shot.name}: only {count} controls")
            continue
        yield shot


def shot_of_page(url: str) -> Shot:
    """A page as a screen of the bed."""
    with BrowserComputer(url) as computer:
        computer.settle()
        return _web_shot(computer, url)


def _of_application(recipe: Recipe, cache: Path, say: Callable[[str], None]) -> Iterator[Shot]:
    app = applications().get(recipe.name)
    if app is None:
        raise BenchmarkError(f"eval/apps has no {recipe.name}")
    install(app, cache, say)
    with _served(app, cache) as server:
        yield from _pages(recipe, server.data.address, lambda screen: screen.at or app.start, say, server)


def _of_library(recipe: Recipe, cache: Path, say: Callable[[str], None]) -> Iterator[Shot]:
    app = recipe.as_app()
    install(app, cache, say)
    with _served(app, cache) as server:

        def written(screen: ScreenRecipe) -> str:
            path = server.data.folder / f"{screen.content}.html"
            path.write_text(page_of(recipe, screen), encoding="utf-8")
            return f"/{path.name}"

        yield from _pages(recipe, server.data.address, written, say, server)


@contextmanager
def _served(app: App, cache: Path) -> Iterator[AppServer]:
    server = AppServer(app, cache)
    try:
        server.fresh()
        yield server
    finally:
        server.close()


def _pages(
    recipe: Recipe,
    address: str,
    path: Callable[[ScreenRecipe], str],
    say: Callable[[str], None],
    server: AppServer,
) -> Iterator[Shot]:
    for number, screen in enumerate(recipe.screens, 1):
        name = f"{recipe.name} {screen.content or number}"
        try:
            where = address + str(fill_in(path(screen), server.names))
            with BrowserComputer(where, zoom=screen.zoom) as computer:
                _wait_for_controls(computer)
                _lead(computer, screen)
                shot = _web_shot(computer, name)
        except GuiAgentError as error:
            say(f"left out: {name}: {error}")
            continue
        yield shot
        if screen.vnc:
            yield compressed(shot)


def _lead(computer: Computer, screen: ScreenRecipe) -> None:
    if screen.do:
        LiveScreen(computer, yes=True, limits={"proof": "lenient"}).act(screen.do)
    for key in screen.keys:
        computer.perform(Press((key,)))
        computer.settle()
    if screen.do or screen.keys:
        time.sleep(1.0)  # A menu or a dialog that fades in.
        computer.settle()


def _wait_for_controls(computer: Computer) -> None:
    """Wait until the number of controls stays the same; some pages and programs build theirs slowly."""
    until, before = time.monotonic() + STARTING, -1
    while time.monotonic() < until:
        computer.settle()
        now = sum(one.role in CONTROLS for one in computer.observe(picture=False).elements)
        if now == before and now >= FEW:
            return
        before = now
        time.sleep(0.7)


def _web_shot(computer: BrowserComputer, name: str) -> Shot:
    told = computer.observe()
    assert told.screenshot is not None
    picture = Image.open(io.BytesIO(told.screenshot.data)).convert("RGB")
    visible = [one for one in told.elements if one.role not in CONTROLS or _is_on_top(computer, one)]
    return Shot(name, picture, replace(told, elements=painted(visible, picture)), "web")


def _is_on_top(computer: BrowserComputer, element: Element) -> bool:
    """Whether most inner points of a control hit it, its contents or its label."""
    hits = 0
    for across, down in INNER:
        at = element.box.point_at(across, down)
        top = computer.on_loop(
            lambda open, at=at: open.snapshot.top_element(open.session.current.page, at)  # type: ignore[misc]
        )
        hits += top is not None and element.id in top.ids
    return hits >= ON_TOP


def painted(elements: Sequence[Element], picture: Image.Image) -> tuple[Element, ...]:
    """The elements without controls outside the picture or in a place where nothing is painted."""
    grey = np.asarray(picture.convert("L"), dtype=np.float32)
    frame = Box(0, 0, *picture.size)

    def is_painted(one: Element) -> bool:
        around = one.box.grow(BESIDE).intersect(frame)
        wide = one.box.width > frame.width / 2
        inside = (
            frame.encloses(one.box)
            and one.box.bottom < frame.bottom
            and (wide or one.box.right < frame.right)
        )
        if around is None or not inside or min(one.box.width, one.box.height) < LEAST:
            return False
        return float(grey[around.top : around.bottom, around.left : around.right].std()) >= PAINTED

    return tuple(one for one in elements if one.role not in CONTROLS or is_painted(one))


def without_overlaps(elements: Sequence[Element]) -> tuple[Element, ...]:
    """The elements without controls that partly lie on each other: one is covered, or a box is wrong."""
    controls = [one for one in elements if one.role in CONTROLS]
    doubtful: set[int] = set()
    for one, other in combinations(controls, 2):
        common = one.box.intersect(other.box)
        if common is None or one.box.encloses(other.box) or other.box.encloses(one.box):
            continue
        if common.area >= OVERLAP * min(one.box.area, other.box.area):
            doubtful |= {one.id, other.id}
    return tuple(one for one in elements if one.id not in doubtful)


def _of_program(recipe: Recipe, cache: Path, say: Callable[[str], None]) -> Iterator[Shot]:
    from gui_agent.computers.virtual.computer import VirtualComputer

    app = applications().get(recipe.name) if not recipe.command else None
    install(app or recipe.as_app(), cache, say)
    folder = app.folder / "data" if app else RECIPES / "windows"
    for number, screen in enumerate(recipe.screens, 1):
        name = f"{recipe.name} {screen.content or number}"
        home = Path(tempfile.mkdtemp(prefix="guiagent-eyes-"))
        names = {**placeholders(app or recipe.as_app(), cache), "home": str(home)}
        names |= {"truth": str(home / "truth.txt"), "content": str(home / "content.txt")}
        names |= {
            "dark": "dark" if screen.dark else "light",
            "windows": str(RECIPES / "windows"),
            "style": screen.style,
        }
        if app and folder.is_dir():
            shutil.copytree(folder, home, dirs_exist_ok=True)
        if screen.content:
            Path(names["content"]).write_text(content_lines(screen.content), encoding="utf-8")
        command = str(fill_in(screen.at or recipe.command or (app.start if app else ""), names))
        try:
            with VirtualComputer(home=str(home), observe="tree", cap=600) as computer:
                computer.start(command)
                own = _own_truth(computer, Path(names["truth"])) if recipe.kind == "window" else None
                if own is None:
                    _wait_for_controls(computer)
                _lead(computer, screen)
                shot = _desktop_shot(computer, name, own)
        except GuiAgentError as error:
            say(f"left out: {name}: {error}")
            continue
        finally:
            shutil.rmtree(home, ignore_errors=True)
        yield shot
        if screen.vnc:
            yield compressed(shot)


def _own_truth(computer: VirtualComputer, path: Path) -> list[Element]:
    """The controls that a window of ours has written down, on the screen.

    Raises:
        BenchmarkError: it wrote none in time.
    """
    until = time.monotonic() + STARTING
    while not path.is_file():
        if time.monotonic() > until:
            raise BenchmarkError("the window did not say what it shows")
        time.sleep(0.1)
    computer.settle()
    origin, *lines = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    left, top = 0, 0
    if origin[1] == "window":
        left, top = next(one.box.corner for one in computer.device.windows() if not one.popup)
    return [
        Element(
            number,
            role,
            name,
            Box(*map(int, (x, y, width, height))).shift(left, top),
            value=value,
            states=frozenset(states.split(",")) - {""},
            source="toolkit",
        )
        for number, (role, name, x, y, width, height, value, states) in enumerate(lines, 1)
    ]


def _desktop_shot(computer: VirtualComputer, name: str, own: list[Element] | None) -> Shot:
    told = computer.observe()
    picture = computer.device.grab().convert("RGB")
    elements = own if own is not None else _in_front(told.elements)
    visible = painted(without_overlaps(elements), picture)
    return Shot(name, picture, replace(told, elements=visible, screenshot=None), "desktop")


def _in_front(elements: Sequence[Element]) -> list[Element]:
    """The elements without the controls behind a dialog, which it may cover."""
    dialog = any("dialog[" in one.path for one in elements)
    return [one for one in elements if not dialog or "dialog[" in one.path or "menubar" in one.path]


def _of_phone(recipe: Recipe, cache: Path, say: Callable[[str], None]) -> Iterator[Shot]:
    from guiagent_platforms.android.computer import AndroidComputer

    with (
        simulated_phone() as (phone, address),
        tempfile.TemporaryDirectory() as kept,
        AndroidComputer(name=address, kept=kept, observe="tree") as computer,
    ):
        for screen in recipe.screens:
            phone.launch(screen.at)
            computer.settle()
            told = computer.observe()
            assert told.screenshot is not None
            picture = Image.open(io.BytesIO(told.screenshot.data)).convert("RGB")
            rows = [replace(one, role="option") if one.role == "listitem" else one for one in told.elements]
            visible = painted(without_overlaps(rows), picture)
            name = f"phone {screen.at.rpartition('.')[2]}"
            yield Shot(name, picture, replace(told, elements=visible), "phone")
