"""Skill packs: folders with a procedure and its parameters, also as typed functions."""

from __future__ import annotations

import inspect
import json
import keyword
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, time
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from gui_agent.content import content, own_file
from gui_agent.core.codec import decode, plain
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Strict
from gui_agent.core.os_errors import file_errors, replace_file
from gui_agent.core.parsing import parse_json
from gui_agent.core.texts import suggestion

Kind: TypeAlias = Literal["text", "number", "date", "time", "ordinal", "list"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MANUAL, PROCEDURE = "SKILL.md", "procedure.json"
_OURS = ("app", "start", "parameters", "tried")
"""Our keys under `metadata`; packs of earlier versions have them beside the name."""
_THEIRS = ("license", "compatibility", "allowed-tools", "tried")
"""Keys that the Agent Skills specification also allows and that are ignored here."""
LONGEST = 1024
"""Most characters of a description, by the specification."""
_FRONT = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)(.*)\Z", re.DOTALL | re.MULTILINE)
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def is_name(text: str) -> bool:
    """Whether a pack may have this name, which is also its folder's name."""
    return _NAME.fullmatch(text) is not None and len(text) <= 64


def check_name(text: str) -> None:
    if not is_name(text):
        raise ConfigError(
            f'"{text}" is not a name for a skill: use lower-case letters, digits and hyphens, at most 64'
        )


@dataclass(frozen=True, slots=True)
class Parameter(Strict):
    """One parameter of a skill."""

    type: Kind = "text"
    default: str | None = None
    """Used if no value is given; without a default, a value is required."""
    example: str = ""

    @property
    def is_required(self) -> bool:
        return self.default is None

    def __str__(self) -> str:
        given = "" if self.default is None else f", {self.default!r} unless given"
        return f"{self.type}{given}{f', such as {self.example}' if self.example else ''}"


@dataclass(frozen=True, slots=True)
class Skill:
    """A pack read from its folder."""

    name: str
    description: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict, hash=False)
    app: str = ""
    """Host or program it is for; empty for any."""
    start: str = ""
    folder: Path = field(default=Path(), compare=False)

    @property
    def procedure(self) -> Path:
        """The file with the procedure."""
        return self.folder / PROCEDURE

    def bind(self, given: Mapping[str, object]) -> dict[str, str]:
        """The values as texts, checked against the parameters."""
        for name in given:
            if name not in self.parameters:
                hint = suggestion(name, self.parameters) or "; it takes nothing"
                raise ConfigError(f'skill "{self.name}": there is no parameter "{name}"{hint}')
        missing = [
            name for name, one in self.parameters.items() if one.is_required and given.get(name) is None
        ]
        if missing:
            listed = ", ".join(f"{name} ({self.parameters[name]})" for name in missing)
            raise ConfigError(f'skill "{self.name}": give a value for {listed}')
        return {name: self._text(name, value) for name, value in given.items() if value is not None}

    def _text(self, name: str, value: object) -> str:
        kind = self.parameters[name].type
        match value:
            case str():
                text = value
            case bool():
                raise ConfigError(f'skill "{self.name}": {name} is a {kind}, not {value}')
            case int() | float() if kind != "list":
                text = str(value)
            case date() | time() if kind in ("date", "time", "text"):
                text = value.isoformat()
            case list() | tuple() if kind == "list":
                text = ", ".join(str(item) for item in value)
            case _:
                raise ConfigError(f'skill "{self.name}": {name} is a {kind}, not {value!r}')
        if kind != "text" and not text.strip():
            raise ConfigError(f'skill "{self.name}": {name} is a {kind}, and empty')
        return text


_KEYS = ("name", "description", "app", "start", "parameters")


def skill_folders() -> tuple[Path, Path]:
    """The person's folders of packs: `skills` in the current folder, then their own."""
    return own_file("here", "skills"), own_file("data", "skills")


def every_folder() -> tuple[Path, ...]:
    """All folders of packs, and of guides: the person's, then the project's own."""
    return (*skill_folders(), content("skills"))


def list_skills(folders: Iterable[Path] = ()) -> list[Skill]:
    """The runnable packs by name, by default the person's and the project's; the first folder wins."""
    found: dict[str, Skill] = {}
    for folder in tuple(folders) or every_folder():
        for pack in sorted(folder.glob("*/")) if folder.is_dir() else ():
            if (pack / PROCEDURE).is_file() and (pack / MANUAL).is_file() and pack.name not in found:
                found[pack.name] = read_skill(pack)
    return [found[name] for name in sorted(found)]


def load_skill(name: str | Path, folders: Iterable[Path] = ()) -> Skill:
    """A pack by its name, or by its folder. Raises ConfigError: it is missing or damaged."""
    places = tuple(folders) or every_folder()
    named = isinstance(name, str) and is_name(name)
    for pack in [folder / name for folder in places] if named else [Path(name)]:
        if (pack / PROCEDURE).is_file() and (pack / MANUAL).is_file():
            return read_skill(pack)
    known = [skill.name for skill in list_skills(places)]
    hint = suggestion(str(name), known) or "; make one with: guiagent skills promote PROCEDURE"
    raise ConfigError(f'there is no skill "{name}"{hint}')


def read_manual(manual: Path) -> tuple[list[str], str]:
    """The lines between the first two `---` of a manual, and the text below them."""
    with file_errors(f"cannot read {manual}"):
        text = manual.read_text(encoding="utf-8")
    return split_manual(text, manual)


def split_manual(text: str, source: Path) -> tuple[list[str], str]:
    parts = _FRONT.match(text.replace("\r\n", "\n"))
    if parts is None:
        told = "must begin with a header, name and description, between two lines of ---"
        raise ConfigError(f"{source}: {told}")
    return parts[1].split("\n"), parts[2]


def read_skill(pack: Path) -> Skill:
    manual = pack / MANUAL
    front = _front_matter(read_manual(manual)[0], manual)
    if isinstance(ours := front.pop("metadata", None), dict):
        front |= {key: ours[key] for key in _OURS if key in ours}
    strange = [key for key in front if key not in (*_KEYS, *_THEIRS)]
    if strange:
        raise ConfigError(f'{manual}: unknown key "{strange[0]}"{suggestion(strange[0], _KEYS)}')
    given = front.get("parameters") or {}
    given = _value(given) if isinstance(given, str) else given
    if not isinstance(given, dict):
        raise ConfigError(f"{manual}: write each parameter on its own line below `parameters:`")
    parameters: dict[str, Parameter] = {
        name: decode(Parameter, json.dumps(table), source=f"{manual}: parameter {name}")
        for name, table in given.items()
    }
    texts = {key: str(front.get(key, "")) for key in ("description", "app", "start")}
    return Skill(str(front.get("name", pack.name)), parameters=parameters, folder=pack, **texts)


def save_skill(skill: Skill, procedure: bytes, body: str, into: Path) -> Path:
    """Write a pack into a folder of packs, replacing one of the same name; returns the pack's folder."""
    check_name(skill.name)
    pack = into / skill.name
    with file_errors(f"cannot write the skill to {pack}"):
        pack.mkdir(parents=True, exist_ok=True)
        for name, data in ((PROCEDURE, procedure), (MANUAL, f"{_header(skill)}\n{body}".encode())):
            replace_file(pack / name, data)
    return pack


def _header(skill: Skill) -> str:
    lines = ["---", f"name: {skill.name}"]
    description = skill.description[:LONGEST] if skill.description.strip() else skill.name
    lines.append(f"description: {json.dumps(description, ensure_ascii=False)}")
    taken = {name: _without_none(plain(parameter)) for name, parameter in skill.parameters.items()}
    written = json.dumps(taken, ensure_ascii=False) if taken else ""
    ours = {"app": skill.app, "start": skill.start, "parameters": written}
    if any(ours.values()):
        lines.append("metadata:")
    # Values of `metadata` must be texts by the specification, so the parameters are JSON in a text.
    lines += [f"  {key}: {json.dumps(text, ensure_ascii=False)}" for key, text in ours.items() if text]
    return "\n".join([*lines, "---", ""])


def _without_none(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if value is not None}


def _front_matter(lines: Sequence[str], source: Path) -> dict[str, Any]:
    """The header of a manual: `key: value` lines, and indented ones below a key without a value.

    A value is JSON or else plain text, so every header is valid YAML too.
    """
    found: dict[str, Any] = {}
    section = ""
    for number, line in enumerate(lines, start=2):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        key, colon, value = line.partition(":")
        inside = line[0].isspace()
        if not colon or (inside and not section):
            raise ConfigError(f"{source} line {number}: write it as `key: value`")
        if inside:
            found[section][key.strip()] = _value(value)
            continue
        section = "" if value.strip() else key.strip()
        found[key.strip()] = _value(value) if value.strip() else {}
    return found


def _value(text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError:
        return text.strip()


_TYPES: dict[Kind, str] = {
    "text": "str",
    "number": "int | float | str",
    "date": "date | str",
    "time": "time | str",
    "ordinal": "int | str",
    "list": "Sequence[str] | str",
}


def function(name: str) -> Callable[..., Any]:
    """The function that runs a skill: `function("send_message")(on=page, to="Grace", text="hi")`."""
    try:
        skill = load_skill(name.replace("_", "-"))
    except ConfigError as error:
        raise AttributeError(str(error)) from error

    def call(*, on: Any, **values: object) -> Any:
        return on.run(skill, **{_key(skill, given): value for given, value in values.items()})

    named = [inspect.Parameter(_argument(one), inspect.Parameter.KEYWORD_ONLY) for one in skill.parameters]
    on = inspect.Parameter("on", inspect.Parameter.KEYWORD_ONLY)
    call.__name__, call.__doc__ = name, skill.description
    call.__signature__ = inspect.Signature([on, *named])  # type: ignore[attr-defined]
    return call


def module(skills: Iterable[Skill]) -> str:
    """The text of a Python file with a typed function for each skill."""
    lines = [
        '"""The skills as functions; written by `guiagent skills functions`."""',
        "",
        "from collections.abc import Sequence",
        "from datetime import date, time",
        "",
        "from gui_agent import LiveScreen, Result",
    ]
    for skill in skills:
        required = sorted(skill.parameters.items(), key=lambda item: not item[1].is_required)
        named = "".join(f", {_declaration(name, one)}" for name, one in required)
        # A dict, because a parameter may have the name of an argument of `run`, or be no Python name.
        passed = ", ".join(f"{name!r}: {_argument(name)}" for name in skill.parameters)
        lines += [
            "",
            "",
            f"def {_argument(skill.name)}(*, on: LiveScreen{named}) -> Result:",
            # A literal, so that no text of a pack becomes code.
            f"    {(skill.description or skill.name)!r}",
            f"    return on.run({skill.name!r}, **{{{passed}}})",
        ]
    return "\n".join(lines) + "\n"


def _declaration(name: str, one: Parameter) -> str:
    default = "" if one.is_required else f" = {one.default!r}"
    return f"{_argument(name)}: {_TYPES[one.type]}{default}"


def _argument(name: str) -> str:
    plain = "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in name)
    plain = f"_{plain}" if not plain or plain[0].isdecimal() else plain
    return f"{plain}_" if keyword.iskeyword(plain) or plain == "on" else plain


def _key(skill: Skill, argument: str) -> str:
    return next((name for name in skill.parameters if _argument(name) == argument), argument)
