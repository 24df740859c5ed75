"""`guiagent models`: which models would be asked, and how each is spoken to."""

from __future__ import annotations

from typing import Any

import click

from gui_agent.cli.options import load_settings, model_options, settings_options

EPILOG = """\
\b
Examples:
  guiagent models
  guiagent models --model http://localhost:8000/v1#Qwen3-VL-8B
  guiagent models probe --model http://localhost:8000/v1#UI-TARS-1.5-7B
"""


@click.group(invoke_without_command=True, epilog=EPILOG, short_help="Language models: what is configured.")
@model_options
@settings_options
@click.pass_context
def models(ctx: click.Context, /, **rest: Any) -> int:
    """Show the models of the settings: address, wire format, picture size and coordinates."""
    if ctx.invoked_subcommand is not None:
        return 0
    named = _named(**rest)
    if not named:
        click.echo("no model is configured: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or give --model")
        return 0
    for use, name in named.items():
        click.echo("\n".join(describe(use, name)))
    return 0


@models.command(short_help="Ask a model for known places.")
@model_options
@settings_options
def probe(**rest: Any) -> int:
    """Ask each model for five places on a drawn picture: tells its coordinate convention and its error."""
    from gui_agent.core.errors import ConfigError, ExitCode
    from gui_agent.models import open_model
    from gui_agent.models import probe as ask
    from gui_agent.settings import api_key

    named = _named(**rest)
    if not named:
        raise ConfigError(
            "there is no model to ask; give --model, or set ANTHROPIC_API_KEY or OPENAI_API_KEY"
        )
    settings, fits = _settings(**rest).model, True
    for name in dict.fromkeys(named.values()):
        main = name == named.get("planner")
        found = ask(
            open_model(
                name,
                key=api_key,
                wire=(settings.wire or None) if main else None,
                family=settings.family if main else "",
                key_variable=settings.key if main else "",
            )
        )
        fits = fits and found.fits
        verdict = "as expected" if found.fits else "NOT as expected"
        click.echo(f"{name}: family {found.family}, {verdict} ({found.expected})")
        for shot in found.shots:
            said = f"{shot.error:.1f} px off" if shot.error is not None else shot.fault or "no place"
            click.echo(f"  {shot.what} at ({shot.at.x}, {shot.at.y}): {said}")
        if found.convention and not found.fits:
            click.echo(f"  it fits: {found.convention}, median error {found.error} px; set model.family")
    return ExitCode.DONE if fits else ExitCode.NOT_DONE


def describe(use: str, name: str) -> list[str]:
    """How a model is spoken to, in a few lines.

    Raises:
        ConfigError: its name is wrong.
    """
    from gui_agent.core.geometry import Size
    from gui_agent.minds import prices
    from gui_agent.models import described
    from gui_agent.settings import has_key

    spec, family = described(name)
    screen = Size(1280, 800)
    sent, space = family.rule.size(screen), family.space(screen, None)
    price = prices().of(spec.model)
    cost = f"${price.input:g} in, ${price.output:g} out per million tokens" if price else "price not known"
    known = "set" if spec.key and has_key(spec.key) else "NOT set"
    key = f"{spec.key} ({known})" if spec.key else "none"
    return [
        f"{use}: {name}",
        f"  address   {spec.url} ({spec.wire})",
        f"  key       {key}",
        f"  family    {family.name}",
        f"  pictures  {sent.width} x {sent.height} for a screen of 1280 x 800",
        f"  places    {space.told()}",
        f"  price     {cost}",
    ]


def _named(**rest: Any) -> dict[str, str]:
    """The models by what they are for."""
    from gui_agent.minds import default_model

    own = _settings(**rest).model
    main = "" if own.name == "none" else own.name or default_model()
    given = {"planner": main, "grounder": own.grounder, "cheaper": own.cheaper}
    return {use: name for use, name in given.items() if name}


def _settings(
    config: tuple[str, ...],
    assignments: tuple[str, ...],
    model: str | None,
    pointing: str | None,
    **_: Any,
) -> Any:
    return load_settings(config, assignments, model={"name": model, "grounder": pointing})
