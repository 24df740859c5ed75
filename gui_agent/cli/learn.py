"""`guiagent learn`: turns a finished run, or another tool's recording, into a procedure."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gui_agent.cli.options import GivenSettings, json_option, recorded_start, settings_options
from gui_agent.cli.runs import find_run, kept_in

if TYPE_CHECKING:
    from gui_agent.core.trajectory import Demonstration
    from gui_agent.procedures.language.program import Program
    from gui_agent.procedures.library.learning import Learned
    from gui_agent.procedures.library.memory import Memory

EPILOG = """\
\b
Examples:
  guiagent learn last --task "Send 'hi' to Ada"      the last run, with its task in words
  guiagent learn 20260131-0930                       a run that already has its task in words
  guiagent learn script.py --task "Buy shoes"        a script of Playwright's code generator
  guiagent learn recording.json                      an export of the Recorder panel of DevTools
  guiagent learn shop.side                           a project of Selenium IDE
  guiagent learn order.json                          a demonstration in the project's own format
"""


@click.command(epilog=EPILOG, short_help="Learn from a verified run or a recording.")
@click.argument("source", metavar="RUN|FILE", default="last")
@click.option("--task", default="", metavar="TEXT", help="The task, worded as you would ask for it.")
@click.option("--name", default="", metavar="NAME", help="The procedure it belongs to (default: detected).")
@recorded_start
@click.option("--ask", is_flag=True, help="Ask about each text that may be read from the screen or vary.")
@json_option
@settings_options
def learn(
    *, source: str, task: str, name: str, url: str, ask: bool, as_json: bool, given: GivenSettings
) -> None:
    """Learn from RUN (its folder, its id, the beginning of its id, or `last`) or from FILE."""
    from gui_agent.procedures.importers.imported import missing_values
    from gui_agent.procedures.library.memory import open_memory
    from gui_agent.procedures.recordings.from_run import unshown
    from gui_agent.wiring import learn as learn_from

    review = _review(ask, as_json)
    settings = given.load()
    path = Path(source) if Path(source).is_file() else find_run(source, kept_in(settings))
    memory = open_memory(settings)
    learned = learn_from(path, task=task, name=name, memory=memory, start=url, review=review)
    demonstration = memory.exemplars.store.entry(learned.entry).demonstration
    missed = unshown(demonstration) if demonstration is not None else ()
    named = missing_values(demonstration) if demonstration is not None else ()
    if not as_json and sys.stdin.isatty():
        learned = _told_apart(learned, memory)
    memory.close()
    click.echo(_json(learned) if as_json else "\n".join(_lines(learned)))
    for value in missed:
        click.echo(
            f'warning: "{value}" does not occur in the recording, so another value for it changes nothing; '
            f"name the recorded value with --task, and: guiagent memory forget {learned.entry}",
            err=True,
        )
    for value in named:
        if any(value in other for other in missed):
            continue
        click.echo(
            f"warning: '{value}' is in the task but not in the recording: "
            "another value for it changes nothing; record a step in which it is visible or typed",
            err=True,
        )


def _review(ask: bool, as_json: bool) -> Callable[[Demonstration], Demonstration] | None:
    """The questions to the user about a recording before it is stored."""
    if ask and (as_json or not sys.stdin.isatty()):
        raise click.UsageError("--ask asks at a terminal, and there is none here.")
    return with_doubts_asked if ask else None if as_json else with_asked_values


def with_asked_values(demonstration: Demonstration) -> Demonstration:
    """The demonstration with the task's values that the user matches with recorded ones."""
    from gui_agent.procedures.importers.imported import in_place_of, missing_values, typed_values

    if not sys.stdin.isatty():
        return demonstration
    for value in missing_values(demonstration):
        known = [one for one in typed_values(demonstration) if one not in demonstration.task]
        if known:
            listed = ", ".join(f"{number} {one!r}" for number, one in enumerate(known, start=1))
            question = f"'{value}' is not in the recording. Which value is it: {listed}? (Enter: none)"
            number = click.prompt(question, err=True, default=0, type=int, show_default=False)
            if 0 < number <= len(known):
                demonstration = in_place_of(demonstration, known[number - 1], value)
    return demonstration


def with_doubts_asked(demonstration: Demonstration) -> Demonstration:
    """The demonstration with the user's decision about each typed text that was also on a screen."""
    from gui_agent.procedures.induction.copying import texts_in_doubt

    demonstration = with_asked_values(demonstration)
    for number, text in enumerate(texts_in_doubt(demonstration), start=1):
        ways = "1 it stays the same, 2 it varies, 3 it is read from the screen"
        question = f'"{text}" was typed, and was also on a screen: {ways}'
        answer = click.prompt(question, err=True, default=1, type=click.IntRange(1, 3))
        if answer == 2:
            name = click.prompt("A name for it", err=True, default=f"value_{number}")
            demonstration = replace(demonstration, slots={**demonstration.slots, name: text})
        elif answer == 3:
            demonstration = replace(demonstration, notes={**demonstration.notes, f"read {number}": text})
    return demonstration


def _told_apart(learned: Learned, memory: Memory) -> Learned:
    from gui_agent.procedures.language.wording import sentences

    by_wording: dict[str, list[Program]] = {}
    for program in learned.procedure.programs:
        by_wording.setdefault(program.templates[0], []).append(program)
    ways = next((same for same in by_wording.values() if len(same) > 1), [])
    support = sorted(program.demonstrations for program in ways)
    if not ways or learned.quarantined or support[-1] > 2 * sum(support[:-1]):
        return learned
    click.echo(f'"{ways[0].templates[0]}" was demonstrated in different ways:', err=True)
    for number, program in enumerate(ways, start=1):
        click.echo(f"{number}:\n" + "\n".join(f"   {line}" for line in sentences(program)), err=True)
    number = click.prompt(
        "Which one do you want? (Enter: none)", err=True, default=0, type=int, show_default=False
    )
    if not 0 < number <= len(ways):
        return learned
    memory.answer(learned.procedure, ways[number - 1])
    return replace(learned, procedure=memory.procedure(learned.procedure.name))


def _lines(learned: Learned) -> list[str]:
    procedure = learned.procedure
    told = [f"{remark}" for remark in learned.remarks]
    if not learned.new:
        kept = f"known already: {learned.entry} in {procedure.name}"
        return [*told, f"{kept}, in quarantine ({learned.quarantined})" if learned.quarantined else kept]
    if learned.quarantined:
        told.append(
            f"kept as {learned.entry}, in quarantine ({learned.quarantined}); "
            f"look at it, then: guiagent memory approve {learned.entry}"
        )
        return told
    count = len(procedure.demonstrations)
    came = f"joined {procedure.name}" if count > 1 else f"new procedure {procedure.name}"
    told.append(f"{came}: learned from {count} demonstration{'s' if count > 1 else ''}")
    if learned.apart:
        told.append(f"kept apart from {learned.apart}")
    from gui_agent.procedures.language.wording import describe

    for program in procedure.programs:
        told += [f"  {line}" for line in describe(program).splitlines()]
    return told


def _json(learned: Learned) -> str:
    programs = learned.procedure.programs
    parameters = chain.from_iterable(program.parameters for program in programs)
    return json.dumps(
        {
            "procedure": learned.procedure.name,
            "entry": learned.entry,
            "new": learned.new,
            "quarantined": learned.quarantined,
            "demonstrations": len(learned.procedure.demonstrations),
            "templates": list(chain.from_iterable(program.templates for program in programs)),
            "parameters": [parameter.name for parameter in parameters],
            "kept_apart_from": learned.apart,
            "remarks": [str(remark) for remark in learned.remarks],
        },
        ensure_ascii=False,
    )
