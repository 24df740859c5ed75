"""`guiagent skills`: skill packs, each for one task, with typed parameters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gui_agent.cli.options import (
    GivenSettings,
    given_address,
    headed_option,
    json_option,
    print_json,
    quiet_option,
    recorded_start,
    screen_option,
    settings_options,
    yes_option,
)
from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import file_errors, user_path
from gui_agent.core.texts import suggestion

if TYPE_CHECKING:
    from gui_agent.core.trajectory import Result
    from gui_agent.skills import Skill
    from gui_agent.skills.guides import Guide

EPILOG = """\
\b
Examples:
  guiagent skills promote send-to --name send-message
  guiagent skills run send-message --to Grace --text "see you at 5"
  guiagent skills run send-message --help      the parameters of this skill
  guiagent skills list
  guiagent skills add my-program/SKILL.md      front matter: name, description, metadata: app
  guiagent skills for-agents --into .claude/skills   teach a coding agent to use guiagent
  guiagent skills functions my_skills.py       each skill as a typed Python function
"""
folder_option = click.option("--from", "folder", metavar="DIR", help="Folder of packs.")
_TAKEN = frozenset(("help", "url", "on", "yes", "json", "quiet", "headed", "set", "config", "runs", "from"))
"""Options of `skills run` itself; a parameter of such a name is given as `--set name=value`."""


@click.group(epilog=EPILOG, short_help="Skill packs: promote, run, list, show, add.")
def skills() -> None:
    """Make, list and run skill packs."""


@skills.command()
@click.argument("procedure")
@click.option(
    "--name", default="", metavar="NAME", help="Name of the skill (default: that of the procedure)."
)
@click.option("--into", metavar="DIR", help="Folder of packs (default: your own).")
@recorded_start
@settings_options
def promote(procedure: str, name: str, into: str | None, url: str, given: GivenSettings) -> None:
    """Make a skill pack from a learned PROCEDURE."""
    from gui_agent.procedures.library.learning import promote as write
    from gui_agent.procedures.library.memory import open_memory
    from gui_agent.skills import load_skill

    memory = open_memory(given.load())
    pack = write(memory.procedure(procedure), name, Path(into) if into else None, start=url)
    skill = load_skill(pack)
    click.echo(str(pack))
    click.echo(f"guiagent skills run {_usage(skill, pack if into else None)}")


@skills.command("list", short_help="List the skills and the guides.")
@folder_option
@json_option
def list_packs(folder: str | None, as_json: bool) -> None:
    """List the skills and the guides for models."""
    from gui_agent.skills import list_skills
    from gui_agent.skills.guides import list_guides

    found = list_skills([Path(folder)] if folder else ())
    guides = list_guides(_guide_folders(folder))
    if as_json:
        rows = [{**_summary(one), "kind": "procedure"} for one in found]
        rows += [{**_summary(one), "kind": "guide"} for one in guides]
        print_json(rows)
        return
    for guide in guides:
        click.echo(f"{guide.name:<24}  {guide.description}  (a guide for models)")
    if not found:
        click.echo("there are no runnable skills yet; make one with: guiagent skills promote PROCEDURE")
    for skill in found:
        click.echo(
            f"{skill.name:<24}  {skill.description}  ({', '.join(skill.parameters) or 'no parameters'})"
        )


@skills.command(short_help="Show the manual of a skill, or a guide.")
@click.argument("name")
@folder_option
def show(name: str, folder: str | None) -> None:
    """Show the manual of the skill NAME with its parameters, or the guide of that name."""
    from gui_agent.skills import list_skills
    from gui_agent.skills.guides import list_guides

    packs = {skill.name: skill.folder for skill in list_skills([Path(folder)] if folder else ())}
    packs |= {guide.name: guide.folder for guide in list_guides(_guide_folders(folder))}
    if name not in packs:
        raise ConfigError(f'there is no skill "{name}"{suggestion(name, packs)}; see: guiagent skills list')
    click.echo((packs[name] / "SKILL.md").read_text(encoding="utf-8").rstrip())


@skills.command(short_help="Add a guide for models.")
@click.argument("source", type=click.Path(readable=False, path_type=Path))
@click.option("--into", metavar="DIR", help="Folder of packs (default: your own).")
def add(source: Path, into: str | None) -> None:
    """Add a guide for models: a folder with a SKILL.md, or that file."""
    from gui_agent.skills import skill_folders
    from gui_agent.skills.guides import add_guide

    guide = add_guide(source, Path(into) if into else skill_folders()[-1])
    click.echo(str(guide.folder))


@skills.command("allow", short_help="Allow the guides of a folder to be shown to models.")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default="skills")
def allow_guides(folder: Path) -> None:
    """Allow the guides in FOLDER (default: ./skills) to be shown to models, as long as they stay unchanged.

    A guide steers a model as your own words do, so first read guides that come with other people's files.
    """
    from gui_agent.skills.guides import allow, list_guides

    for guide in list_guides([folder]):
        click.echo(f"{guide.folder / 'SKILL.md'}: {guide.description}")
    allow(folder)


@skills.command("for-agents", short_help="Give a coding agent the skill to use guiagent.")
@click.option("--into", default="~/.claude/skills", metavar="DIR", help="Where the agent looks for skills.")
def for_agents(into: str) -> None:
    """Copy the Agent Skill that teaches open, look, find, act and close into a coding agent's folder."""
    from gui_agent import integrations
    from gui_agent.skills.guides import add_guide

    source = Path(integrations.__file__).parent / "agent_skill" / "guiagent"
    click.echo(f"{add_guide(source, user_path(into)).folder} is installed; restart the agent")


@skills.command(short_help="Write the skills as typed Python functions.")
@click.argument("output", type=click.Path(path_type=Path, dir_okay=False))
@folder_option
def functions(output: Path, folder: str | None) -> None:
    """Write a Python file with a typed function for each skill, for editors and type checkers."""
    from gui_agent.skills import list_skills
    from gui_agent.skills.pack import module

    found = list_skills([Path(folder)] if folder else [])
    with file_errors(str(output)):
        output.write_text(module(found), encoding="utf-8")
    click.echo(f"{len(found)} skills in {output}")


def _summary(pack: Skill | Guide) -> dict[str, str]:
    return {"name": pack.name, "description": pack.description, "folder": str(pack.folder)}


def _guide_folders(folder: str | None) -> list[Path]:
    from gui_agent.skills.pack import every_folder

    return [Path(folder)] if folder else [*every_folder()]


class SkillRuns(click.Group):
    """A group whose commands are the skills, with their parameters as options."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from gui_agent.skills import list_skills

        return [skill.name for skill in list_skills(_folders(ctx))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from gui_agent.skills import load_skill

        return _command(load_skill(cmd_name, _folders(ctx)))


@skills.command("run", cls=SkillRuns, no_args_is_help=True, subcommand_metavar="NAME [PARAMETERS]...")
@folder_option
def run_pack(folder: str | None) -> None:
    """Run the skill NAME with values for its parameters."""


class SkillRun(click.Command):
    """The command that runs one skill; errors in its options are reported in one line."""

    def __init__(self, skill: Skill, options: list[click.Parameter]) -> None:
        told = "\n\n".join(filter(None, (skill.description, skill.start and f"Begins at {skill.start}.")))
        super().__init__(skill.name, params=options, callback=self._run, help=told)
        self.skill = skill

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            takes = ", ".join(f"--{_option(name)}" for name in self.skill.parameters) or "no parameters"
            said = error.format_message().rstrip(".")
            raise ConfigError(f'skill "{self.skill.name}": {said}; it takes {takes}') from error

    @click.option("--url", default="", metavar="ADDRESS", callback=given_address, help="Where to begin.")
    @screen_option
    @headed_option
    @yes_option
    @json_option
    @quiet_option
    @settings_options
    def _run(
        self, *, url: str, kind: str | None, headed: bool, yes: bool, as_json: bool, quiet: bool,
        given: GivenSettings, **rest: Any,
    ) -> int:  # fmt: skip
        from gui_agent.cli.questions import attending
        from gui_agent.cli.run import resolve
        from gui_agent.trace import result_json
        from gui_agent.wiring import run_skill

        settings, more = resolve(kind=kind, headed=headed, max_steps=None, max_seconds=None, given=given)
        told = {name: rest.get(_key(name)) for name in self.skill.parameters}
        values = {**{name: text for name, text in told.items() if text is not None}, **more}
        with attending(quiet=quiet) as (_, attended):
            result: Result = run_skill(self.skill, values, url=url, settings=settings, yes=yes, **attended)
        if as_json:
            click.echo(result_json(result))
        elif result.answer:
            click.echo(result.answer)
        return result.exit_code


def _command(skill: Skill) -> click.Command:
    own: list[click.Parameter] = [
        click.Option([f"--{_option(name)}", _key(name)], metavar=one.type.upper(), help=str(one))
        for name, one in skill.parameters.items()
        if _option(name) not in _TAKEN
    ]

    common = reversed(vars(SkillRun._run)["__click_params__"])
    return SkillRun(skill, [*own, *common])


def _folders(ctx: click.Context) -> list[Path]:
    folder = ctx.params.get("folder")
    return [Path(folder)] if folder else []


def _option(name: str) -> str:
    return name.replace("_", "-")


def _key(name: str) -> str:
    return f"slot_{name}"


def _usage(skill: Skill, folder: Path | None) -> str:
    words = [f"--from {folder.parent}"] if folder else []
    words.append(skill.name)
    for name, one in skill.parameters.items():
        if one.is_required:
            words.append(f'--{_option(name)} "{one.example}"')
    return " ".join(words)
