"""`guiagent doctor`: reports what is installed and missing, with the command that fixes it."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from gui_agent.cli.options import GivenSettings, json_option, print_json, settings_options
from gui_agent.core.errors import ConfigError, ExitCode, GuiAgentError, MissingExtra
from gui_agent.core.os_errors import user_path
from gui_agent.core.texts import shorten
from gui_agent.plugins import GROUPS, find, installed_parts, options_of

if TYPE_CHECKING:
    from gui_agent.computers.browser.controller import Browsing
    from gui_agent.settings import Settings

EPILOG = """\
\b
Examples:
  guiagent doctor                        what can be used; exit code 2 if something required is missing
  guiagent doctor --all                  everything that was checked, with what optional parts lack
  guiagent doctor --json                 the same as JSON
  guiagent doctor --options              with everything that can be set on each part
  guiagent doctor -c my-profile.toml     with the settings of a file
  guiagent doctor --device android       tries a real phone, Windows or Mac, and writes a file to send back
  guiagent doctor --screen               clicks targets on every monitor: do clicks arrive where they should?
"""
MEMORY, MEANING = "set memory.embedder, or pip install 'guiagent[memory]'", "sentence-transformers"
AREAS = {
    "web pages": ("browser driver", "browser"),
    "desktop programs": ("extra desktop", "private display"),
    "phones": ("extra android",),
    "models": ("extra models", "model"),
    "live view": ("extra serve",),
}
"""What people use, each with the findings that it needs."""
SIGNS = {"ok": "ok      ", "missing": "MISSING ", "optional": "not here"}


@click.command(epilog=EPILOG, short_help="Check what is installed, and how to fix it.")
@json_option
@click.option("--all", "whole", is_flag=True, help="Show every finding.")
@click.option("--options", is_flag=True, help="With --all: show the type and default of each part's options.")
@click.option("--screen", is_flag=True, help="Click targets on every monitor and measure the error.")
@click.option(
    "--device",
    default="",
    metavar="SCREEN",
    help="Try a phone, a desktop or another screen in twenty ways, and write a file to send back.",
)
@click.option("--out", default="guiagent-device.json", metavar="FILE", help="The file of --device.")
@click.option("--yes", is_flag=True, help="With --device: do not ask before it types and scrolls.")
@click.option(
    "--on",
    "kind",
    type=click.Choice(["desktop", "virtual"]),
    default="desktop",
    help="Which screen: the one in front of you, or a private one.",
)
@settings_options
def doctor(
    *,
    as_json: bool,
    whole: bool,
    options: bool,
    screen: bool,
    device: str,
    out: str,
    yes: bool,
    kind: str,
    given: GivenSettings,
) -> int:
    """Check what is installed and missing, with the exact command that fixes it."""
    whole = any((whole, screen, options, device))
    findings = []
    for finding in _device_findings(device, out, yes=yes) if device else _findings(kind, given, screen):
        findings.append(finding)
        if not as_json and (whole or finding.state == "missing"):
            _echo_finding(finding, finding.options if options else {})
    missing = [finding.what for finding in findings if finding.state == "missing"]
    if as_json:
        print_json({"ok": not missing, "findings": [*map(asdict, findings)]})
    else:
        _echo_summary(findings, missing, "all checks passed" if device else "", whole=whole)
    return ExitCode.CONFIG if missing else ExitCode.DONE


def _findings(kind: str, given: GivenSettings, screen: bool) -> Iterator[Finding]:
    from gui_agent.cli.screen_check import examine_screen

    return examine_screen(kind) if screen else examine(given)


def _device_findings(device: str, out: str, *, yes: bool) -> Iterator[Finding]:
    from gui_agent.cli.device_check import examine_device

    if not yes:
        question = f"Type into a text field of {device}, scroll there and press Escape? Nothing is sent."
        click.confirm(question, abort=True, err=True)
    yield from examine_device(device, user_path(out))
    click.echo(f"written to {out}; it holds nothing of the screen; please send it back", err=True)


def _echo_finding(finding: Finding, options: Mapping[str, str]) -> None:
    click.echo(f"{SIGNS[finding.state]}  {finding.what}: {finding.detail}")
    for key, value in options.items():
        click.echo(f"            {key}: {value}")
    if finding.fix:
        click.echo(f"            fix: {finding.fix}")


def _echo_summary(findings: Sequence[Finding], missing: Sequence[str], passed: str, *, whole: bool) -> None:
    if missing or whole:
        complete = passed or "everything required is installed"
        click.echo(f"missing: {', '.join(missing)}" if missing else complete)
        return
    found = {finding.what: finding for finding in findings}
    for area, needs in AREAS.items():
        lacking = next((one for one in map(found.get, needs) if one and one.state != "ok"), None)
        click.echo(f"{area:<17} {f'not yet: {lacking.fix}' if lacking else 'ready'}")
    click.echo("guiagent doctor --all shows everything that was checked")


State = Literal["ok", "missing", "optional"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    what: str
    state: State
    """ok; missing: the main function does not work without it; optional: some parts need it."""
    detail: str
    fix: str = ""
    """The exact command; empty if nothing is to be fixed."""
    options: Mapping[str, str] = field(default_factory=dict)
    """The available options, with type and default."""


def examine(given: GivenSettings) -> Iterator[Finding]:
    """Check everything, the cheapest first."""
    yield Finding("python", "ok", f"{platform.python_version()} at {sys.executable}")
    yield from packages()
    try:
        settings = given.load()
        yield Finding("settings", "ok", "valid")
    except ConfigError as error:
        yield Finding("settings", "missing", str(error), "correct that file or argument")
        settings = GivenSettings().load()
    yield policy(settings)
    yield runs_folder(settings)
    yield from parts(settings)
    yield from extras()
    yield from (model(settings), recall(settings), learning(settings))
    yield display()
    yield private_display()
    driving = driver()
    yield driving
    if driving.state == "ok":
        yield browser()


def packages() -> Iterator[Finding]:
    """The libraries that every part needs."""
    for name in requirements()[""]:
        found = installed_version(name)
        fix = "" if found else f"{sys.executable} -m pip install {name}"
        yield Finding(name, "ok" if found else "missing", found or "not installed", fix)


def extras() -> Iterator[Finding]:
    """The optional parts."""
    for extra, names in requirements().items():
        absent = [name for name in names if not installed_version(name)]
        fix = f"{sys.executable} -m pip install 'guiagent[{extra}]'"
        if extra and absent:
            yield Finding(f"extra {extra}", "optional", f"without {', '.join(absent)}", fix)
        elif extra:
            there = ", ".join(f"{name} {installed_version(name)}" for name in names)
            yield Finding(f"extra {extra}", "ok", there)


def model(settings: Settings) -> Finding:
    """Whether a language model is set, by name or by its key in the environment."""
    from gui_agent.wiring import has_model

    if has_model(settings):
        return Finding("model", "ok", settings.model.name or "by the key in the environment")
    fix = "--model NAME with its key in the environment, see guiagent models --help"
    return Finding("model", "optional", "none; plain commands and procedures need none", fix)


def recall(settings: Settings) -> Finding:
    """Whether stored runs are found by meaning, or only by words."""
    try:
        from gui_agent.memory.embedding import MODEL, HashedWords, choose

        embedder = choose(settings.memory.embedder)
    except (ImportError, ConfigError) as error:
        state: State = "missing" if isinstance(error, ConfigError) else "optional"
        return Finding("recall", state, str(error), MEMORY)
    if not isinstance(embedder, HashedWords):
        return Finding("recall", "ok", f"by meaning, with {embedder.name}")
    lost = 'by words only: "remove the bill" does not find what was learned as "delete the invoice"'
    fix = f"pip install 'guiagent[{MEANING}]', and once --set memory.embedder={MEANING}:{MODEL}"
    return Finding("recall", "optional", lost, fix)


def learning(settings: Settings) -> Finding:
    """Whether tasks that a model did and that were verified run without a model the next time."""
    from gui_agent.settings import user_file

    if settings.memory.enabled and settings.memory.learn == "verified":
        return Finding("learning", "ok", "verified runs are stored, and repeated without a model")
    lost = "a model is asked again for each task that it has done before"
    fix = f"memory.learn = 'verified' in {user_file()}; once: guiagent run ... --learn"
    return Finding("learning", "optional", lost, fix)


def parts(settings: Settings) -> Iterator[Finding]:
    """The parts that settings can name, with their options; those named now must be installed."""
    from gui_agent.settings import screen_kind

    kind = screen_kind(settings.computer).partition(":")[0]
    named = (f"computer {kind}", f"planner {settings.planner.kind}", f"grounder {settings.grounder.kind}")
    for group in GROUPS:
        # The current platform's computer is called desktop; those of other platforms do not apply here.
        for name in installed_parts(group) if group != "desktops" else ():
            what = f"{group[:-1]} {name}"
            try:
                part = find(group, name)
                options = options_of(part)
            except ConfigError as error:
                again = "" if isinstance(error, MissingExtra) else "reinstall the package that provides it"
                yield Finding(what, "missing" if what in named else "optional", str(error), again)
                continue
            listed = f"options: {', '.join(options)}" if options else "no options"
            warning = getattr(part, "EXPERIMENTAL", "")
            yield Finding(what, "ok", f"{warning}; {listed}" if warning else listed, options=options)


def policy(settings: Settings) -> Finding:
    """The rules of the guard."""
    from gui_agent.wiring import make_guard

    where = settings.guard.policy or "the agent's built-in rules"
    try:
        make_guard(settings)
    except ConfigError as error:
        return Finding("policy", "missing", str(error), f"correct {where}")
    return Finding("policy", "ok", where)


def runs_folder(settings: Settings) -> Finding:
    from gui_agent.trace import RunWriter

    if not (folder := settings.trace.folder):
        return Finding("runs folder", "ok", "none (by the settings)")
    try:
        RunWriter(folder)
    except ConfigError as error:
        return Finding("runs folder", "missing", str(error), "guiagent run ... --runs ANOTHER_FOLDER")
    return Finding("runs folder", "ok", str(Path(folder).resolve()))


def display() -> Finding:
    """A screen for visible browsers and desktop tasks."""
    from gui_agent.settings import graphical, wayland

    if sys.platform == "linux" and wayland():
        return wayland_session()
    if graphical():
        return Finding("display", "ok", "there is one")
    if shutil.which("xvfb-run") and shutil.which("xauth"):
        return Finding("display", "optional", "none; Xvfb can stand in for one", "xvfb-run -a guiagent ...")
    return Finding("display", "optional", "none; only needed for visible browsers", apt("xvfb xauth"))


def wayland_session() -> Finding:
    """The requirements of `--on desktop` in a Wayland session: portals for pictures and input."""
    from gui_agent.settings import session_bus

    otherwise = "or log in to an X11 session, or use --on virtual"
    try:
        computer: Any = find("computers", "wayland")
        detail: str = computer.describe_session(session_bus())
    except MissingExtra:
        fix = f"{sys.executable} -m pip install 'guiagent[desktop,vision]', {otherwise}"
        return Finding("display", "optional", "a Wayland session, without the extra desktop", fix)
    except GuiAgentError as error:
        return Finding("display", "optional", f"a Wayland session: {error}", f"as said, {otherwise}")
    return Finding("display", "ok", detail)


def private_display() -> Finding:
    """The programs that a private display consists of, on Linux."""
    if sys.platform != "linux":
        return Finding("private display", "ok", "none on this system; --on desktop works on the screen")
    from gui_agent.computers.virtual.private import PACKAGES

    lacking = [name for name in PACKAGES if not shutil.which(name)]
    if not lacking:
        return Finding("private display", "ok", ", ".join(PACKAGES))
    why = f"without {', '.join(lacking)}; only needed for --on virtual"
    return Finding("private display", "optional", why, apt(" ".join(PACKAGES[name] for name in lacking)))


def driver() -> Finding:
    """The program through which Playwright operates browsers."""
    command = [sys.executable, "-m", "playwright", "--version"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.strip()
    except subprocess.CalledProcessError as error:
        why = shorten(error.stderr.strip().rpartition("\n")[2], 160)
        again = f"{sys.executable} -m pip install --force-reinstall playwright"
        return Finding("browser driver", "missing", why, apt("libatomic1") if "libatomic" in why else again)
    except (OSError, subprocess.SubprocessError) as error:
        return Finding("browser driver", "missing", str(error), f"{sys.executable} -m pip install playwright")
    return Finding("browser driver", "ok", told)


def browser() -> Finding:
    """Whether a browser starts and can be captured."""
    from gui_agent.computers.browser.computer import BrowserComputer

    started = time.perf_counter()
    try:
        with BrowserComputer() as computer:
            picture = computer.observe().screenshot
            name = computer.on_loop(_version)
    except GuiAgentError as error:
        return Finding("browser", "missing", str(error), apt("chromium"))
    took = time.perf_counter() - started
    size = f"{picture.size.width} x {picture.size.height}" if picture else "no"
    return Finding("browser", "ok", f"{name}, started and took a {size} picture in {took:.1f} s")


async def _version(browsing: Browsing) -> str:
    running = browsing.session.opened.context.browser
    return f"{running.browser_type.name} {running.version}" if running else "a browser"


def apt(packages: str) -> str:
    """The command that installs system packages here, or an instruction on systems without apt."""
    if shutil.which("apt-get"):
        return f"sudo apt-get install {packages}"
    return f"install {packages} with the package manager of this system"


def installed_version(name: str) -> str:
    """The installed version of a distribution; empty if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def requirements() -> dict[str, list[str]]:
    """Names of the libraries for this platform by extra; those under the empty name are always needed."""
    found: dict[str, list[str]] = defaultdict(list, {"": []})
    try:
        lines = requires("guiagent") or []
    except PackageNotFoundError:  # run from a checkout that was never installed
        lines = []
    for line in lines:
        name = re.match(r"[A-Za-z0-9._-]+", line)
        extra = re.search(r"extra == ['\"]([^'\"]+)['\"]", line)
        platform = re.search(r"sys_platform (==|!=) ['\"]([^'\"]+)['\"]", line)
        elsewhere = platform is not None and (platform[1] == "==") != (platform[2] == sys.platform)
        if name and not elsewhere:
            found[extra[1] if extra else ""].append(name[0])
    return dict(found)
