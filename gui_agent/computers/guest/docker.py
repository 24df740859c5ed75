"""Containers as guests: one per worker, ports on loopback; a reset is a new container of the same image."""

from __future__ import annotations

import secrets
import shutil
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress

from gui_agent.computers.environment import for_children
from gui_agent.computers.remote.client import GuestClient
from gui_agent.core.errors import ComputerLost, ConfigError

PROGRAM, TOKEN = "docker", "GUIAGENT_GUEST_TOKEN"
IMAGE = "guiagent-guest"
"""The image that docs/osworld.md builds."""
PORTS = {"server": 5000, "chromium": 9222, "vlc": 8080}
STARTING, COMMAND = 120.0, 60.0
"""Seconds until a server must answer, and of a command of Docker."""


class DockerGuest:
    """A container that runs until it is stopped, or this object is closed."""

    def __init__(self, image: str = IMAGE, *, seconds: float = STARTING) -> None:
        """Start it and wait for its server.

        Raises:
            ConfigError: Docker or the image is not there.
            ComputerLost: the server does not answer in time.
        """
        if shutil.which(PROGRAM) is None:
            raise ConfigError("docker is not installed; use --guest local or qemu:IMAGE.qcow2")
        self.token = secrets.token_urlsafe(24)
        self._image, self._seconds = image, seconds
        self._container = ""
        self.ports: dict[str, int] = {}
        self._start()

    @property
    def address(self) -> str:
        """Of its server, on this machine; another one after a reset."""
        return f"http://127.0.0.1:{self.ports['server']}"

    def reset(self) -> float:
        """Begin anew with the image; seconds until the server answered.

        Raises:
            ComputerLost: it does not start again.
        """
        began = time.monotonic()
        self.close()
        self._start()
        return time.monotonic() - began

    def close(self) -> None:
        """End the container, which removes it; safe to call twice."""
        container, self._container = self._container, ""
        if container:
            with suppress(ConfigError):
                self._ran("rm", "--force", "--volumes", container)

    def _start(self) -> None:
        published = [part for port in PORTS.values() for part in ("--publish", f"127.0.0.1::{port}")]
        limits = ("--init", "--shm-size", "1g", "--security-opt", "no-new-privileges", "--cap-drop", "ALL")
        # The value comes from our environment: as an argument everybody on this machine could read it.
        given = ("run", "--detach", "--rm", *limits, *published, "--env", TOKEN, self._image)
        self._container = self._ran(*given).strip()
        try:
            for name, port in PORTS.items():
                where = self._ran("port", self._container, f"{port}/tcp").splitlines()
                self.ports[name] = int(where[0].rpartition(":")[2])
            self._wait(time.monotonic() + self._seconds)
        except BaseException:
            self.close()
            raise

    def _wait(self, until: float) -> None:
        while time.monotonic() < until:
            if GuestClient(self.address, self.token).answers():
                return
            time.sleep(0.2)
        told = self._ran("logs", "--tail", "5", self._container).strip().rpartition("\n")[2]
        raise ComputerLost(f"the container's server does not answer: {told or 'it says nothing'}")

    def _ran(self, *arguments: str) -> str:
        return _output([PROGRAM, *arguments], {**for_children(), TOKEN: self.token})


def _output(command: Sequence[str], environment: dict[str, str]) -> str:
    """What a command of Docker prints.

    Raises:
        ConfigError: it fails, with its last line.
    """
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=COMMAND, env=environment, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"{' '.join(command[:2])}: {error}") from error
    if done.returncode:
        last = done.stderr.strip().rpartition("\n")[2]
        raise ConfigError(f"{' '.join(command[:2])}: {last or f'exit code {done.returncode}'}")
    return done.stdout
