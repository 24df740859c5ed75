"""The report of a run: one HTML page that loads nothing; its templates serve that of a benchmark too."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import re
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import private, why
from gui_agent.trace.lines import IMAGES, REPORT
from gui_agent.trace.reader import StoredRun, read_run
from gui_agent.trace.report_model import PARTS, Gallery, bars, chapters, total_time
from gui_agent.trace.wording import duration, plural, verdict

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

PACKAGE = "gui_agent.trace"
_QUOTED = re.compile(r'(?:^|(?<=\s))(".+?")(?=$|[\s,])')
"""A quotation in a sentence; quotes within it do not stand between spaces."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One figure of the summary."""

    name: str
    value: str


def write_report(run: StoredRun | Path | str, target: Path | None = None) -> Path:
    """Write the report of a run, finished or killed, and return its path.

    Args:
        run: a run that was read, or its folder.
        target: where to; by default `report.html` in the run's folder.

    Raises:
        ConfigError: not a run, or the page cannot be written.
    """
    stored = run if isinstance(run, StoredRun) else read_run(run)
    path = target or stored.folder / REPORT
    beside = path.with_name(f"{path.name}.part")
    try:
        with open(beside, "w", encoding="utf-8", opener=private) as file:
            file.write(render(stored))
        beside.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)  # half a report would look like a whole one
        raise ConfigError(f"cannot write the report {path}: {why(error)}") from error
    return path


def render(run: StoredRun) -> str:
    """The report of a run as HTML."""
    turns = run.trajectory.turns
    screens = [turn.observation for turn in turns]
    screens += [screen for step in run.trajectory.steps for screen in (step.before, step.after)]
    gallery = Gallery(screens)
    script = resource(PACKAGE, "report.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = _environment().get_template("report.html.j2")
    return page.render(
        run=run,
        task=run.trajectory.task,
        ending=run.trajectory.ending,
        verdict=verdict(run.trajectory.ending),
        notes=run.trajectory.notes,
        facts=_facts(run),
        started=moment(run.meta.started),
        chapters=chapters(turns, gallery, run.at),
        total=bars(total_time(turns)),
        total_time=duration(sum(total_time(turns).values())),
        known=PARTS,
        settings=json.dumps(run.meta.settings, indent=2, ensure_ascii=False) if run.meta.settings else "",
        images=IMAGES if len(gallery) else "",
        style=resource(PACKAGE, "report.css"),
        script=script,
        script_hash=f"sha256-{digest}",
    )


def _facts(run: StoredRun) -> list[Fact]:
    turns, steps = run.trajectory.turns, run.trajectory.steps
    planners = dict.fromkeys(turn.decision.planner for turn in turns if turn.decision.planner)
    facts = [
        Fact("steps", str(len(steps))),
        Fact("time", duration(run.seconds)),
        Fact("decisions", str(len(turns))),
        Fact("model calls", str(run.model_calls)),
    ]
    if planners:
        facts.append(Fact("planner", ", ".join(planners)))
    if turns:
        size = turns[0].observation.size
        facts.append(Fact("screen", f"{size.width}\u2009×\u2009{size.height}"))
    return facts


@cache
def _environment() -> Environment:
    environment = templates(PACKAGE)
    environment.filters["quoted"] = _quoted
    environment.filters["plural"] = plural
    environment.filters["capital"] = lambda text: text[:1].upper() + text[1:]
    return environment


def _quoted(sentence: str) -> Markup:
    """A sentence with what stands in quotes set apart; escaped."""
    from markupsafe import Markup, escape

    pieces = _QUOTED.split(sentence)
    made = (Markup("<q>“{}”</q>").format(p[1:-1]) if _QUOTED.fullmatch(p) else escape(p) for p in pieces)
    return Markup("").join(made)


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
