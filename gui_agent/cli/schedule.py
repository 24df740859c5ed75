"""`guiagent schedule` does a task at set times or when a file arrives, and `schedules` manages them."""

from __future__ import annotations

import click

from gui_agent.elements.describe import printable

EPILOG = """\
\b
Examples:
  guiagent schedule 'click "Refresh", read "Total"' --url https://example.org --every day@8:00
  guiagent schedule "Send 'good morning' to Ada" --cron "30 7 * * 1-5" --yes --profile work
  guiagent schedule 'upload "{file}" into "Invoice", click "Send"' --on-file 'inbox/*.pdf' \\
      --url https://example.org/new --yes --webhook https://example.org/hooks/done
  guiagent schedules                 the schedules and their last results
  guiagent schedules remove NAME

All other options are those of `guiagent run`. No person watches a scheduled
run: give --yes to allow sending, and secrets from a keyring or file. Where it does
not know how to go on, it ends with its question, or with --wait asks the webhook and
the command of --then, and goes on after `guiagent schedules answer NAME ANSWER`.
Times are local times; runs missed while the machine was off are done once, as soon as
possible, and reported. Each run writes its report. A webhook gets JSON with
X-Guiagent-Signature: sha256= and the HMAC of X-Guiagent-Timestamp, a dot and the
body, signed with the key that is printed once; --then runs a command with it.
"""
SCHEDULES_EPILOG = """\
\b
Examples:
  guiagent schedules
  guiagent schedules show refresh-total
  guiagent schedules run refresh-total
  guiagent schedules answer refresh-total 2
"""


@click.command(epilog=EPILOG, context_settings={"ignore_unknown_options": True},
               short_help="Do a task at its times, or when a file arrives.")  # fmt: skip
@click.argument("task")
@click.option("--every", default="", metavar="TIME", help="15m, 2h, day@8:00, weekday@8:00, monday@9:30.")
@click.option("--cron", default="", metavar="TIMES", help='Times as in cron: "30 8 * * 1-5".')
@click.option(
    "--on-file", default="", metavar="GLOB", help="When a file arrives; {file} in TASK is its path."
)
@click.option("--name", default="", metavar="NAME", help="Its name (default: made of the task).")
@click.option("--limit", type=click.FloatRange(0, min_open=True), metavar="MINUTES",
              help="Kill a run after N minutes (default: 60, or 5 more than --max-seconds).")  # fmt: skip
@click.option(
    "--wait",
    type=click.FloatRange(0),
    default=0.0,
    metavar="MINUTES",
    help="Keep the screen open N minutes for your answer to a question (default: end with it).",
)
@click.option("--webhook", default="", metavar="ADDRESS", help="Gets the result as JSON, signed.")
@click.option(
    "--then",
    default="",
    metavar="COMMAND",
    help="Gets the result as JSON on its standard input; words as in a shell, but no shell runs it.",
)
@click.argument("options", nargs=-1, type=click.UNPROCESSED, metavar="[OPTIONS OF RUN]...")
def schedule(
    *, task: str, every: str, cron: str, on_file: str, name: str, webhook: str, then: str,
    limit: float | None, wait: float, options: tuple[str, ...],
) -> None:  # fmt: skip
    """Do TASK at its times, or for each file that arrives, and write a report of each run."""
    from gui_agent.cli.run import run
    from gui_agent.integrations.schedules import look_each_minute, plan_schedule

    asked = run.make_context(
        "run", [task, *options]
    ).params  # an invalid option is reported now, not at night
    longest = 60 * limit if limit else max(3600.0, (asked["max_seconds"] or 0) + 300) + 60 * wait
    made = plan_schedule(
        task, options, every=every, cron=cron, on_file=on_file, name=name, limit=longest, wait=60 * wait,
        webhook=webhook, then=then,
    )  # fmt: skip
    done, again = f"{made.name} is scheduled", f"guiagent schedules remove {made.name}"
    click.echo(f"{done}; {look_each_minute()}. To remove it: {again}")
    if made.key:
        click.echo(f"the key of its webhook, shown only now: {made.key}")


@click.group(
    invoke_without_command=True, epilog=SCHEDULES_EPILOG, short_help="Schedules: list, show, run, remove."
)
@click.pass_context
def schedules(ctx: click.Context) -> None:
    """The stored schedules; without a command, a list of them."""
    from gui_agent.integrations import schedules as kept

    if ctx.invoked_subcommand is None:
        for one in kept.schedules(lambda fault: click.echo(f"guiagent: {fault}", err=True)):
            last = one.runs[-1] if one.runs else {"time": "never", "ending": "not yet run"}
            when = one.cron or f"files {one.on_file}"
            click.echo(f"{one.name}: {when}; last {last['time']}: {last['ending']}  {one.arguments[0]}")
            if question := kept.open_question(one.name):
                click.echo(f"  asks: {printable(question)}\n  guiagent schedules answer {one.name} ANSWER")
        if not kept.names():
            click.echo("there is no schedule; make one with: guiagent schedule TASK --every day@8:00")


@schedules.command()
@click.argument("name")
def show(name: str) -> None:
    """Show the results of a schedule's runs, missed or skipped ones, and their reports."""
    from gui_agent.integrations.schedules import load_schedule

    for line in load_schedule(name).runs:
        rest = [f"{key}: {value}" for key, value in line.items() if key not in ("time", "ending")]
        click.echo("; ".join([f"{line['time']} {line['ending']}", *rest]))


@schedules.command()
@click.argument("name")
@click.option("--due", "only_due", is_flag=True, help="Only if its time has come.")
def run(name: str, only_due: bool) -> int:
    """Do the task of a schedule now."""
    from gui_agent.integrations.schedules import carry_out

    return carry_out(name, only_due=only_due)


@schedules.command()
@click.argument("name")
@click.argument("answer")
def answer(name: str, answer: str) -> None:
    """Answer the question of a run that waits for it: a number, other words, skip, stop ..."""
    from gui_agent.integrations.schedules import answer_question

    answer_question(name, answer)
    click.echo(f"the run of {name} goes on")


@schedules.command()
@click.argument("name")
def remove(name: str) -> None:
    """Remove a schedule; the reports of its runs stay."""
    from gui_agent.integrations.schedules import forget

    forget(name)
    click.echo(f"{name} is forgotten")


@schedules.command()
def begin() -> None:
    """Start all due schedules; the system's timer calls this each minute."""
    from gui_agent.integrations.schedules import begin_due

    begin_due()
