"""`guiagent export`: writes a procedure or a run as code that a team can run without this program."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gui_agent import plugins
from gui_agent.cli.options import GivenSettings, recorded_start, settings_options
from gui_agent.cli.runs import FILES, find_run, kept_in
from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import file_errors

if TYPE_CHECKING:
    from gui_agent.procedures.exports.script import WrittenScript
    from gui_agent.settings import Settings

EPILOG = """\
\b
Examples:
  guiagent export order-lamps --as pytest          a learned procedure, as test_order_lamps.py
  guiagent export last --as playwright -o order.spec.ts
  guiagent export order.json --as robot -o -       a demonstration; prints the file
  guiagent export --format trl --help              runs as the files that trainers read

The file names its requirements and its start address; START=http://... in the
environment (--variable START:... for Robot Framework) changes the address.
Locators are roles and names, effects of steps become checks, and typed texts
become parameters. A step that depends on a look at the screen cannot be
exported: the command names it and writes nothing.
"""


class _Export(click.Command):
    """The evaluation harness writes files for trainers, with a command of its own."""

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **more: Any) -> click.Context:
        if any(one.startswith("--format") for one in args):
            return plugins.find("commands", "export").make_context(info_name, args, *rest, **more)  # type: ignore[attr-defined, no-any-return]
        return super().make_context(info_name, args, *rest, **more)


@click.command(
    cls=_Export, epilog=EPILOG, short_help="Write a procedure or a run as code, or runs for trainers."
)
@click.argument("source", metavar="PROCEDURE|RUN|FILE")
@click.option("--as", "form", required=True, type=click.Choice(["pytest", "playwright", "robot"]),
              help="What runs the code: pytest-playwright, Playwright Test, Robot Framework.")  # fmt: skip
@click.option("-o", "--output", metavar="FILE", help="Where to (default: named after it; - prints it).")
@click.option("--redo", is_flag=True, help="Replace the file if it is there.")
@click.option("--format", metavar="FORM", help="Whose, for files that trainers read; has its own --help.")
@recorded_start
@settings_options
def export(
    *, source: str, form: str, output: str | None, redo: bool, url: str, given: GivenSettings, **_harness: Any
) -> None:  # fmt: skip
    """Write PROCEDURE, RUN (folder, id or last) or a demonstration in FILE as code that runs by itself."""
    from gui_agent.procedures.exports.dialects import DIALECTS, file_name

    scripts = _scripts(source, given.load(), url)
    text = DIALECTS[form][0](scripts)
    if output == "-":
        click.echo(text, nl=False)
        return
    path = Path(output or file_name(form, scripts[0].name))
    if path.exists() and not redo:
        raise ConfigError(f"{path} exists; give another --output, or --redo to replace it")
    with file_errors(f"cannot write {path}"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    parameters = chain.from_iterable(one.parameters.items() for one in scripts)
    values = ", ".join(f"{name}={value!r}" for name, value in parameters)
    click.echo(f"{path}: {len(scripts)} test{'s' if len(scripts) > 1 else ''}; values: {values or 'none'}")


def _scripts(source: str, settings: Settings, url: str) -> list[WrittenScript]:
    from gui_agent import wiring
    from gui_agent.core.trajectory import Demonstration
    from gui_agent.procedures.exports.script import script_of
    from gui_agent.procedures.induction.learn import learn
    from gui_agent.procedures.library.memory import open_memory
    from gui_agent.procedures.recordings.from_run import from_trajectory
    from gui_agent.skills import list_skills
    from gui_agent.trace import read_run
    from gui_agent.wiring.learned import is_command

    memory = open_memory(settings)
    for skill in (one for one in list_skills() if one.name == source):
        source, url = str(skill.procedure), url or skill.start
    if Path(source).is_file():
        known = wiring.load_known(source)[0]
        shown = [known] if isinstance(known, Demonstration) else []
        programs = learn(shown) if isinstance(known, Demonstration) else (known,)
    elif Path(source).suffix in FILES:
        raise ConfigError(f"{source}: there is no such file")
    elif source in ([one.name for one in memory.procedures()] if memory.exists else ()):
        procedure = memory.procedure(source)
        programs, shown = procedure.programs, list(procedure.demonstrations)
        url = url or procedure.start
    else:
        stored = read_run(find_run(source, kept_in(settings)), pictures=False)
        shown = [from_trajectory(stored.trajectory, "browser")]
        programs = learn(shown)
    return [script_of(one, shown, start=url, inline=is_command(one.instruction(), ())) for one in programs]
