"""`guiagent doctor`: what is installed, what is missing, and the command that fixes it."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from gui_agent.cli.options import settings_options

EPILOG = """\
\b
Examples:
  guiagent doctor                        look at everything; exit code 2 when something needed is missing
  guiagent doctor --json                 the same for a program
  guiagent doctor --options              with everything that can be set on each part
  guiagent doctor -c my-profile.toml     with the settings of a file
  guiagent doctor --screen               clicks targets on every monitor: do clicks arrive where they should?
"""
SIGNS = {"ok": "ok      ", "missing": "MISSING ", "optional": "not here"}


@click.command(epilog=EPILOG, short_help="What is installed, what is missing, what fixes it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON value.")
@click.option("--options", is_flag=True, help="Show the type and default of each part's options.")
@click.option("--screen", is_flag=True, help="Click targets on every monitor and read back the error.")
@click.option(
    "--on",
    "kind",
    type=click.Choice(["desktop", "virtual"]),
    default="desktop",
    help="Which screen that is: the one in front of you, or a private one.",
)
@settings_options
def doctor(
    *,
    as_json: bool,
    options: bool,
    screen: bool,
    kind: str,
    config: tuple[str, ...],
    assignments: tuple[str, ...],
    runs: str | None,
) -> int:
    """Say what is installed, what is missing, and the exact command that fixes it."""
    from gui_agent.cli.checks import examine
    from gui_agent.cli.screen_check import examine_screen
    from gui_agent.core.errors import ExitCode

    findings = []
    for finding in examine_screen(kind) if screen else examine(config, assignments, runs):
        findings.append(finding)
        if not as_json:
            click.echo(f"{SIGNS[finding.state]}  {finding.what}: {finding.detail}")
            for key, value in finding.options.items() if options else ():
                click.echo(f"            {key}: {value}")
            if finding.fix:
                click.echo(f"            fix: {finding.fix}")
    missing = [finding.what for finding in findings if finding.state == "missing"]
    if as_json:
        report = {"ok": not missing, "findings": [asdict(finding) for finding in findings]}
        click.echo(json.dumps(report, ensure_ascii=False, indent=2))
    else:
        click.echo(f"missing: {', '.join(missing)}" if missing else "everything needed is here")
    return ExitCode.CONFIG if missing else ExitCode.DONE
