"""`guiagent check`: runs a demonstration as a regression test."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gui_agent.cli.options import (
    effect_option,
    har_option,
    headed_option,
    json_option,
    login_option,
    recorded_start,
    screen_option,
    settings_options,
    yes_option,
)
from gui_agent.cli.runs import FILES
from gui_agent.core.errors import ConfigError, ExitCode

if TYPE_CHECKING:
    from gui_agent.core.trajectory import Ending
    from gui_agent.procedures.language.program import Program
    from gui_agent.procedures.runtime.verification import CheckedStep
    from gui_agent.settings import Settings

EPILOG = """\
\b
Examples:
  guiagent check send-to --yes                        a learned procedure, with the values it was taught with
  guiagent check order.json --url https://staging.example --set amount=3
  guiagent check send-to --yes --strict               also fails where a sent step is not proven
  guiagent check send-to --yes --json                 for build servers; exit code 0 or 4
"""
LINT = """\
\b
Examples:
  guiagent lint send-to       a learned procedure
  guiagent lint order.json    a demonstration in a file
"""
_NOTHING = "nothing was checked: the demonstration shows no effect; record it again until the page reacts"
_SIGNS = {True: "✓", False: "✗", None: "?"}


@click.command(epilog=LINT, short_help="Say what may go wrong unnoticed in a procedure.")
@click.argument("procedure", metavar="PROCEDURE|FILE")
@settings_options
def lint(*, procedure: str, **rest: Any) -> int:
    """List the steps of PROCEDURE or FILE that nothing checks, and those that only their place identifies.

    Nothing is run. The exit code is 4 if there are any.
    """
    from gui_agent.cli.run import resolve
    from gui_agent.procedures.runtime.lint import weak_steps

    settings, _ = resolve(kind=None, headed=False, max_steps=None, max_seconds=None, **rest)
    weak = weak_steps(_programs_and_start(procedure, settings)[0])
    click.echo("\n".join(_weak_lines(weak)) or f"{procedure}: nothing to mend")
    return int(ExitCode.NOT_DONE if weak else ExitCode.DONE)


def _weak_lines(weak: Mapping[str, Sequence[str]]) -> list[str]:
    return [f"! {sentence.rstrip('.')}: {'; '.join(told)}" for sentence, told in weak.items()]


@click.command(epilog=EPILOG, short_help="Run a demonstration as a test.")
@click.argument("procedure", metavar="PROCEDURE|FILE")
@recorded_start
@screen_option
@headed_option
@yes_option
@json_option
@click.option(
    "--strict",
    is_flag=True,
    help="Fail too if lint has something to say, or a step sent something and nothing proves it.",
)
@login_option
@har_option
@effect_option
@settings_options
def check(
    *,
    procedure: str,
    url: str,
    kind: str | None,
    headed: bool,
    yes: bool,
    as_json: bool,
    strict: bool,
    **rest: Any,
) -> int:
    """Repeat PROCEDURE or the demonstration in FILE, and verify the post-conditions of every step.

    Conditions confirmed by several demonstrations are more reliable than those seen only once.
    """
    from gui_agent import wiring
    from gui_agent.cli.run import resolve
    from gui_agent.procedures.runtime.lint import weak_steps
    from gui_agent.procedures.runtime.verification import verify

    settings, values = resolve(kind=kind, headed=headed, max_steps=None, max_seconds=None, **rest)
    programs, start = _programs_and_start(procedure, settings)
    result = wiring.run("", url=url or start, demo=programs, values=values, settings=settings, yes=yes)
    steps = verify(programs, result.trajectory)
    weak = weak_steps(programs) if strict else {}
    passed = result.ok and all(step.has_passed for step in steps) and _says_anything(steps)
    passed = passed and not weak and (not strict or all(step.is_proven for step in steps))
    text = (
        _json(steps, result.ending, result.folder, passed) if as_json else _text(steps, result.ending, passed)
    )
    click.echo("\n".join([text, *([] if as_json else _weak_lines(weak))]))
    return int(result.exit_code or (ExitCode.DONE if passed else ExitCode.NOT_DONE))


def _programs_and_start(procedure: str, settings: Settings) -> tuple[list[Program], str]:
    from gui_agent import wiring
    from gui_agent.core.trajectory import Demonstration
    from gui_agent.procedures.induction.learn import learn
    from gui_agent.procedures.library.memory import open_memory

    if not Path(procedure).is_file():
        if Path(procedure).suffix in FILES:
            raise ConfigError(f"{procedure}: there is no such file")
        found = open_memory(settings).procedure(procedure)
        return list(found.programs), found.start
    known = wiring.load_known(procedure)[0]
    programs = list(learn([known])) if isinstance(known, Demonstration) else [known]
    return programs, known.start


def _verdicts(steps: list[CheckedStep]) -> list[bool | None]:
    """Whether each expectation held; None if the screen could not show it."""
    expectations = chain.from_iterable(step.expectations for step in steps)
    return [one.held for one in expectations]


def _says_anything(steps: list[CheckedStep]) -> bool:
    return not set(_verdicts(steps)) <= {None}


def _text(steps: list[CheckedStep], ending: Ending, passed: bool) -> str:
    lines: list[str] = []
    for number, step in enumerate(steps, start=1):
        lines.append(f"{_SIGNS[step.has_passed]} {number}. {step.sentence}")
        if not step.outcome.good:
            lines.append(f"     {step.outcome.for_person}")
        if not step.is_proven:
            lines.append(f"   ? nothing proved what it sent: {', '.join(step.sent)}")
        lines += [f"   {_SIGNS[one.held]} {one.text}" for one in step.expectations]
    wanted = _verdicts(steps)
    figures = f"{wanted.count(True)} of {len(wanted)} expectations hold"
    reason = "" if _says_anything(steps) else f"; {_NOTHING}"
    if ending.kind != "done":
        reason = f"; {ending.kind}: {ending.reason}"
    return "\n".join([*lines, f"{'passed' if passed else 'FAILED'}: {figures}{reason}"])


def _json(steps: list[CheckedStep], ending: Ending, folder: str, passed: bool) -> str:
    whole = {
        "passed": passed,
        "ending": ending.kind,
        "reason": ending.reason or ("" if _says_anything(steps) else _NOTHING),
        "folder": folder,
        "steps": [_step_data(step) for step in steps],
    }
    return json.dumps(whole, ensure_ascii=False)


def _step_data(step: CheckedStep) -> dict[str, Any]:
    return {
        "step": step.sentence,
        "passed": step.has_passed,
        "outcome": step.outcome.kind,
        "summary": step.outcome.summary,
        "proven": step.is_proven,
        "expectations": [{"text": one.text, "held": one.held} for one in step.expectations],
    }
