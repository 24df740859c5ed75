"""`guiagent eval prove`: proves that oracles do the tasks of a benchmark, and that doing nothing does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from gui_agent.cli.options import load_settings
from guiagent_eval.cli import common_options, option
from guiagent_eval.cli.apps import choosing

if TYPE_CHECKING:
    from guiagent_eval.records import Record

EPILOG = """\
\b
Examples:
  guiagent eval prove apps --install
  guiagent eval prove osworld --workers 2                        our own suite
  guiagent eval prove osworld --tasks OSWorld --suite offline    whose oracles are commands
"""


@click.group(epilog=EPILOG, short_help="Prove that tasks can be done, and are not done from the start.")
def prove() -> None:
    """Let an oracle do each task, which must count, and do nothing, which must not."""


@prove.command(short_help="The tasks on real applications.")
@choosing
def apps(names: str, tasks: str, kind: str, installs: bool, **given: Any) -> int:
    """Let the oracle do each task on the data, which must count, and only look, which must not."""
    from guiagent_eval.app_catalogue import task_called
    from guiagent_eval.apps import PROOFS
    from guiagent_eval.cli.apps import choices, chosen_tasks
    from guiagent_eval.cli.execution import carry_out_new
    from guiagent_eval.cli.recipe import open_policy

    chosen = chosen_tasks(names, tasks, kind, installs)
    settings = load_settings((), (), guard=open_policy()).model_dump(mode="json")
    wrong: list[str] = []
    found: list[str] = []
    for proof in PROOFS:
        out = given["out"] and f"{given['out']}-{proof}"
        recipe, pace = choices(chosen, settings, **{**given, "out": out, "planner": proof, "seconds": 60.0})
        most = max(len(task_called(name)[1].values) for name in chosen) if proof == "oracle" else 1
        seeds = [3 * variant for variant in range(most)]
        run, _ = carry_out_new(recipe, chosen, seeds, pace, quiet=given["quiet"])
        records = run.records()
        won = sum(record.success for record in records)
        found.append(f"{proof}: {won} of {len(records)} episodes of {len(chosen)} tasks count as done")
        wrong += faults(proof, records)
    return _report(wrong, found)


@prove.command(short_help="OSWorld's tasks, or our own suite.")
@common_options("osworld workers quiet")
@option("--suite", default="all", metavar="NAME,...", help="Suite, programs, tasks.")
@option("--guest", default="local", metavar="KIND", help="Or docker, qemu:IMAGE ...")
@option("--oracles", default="", metavar="FILE", help="JSON: more commands that do tasks, by name.")
@option("--out", default="", metavar="DIR", help="The runs' folders begin so (default: runs/eval/...).")
def osworld(**given: Any) -> int:
    """Prove tasks on guests; tasks without an oracle, or without a score here, are named."""
    from guiagent_eval.apps import PROOFS
    from guiagent_eval.cli.osworld import USUAL, carried_out, runnable

    names, given = runnable({**USUAL, **given})
    wrong: list[str] = []
    found: list[str] = []
    for proof in PROOFS:
        out = given["out"] and f"{given['out']}-{proof}"
        records = carried_out(names, {**given, "planner": proof, "out": out})
        wrong += faults(proof, records)
        won, scored = sum(one.success for one in records), sum(one.is_counted for one in records)
        found.append(f"{proof}: {won} of {scored} tasks count as done, of {len(names)} that were tried")
    return _report(wrong, found)


def _report(wrong: Sequence[str], found: Sequence[str]) -> int:
    """Print the faults of the tasks, and the result of each proof."""
    from gui_agent.core.errors import ExitCode

    for line in dict.fromkeys(wrong):
        click.echo(line, err=True)
    for line in found:
        click.echo(line)
    return ExitCode.NOT_DONE if wrong else ExitCode.DONE


def faults(proof: str, records: Sequence[Record]) -> list[str]:
    """The faults of the tasks: an oracle that does not count, or a task that counts from the start."""
    wrong = []
    for one in records:
        if not one.is_counted:
            wrong.append(f"{one.case}: not scored with the {proof}: {one.reason}")
        elif one.success != (proof == "oracle"):
            wrong.append(
                f"{one.case}: {'not ' * (proof == 'oracle')}solved by the {proof} {one.reason}".rstrip()
            )
    return wrong
