"""HTML pages from templates: what the report of a run and that of a benchmark have in common."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def resource(package: str, name: str) -> str:
    """A template, script or style sheet that comes with a package, as text."""
    return (files(package) / "templates" / name).read_text(encoding="utf-8")


def templates(package: str) -> Environment:
    """The templates of a package; all that is put into them is escaped, and a missing value is an error."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    return Environment(
        loader=FunctionLoader(lambda name: resource(package, name)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def moment(started: str) -> str:
    """A stored time as people write it; what is no time stays as it is."""
    try:
        return f"{datetime.fromisoformat(started):%d %B %Y, %H:%M}".lstrip("0")
    except ValueError:
        return started
