"""`guiagent policy`: checks, explains and tries the rules of the guard."""

from __future__ import annotations

import click

from gui_agent.core.errors import ConfigError, ExitCode


@click.group()
def policy() -> None:
    """Check, explain and try the rules of the guard."""


@policy.command("test")
@click.argument("name", required=False, default="")
def test_policy(name: str) -> int:
    """Check a policy file, or a profile; without one, the rules in force."""
    from gui_agent.agent.guard.policy import shadowed

    rules = _rules(name)
    for number, by in shadowed(rules):
        click.echo(f"rule {number} never decides: rule {by} fits all that it fits")
    click.echo(f"{rules.source}: {len(rules.rules)} rules, no mistakes")
    return ExitCode.DONE


@policy.command()
@click.argument("name", required=False, default="")
def explain(name: str) -> None:
    """Say in words what a policy allows, asks about and forbids."""
    from gui_agent.agent.guard.policy import in_words

    for line in in_words(_rules(name)):
        click.echo(line)


@policy.command()
@click.argument("target")
@click.option(
    "--do", "kind", default="click", show_default=True, help="click, press, type, open, navigate, upload."
)
@click.option("--role", default="button", show_default=True)
@click.option("--url", default="", help="Of the page that it is on.")
@click.option("--app", default="", help="Name of the program that it is in.")
@click.option("--policy", "name", default="", help="File or profile; by default the rules in force.")
def why(target: str, kind: str, role: str, url: str, app: str, name: str) -> int:
    """Say what the guard would do about one action, and by which rule.

    TARGET is the name of what is clicked, the key, the text, the program, the address or the file.
    """
    from gui_agent.agent.guard.meaning import MEANINGS, classify
    from gui_agent.core import actions as do
    from gui_agent.core.geometry import Box, Size
    from gui_agent.core.observation import Element, Observation, Place
    from gui_agent.core.trajectory import Found

    rules, box = _rules(name), Box(10, 10, 80, 24)
    element = Element(1, role, target, box, attributes={"tag": role}, path=f"html/body/{role}")
    spot, found = box.center, {"at": Found(box.center, element, box)}
    actions: dict[str, do.Action] = {
        "click": do.Click(spot),
        "press": do.Press((target,)),
        "type": do.TypeText(target, spot),
        "open": do.Open(target),
        "navigate": do.Navigate(target),
        "upload": do.Upload(spot, (target,)),
    }
    if kind not in actions:
        raise ConfigError(f'--do: there is no "{kind}" here; there are {", ".join(actions)}')
    screen = Observation(Size(1280, 800), (element,), Place(app or "page", "", url))
    placed = kind in ("click", "type", "upload")
    for reading in classify(actions[kind], found if placed else {}, screen):
        effect, reason = rules.effect(actions[kind], reading, screen)
        meaning = MEANINGS[reading.meaning]
        told = "; ".join(filter(None, (reading.because, reason)))
        click.echo(f"{effect:7} {reading.meaning}: {meaning}{f' ({told})' if told else ''}")
    return ExitCode.DONE


def _rules(name: str):  # type: ignore[no-untyped-def]  # imported when it is needed
    from gui_agent.agent.guard.policy import load
    from gui_agent.settings import load as load_settings
    from gui_agent.settings import user_file

    own = user_file("guard.toml")
    return load(name or load_settings().guard.policy or (str(own) if own.is_file() else ""))
