"""Guides: skill packs that a model reads, selected by the program in front and by the task.

They use the open SKILL.md format: `name` and `description`, and our own `app` under `metadata` with programs
and hosts, separated by commas.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path

from gui_agent.content import own_file
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Observation
from gui_agent.core.os_errors import file_errors, private_folder, real_path, replace_file
from gui_agent.core.parsing import parse_json
from gui_agent.core.texts import normal
from gui_agent.elements.words import task_stems
from gui_agent.skills.pack import MANUAL, PROCEDURE, check_name, every_folder, read_manual, skill_folders

MOST = 2
"""Most guides in one prompt."""
LONGEST = 4000
"""Most characters of a guide that a prompt shows."""
ENOUGH = 0.34
"""Share of a guide's distinguishing words that a task must mention if the program on the screen does
not fit.
"""
TOLD = 3
"""How many words of a guide's description a task must mention for the guide to fit."""


@dataclass(frozen=True, slots=True)
class Guide:
    """What a model should know about a program or a kind of task."""

    name: str
    description: str
    body: str = field(repr=False)
    apps: tuple[str, ...] = ()
    """Parts of program names, window titles or hosts that it is for; `*` stands for anything."""
    folder: Path = field(default=Path(), compare=False)

    def fits(self, screen: Observation) -> bool:
        place = screen.place
        seen = map(normal, filter(None, (place.app, place.title, place.url)))
        return any(fnmatchcase(text, f"*{app}*") for text, app in product(seen, self.apps))

    def likeness(self, task: str) -> float:
        """Share of the guide's words that the task mentions, 0 to 1; one word of several does not count."""
        asked, name = task_stems(task), task_stems(self.name.replace("-", " "))
        own, told = name | task_stems(" ".join(self.apps)), task_stems(self.description) & asked
        if not name <= asked and len(told | (own & asked)) < 2:
            return 0.0
        return max(len(own & asked) / len(own) if own else 0.0, ENOUGH if len(told) >= TOLD else 0.0)


def trusted_folders() -> tuple[Path, ...]:
    """The folders whose guides a model is shown: all except a current folder that the person has not
    allowed.
    """
    held = unasked_folder()
    return tuple(folder for folder in every_folder() if folder != held)


def unasked_folder() -> Path | None:
    """The current folder's packs if they contain guides that the person has not allowed in this version.

    A model takes a guide for the person's own words, and a folder may come from anywhere.
    """
    folder, own = skill_folders()
    if folder.resolve() == own.resolve() or not list_guides([folder]):
        return None
    return None if _allowed_guides().get(str(folder.resolve())) == _digest(folder) else folder


def allow(folder: Path) -> None:
    """Allow models to see the guides of a folder, until one of them changes."""
    kept = _record()
    with file_errors(f"cannot write {kept}"):
        private_folder(kept.parent)
        allowed = {**_allowed_guides(), str(folder.resolve()): _digest(folder)}
        replace_file(kept, json.dumps(allowed, indent=1).encode())


def _record() -> Path:
    return own_file("data", "allowed-guides.json")


def _allowed_guides() -> dict[str, str]:
    try:
        kept = parse_json(_record().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}  # an unreadable file allows nothing, so the person is asked again
    return kept if isinstance(kept, dict) else {}


def _digest(folder: Path) -> str:
    texts = ((guide.folder / MANUAL).read_bytes() for guide in list_guides([folder]))
    return hashlib.sha256(b"\0".join(hashlib.sha256(text).digest() for text in texts)).hexdigest()


def list_guides(folders: Iterable[Path]) -> list[Guide]:
    """The guides by name; of two with the same name, that of the first folder."""
    found: dict[str, Guide] = {}
    for folder in folders:
        for manual in sorted(folder.glob(f"*/{MANUAL}")) if folder.is_dir() else ():
            if manual.parent.name not in found and not (manual.parent / PROCEDURE).exists():
                found[manual.parent.name] = read_guide(manual)
    return [found[name] for name in sorted(found)]


def find_guides(task: str, screen: Observation, folders: Sequence[Path]) -> list[Guide]:
    """The guides that help here, best first: for the program in front, otherwise for the task."""
    every = [(guide.likeness(task), guide) for guide in list_guides(folders)]
    fitting = [pair for pair in every if pair[1].fits(screen)]
    scored = fitting or [pair for pair in every if pair[0] >= ENOUGH]
    return [guide for _, guide in sorted(scored, key=lambda pair: (-pair[0], pair[1].name))[:MOST]]


def read_guide(manual: Path) -> Guide:
    lines, text = read_manual(manual)
    front, section = dict[str, str](), ""
    for line in lines:
        key, value = _pair(line)
        if ":" in line and not line.startswith(" "):
            front[key], section = value, key
        elif ":" in line and section == "metadata":
            front.setdefault(key, value)
    missing = [key for key in ("name", "description") if not front.get(key)]
    if missing:
        raise ConfigError(f"{manual}: {missing[0]} is missing in the front matter")
    apps = tuple(normal(app) for app in front.get("app", "").split(",") if app.strip())
    body = text.strip()[:LONGEST]
    return Guide(front["name"], front["description"], body, apps, manual.parent)


def add_guide(source: Path, into: Path) -> Guide:
    """Copy a pack, or a single SKILL.md, into a folder of packs."""
    manual = source / MANUAL if source.is_dir() else source
    if source.is_dir() and not manual.exists():
        raise ConfigError(
            f"{source}: there is no {MANUAL} in it; give a folder that has one, or the file itself"
        )
    for one in source.rglob("*") if source.is_dir() else ():
        if one.is_symlink() and not real_path(one).is_relative_to(real_path(source)):
            raise ConfigError(
                f"{one} is a link to a file outside the pack; remove it, or put the file itself there"
            )
    guide = read_guide(manual)
    check_name(guide.name)
    target = into / guide.name
    with file_errors(f"cannot write the skill to {target}"):
        if target.exists():
            raise ConfigError(f"{target} is there already; remove it first")
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            target.mkdir(parents=True)
            shutil.copyfile(manual, target / MANUAL)
    return read_guide(target / MANUAL)


def _pair(line: str) -> tuple[str, str]:
    key, _, value = line.partition(":")
    return key.strip(), value.strip().strip("\"'")
