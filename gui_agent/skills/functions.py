"""Skills as typed functions: at run time, and as a Python file that editors and type checkers read."""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Callable, Iterable
from typing import Any

from gui_agent.core.errors import ConfigError
from gui_agent.skills.pack import Kind, Parameter, Skill, load_skill

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
        required = sorted(skill.parameters.items(), key=lambda item: not item[1].required)
        named = "".join(f", {_declaration(name, one)}" for name, one in required)
        # A dict, because a parameter may be called as an argument of `run` itself, or be no name in Python.
        passed = ", ".join(f"{name!r}: {_argument(name)}" for name in skill.parameters)
        lines += [
            "",
            "",
            f"def {_argument(skill.name)}(*, on: LiveScreen{named}) -> Result:",
            f"    {_docstring(skill)}",
            f"    return on.run({skill.name!r}, **{{{passed}}})",
        ]
    return "\n".join(lines) + "\n"


def _declaration(name: str, one: Parameter) -> str:
    default = "" if one.required else f" = {one.default!r}"
    return f"{_argument(name)}: {_TYPES[one.type]}{default}"


def _docstring(skill: Skill) -> str:
    """The description as a docstring; a literal, so that no text of a pack becomes code."""
    return repr(skill.description or skill.name)


def _argument(name: str) -> str:
    plain = "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in name)
    plain = f"_{plain}" if not plain or plain[0].isdecimal() else plain
    return f"{plain}_" if keyword.iskeyword(plain) or plain == "on" else plain


def _key(skill: Skill, argument: str) -> str:
    return next((name for name in skill.parameters if _argument(name) == argument), argument)
