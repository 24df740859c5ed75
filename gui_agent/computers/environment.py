"""The environment of programs that the agent starts: its own, without secrets."""

from __future__ import annotations

import os
from collections.abc import Mapping

from gui_agent.core.redaction import SECRET_NAME, SHORTEST

OURS = "GUIAGENT_"
"""How all variables of the agent's own begin; programs have no business to know them."""


def for_children() -> dict[str, str]:
    """The variables of this process, without anything secret."""
    return without_secrets(os.environ)


def without_secrets(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables, but for our own, those that are named like secrets, and those that hold one of ours."""
    given = {value for name, value in variables.items() if name.startswith(f"{OURS}SECRET_")}
    secrets = [value for value in given if len(value) >= SHORTEST]
    return {
        name: value
        for name, value in variables.items()
        if not name.startswith(OURS)
        and not SECRET_NAME.search(name.lower())
        and not any(secret in value for secret in secrets)
    }


def adopt(variables: Mapping[str, str]) -> None:
    """Make these the variables of this process, instead of those that it has."""
    os.environ.clear()
    os.environ.update(variables)
