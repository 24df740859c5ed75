"""What others build on: names of Python, commands with their options, settings, and exit codes.

    python tests/fitness/promises.py > tests/fitness/promises.json

writes what this tree offers; a release does so.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import click
from pydantic import BaseModel

PROMISED = Path(__file__).with_suffix(".json")
Names = dict[str, list[str]]


def python_names() -> Names:
    """The public names, each with its parameters; a class also with its public attributes."""
    import gui_agent

    found: Names = {}
    for name in gui_agent.__all__:
        value = getattr(gui_agent, name)
        found[name] = _parameters(value)
        if inspect.isclass(value):
            found[name] += [
                one for one in dir(value) if not one.startswith("_") and one not in dir(Exception)
            ]
    return found


def _parameters(value: Any) -> list[str]:
    try:
        return list(inspect.signature(value).parameters) if callable(value) else []
    except ValueError:
        return []


def commands() -> Names:
    """The commands of the product's own package, each with its options and arguments."""
    from gui_agent.cli import COMMANDS, app

    found: Names = {}
    for name in COMMANDS:
        context = click.Context(app)
        command = app.get_command(context, name)
        assert command is not None
        found[name] = [option for one in command.params for option in (*one.opts, *one.secondary_opts)]
        if isinstance(command, click.Group):
            found |= {f"{name} {one}": [] for one in command.list_commands(context)}
    return found


def settings() -> Names:
    """The settings by section."""
    from gui_agent.settings import Settings

    sections = {name: field.annotation for name, field in Settings.model_fields.items()}
    return {
        name: list(section.model_fields)
        if isinstance(section, type) and issubclass(section, BaseModel)
        else []
        for name, section in sections.items()
    }


def exit_codes() -> Names:
    from gui_agent.core.errors import ExitCode

    return {code.name: [str(code.value)] for code in ExitCode}


def all_names() -> dict[str, Names]:
    return {
        "python": python_names(),
        "commands": commands(),
        "settings": settings(),
        "exit codes": exit_codes(),
    }


if __name__ == "__main__":
    print(json.dumps(all_names(), indent=1))
