"""`guiagent memory`: shows what was learned and why it is used, and removes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gui_agent.cli.options import json_option, load_settings, print_json
from gui_agent.content import content
from gui_agent.core.codec import plain
from gui_agent.core.errors import ConfigError, ExitCode
from gui_agent.core.texts import shorten

if TYPE_CHECKING:
    from gui_agent.memory.entry import Entry
    from gui_agent.memory.store import Store
    from gui_agent.procedures.library.memory import Memory

COLUMNS = ("id", "family", "task", "app", "kind", "origin", "created", "wins", "losses", "quarantined")
EPILOG = """\
\b
Examples:
  guiagent memory list                     procedures, and other stored entries
  guiagent memory show send-to             the procedure as numbered sentences, and its sources
  guiagent memory why "Send 'x' to Grace"  what resembles this task, how much, and why not more
  guiagent memory forget 3f0c8a1b22de      one demonstration
  guiagent memory forget --procedure send-to
"""


def memory_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`-c FILE` and `--set`; passes the memory of these settings as `kept`."""

    @click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="A setting.")
    @click.option("-c", "--config", multiple=True, metavar="FILE", help="Settings: a TOML file.")
    @wraps(command)
    def with_memory(config: tuple[str, ...], assignments: tuple[str, ...], **rest: Any) -> Any:
        from gui_agent.procedures.library.memory import open_memory

        kept = open_memory(load_settings(config, assignments))
        if kept.path.is_dir():
            raise ConfigError(
                f"the memory path {kept.path} is a folder; give a file with --set memory.path=FILE"
            )
        return command(kept=kept, **rest)

    return with_memory


@click.group(epilog=EPILOG, short_help="What has been learned: list, show, why, forget ...")
def memory() -> None:
    """Inspect and maintain the memory of verified runs and demonstrations."""


@memory.command("list", short_help="List what is remembered, newest first.")
@click.argument("words", nargs=-1)
@click.option("--kind", default="", help="Only one kind: demonstration, run, import, proposal.")
@json_option
@memory_options
def list_entries(words: tuple[str, ...], kind: str, as_json: bool, kept: Memory) -> None:
    """List the stored entries, newest first; only tasks with all the WORDS."""
    entries = kept.exemplars.store.entries(" ".join(words), kind=kind) if kept.exists else []
    if as_json:
        values = attrgetter(*COLUMNS)
        print_json([dict(zip(COLUMNS, values(entry), strict=True)) for entry in entries])
        return
    if not entries:
        click.echo(f"the memory {kept.path} is empty" if not words else "no entry matches")
    for entry in entries:
        click.echo(_line(entry))


@memory.command(short_help="Show the steps of a procedure, and where it comes from.")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print the procedure as JSON, for editing and --demo.")
@memory_options
def show(name: str, as_json: bool, kept: Memory) -> None:
    """Show the procedure NAME, or that of the entry with this id: its steps and sources."""
    from gui_agent.core.codec import encode
    from gui_agent.procedures.language.wording import describe

    try:
        procedure = kept.procedure(name)
    except ConfigError:
        entry = kept.entry(name)
        if entry is None:
            raise
        click.echo(
            "\n".join([_line(entry), *(f"{n}. {line}" for n, line in enumerate(entry.outlines, start=1))])
        )
        return
    if as_json:
        for program in procedure.programs:
            click.echo(encode(program, indent=1).decode())
        return
    click.echo(f"Procedure {procedure.name}")
    for program in procedure.programs:
        click.echo(describe(program))
    click.echo("Learned from:")
    for entry in procedure.entries:
        click.echo(f"  {_line(entry)}")


@memory.command(short_help="Show what resembles a task, and why it would be used.")
@click.argument("task")
@click.option("--app", default="", metavar="HOST", help="Host where the task is done.")
@memory_options
def why(task: str, app: str, kept: Memory) -> None:
    """Show entries similar to TASK, their scores, and why each is used or not."""
    from gui_agent.core.trajectory import Task
    from gui_agent.procedures.library.recognise import recognise

    matches = kept.exemplars.why(task, app=app) if kept.exists else []
    if not matches:
        click.echo("the memory has nothing similar")
        return
    click.echo("As exemplars for a model:")
    for match in matches:
        click.echo(f"  {match}")
    click.echo("As a procedure:")
    for line in recognise(Task(task), kept).lines():
        click.echo(f"  {line}")


@memory.command()
@click.argument("entries", nargs=-1, metavar="[ID]...")
@click.option("--procedure", default="", metavar="NAME", help="All demonstrations of a procedure.")
@click.option("--words", default="", help="Entries whose task contains all these words.")
@click.option("--origin", default="", metavar="ORIGIN", help="Entries of this origin, such as 'run ID'.")
@memory_options
def forget(entries: tuple[str, ...], procedure: str, words: str, origin: str, kept: Memory) -> None:
    """Remove entries and everything derived from them, for good."""
    store = _existing_store(kept)
    found = [store.entry(id) for id in entries]
    for entry in found:
        store.forget(entry.id)
        click.echo(f"forgotten: {_line(entry)}")
    if procedure or words or origin or not found:
        count = store.forget_matching(words, origin=origin, family=procedure)
        click.echo(f"forgotten: {count}")
        if not count:
            raise ConfigError("no entry matches; see guiagent memory list")


@memory.command(short_help="Approve entries in quarantine.")
@click.argument("entries", nargs=-1, required=True, metavar="ID...")
@memory_options
def approve(entries: tuple[str, ...], kept: Memory) -> None:
    """Approve entries in quarantine, so that they may be used."""
    store = _existing_store(kept)
    for entry in [store.entry(id) for id in entries]:
        store.quarantine(entry.id, "")
        click.echo(f"approved: {entry.id} in {entry.family}")


@memory.command(short_help="List what you called things in your answers, or forget it.")
@click.argument("words", nargs=-1)
@click.option("--forget", is_flag=True, help="Forget the aliases of these WORDS.")
@json_option
@memory_options
def aliases(words: tuple[str, ...], forget: bool, as_json: bool, kept: Memory) -> None:
    """List the aliases that come from your answers: what you call a control of an application.

    With WORDS only those; with --forget these are forgotten, and a later run asks again.
    """
    from gui_agent.core.texts import normal
    from gui_agent.memory.aliases import AliasStore

    said = normal(" ".join(words))
    if forget and not said:
        raise click.UsageError("--forget needs the words, as `guiagent memory aliases` lists them")
    store = AliasStore(kept.path)
    if forget:
        count = store.forget(said) if kept.exists else 0
        click.echo(f"{count} forgotten" if count else f'nothing is called "{said}"')
        return
    found = [one for one in (store.aliases() if kept.exists else []) if said in one.words]
    if as_json:
        print_json([plain(one) for one in found])
        return
    for one in found:
        where = f' in the row of "{one.record}"' if one.record else ""
        place = f"{one.application}: " if one.application else ""
        click.echo(f'{place}to {one.verb} "{one.words}" means {one.mark}{where} ({one.day})')
    if not found:
        click.echo("no answer has named anything yet")


@memory.command()
@memory_options
def stats(kept: Memory) -> None:
    """Print figures as JSON."""
    figures = asdict(kept.exemplars.store.stats()) if kept.exists else {"entries": 0}
    procedures = len(kept.procedures())
    print_json({"file": str(kept.path), "procedures": procedures, **figures})


@memory.command()
@click.argument("file", type=click.Path(dir_okay=False, readable=False, writable=True))
@memory_options
def export(file: str, kept: Memory) -> None:
    """Write all entries to FILE as JSON Lines."""
    from gui_agent.memory.exchange import export_jsonl

    count = export_jsonl(_existing_store(kept), file)
    click.echo(f"{count} entries written to {file}")


@memory.command("import", short_help="Add the entries of an exported file, or of a store that comes along.")
@click.argument("file", metavar="FILE|STORE")
@click.option("--trusted", is_flag=True, help="Use the entries without approving each one.")
@memory_options
def import_file(file: str, trusted: bool, kept: Memory) -> None:
    """Add entries of an exported FILE, which wait for approval, or of a built-in STORE such as `starter`."""
    from gui_agent.memory.exchange import import_jsonl

    is_name = file.isidentifier() and not Path(file).is_file()
    shipped = sorted(content("memory").glob(f"{file}/*.jsonl")) if is_name else []
    trusted, store = trusted or bool(shipped), kept.exemplars.store
    done = [import_jsonl(store, one, trusted=trusted) for one in shipped or [Path(file)]]
    added, known = sum(one.added for one in done), sum(one.known for one in done)
    waiting = "" if trusted or not added else "; approve them one by one: guiagent memory approve ID"
    click.echo(f"{added} added, {known} known already{waiting}")


@memory.command(short_help="Rescue the readable entries of a damaged file.")
@memory_options
def rescue(kept: Memory) -> None:
    """Copy the readable entries of a damaged file to a new one; deletes nothing."""
    from gui_agent.memory.exchange import rescue as save

    saved = save(kept.path)
    click.echo(f"{saved.saved} entries saved; the damaged file is {saved.damaged}")


@memory.command(short_help="Check the memory file for damage.")
@memory_options
def check(kept: Memory) -> int:
    """Check the whole memory file; exit code 2 if it is damaged."""
    faults = kept.exemplars.store.check() if kept.exists else []
    for fault in faults:
        click.echo(fault)
    click.echo(
        "damaged; rescue the readable entries: guiagent memory rescue" if faults else f"{kept.path} is sound"
    )
    return ExitCode.CONFIG if faults else ExitCode.DONE


def _existing_store(kept: Memory) -> Store:
    if not kept.exists:
        raise ConfigError(f"there is no memory {kept.path} yet; learn something with: guiagent learn RUN")
    return kept.exemplars.store


def _line(entry: Entry) -> str:
    from gui_agent.procedures.library.memory import ANSWER, CORRECTION, PROPOSAL

    proof = f"{entry.wins:g} won, {entry.losses:g} lost"
    held = f"  QUARANTINE: {entry.quarantined}" if entry.quarantined else ""
    if held and entry.kind not in (ANSWER, CORRECTION, PROPOSAL):
        held += f"; to use it again: guiagent memory approve {entry.id}"
    origin = entry.origin or entry.kind
    return (
        f'{entry.id}  {entry.family:<20}  "{shorten(entry.task, 60)}"  {entry.kind}, {origin}, {proof}{held}'
    )
