"""`guiagent devices --simulate`: starts a simulated phone to try everything on."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from guiagent_platforms.android.client import AdbServer


def simulate(server: AdbServer) -> int:
    """Run a simulated phone and connect adb to it, until Ctrl+C."""
    from guiagent_eval.phone import PhoneServer, SimulatedPhone

    with PhoneServer(SimulatedPhone()) as simulated:
        server.connect(simulated.address)
        click.echo(f"a simulated phone is at {simulated.address}; try it in another terminal:")
        click.echo(f'  guiagent run \'open "Settings", click "Display"\' --on android:{simulated.address}')
        click.echo("Ctrl+C ends it.", err=True)
        try:
            while True:
                time.sleep(1)
        finally:
            server.ask(f"host:disconnect:{simulated.address}")
