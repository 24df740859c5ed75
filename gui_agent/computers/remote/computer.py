"""A desktop behind HTTP as a computer: `--on remote:http://host:5000`, and `--on guest:NAME`."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

from gui_agent.computers.guest.server import FORMAT, unpacked
from gui_agent.computers.remote.client import GuestClient, checked
from gui_agent.core import codec
from gui_agent.core.actions import Action
from gui_agent.core.errors import ComputerLost, ConfigError
from gui_agent.core.observation import Element, Observation
from gui_agent.core.opening import Opening
from gui_agent.core.protocols import Computer, Settled


class RemoteComputer:
    """A guest: one with our server is driven by typed actions, any other by OSWorld's protocol."""

    def __init__(self, name: str, *, guest_token: str = "", open: str = "") -> None:
        """Connect.

        Args:
            name: the address of the guest's server, such as `http://127.0.0.1:5000`.
            guest_token: what the server asks for; comes from the environment.
            open: a program or file to begin with.

        Raises:
            ConfigError: the address is none.
            ComputerLost: no guest answers there.
        """
        client = GuestClient(name, guest_token)
        self._computer: Computer = _connected(client)
        try:
            self.start(open)
        except BaseException:
            self.close()
            raise

    @property
    def platform(self) -> str:
        return self._computer.platform

    def observe(self, *, picture: bool = True) -> Observation:
        """As the guest's desktop does."""
        return self._computer.observe(picture=picture)

    def perform(self, action: Action, expected: Element | None = None) -> None:
        """As the guest's desktop does."""
        self._computer.perform(action, expected)

    def settle(self) -> Settled:
        """As the guest's desktop does."""
        return self._computer.settle()

    def start(self, where: str) -> None:
        """Open a program, file or address on the guest; an empty `where` leaves it as it is."""
        if where:
            self._computer.start(where)

    def opening(self, name: str) -> Opening:
        """What opening this would start on the guest."""
        opening: Opening = self._computer.opening(name)  # type: ignore[attr-defined]
        return opening

    def close(self) -> None:
        """Hang up; the guest goes on. Safe to call twice and from another thread."""
        self._computer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class GuestComputer(RemoteComputer):
    """A local guest that `guiagent guest start` has started."""

    def __init__(self, name: str, *, open: str = "") -> None:
        """Connect to the guest of this name.

        Raises:
            ConfigError: none runs under it.
            ComputerLost: it does not answer.
        """
        from gui_agent.computers.guest.guests import running

        guest = running(name)
        super().__init__(guest.address, guest_token=guest.token, open=open)


def _connected(client: GuestClient) -> Computer:
    reply = client.get("/v1/about")
    if reply.ok and reply.kind == "application/json" and reply.json().get("format") == FORMAT:
        return _TypedGuest(client, reply.json())
    if reply.ok or reply.status == 404:
        from gui_agent.computers.remote.osworld import osworld_desktop

        return osworld_desktop(client)
    client.close()
    raise ComputerLost(f"no guest answers at {client.address}: {reply.said}; check the address")


class _TypedGuest:
    """A guest with our own server."""

    def __init__(self, client: GuestClient, about: dict[str, Any]) -> None:
        self._client = client
        self.platform = str(about.get("platform", "x11"))

    def observe(self, *, picture: bool = True) -> Observation:
        reply = checked(self._client.get("/v1/observe" if picture else "/v1/elements"))
        try:
            return unpacked(reply.data)
        except ConfigError as error:
            raise ComputerLost(str(error)) from error

    def perform(self, action: Action, expected: Element | None = None) -> None:
        body = {"action": codec.plain(action, Action), "expected": expected and codec.plain(expected)}
        checked(self._client.post("/v1/perform", body, limit=120.0, again=True))

    def settle(self) -> Settled:
        reply = checked(self._client.post("/v1/settle", again=True))
        settled: Settled = codec.decode(Settled, reply.data, source="the guest's answer")
        return settled

    def start(self, where: str) -> None:
        checked(self._client.post("/v1/start", {"name": where}, limit=60.0, again=True))

    def opening(self, name: str) -> Opening:
        reply = checked(self._client.post("/v1/opening", {"name": name}, again=True))
        opening: Opening = codec.decode(Opening, reply.data, source="the guest's answer")
        return opening

    def close(self) -> None:
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
