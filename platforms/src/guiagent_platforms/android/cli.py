"""`guiagent devices`: lists, pairs, simulates and checks phones."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

import click

from gui_agent.core.errors import ComputerLost, ConfigError, ExitCode, GuiAgentError

if TYPE_CHECKING:
    from guiagent_platforms.android.client import AdbDevice, AdbServer

EPILOG = """\
\b
Examples:
  guiagent devices                        phones, their state, and how to fix one that is not usable
  guiagent devices --simulate             a simulated phone to try everything on, until Ctrl+C
  guiagent devices --pair                 a phone over Wi-Fi (Android 11 and later), with the code it shows
  guiagent devices --check                looks at a real phone for a minute and prints what to send back
  guiagent run 'open "Settings", click "Display"' --on android
"""
ROUNDS = 3


@click.command(epilog=EPILOG, short_help="Phones: list, pair, simulate, check.")
@click.option("--pair", is_flag=True, help="Pair with a phone over Wi-Fi; asks for its address and code.")
@click.option("--simulate", is_flag=True, help="Run a simulated phone and connect adb to it, until Ctrl+C.")
@click.option("--check", is_flag=True, help="Try on a phone what the agent needs, and print a report.")
@click.option("--on", "name", default="", metavar="SERIAL", help="The phone to check, of several.")
def devices(pair: bool, simulate: bool, check: bool, name: str) -> int:
    """List the phones that can be used with --on android."""
    from gui_agent import plugins
    from guiagent_platforms.android.client import AdbServer

    if pair + simulate + check > 1:
        raise click.UsageError("Use one of --pair, --simulate and --check at a time.")
    server = AdbServer()
    if pair:
        return _pair(server)
    if simulate:
        return int(plugins.find("commands", "devices --simulate")(server))
    if check:
        return _check(server, name)
    phones = server.phones()
    for phone in phones:
        click.echo(
            f"{phone.serial:24} {phone.state:14} {_about(server, phone.serial, phone.state, phone.model)}"
        )
    if not phones:
        click.echo(
            "no phone is connected; turn on USB debugging in its developer options and plug it in,\n"
            "or pair over Wi-Fi: guiagent devices --pair; or try: guiagent devices --simulate",
            err=True,
        )
    return ExitCode.DONE if any(one.state == "device" for one in phones) else ExitCode.UNAVAILABLE


def _about(server: AdbServer, serial: str, state: str, model: str) -> str:
    from guiagent_platforms.android.client import AdbDevice, failure
    from guiagent_platforms.android.u2 import server_file

    if state != "device":
        return str(failure(state, serial)).removeprefix(f"{serial} ")
    device = AdbDevice(server, serial)
    try:
        version = device.look("getprop", "ro.build.version.release").text
        size = device.look("wm", "size").text.rpartition(" ")[2]
    except ComputerLost as error:
        return str(error)
    unicode = "" if _types_unicode(device) else "; without ADBKeyboard it takes only ASCII text"
    backend = (
        "u2 (uiautomator2)"
        if server_file()
        else "stock (faster, and with a second finger: pip install 'guiagent[u2]')"
    )
    return f"{model}, Android {version}, {size}, back end {backend}{unicode}"


def _types_unicode(device: AdbDevice) -> bool:
    from guiagent_platforms.android.text_entry import TYPISTS

    return any(name in TYPISTS for name in device.look("ime", "list", "-s", "-a").text.split())


def _pair(server: AdbServer) -> int:
    """Pair with a phone, like `adb pair`; the code goes only to the adb server."""
    click.echo(
        "On the phone: Developer options, Wireless debugging, Pair device with pairing code.", err=True
    )
    address = click.prompt("Address and port it shows there").strip()
    code = click.prompt("Pairing code", hide_input=True).strip()
    try:
        said = server.ask(f"host:pair:{code}:{address}")
    except ComputerLost as error:
        if "unknown host service" not in str(error):
            raise
        raise ConfigError(
            "the running adb server is older than 30 and cannot pair; end it (adb kill-server), then"
            " try again: the adb of guiagent's extra `android` can pair"
        ) from error
    click.echo(said)
    if not said.startswith("Successfully"):
        return ExitCode.UNAVAILABLE
    click.echo(
        "Now connect with the address and port of the page before: guiagent run ... --on android:HOST:PORT"
    )
    return 0


def _check(server: AdbServer, name: str) -> int:
    from guiagent_platforms.android.client import AdbDevice

    device = AdbDevice(server, server.serial_of(name))
    click.echo("guiagent devices --check; the report below contains nothing of your screen")
    for key in ("product.manufacturer", "product.model", "build.version.release", "build.version.sdk"):
        click.echo(f"ro.{key}: {device.look('getprop', f'ro.{key}').text}")
    failed = []
    for what, work in _parts(device).items():
        times, said = [], ""
        try:
            for _ in range(ROUNDS):
                began = time.monotonic()
                said = work()
                times.append(time.monotonic() - began)
        except GuiAgentError as error:
            failed.append(what)
            click.echo(f"{what:12} FAILED  {error}")
            continue
        failed += [] if said else [what]
        took = f"{statistics.median(times) * 1000:6.0f} ms"
        click.echo(f"{what:12} {'ok' if said else 'FAILED':7} {took}  {said}")
    click.echo(f"keyboard for unicode: {'installed' if _types_unicode(device) else 'not installed'}")
    click.echo("please send back all of the above" + (f"; failed: {', '.join(failed)}" if failed else ""))
    return ExitCode.UNAVAILABLE if failed else ExitCode.DONE


def _parts(device: AdbDevice) -> dict[str, Callable[[], str]]:
    from guiagent_platforms.android.screen import PhoneScreen
    from guiagent_platforms.android.u2 import U2Server, server_file

    def picture() -> str:
        with closing(PhoneScreen(device)) as screen:
            frame = screen.frame()
            return f"{frame.size.width} x {frame.size.height}" if frame else ""

    def elements() -> str:
        with closing(PhoneScreen(device)) as screen:
            look = screen.look()
            return f"{len(look.nodes)} elements" if look.hierarchy else ""

    def windows() -> str:
        with closing(PhoneScreen(device)) as screen:
            state = screen.state()
            return f"app {'known' if state.app else 'UNKNOWN'}, secure {state.secure}" if state.focus else ""

    def server_u2() -> str:
        with closing(U2Server(device)) as server:
            return f"{server.hierarchy().count('<node')} nodes, {len(server.picture() or b'')} bytes"

    return {
        "command": lambda: device.look("echo", "hello").text,
        **{"picture": picture, "elements": elements, "windows": windows},
        **({"server u2": server_u2} if server_file() is not None else {}),
        "keyboards": lambda: f"{len(device.look('ime', 'list', '-s').text.split())} enabled",
        "apps": lambda: f"{len(device.look('pm', 'list', 'packages').text.splitlines())} packages",
        "home button": lambda: f"code {device.act(('input', 'keyevent', '3')).code}",
    }
