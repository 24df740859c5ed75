"""The command line `guiagent`: one file per command, loaded when it is called."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from types import TracebackType
from typing import Any, NoReturn

import click

from gui_agent import plugins
from gui_agent.core.errors import ExitCode, GuiAgentError
from gui_agent.core.os_errors import why
from gui_agent.core.texts import suggestion, table

COMMANDS = table(
    "run=run run-list=run_list schedule=schedule schedules=schedule:schedules resume=resume teach=teach"
    " login=login profiles=login:profiles learn=learn export=export memory=memory check=check skills=skills"
    " models=models show=runs:show audit=runs:audit look=primitives:look find=primitives:find"
    " act=primitives:act close=primitives:close open=primitives:open_ serve=serve mcp=mcp"
    " lint=check:lint answer=serve:answer clean=runs:clean desktop=desktop policy=policy doctor=doctor"
    " init=project:init completion=project:completion"
)
"""Commands, each with its module and function; entry points of the group `gui_agent.commands` add more."""

EPILOG = """\
\b
Examples:
  guiagent run 'type "Ada" into "Name", click "Next"' --url https://example.org
  guiagent run 'Order 3 lamps' --url shop.html --demo order.json --set amount=3
  guiagent learn last --task "Send 'hi' to Ada"
  guiagent run "Send 'see you at 5' to Grace"
  guiagent show last
  guiagent doctor

\b
Exit codes: 0 done, 1 an internal error, 2 a wrong setting, 3 browser or
service unavailable, 4 task not done, 5 refused by the guard, 130 interrupted.
"""


class Commands(click.Group):
    """A command group that imports a command only when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(
            dict.fromkeys([*COMMANDS, *filter(str.isidentifier, plugins.installed_parts("commands"))])
        )

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return self._added_command(ctx, cmd_name)
        module, _, name = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(f"gui_agent.cli.{module}"), name or module)
        return command

    def _added_command(self, ctx: click.Context, name: str) -> click.Command:
        listed = self.list_commands(ctx)
        if name not in (*plugins.EXTRAS, *listed):
            raise click.UsageError(f'there is no command "{name}"{suggestion(name, listed)}', ctx)
        return plugins.find("commands", name)  # type: ignore[return-value]


@click.group(
    cls=Commands,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
)
@click.version_option(package_name="guiagent", prog_name="guiagent")
@click.option("--debug", is_flag=True, help="Show the traceback of an internal error.")
def app(debug: bool) -> None:
    """Does tasks on a screen: looks, decides, moves mouse and keys, and verifies the result."""
    if not debug:
        sys.excepthook = _tell_of_crash


def _tell_of_crash(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    from gui_agent.elements.describe import printable

    click.echo(f"guiagent: an internal error: {kind.__name__}: {printable(str(error))}", err=True)
    for note in getattr(error, "__notes__", ()):
        click.echo(f"  {printable(note)}", err=True)
    click.echo("  guiagent --debug <command> ... shows the traceback", err=True)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command and exit with its exit code."""
    _end_politely()
    code = call(arguments)
    gc.freeze()  # The interpreter's end would otherwise search every object for cycles.
    sys.exit(code)


def _end_politely() -> None:
    """Let a kill and a closed terminal end a command as Ctrl+C does: with a finished trace.

    Commands started to outlive their terminal (`nohup`) still do.
    """
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)


def call(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the project's own errors become one line and an exit code."""
    try:
        code: Any = app.main(arguments, prog_name="guiagent", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return ExitCode.CONFIG
    except GuiAgentError as error:
        from gui_agent.elements.describe import printable

        click.echo(f"guiagent: {printable(str(error))}", err=True)
        return error.exit_code
    except PermissionError as error:
        # Anywhere: what may be used on a machine is the user's decision, not an internal error.
        if not error.filename:
            raise
        click.echo(f"guiagent: {error.filename}: {why(error)}", err=True)
        return ExitCode.CONFIG
    except SystemExit:  # click ends a command whose output is no longer read, as after `head`
        return ExitCode.INTERRUPTED
    except (KeyboardInterrupt, click.Abort):
        click.echo("guiagent: interrupted", err=True)
        return ExitCode.INTERRUPTED
    return int(code or 0)
