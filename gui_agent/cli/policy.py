"""`guiagent policy`: the person's kept answers to the guard, and its rules, to be checked and tried."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime
from typing import TYPE_CHECKING

import click

from gui_agent.core.errors import ConfigError, ExitCode

if TYPE_CHECKING:
    from gui_agent.agent.guard.kept_answers import KeptAnswers
    from gui_agent.agent.guard.policy import Policy

EPILOG = """\
\b
Examples:
  guiagent policy list                                 what you allowed for good, and when
  guiagent policy add send@mail.example.org            never ask about sending on this host again
  guiagent policy remove send@mail.example.org         ask again
  guiagent policy explain strict                       what a profile asks about and forbids
  guiagent policy test my-policy.toml                  is the file valid?
  guiagent policy why "Delete all"                      what the guard would do about a click on it, and why
"""


@click.group(epilog=EPILOG, short_help="Your kept answers to the guard, and its rules.")
def policy() -> None:
    """List and withdraw your kept answers to the guard; check, explain and test its rules.

    An answer is kept when you say "always" to a question. It holds for one meaning on one host (or in
    one program) in all runs. It never allows what a rule forbids, and payments are asked about each time.
    """


@policy.command("list")
def list_answers() -> None:
    """List the answers that you keep."""
    from gui_agent.elements.describe import printable

    kept = [*_kept_answers().all()]
    for name, asked, since in kept:
        told = f", asked: {asked}" if asked else ""
        click.echo(printable(f"{name}, since {datetime.fromtimestamp(since):%Y-%m-%d %H:%M}{told}"))
    if not kept:
        click.echo('You keep no answer; answer "always" to a question, or: guiagent policy add MEANING@HOST')


@policy.command("add")
@click.argument("answer")
def add_answer(answer: str) -> None:
    """Keep the answer MEANING@HOST: such actions are not asked about there.

    HOST is as the guard names it in its questions, with its port if that is unusual, or a program's name.
    """
    from gui_agent.agent.guard.asking import kept_name

    _kept_answers().keep(name := kept_name(answer))
    click.echo(f"{name} is kept; to withdraw it: guiagent policy remove '{name}'")


@policy.command("remove")
@click.argument("answer")
def remove_answer(answer: str) -> None:
    """Withdraw the answer MEANING@HOST; runs that are going on ask again, too."""
    if not _kept_answers().withdraw(answer):
        raise ConfigError(f"you keep no answer {answer}; see: guiagent policy list")
    click.echo(f"{answer} is withdrawn")


def _kept_answers() -> KeptAnswers:
    from gui_agent.agent.guard.kept_answers import ANSWERS, KeptAnswers
    from gui_agent.settings import state_folder

    return KeptAnswers(state_folder(ANSWERS))


@policy.command("test")
@click.argument("name", required=False, default="")
def test_policy(name: str) -> int:
    """Check a policy file, or a profile; without one, the rules in force."""
    rules = _rules(name)
    click.echo(f"{rules.source}: {len(rules.rules)} rules, no mistakes")
    return ExitCode.DONE


@policy.command()
@click.argument("name", required=False, default="")
def explain(name: str) -> None:
    """Explain what a policy allows, asks about and forbids."""
    for line in in_words(_rules(name)):
        click.echo(line)


@policy.command()
@click.argument("target")
@click.option(
    "--do", "kind", default="click", show_default=True, help="click, press, type, open, navigate, upload."
)
@click.option("--role", default="button", show_default=True)
@click.option("--url", default="", help="Address of its page.")
@click.option("--app", default="", help="Name of its program.")
@click.option("--policy", "name", default="", help="File or profile; by default the rules in force.")
def why(target: str, kind: str, role: str, url: str, app: str, name: str) -> int:
    """Show the guard's decision about an action, and the rule behind it.

    TARGET is the name of the element to click, the key, the text, the program, the address or the file.
    """
    from gui_agent.agent.guard.meaning import classify
    from gui_agent.agent.guard.vocabulary import MEANINGS
    from gui_agent.core import actions as do
    from gui_agent.core.observation import Box, Element, Observation, Place, Size
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
        raise ConfigError(f'--do: unknown action "{kind}"; known are {", ".join(actions)}')
    screen = Observation(Size(1280, 800), (element,), Place(app or "page", "", url))
    placed = kind in ("click", "type", "upload")
    for reading in classify(actions[kind], found if placed else {}, screen):
        effect, reason = rules.effect(actions[kind], reading, screen)
        meaning = MEANINGS[reading.meaning]
        told = "; ".join(filter(None, (reading.because, reason)))
        click.echo(f"{effect:7} {reading.meaning}: {meaning}{f' ({told})' if told else ''}")
    return ExitCode.DONE


def _rules(name: str) -> Policy:
    from gui_agent.agent.guard.policy import load
    from gui_agent.settings import load as load_settings
    from gui_agent.settings import user_file

    own = user_file("guard.toml")
    return load(name or load_settings().guard.policy or (str(own) if own.is_file() else ""))


def in_words(policy: Policy) -> tuple[str, ...]:
    """A policy in sentences, in the order in which its rules are tried."""
    lines = [policy.source]
    verbs = {"allow": "allows", "ask": "asks about", "forbid": "forbids"}
    for number, rule in enumerate(policy.rules, 1):
        said = [f"{item.name} {_in_words(getattr(rule, item.name))}" for item in fields(rule)[1:-1]]
        held = [text for text, item in zip(said, fields(rule)[1:-1], strict=True) if getattr(rule, item.name)]
        because = f", because {rule.reason}" if rule.reason else ""
        lines.append(f"{number}. {verbs[rule.effect]} {'; '.join(held)}{because}")
    lines.append(f"everything else: {policy.default}; unknown pages and programs: {policy.unknown}")
    lines.append(f"the same action again: {policy.repeat}")
    if policy.domains:
        lines.append(f"acts on {', '.join(policy.domains)} only, and opens no other site")
    if policy.folders:
        lines.append(f"uploads files from {', '.join(policy.folders)} only")
    return tuple(lines)


def _in_words(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else ", ".join(value)
