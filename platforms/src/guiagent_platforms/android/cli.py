"""`guiagent devices`: lists, pairs and simulates phones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gui_agent.core.errors import ComputerLost, ConfigError, ExitCode

if TYPE_CHECKING:
    from guiagent_platforms.android.client import AdbDevice, AdbServer

EPILOG = """\
\b
Examples:
  guiagent devices                        phones, their state, and how to fix one that is not usable
  guiagent devices --simulate             a simulated phone to try everything on, until Ctrl+C
  guiagent devices --pair                 a phone over Wi-Fi (Android 11 and later), with the code it shows
  guiagent doctor --device android        tries a real phone in twenty ways, and writes a file to send back
  guiagent run 'open "Settings", click "Display"' --on android
"""


@click.command(epilog=EPILOG, short_help="Phones: list, pair, simulate.")
@click.option("--pair", is_flag=True, help="Pair with a phone over Wi-Fi; asks for its address and code.")
@click.option("--simulate", is_flag=True, help="Run a simulated phone and connect adb to it, until Ctrl+C.")
def devices(pair: bool, simulate: bool) -> int:
    """List the phones that can be used with --on android."""
    from gui_agent import plugins
    from guiagent_platforms.android.client import AdbServer

    if pair and simulate:
        raise click.UsageError("Use one of --pair and --simulate at a time.")
    server = AdbServer()
    if pair:
        return _pair(server)
    if simulate:
        return int(plugins.find("commands", "devices --simulate")(server))
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
