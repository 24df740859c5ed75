"""`guiagent run`: does a task."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gui_agent.cli.options import (
    PAGES,
    GivenSettings,
    allow_option,
    answer_option,
    effect_option,
    har_option,
    headed_option,
    login_option,
    model_options,
    quiet_option,
    secret_option,
    settings_options,
    split_assignments,
    whole_address,
    yes_option,
)
from gui_agent.core.errors import ConfigError, ExitCode, GuiAgentError
from gui_agent.core.os_errors import file_errors

if TYPE_CHECKING:
    from gui_agent.core.trajectory import Result, Task
    from gui_agent.trace.events import Event

EPILOG = """\
\b
Plain commands, joined by commas, "then" or new lines, need no model:
  guiagent run 'type "Ada" into "Name", tick "I agree", click "Next"' --url form.html
  guiagent run 'click "Orders", wait for "Total", read "Total"' --url https://example.org
  guiagent run --file steps.txt --url form.html --dry-run

\b
A recorded demonstration runs again with new values:
  guiagent run 'Order 3 lamps' --demo order.json --set amount=3 --set article=lamp

\b
Learned procedures (guiagent learn, guiagent teach) are recognised by their wording:
  guiagent run "Send 'see you at 5' to Grace"
  guiagent run "Send 'see you at 5' to Grace" --explain

\b
A sentence that is not understood is asked about on the open screen; show it once, and it is learned:
  guiagent run 'Please put milk on my shopping list' --url shopping.html --headed

\b
With a language model, everything else (ANTHROPIC_API_KEY or OPENAI_API_KEY, or a server of your own):
  guiagent run 'Find the cheapest flight to Oslo' --url https://example.org --max-cost 0.50
  guiagent run '...' --model http://localhost:8000/v1#Qwen3-VL-8B --grounder http://localhost:8001/v1#NAME

\b
To watch it, and to use it in programs:
  guiagent run '...' --url form.html --headed
  guiagent run '...' --url form.html --yes --json --quiet

\b
On desktops (guiagent desktop --help):
  guiagent run 'open "Mousepad", type "hello"' --on virtual --view     a private display, your own stays free
  guiagent run '...' --on virtual:work                                 a desktop that is running
  guiagent run '...' --on desktop                                      the screen in front of you

\b
On guests (guiagent guest --help):
  guiagent run 'open "Mousepad", type "hello"' --on guest:a            a desktop that resets in a second
  guiagent run '...' --on remote:http://127.0.0.1:5000                 a server in a container or VM

\b
On Android phones (guiagent devices --help):
  guiagent run 'open "Settings", click "Display"' --on android         the phone that is connected
"""


@click.command(epilog=EPILOG, short_help="Do a task.")
@click.argument("task", default="")
@click.option("--file", "task_file", metavar="FILE", help="Read the task from a file; - is standard input.")
@click.option("--url", default="", metavar="ADDRESS", help="Where to start: an address or a local page.")
@click.option(
    "--on",
    "kind",
    metavar="COMPUTER",
    help="Screen to use: browser, virtual, desktop, android, guest:NAME, remote:URL, vnc: or rdp:HOST.",
)
@click.option("--schema", default="", metavar="FILE", help="A JSON Schema that the answer has to fit.")
@click.option("--demo", multiple=True, metavar="FILE", help="A recorded demonstration; may be repeated.")
@headed_option
@click.option(
    "--observe",
    type=click.Choice(["tree", "vision", "both", "auto"]),
    help="Read the screen by its tree, its picture, or both; a browser by tree or vision.",
)
@click.option("--view", "show", is_flag=True, help="Serve a page to watch, steer and take over.")
@click.option(
    "--countdown", type=int, default=3, metavar="S", help="Seconds before --on desktop takes the mouse."
)
@click.option("--monitor", type=int, metavar="N", help="With --on desktop: use monitor N alone.")
@yes_option
@answer_option
@click.option("--schedule", default="", hidden=True, help="The schedule that the run belongs to.")
@click.option("--dry-run", is_flag=True, help="Print what the plain commands mean, and do nothing.")
@click.option("--best-of", default=1, type=click.IntRange(min=1), help="Run it N times, keep the best.")
@click.option("--explain", is_flag=True, help="Print what would be run and why, and do nothing.")
@click.option("--strict", is_flag=True, help="Exit with 4 also where nothing verified that it is done.")
@click.option(
    "--learn",
    "learned",
    flag_value="verified",
    help="Store the run if it is verified and not a replay.",
)
@click.option("--json", "form", flag_value="json", help="Print the result as one JSON value.")
@click.option(
    "--json-lines", "form", flag_value="lines", help="Print each event as JSON on a line, then the result."
)
@quiet_option
@model_options
@click.option("--max-steps", type=int, metavar="N", help="Stop after N actions (default: 50).")
@click.option("--max-seconds", type=float, metavar="S", help="Stop after S seconds (default: 600).")
@secret_option
@login_option
@har_option
@effect_option
@allow_option
@settings_options
def run(  # noqa: PLR0913 - one for each option
    *,
    task: str,
    task_file: str | None,
    schema: str,
    url: str,
    demo: tuple[str, ...],
    yes: bool,
    answers: tuple[str, ...],
    schedule: str,
    dry_run: bool,
    explain: bool,
    strict: bool,
    form: str | None,
    quiet: bool,
    show: bool,
    countdown: int,
    best_of: int,
    **rest: Any,
) -> int:
    """Do TASK on a screen, verify every step, and write a report.

    --best-of N is for models, where a run leaves nothing behind: in a browser with a fresh profile, on a
    private display with a fresh home, on a guest that is reset. A run that sends something is the last one.
    """
    text = read_task(task, task_file, bool(demo))
    if dry_run or explain:
        return show_route(text, url, demo, commands_only=dry_run, as_json=form == "json", **rest)
    events = None
    if form == "lines":
        from gui_agent.trace.events import Events

        events = Events(_print)
    try:
        settings, values = resolve(**rest)
        if settings.computer.kind == "browser":  # Its driver starts while the rest is loaded.
            from gui_agent.computers.browser.launch import start_driver

            start_driver()
        from gui_agent import wiring
        from gui_agent.cli.live_view import live
        from gui_agent.cli.questions import ask_about_guides, ask_about_learning, attending, tell
        from gui_agent.trace import result_data

        if settings.model.skills and wiring.has_model(settings):
            ask_about_guides()
        kind = settings.computer.kind.partition(":")[0]
        screen: AbstractContextManager[tuple[Any, list[Any]]] = nullcontext((None, []))
        if show or kind in ("desktop", "virtual"):
            screen = live(settings, show, countdown)
        with (
            attending(events, quiet=quiet, answers=answers, start=url, schedule=schedule) as (
                person,
                attended,
            ),
            screen as (computer, observers),
        ):
            attended["observers"] += observers
            result = (_best_of(best_of) if best_of > 1 else wiring.run)(
                _with_schema(text, schema) if schema else text,
                url=whole_address(url),
                demo=demo,
                values=values,
                settings=settings,
                yes=yes,
                computer=computer,
                **attended,
            )
    except GuiAgentError as error:
        from gui_agent.cli.questions import tell
        from gui_agent.trace import failure_data

        tell(failure_data(error), form, events)
        raise
    code = _exit_code(result, strict=strict)
    _annotate_failure(result, code)
    if form:
        tell({**result_data(result), "exit_code": int(code)}, form, events)
    elif person and not quiet:
        ask_about_learning(person, settings, result)
    return code


def _best_of(runs: int) -> Callable[..., Result]:
    from gui_agent.wiring import run_best

    def best(task: Task | str, *, computer: object, **how: Any) -> Result:
        if computer is not None:
            raise ConfigError("--view shows one screen, and each run of --best-of has its own")
        found: tuple[Result, str] = run_best(task, runs, **how)
        click.echo(found[1], err=True)
        return found[0]

    return best


def _annotate_failure(result: Result, code: ExitCode) -> None:
    """Say on the page of a pipeline of GitHub why the task failed."""
    from gui_agent.settings import is_on_github

    if code and is_on_github():
        text = result.reason or result.outcome
        for sign, escaped in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):  # no line is a command of its own
            text = text.replace(sign, escaped)
        click.echo(f"::error title=guiagent::{text}", err=True)


def _exit_code(result: Result, *, strict: bool) -> ExitCode:
    return ExitCode.NOT_DONE if strict and result.ok and not result.verified else result.exit_code


def _print(event: Event) -> None:
    try:
        click.echo(event.as_json())
    except BrokenPipeError:  # the output is no longer read, as after `head`: the run ends as by Ctrl+C
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise KeyboardInterrupt from None


def resolve(
    *,
    kind: str | None,
    headed: bool,
    max_steps: int | None,
    max_seconds: float | None,
    given: GivenSettings,
    observe: str | None = None,
    monitor: int | None = None,
    usual: Mapping[str, Any] | None = None,
    secret_sources: tuple[str, ...] = (),
) -> tuple[Any, dict[str, str]]:
    """Settings and values from the command line's options; `usual` applies where they set nothing."""
    if secret_sources:
        from gui_agent.wiring.secrets import given_secrets
    assignments, values = split_assignments(given.assignments)
    options: dict[str, Any] = {"headless": False} if headed else {}
    options |= {"observe": observe} if observe else {}
    options |= {"monitor": monitor} if monitor else {}
    settings = replace(given, assignments=assignments).load(
        usual=usual,
        computer={"kind": kind, "options": options or None},
        limits={"steps": max_steps, "seconds": max_seconds},
        **({"secrets": dict(given_secrets(secret_sources))} if secret_sources else {}),
    )
    return settings, values


def show_route(
    task: str, url: str, demo: tuple[str, ...], *, commands_only: bool, as_json: bool = False, **rest: Any
) -> int:
    """Print what a task would do and why, without a screen; the code says if it would do anything."""
    from gui_agent.core.trajectory import Task
    from gui_agent.planners.commands import parse
    from gui_agent.wiring import Route, explain

    if commands_only and demo:
        raise click.UsageError("--dry-run shows what plain commands mean; it cannot be used with --demo.")
    if commands_only:
        found = Route(Task(task), ("plain",), commands=parse(task))
    else:
        settings, values = resolve(**rest)
        found = explain(task, url=whole_address(url), demo=demo, values=values, settings=settings)
    click.echo(json.dumps(found.as_dict(), ensure_ascii=False) if as_json else "\n".join(found.lines()))
    return ExitCode.DONE if found.runs else ExitCode.NOT_DONE


_PAGE = re.compile(r"\s*<(?:!doctype\s+html|html|\?xml)\b", re.IGNORECASE)
_LONGEST_PATH = 255


def read_task(task: str, task_file: str | None, has_demo: bool) -> str:
    if task_file and task:
        raise ConfigError("give the task as an argument or with --file, not both")
    text = _text_of(task_file) if task_file else task
    if task_file and (task_file.lower().endswith(PAGES) or _PAGE.match(text)):
        raise ConfigError(_no_task(task_file))
    if not task_file and _is_file(task):
        page = task.lower().endswith(PAGES)
        raise ConfigError(_no_task(task) if page else f"{task} is a file; read it with --file {task}")
    if not text.strip() and not has_demo:
        raise ConfigError(
            "no task given; say what to do, such as: guiagent run 'click \"Next\"' --url form.html"
        )
    return text.strip()


def _with_schema(text: str, schema: str) -> Task:
    from gui_agent.agent.answers import read_schema
    from gui_agent.core.trajectory import Task

    return Task(text, wanted=read_schema(_text_of(schema, "schema"), schema))


def _text_of(task_file: str, what: str = "task") -> str:
    with file_errors(f"cannot read the {what} from {task_file}"):
        return sys.stdin.read() if task_file == "-" else Path(task_file).read_text(encoding="utf-8")


def _is_file(task: str) -> bool:
    """Whether a task is the name of an existing file; a word without an extension may be an ordinary word."""
    named = len(task) <= _LONGEST_PATH and bool(Path(task).suffix) and not re.search(r"\s", task)
    return named and Path(task).is_file()


def _no_task(page: str) -> str:
    named, at = ("what was given", "FILE") if page == "-" else (page, page)
    return f"{named} is a page, not a task; say what to do on it: guiagent run 'click \"Next\"' --url {at}"
