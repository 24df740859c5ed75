"""What the windows written in Python share: their contents, and the truth that they write down."""

from __future__ import annotations

import sys
from pathlib import Path


class Part:
    """A control or group of controls to show."""

    def __init__(self, line: str) -> None:
        self.kind, self.label, self.value, self.flag, *rest = [*line.split("\t"), "", "", ""]
        self.items = [one.lstrip("*") for one in self.value.split("|")]
        self.chosen = next((n for n, one in enumerate(self.value.split("|")) if one.startswith("*")), -1)
        self.rows = [row.split("|") for row in rest[0].split(";") if row] if rest else []
        self.on, self.off = self.flag == "on", self.flag == "off"


def contents(path: str) -> tuple[str, int, list[Part]]:
    """Title, columns and parts, as the bench wrote them down."""
    first, *lines = Path(path).read_text(encoding="utf-8").splitlines()
    _, title, columns = first.split("\t")
    return title, int(columns), [Part(line) for line in lines]


class Truth:
    """The controls of the window, each with a function that gives its box once it is shown."""

    def __init__(self, path: str, origin: str = "screen") -> None:
        self._path, self._origin = Path(path), origin
        self._controls: list[tuple] = []

    def add(self, role, name, box, value="", states=()) -> None:
        """Note a control; `box` returns left, top, width and height, or None while it is hidden."""
        self._controls.append((role, name, box, value, states))

    def write(self) -> None:
        """Write all controls down, at once."""
        lines = [f"origin\t{self._origin}"]
        for role, name, box, value, states in self._controls:
            place = box()
            if place is not None and min(place[2:]) > 1:
                numbers = "\t".join(str(round(one)) for one in place)
                lines.append(f"{role}\t{name}\t{numbers}\t{value}\t{','.join(states)}")
        new = self._path.with_suffix(".new")
        new.write_text("\n".join(lines) + "\n", encoding="utf-8")
        new.rename(self._path)


def states(part: Part, chosen: bool = False) -> tuple[str, ...]:
    """The states of a control of a part."""
    return (*(("checked",) if part.on or chosen else ()), *(("disabled",) if part.off else ()))


def arguments() -> list[str]:
    """The arguments: style, light or dark, content, truth."""
    return sys.argv[1:5]


KINDS = (
    *("textbox", "password", "search", "textarea", "number", "select", "checkbox", "switch", "radios"),
    *("slider", "button", "primary", "link", "toolbar", "tabs", "table", "tree", "menu", "dialog"),
)


def makers(own, **others):
    """The function of `own` that makes each kind: that of the kind's name, or the one that `others` names."""
    return {kind: own[others.get(kind, kind)] for kind in KINDS}
