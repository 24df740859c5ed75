"""How a request gets to a service: one method, under a deadline of our own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from gui_agent.core import deadline
from gui_agent.models.service_errors import ServiceFault

T = TypeVar("T")
SENT = {
    "accept",
    "accept-encoding",
    "anthropic-beta",
    "anthropic-version",
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "host",
    "transfer-encoding",
    "user-agent",
    "x-api-key",
}
"""The only headers that leave this machine; what the environment makes an SDK add is taken off."""


class Transport(Protocol):
    """Sends one JSON body to a path of a service and returns the JSON that comes back."""

    def post(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str], seconds: float
    ) -> dict[str, Any]:
        """Ask once. Raises ServiceFault, also when the whole answer is not there after `seconds`."""

    def close(self) -> None:
        """Let go of the connections."""


def within(seconds: float, ask: Callable[[], T], give_up: Callable[[], None]) -> T:
    """The answer of `ask`, or a ServiceFault when it takes longer; then `give_up` cuts its connection.

    An SDK's timeout begins anew with every piece that arrives, so a slow server could hold a run for ever.
    """
    whose = "the run's limit of time" if deadline.left(seconds + 1) <= seconds else "model.seconds"
    box: list[T] = []
    errors: list[Exception] = []
    done = threading.Event()

    def work() -> None:
        try:
            box.append(ask())
        except ServiceFault as fault:
            errors.append(fault)
        finally:
            done.set()

    threading.Thread(target=work, name="model call", daemon=True).start()
    if not done.wait(seconds):
        give_up()
        raise ServiceFault(f"no complete answer within {seconds:.3g} s ({whose})")
    if errors:
        raise errors[0]
    if not box:
        raise ServiceFault("the call was interrupted", lasting=True)
    return box[0]


def clean(headers: Any, key: str) -> None:
    """Take off every header that is not meant for the service, and every key but its own."""
    for name in list(headers):
        if name.lower() not in SENT:
            del headers[name]
    for name in ("authorization", "x-api-key"):
        if name in headers and not (key and key in headers[name]):
            del headers[name]
