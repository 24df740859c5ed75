"""`guiagent export`: writes runs as files that trainers read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gui_agent.core.errors import ConfigError
from guiagent_eval.cli import NONE, option
from guiagent_eval.exports import FORMATS

if TYPE_CHECKING:
    from guiagent_eval.practice.kept import KeptRun
    from guiagent_eval.practice.turns import Conversation, Cut

EPILOG = """\
\b
Examples:
  guiagent export last --format trl --out data
  guiagent export runs/miniwob --format verl-sft --only won --no-pictures --out data
  guiagent export runs/miniwob --format os-genesis --out triples
  guiagent export runs/miniwob --format trl --answers tools --template Qwen3-VL-8B/ --out data
  guiagent export runs/miniwob --format trl --void drop --until-error --last 5 --out data
"""


@click.command(epilog=EPILOG, short_help="Write runs in the form that trainers read.")
@click.argument("runs", nargs=-1, required=True, metavar="RUNS...")
@option("--format", "form", required=True, type=click.Choice(list(FORMATS)), help="Whose form.")
@option("--out", required=True, metavar="DIR", type=click.Path(path_type=Path), help="Where to.")
@option(
    "--only",
    default="all",
    type=click.Choice(["all", "won", "lost", "judged"]),
    help="Runs by how they ended: by a benchmark's grade, else by their own ending; judged: by --judgements.",
)
@option(
    "--judgements",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The output of `guiagent eval judge`: --only judged takes the runs that it calls a success.",
)
@option(
    "--last",
    default=0,
    metavar="N",
    type=NONE,
    help="Write the last N turns word by word and those before them in one line a step (default: all).",
)
@option(
    "--void",
    default="keep",
    type=click.Choice(["keep", "drop", "skip"]),
    help="Turns without an effect: drop them, or skip runs that have any.",
)
@option("--until-error", is_flag=True, help="End each run before its first step that went wrong.")
@option("--pictures/--no-pictures", default=True, help="With the screenshots.")
@option(
    "--answers",
    default="json",
    metavar="FORM",
    help="How answers are written: json, tools, uitars, qwen, claude, or a family of `guiagent models`.",
)
@option(
    "--template",
    metavar="FILE|DIR",
    type=click.Path(path_type=Path, exists=True),
    help="The chat template to train with, or its tokenizer: an answer that it would drop is refused.",
)
def export(
    runs: tuple[str, ...],
    form: str,
    out: Path,
    only: str,
    judgements: Path | None,
    answers: str,
    template: Path | None,
    **cuts: Any,
) -> None:
    """Write RUNS (folders of runs or of benchmark runs, ids, or last) for a trainer; secrets stay hidden."""
    from guiagent_eval.exports import find_format, write
    from guiagent_eval.exports.template import read_template
    from guiagent_eval.practice.answers import TOOLS, language
    from guiagent_eval.practice.turns import Cut

    module, own = find_format(form), language(answers)
    if not module.CALLS and (answers == TOOLS or (own is not None and own.calls)):
        raise ConfigError(f"--format {form} holds answers as text; use --answers json, or --format trl")
    cut = Cut(answers=answers, ends=True, **cuts)
    count: Counter[str] = Counter()
    given = {"format": form, "answers": answers, "only": only, "last": cut.last, "void": cut.void}
    conversations = _conversations(runs, _choice_of(only, judgements), cut, count)
    path, rows = write(conversations, module, out, given, read_template(template) if template else None)
    read, told = count.pop("read"), count.pop("told", 0)
    unsaid = [f"; {number} because {why}" for why, number in count.items()]
    if not rows:
        path.unlink()
        raise ConfigError(
            f"none of {read} runs remains with --only {only} --void {cut.void}{''.join(unsaid)}"
        )
    left = f", {read - told} left out" if read > told else ""
    click.echo(f"{path}: {rows} rows of {told} runs{left}{''.join(unsaid)}")


def _choice_of(only: str, judgements: Path | None) -> Callable[[KeptRun], bool]:
    """A function that says whether a run is wanted."""
    if only != "judged":
        return lambda kept: only == "all" or kept.is_won == (only == "won")
    if judgements is None:
        raise ConfigError("--only judged: give --judgements FILE; guiagent eval judge writes it")
    try:
        said = [json.loads(line) for line in judgements.read_text("utf-8").splitlines()]
        good = {one["run"] for one in said if one["success"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{judgements} is no file of judgements: {error}") from error
    return lambda kept: kept.name in good


def _conversations(
    runs: tuple[str, ...], chosen: Callable[[KeptRun], bool], cut: Cut, count: Counter[str]
) -> Iterator[Conversation]:
    from guiagent_eval.practice.answers import Unwritable
    from guiagent_eval.practice.kept import kept_runs
    from guiagent_eval.practice.turns import conversation

    for kept in kept_runs(runs, pictures=cut.pictures):
        count["read"] += 1
        try:
            told = conversation(kept, cut) if chosen(kept) else None
        except Unwritable as reason:
            count[str(reason)] += 1
            continue
        if told is not None:
            count["told"] += 1
            yield told
