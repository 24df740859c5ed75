"""`guiagent models`: shows the configured models and their APIs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gui_agent.cli.options import GivenSettings, model_names, settings_options
from gui_agent.core.errors import ConfigError, ExitCode

if TYPE_CHECKING:
    from pathlib import Path

    from gui_agent.models.families import Family
    from gui_agent.models.probe import Probe
    from gui_agent.models.spec import Spec
    from gui_agent.sections import ModelSettings

EPILOG = """\
\b
Examples:
  guiagent models
  guiagent models --model http://localhost:8000/v1#Qwen3-VL-8B
  guiagent models probe --model http://localhost:8000/v1#UI-TARS-1.5-7B
  guiagent models ask last 3 --edit
"""
ASK_EXAMPLES = """\
\b
Examples:
  guiagent models ask last 3                   repeat the question before step 3
  guiagent models ask last 3 --edit            change the question first, in your editor
  guiagent models ask last --print             only print the last question and its answer
  guiagent models ask last 3 --model openai/gpt-5.6 --role verifier

Runs keep their questions with --set trace.requests=true.
"""


@click.group(invoke_without_command=True, epilog=EPILOG, short_help="Show the configured language models.")
@model_names
@settings_options
@click.pass_context
def models(ctx: click.Context, /, given: GivenSettings) -> int:
    """Show the configured models: address, API, actions, picture size, coordinates and price."""
    if ctx.invoked_subcommand is not None:
        return 0
    settings = given.load().model
    named = _models_by_purpose(settings)
    if not named:
        click.echo("no model is configured: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or give --model")
        return 0
    for use, name in named.items():
        click.echo("\n".join(describe(use, name, settings)))
    return 0


@models.command(short_help="Test which coordinates a model uses.")
@model_names
@settings_options
def probe(given: GivenSettings) -> int:
    """Ask each model for five places on a test picture, and report its coordinate convention and error."""
    from gui_agent.core.dialogue import close
    from gui_agent.models import open_model
    from gui_agent.models import probe as ask
    from gui_agent.settings import api_key

    settings = given.load().model
    named = _models_by_purpose(settings)
    if not named:
        raise ConfigError("no model is configured; give --model, or set ANTHROPIC_API_KEY or OPENAI_API_KEY")
    fits = True
    for name in dict.fromkeys(named.values()):
        model = open_model(name, key=api_key, extra=settings.extra, **_main_model_settings(name, settings))
        try:
            found = ask(model)
        finally:
            close(model)
        fits = fits and found.fits
        click.echo("\n".join(_probe_lines(found)))
    return ExitCode.DONE if fits else ExitCode.NOT_DONE


@models.command(epilog=ASK_EXAMPLES, short_help="Ask a model again what a run asked it.")
@click.argument("run")
@click.argument("step", type=click.IntRange(1), required=False)
@click.option("--edit", is_flag=True, help="Change the question in an editor first ($EDITOR).")
@click.option("--print", "only_print", is_flag=True, help="Print the question and its answer without asking.")
@click.option(
    "--role", default="planner", help="Who asked: planner (default), grounder, reflector or verifier."
)
@model_names
@settings_options
def ask(run: str, step: int | None, edit: bool, only_print: bool, role: str, given: GivenSettings) -> None:
    """Send the question that led to STEP of a stored RUN (the last one without STEP) to a model again.

    Does nothing on the screen. Secrets are sent as their names, as stored.
    """
    from gui_agent.cli.runs import find_run, kept_in
    from gui_agent.trace.questions import answer_text, document, edited_request, read_questions
    from gui_agent.wiring.models import make_models, need_models

    folder = find_run(run, kept_in(given.load()))
    kept = read_questions(folder)
    fitting = [one for one in kept if one.role == role and (step is None or one.step <= step)]
    if not fitting:
        roles = sorted({one.role for one in kept})
        raise ConfigError(
            f"{folder.name} has no such question of the {role}; it has questions of: {', '.join(roles)}"
            if kept
            else f"{folder.name} stored no questions to a model; run with --set trace.requests=true"
        )
    question = fitting[-1]
    text = document(question)
    if only_print:
        click.echo(f"{text}\n===== answer =====\n{answer_text(question.reply)}")
        return
    if edit and (text := click.edit(text, extension=".txt") or "") == "":
        click.echo("the question was not changed, so it was not sent", err=True)
        return
    request = edited_request(question, text) if edit else question.request
    own = given.sections["model"]["name"] or _model_of(folder)
    parts = need_models(make_models(given.load(model={"name": own})))
    try:
        reply = parts.model.complete(request)
    finally:
        parts.close()
    click.echo(f"===== answer then ({question.reply.model}) =====\n{answer_text(question.reply)}\n")
    click.echo(f"===== answer now ({reply.model}) =====\n{answer_text(reply)}\n")
    click.echo(parts.budget.summary(), err=True)


def _model_of(folder: Path) -> str | None:
    from gui_agent.trace.reader import read_run

    kept = read_run(folder, pictures=False).meta.settings.get("model", {})
    return kept.get("name") or None


def _probe_lines(found: Probe) -> list[str]:
    verdict = "as expected" if found.fits else "NOT as expected"
    lines = [f"{found.model}: family {found.family}, {verdict} ({found.expected})"]
    for shot in found.shots:
        said = f"{shot.error:.1f} px off" if shot.error is not None else shot.fault or "no place"
        lines.append(f"  {shot.what} at ({shot.at.x}, {shot.at.y}): {said}")
    if found.convention and not found.fits:
        lines.append(f"  it fits: {found.convention}, median error {found.error} px")
        if found.families:
            lines.append(f"  families with this convention: {', '.join(found.families)}; such as")
            lines.append(f"    --set model.family={found.families[0]}")
    return lines


def describe(use: str, name: str, settings: ModelSettings) -> list[str]:
    """The connection to a model, in a few lines."""
    from gui_agent.core.observation import Size
    from gui_agent.models import describe_model
    from gui_agent.settings import has_key

    spec, family = describe_model(name, **_main_model_settings(name, settings))
    screen = Size(1920, 1080)
    sent, space = family.rule.size(screen), family.space(screen, None)
    known = "set" if spec.key and has_key(spec.key) else "NOT set"
    key = f"{spec.key} ({known})" if spec.key else "none is sent"
    return [
        f"{use}: {name}",
        f"  address   {spec.url} ({spec.wire})",
        f"  key       {key}",
        f"  family    {family.name}",
        f"  actions   {_actions(use, spec, family, settings)}",
        f"  pictures  {sent.width} x {sent.height} for a screen of {screen.width} x {screen.height}",
        f"  places    {space.sentence()}",
        f"  price     {_price(spec)}",
    ]


def _actions(use: str, spec: Spec, family: Family, settings: ModelSettings) -> str:
    traits = family.traits(spec.wire)
    own = family.dialect.name if family.dialect else f"the tool {family.tool}"
    if traits.only_points or use == "grounder":
        return f"points only: {own}" if traits.computer or family.dialect else "points only: a function tool"
    if not traits.computer:
        return "a function tool"
    wanted = settings.native == "always" or (settings.native == "auto" and not traits.tools)
    other = "never" if wanted else "always"
    rest = "a function tool" if traits.tools else "JSON"
    first, second = (own, rest) if wanted else (rest, own)
    return f"{first} ({second} with --set model.native={other})"


def _price(spec: Spec) -> str:
    from gui_agent.settings import user_file
    from gui_agent.wiring.models import prices

    price = prices().price_of(spec.model)
    if price:
        return f"${price.input:g} in, ${price.output:g} out per million tokens"
    ours = "nothing, it is your own server"
    return f"unknown; add it to {user_file('prices.toml')}" if spec.key else ours


def _main_model_settings(name: str, settings: ModelSettings) -> dict[str, Any]:
    from gui_agent.wiring.routing import default_model

    if name != (settings.name or default_model()):
        return {}
    return {"wire": settings.wire or None, "family": settings.family, "key_variable": settings.key}


def _models_by_purpose(settings: ModelSettings) -> dict[str, str]:
    from gui_agent.wiring.routing import default_model

    main = "" if settings.name == "none" else settings.name or default_model()
    given = {"planner": main, "grounder": settings.grounder}
    given |= {"cheaper": settings.cheaper, "fallback": settings.fallback}
    return {use: name for use, name in given.items() if name}
