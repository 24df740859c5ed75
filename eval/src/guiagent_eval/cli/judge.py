"""`guiagent eval judge` and `offline`, and the comparison of `guiagent show RUN OTHER`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click
from rich.text import Text

from gui_agent.core.errors import ConfigError
from guiagent_eval.cli import NONE, ONE, model_options, option
from guiagent_eval.cli.figures import plain_table, print_shares, wide_console

if TYPE_CHECKING:
    from gui_agent.settings import Settings
    from gui_agent.wiring.models import ModelParts
    from guiagent_eval.practice.judging import Agreement, Opinion, Rubric
    from guiagent_eval.practice.kept import KeptRun
    from guiagent_eval.practice.offline import Rows

FILE = "judgements.jsonl"
RUBRICS = ("webjudge", "genesis")
EPILOG = """\
\b
Examples:
  guiagent eval judge runs/miniwob --model openai/gpt-6-sol --against grades
  guiagent eval judge last --model http://localhost:8000/v1#Qwen3-VL-8B --rubric genesis --out judged
"""


@click.command(epilog=EPILOG, short_help="Let a model judge finished runs.")
@click.argument("runs", nargs=-1, required=True, metavar="RUNS...")
@model_options("Who judges")
@option("--rubric", default="webjudge", type=click.Choice(RUBRICS), help="By which rules.")
@option("--against", type=click.Choice(["grades"]), help="Compare with the benchmark's own grades.")
@option("--out", metavar="DIR", type=click.Path(path_type=Path), help=f"Where {FILE} goes (default: RUNS).")
def judge(
    runs: tuple[str, ...], rubric: str, against: str | None, out: Path | None, settings: Settings
) -> None:
    """Ask a model for each of RUNS whether it did its task, and keep its verdict with the steps it cites."""
    from gui_agent.trace.events import json_line
    from guiagent_eval.practice.judging import compare_verdicts
    from guiagent_eval.practice.kept import kept_runs

    folder = out or Path(runs[0])
    if not folder.is_dir() and out is None:
        raise ConfigError(f"{runs[0]} is no folder; say with --out where {FILE} shall go")
    folder.mkdir(parents=True, exist_ok=True)
    pairs: list[tuple[bool, bool]] = []
    cost, won = 0.0, 0
    with (folder / FILE).open("w", encoding="utf-8") as file:
        for kept, said in _judge_all(kept_runs(runs), settings, cast("Rubric", rubric)):
            file.write(json_line(asdict(said)) + "\n")
            pairs.append((kept.is_won, said.success))
            cost, won = cost + said.cost, won + said.success
    click.echo(f"{folder / FILE}: {len(pairs)} runs judged, {won} called a success, ${cost:.4f}")
    if against:
        print_agreement(compare_verdicts(pairs))


def _judge_all(
    runs: Iterator[KeptRun], settings: Settings, rubric: Rubric
) -> Iterator[tuple[KeptRun, Opinion]]:
    from gui_agent.wiring.models import make_models, need_models
    from guiagent_eval.practice.judging import judge as judge_one

    with closing(need_models(make_models(settings))) as models:
        for kept in runs:
            before = models.budget.total.cost
            said = judge_one(kept, models.model, rubric)
            yield kept, replace(said, cost=round(models.budget.total.cost - before, 6))


def print_agreement(found: Agreement) -> None:
    """Print agreement, kappa and the errors of both kinds, each with its interval."""
    rows = (
        ("agreement", found.agreement),
        ("Cohen's kappa", found.kappa),
        ("failures called a success", found.false_accepts),
        ("successes called a failure", found.false_rejects),
    )
    print_shares(f"of {found.runs} runs", rows, scale=1.0)


def show_beside(folders: Sequence[Path]) -> None:
    """Print two runs side by side, actions on the same screen in one line, and the first fault of each."""
    from gui_agent.trace import read_run
    from guiagent_eval.practice.beside import align, first_fault, side_by_side

    one, other = (read_run(folder, pictures=False) for folder in folders)
    console = wide_console()
    table = plain_table(*(named := ("", one.meta.id, other.meta.id)), left=named, overflow="fold")
    for line in side_by_side(align(one.trajectory.steps, other.trajectory.steps)):
        table.add_row(*map(Text, line), style="red" if line[0] == ">" else "")
    table.add_row("", Text(one.ending), Text(other.ending))
    console.print(table)
    for run, beside in ((one, other), (other, one)):
        fault = first_fault(run.trajectory, beside.trajectory)
        if fault is not None:
            console.print(f"{run.meta.id}: step {fault.step}: {fault.why}", markup=False)


RECORDED = """\
\b
Examples:
  guiagent eval offline runs/miniwob --model openai/gpt-6-sol --patches 1
  guiagent eval offline mind2web:data/test_task --model http://localhost:8000/v1#Qwen3-8B
  guiagent eval offline groundui:data/groundui --model http://localhost:8000/v1#Qwen3-VL-8B
"""


@click.command(epilog=RECORDED, short_help="Compare a model's acts with recorded ones.")
@click.argument("runs", nargs=-1, required=True, metavar="RUNS...|mind2web:DIR|groundui:DIR|idm:DIR")
@model_options("Who acts")
@option("--patches", default=0, type=NONE, help="Misses replaced by the recorded action.")
@option("--top", default=50, type=ONE, help="Candidates of Mind2Web.")
@option("--json", "as_json", is_flag=True, help="The figures as JSON.")
def offline(runs: tuple[str, ...], patches: int, top: int, as_json: bool, settings: Settings) -> None:
    """Show a model the screens of RUNS, or of Mind2Web's or AgentStudio's files; nothing is operated."""
    from gui_agent.wiring.models import make_models, need_models

    with closing(need_models(make_models(settings))) as models:
        kind, _, folder = runs[0].partition(":")
        if kind == "mind2web" and folder:
            found = _mind2web(Path(folder), models, top)
        elif kind in ("groundui", "idm") and folder:
            found = _agent_studio(kind, Path(folder), models)
        else:
            found = _own(runs, models, patches)
    if as_json:
        click.echo(json.dumps(found, indent=2, default=asdict))
        return
    (counted, number), *rows = found.items()
    print_shares(f"of {number} {counted}", [(f"{name.replace('_', ' ')} %", one) for name, one in rows])


def _own(runs: Sequence[str], models: ModelParts, patches: int) -> Rows:
    from guiagent_eval.practice import offline as own
    from guiagent_eval.practice.kept import kept_runs

    planner = models.planner()
    return own.figures(own.compare_run(one, planner.decide, patches=patches) for one in kept_runs(runs))


def _agent_studio(kind: str, folder: Path, models: ModelParts) -> Rows:
    from gui_agent.planners.llm.asking import PointingGrounder
    from guiagent_eval.practice import offline as own

    pointing = partial(own.is_aimed, PointingGrounder(models.pointing or models.model))
    is_right = pointing if kind == "groundui" else partial(own.is_named, models.model)
    return own.step_shares(folder, is_right)


def _mind2web(folder: Path, models: ModelParts, top: int) -> Rows:
    from guiagent_eval.practice import mind2web

    say = partial(mind2web.next_act, models.model)
    return mind2web.figures([mind2web.score(one, say) for one in mind2web.tasks_in(folder, top=top)])
