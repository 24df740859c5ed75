"""The prompts, one template per role, all rendered by one function."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from gui_agent.elements.describe import printable

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).resolve().parent / "templates"
OPEN, CLOSE = "⟦", "⟧"
"""What text from outside is wrapped in; it cannot contain them itself, so it cannot forge its own end."""
_FORGED = str.maketrans({OPEN: "[", CLOSE: "]"})
_BLANKS = re.compile(r"\n{3,}")

Role = Literal["system", "task", "moment", "judge", "verify", "manage"]


def render(role: Role, **context: Any) -> str:
    """The prompt of a role; a name that is missing in the context is an error."""
    text = _environment().get_template(f"{role}.md.j2").render(open=OPEN, close=CLOSE, **context)
    return _BLANKS.sub("\n\n", text).strip()


def fence(text: str, source: str) -> str:
    """Text from outside between marks that name its source and that it cannot contain itself."""
    return f"{OPEN}{source}\n{own(text)}\n/{source}{CLOSE}"


def own(text: str) -> str:
    """Text without anything that could be taken for such a mark, or that hides what it says."""
    return printable(text.translate(_FORGED))


@functools.cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    # Prompts are plain text; escaping them for HTML would garble what models read.
    return Environment(
        loader=FileSystemLoader(FOLDER),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
