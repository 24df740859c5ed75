"""`guiagent eval model-path`: what the way to a model and back costs, and what it does to the answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from statistics import median
from typing import TYPE_CHECKING, Any

import click

from gui_agent.cli.options import load_settings
from guiagent_eval.cli import common_options, option
from guiagent_eval.model_path.answerer import KINDS

if TYPE_CHECKING:
    from guiagent_eval.records import Record

EPILOG = """\
\b
Without --model, a service on this machine answers in the Chat Completions format from a script. It knows a
way to each goal and, of the screen, what the request shows. It answers each goal in three ways:
  perfect   right each time, in the fewest actions
  clumsy    each second answer is wrong: words that are nowhere, a missed or stale mark, a repetition, an end
            that is too early
  misled    first follows a way that fits another goal, as from an exemplar, then says that it is done

\b
The figures of each kind:
  right         goals done, by the application's own data, and said to be done
  falsely       runs that said done and were not
  lost          decisions whose answer was right and which the product did not carry out
  refused       right actions that failed or were refused
  over          actions above the fewest, in all runs that were right
  share         of a request, without pictures, with which the one before begins: median and 10th percentile
  kept          the same as a share of the one before: how much of it a cache serves again
  crashes       faults after the end of a run, as in learning from it

\b
Examples:
  guiagent eval model-path --goals ten --install       three answers to each of ten goals, some minutes
  guiagent eval model-path --kinds perfect --goals forty
  guiagent eval model-path --model anthropic/NAME --max-cost 2    a real model, each goal once
  guiagent eval resume last                            goes on where it was stopped
"""


@click.command("model-path", epilog=EPILOG, short_help="Measure the way to a model, with scripted answers.")
@option("--goals", "named", default="ten", metavar="SUITE|A,B", help="ten, forty, all, or single goals.")
@option("--kinds", default=",".join(KINDS), metavar="A,B", help="Of scripted answers.")
@common_options("model max-cost workers out json quiet config set")
@option("--install", "installs", is_flag=True, help="Install the applications that are missing.")
@option("--seconds", default=120.0, type=float, help="Limit of a run.")
def model_path(
    *, named: str, kinds: str, as_json: bool, quiet: bool, installs: bool, seconds: float, **given: Any
) -> int:
    """Do goals on real applications with a model, and count what its requests cost and what is lost of its
    answers."""
    from gui_agent.core.errors import ConfigError
    from guiagent_eval.cli.apps import chosen_tasks
    from guiagent_eval.cli.execution import carry_out_new, new_folder
    from guiagent_eval.cli.figures import print_figures
    from guiagent_eval.cli.recipe import Recipe, open_policy
    from guiagent_eval.model_path.solver import goals
    from guiagent_eval.schedule import RunLimits

    wanted = [one.strip() for one in kinds.split(",")]
    if strange := [one for one in wanted if one not in KINDS]:
        raise ConfigError(f"--kinds {strange[0]}: there are {', '.join(KINDS)}")
    seeds = [0] if given["model"] else [KINDS.index(one) for one in wanted]
    tasks = chosen_tasks("", ",".join(goals(named)), "all", installs)
    own: dict[str, Any] = {
        "guard": open_policy(),
        "limits": {"steps": 60, "seconds": seconds},
        "model": {"name": given["model"], "max_cost": given["max_cost"] or 0.0},
    }
    settings = load_settings(given["config"], given["assignments"], **own)
    recipe = Recipe(
        benchmark="apps",
        folder=str(new_folder(given["out"], "model-path", named.replace(",", "+")[:40])),
        settings=settings.model_dump(mode="json"),
        options={"goal": True, "path": True},
        planner="model",
    )
    pace = RunLimits(given["workers"], 2 * seconds + 120, max_cost=given["max_cost"] or 0.0)
    run, code = carry_out_new(recipe, tasks, seeds, pace, quiet=quiet)
    print_figures(run.records(), as_json)
    return code


def print_path(records: Sequence[Record], as_json: bool = False) -> None:
    """Print the figures by kind of answers, and what went wrong in each run that has something to tell."""
    from guiagent_eval.cli.figures import plain_table, wide_console

    by_kind: dict[str, list[Record]] = {}
    for record in records:
        if record.is_counted:
            by_kind.setdefault(record.details["kind"], []).append(record)
    found = {kind: path_figures(own) for kind, own in by_kind.items()}
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    for line in chain.from_iterable(map(_complaints, records)):
        click.echo(line)
    table = plain_table("", *found)
    for name in next(iter(found.values()), {}):
        table.add_row(name, *(f"{one[name]:.8g}" for one in found.values()))
    wide_console().print(table)


def _complaints(record: Record) -> Iterator[str]:
    told = record.details
    run = f"{record.case} {told.get('kind', '')}"
    if not record.success or told.get("crash"):
        yield f"{run}: {record.verdict}: {record.reason} {told.get('crash', '')}"
    yield from (f"{run}: refused: {line}" for line in told.get("refused", ()))


def path_figures(records: Sequence[Record]) -> dict[str, float]:
    """The figures of the runs of one kind, by their names."""
    told = [one.details for one in records]
    right = [one.details for one in records if one.success]
    names = ("text", "tools", "pictures", "shares", "kept")
    texts, tools, pictures, shares, kept = (
        sorted(chain(*map(itemgetter(name), told))) or [0] for name in names
    )

    def total(name: str, of: Sequence[Mapping[str, Any]] = told) -> int:
        return sum(one[name] for one in of)

    return {
        "runs": len(records),
        "right": len(right),
        "falsely": sum(one.verdict in ("wrong", "unsaved") for one in records),
        "crashes": sum(bool(one["crash"]) for one in told),
        "decide calls": total("calls"),
        "other calls": total("other_calls"),
        "lost": total("lost"),
        "refused": sum(len(one["refused"]) for one in told),
        "slips": total("slips"),
        "fewest actions": total("fewest", right),
        "over": total("actions", right) - total("fewest", right),
        "tokens": sum(one.tokens for one in records),
        "text": median(texts),
        "tools": median(tools),
        "pictures": median(pictures),
        "share median": median(shares),
        "share p10": shares[len(shares) // 10],
        "kept median": median(kept),
        "kept p10": kept[len(kept) // 10],
    }
