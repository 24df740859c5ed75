"""The recipes in `eval/eyes`: which screens the bed for eyes has, and the pages of component libraries."""

from __future__ import annotations

import html
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from guiagent_eval.app_catalogue import App
from guiagent_eval.app_data import fill_in
from pydantic import TypeAdapter, ValidationError

from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import STRICT
from gui_agent.core.parsing import parse_toml
from gui_agent.core.texts import suggestion
from gui_agent.core.validation_errors import explain

RECIPES = Path(__file__).parents[1] / "eyes"
SEED = 55
"""The seed with which the halves were drawn, see `drawn_halves`."""
Half = Literal["seen", "never"]
Kind = Literal["application", "library", "program", "window", "phone"]
LAYOUT = (
    ".parts{display:grid;grid-template-columns:repeat(COLUMNS,minmax(0,1fr));gap:18px 32px;align-items:start;"
    "max-width:1080px}"
)


@dataclass(frozen=True, slots=True)
class ScreenRecipe:
    """One screen: where it starts, what is done there, and how it is drawn."""

    at: str = ""
    """Path of a page, or the command of a program; empty for that of the recipe."""
    do: str = ""
    """Plain commands that lead to the screen."""
    keys: tuple[str, ...] = ()
    style: str = ""
    """The look of a toolkit, which its window gets as an argument."""
    content: str = ""
    """Name of a table in `contents.toml`."""
    dark: bool = False
    zoom: float = 1.0
    vnc: bool = False
    """Whether the picture is read a second time as a remote desktop shows it, compressed."""
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Recipe:
    """An application, a component library, a program, or a window of ours in a toolkit."""

    name: str
    kind: Kind
    half: Half
    screens: tuple[ScreenRecipe, ...]
    title: str = ""
    npm: tuple[str, ...] = ()
    pip: tuple[str, ...] = ()
    debian: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    build: tuple[tuple[str, ...], ...] = ()
    command: str = ""
    """Starts the program; `{truth}` is the file to which a window of ours writes what it shows."""
    page: str = ""
    script: bool = False
    """Whether the page is made by a script, so that texts are not escaped as HTML."""
    theme: tuple[str, str] = ("light", "dark")
    widgets: Mapping[str, Any] = field(default_factory=dict)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    @property
    def is_web(self) -> bool:
        return self.kind in ("application", "library")

    def as_app(self) -> App:
        """The application that `guiagent_eval` installs and serves for a library or a program."""
        serve = ("{self}", "-m", "http.server", "{port}", "--bind", "127.0.0.1")
        return App(
            name=f"eyes-{self.name}",
            title=self.title or self.name,
            kind="web" if self.is_web else "desktop",
            folder=RECIPES / "windows",
            tasks=(),
            **{"npm": self.npm, "pip": self.pip, "debian": self.debian, "programs": self.programs},
            build=self.build,
            prepare=(("ln", "-s", "{place}/node_modules", "lib"), ("ln", "-s", "{place}", "place")),
            command=serve if self.is_web else (),
        )


_RECIPE = TypeAdapter(Recipe)
TABLES = {"applications.toml": "application", "programs.toml": "program", "windows.toml": "window"}
"""Files with a table per recipe, and the kind of these."""


def read_recipes(root: Path = RECIPES, *, undrawn: bool = False) -> dict[str, Recipe]:
    """All recipes by name; with `undrawn` also those that are in no half yet, as if they were in `never`.

    Raises:
        ConfigError: a file is wrong; the message says where.
    """
    found: dict[str, Recipe] = {}
    halves = {} if undrawn else _read(root / "halves.toml")
    for path in sorted(root.glob("libraries/*.toml")):
        found[path.stem] = _recipe(path, path.stem, "library", halves, _read(path))
    for name, kind in TABLES.items():
        path = root / name
        for called, table in (_read(path) if path.is_file() else {}).items():
            found[called] = _recipe(path, called, kind, halves, table)
    phone = {"screens": _read(root / "phone.toml").get("screens", [])}
    found["phone"] = _recipe(root / "phone.toml", "phone", "phone", halves, phone)
    return found


def _recipe(path: Path, name: str, kind: str, halves: Mapping[str, Any], table: Mapping[str, Any]) -> Recipe:
    half = next((one for one in ("seen", "never") if name in halves.get(one, ())), "never")
    if halves and name not in halves.get(half, ()):
        raise ConfigError(f"{path}: {name} is in neither half of halves.toml")
    try:
        return _RECIPE.validate_python({**table, "name": name, "kind": kind, "half": half})
    except ValidationError as error:
        raise ConfigError(f"{path}: {name}: {explain(error)}") from error


def _read(path: Path) -> dict[str, Any]:
    try:
        return dict(parse_toml(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from error


def chosen_recipes(known: Mapping[str, Recipe], names: Sequence[str], kinds: Sequence[str]) -> list[Recipe]:
    """The recipes with these names, or those of the kinds.

    Raises:
        ConfigError: there is no recipe of a name.
    """
    for name in names:
        if name not in known:
            raise ConfigError(f"there is no recipe {name!r}{suggestion(name, known)}; --list names all")
    return [known[name] for name in dict.fromkeys(names)] or [
        one for one in known.values() if one.kind in kinds
    ]


def drawn_halves(kinds: Mapping[str, str], seed: int = SEED) -> dict[str, list[str]]:
    """Names of recipes in two halves, drawn by a seed within each kind."""
    halves: dict[str, list[str]] = {"seen": [], "never": []}
    for kind in sorted(set(kinds.values())):
        draw = random.Random(f"{seed} {kind}")
        names = sorted(name for name in kinds if kinds[name] == kind)
        draw.shuffle(names)
        middle = (len(names) + draw.randrange(2)) // 2
        halves["seen"] += sorted(names[:middle])
        halves["never"] += sorted(names[middle:])
    return halves


def content_called(name: str, root: Path = RECIPES) -> dict[str, Any]:
    """What a page or window shows, as `contents.toml` describes it.

    Raises:
        ConfigError: there is no such content.
    """
    contents = _read(root / "contents.toml")
    if name not in contents:
        raise ConfigError(f"contents.toml has no {name!r}{suggestion(name, contents)}")
    return dict(contents[name])


def content_lines(name: str) -> str:
    """The same for windows: a line per part, its fields parted by tabs, items by `|`, and rows by `;`."""
    content = content_called(name)
    lines = [f"title\t{content['title']}\t{content['columns']}"]
    for part in content["parts"]:
        kind, label, given = part[:3]
        flag = part[3] if len(part) > 3 and isinstance(part[3], str) else ""
        rows = ";".join("|".join(row) for row in part[3]) if kind == "table" else ""
        lines.append(
            "\t".join((kind, label, given if isinstance(given, str) else "|".join(given), flag, rows))
        )
    return "\n".join(lines) + "\n"


def page_of(recipe: Recipe, screen: ScreenRecipe) -> str:
    """The HTML of a page of ours, in the markup that the library documents."""
    content = content_called(screen.content)
    quoted = _as_script if recipe.script else html.escape
    made = [
        _markup(recipe.widgets[part[0]], f"p{number}", part, quoted)
        for number, part in enumerate(content["parts"])
        if part[0] in recipe.widgets
    ]
    names = {
        "title": quoted(content["title"]),
        "theme": recipe.theme[screen.dark],
        "layout": LAYOUT.replace("COLUMNS", str(content["columns"])),
        "body": "\n".join(made),
    }
    return str(fill_in(recipe.page, names))


def _as_script(text: str) -> str:
    return json.dumps(text)[1:-1].replace("`", "'")


def _markup(widget: Any, number: str, part: Sequence[Any], quoted: Any) -> str:
    """One part in the markup of a library: a text, or the texts of the whole, its items and its rows."""
    kind, label, given, flag = part[0], part[1], part[2], part[-1] if len(part) > 3 else ""
    parts = {"whole": widget} if isinstance(widget, str) else widget
    on, off = parts.get("on", "checked"), parts.get("off", "disabled")
    names = {
        "id": number,
        "label": quoted(label),
        "value": quoted(given) if isinstance(given, str) else "",
        **{"on": on if flag == "on" else "", "true": str(flag == "on").lower()},
        **{"off": off if flag == "off" else "", "disabled": str(flag == "off").lower()},
    }
    if not isinstance(given, str):
        names["items"] = "".join(_item(parts["item"], on, names, *one, quoted) for one in enumerate(given))
        chosen = [one.lstrip("*") for one in given if one.startswith("*")]
        names["chosen"] = quoted(chosen[0]) if chosen else ""
        names["list"] = html.escape(json.dumps([one.lstrip("*") for one in given]), quote=True)
    if kind == "table":
        rows = [_row(parts, names, row, quoted) for row in part[3]]
        names["rows"] = "".join(rows)
        names["data"] = html.escape(json.dumps(part[3]), quote=True)
    return str(fill_in(parts["whole"], names))


def _item(text: str, on: str, names: Mapping[str, str], place: int, item: str, quoted: Any) -> str:
    chosen, first = item.startswith("*"), "first" if place == 0 else ""
    told = {"item": quoted(item.lstrip("*")), "n": str(place), "first": first}
    return str(fill_in(text, {**names, **told, "on": on if chosen else "", "true": str(chosen).lower()}))


def _row(parts: Mapping[str, str], names: Mapping[str, str], row: Sequence[str], quoted: Any) -> str:
    first = parts.get("first", parts["cell"])
    cells = [fill_in(parts["cell"] if at else first, {"item": quoted(one)}) for at, one in enumerate(row)]
    return str(fill_in(parts["row"], {**names, "cells": "".join(map(str, cells))}))
