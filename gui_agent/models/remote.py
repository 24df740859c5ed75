"""A model behind a service: pictures fitted, deadline kept, attempts repeated, the answer read."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gui_agent.core import deadline
from gui_agent.core.dialogue import Reply, Request, Traits
from gui_agent.core.errors import BadReply
from gui_agent.core.geometry import Point, Size
from gui_agent.models.codec import Codec, View, pointed, prepared
from gui_agent.models.families import Family
from gui_agent.models.pictures import Space
from gui_agent.models.service_errors import ServiceFault
from gui_agent.models.spec import Spec
from gui_agent.models.transport import Transport

PAUSES = 5
"""How often one reply may be gone on with."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long and how often a service is asked."""

    seconds: float = 180.0
    """The whole time for one request, attempts and pauses together."""
    tries: int = 5
    first: float = 0.5
    """Seconds of the first pause when the service names none; each further one is twice as long."""
    longest: float = 30.0

    def pause(self, attempt: int, asked: float | None) -> float:
        """Seconds before the next attempt; what the service asks for goes first."""
        if asked is not None:
            return asked
        return min(self.longest, self.first * 2.0**attempt) * random.uniform(0.75, 1.0)


class RemoteModel:
    """Speaks to one model of a service in its own wire format."""

    def __init__(
        self,
        spec: Spec,
        family: Family,
        codec: Codec,
        transport: Transport,
        *,
        patience: RetryPolicy = RetryPolicy(),
        extra: Mapping[str, Any] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.spec, self.family = spec, family
        self._codec, self._transport = codec, transport
        self._patience, self._sleep = patience, sleep
        self._extra = dict(extra or {})
        self._cap: Size | None = None

    @property
    def name(self) -> str:
        return self.spec.text

    @property
    def traits(self) -> Traits:
        return self.family.traits(self.spec.wire)

    def complete(self, request: Request) -> Reply:
        """Ask once; see `core.dialogue.Model`.

        Raises:
            BadReply: the answer to a request for a place names none, or the request is too long.
            ModelUnavailable: the service does not answer.
            ConfigError: the key, the name or the request does not fit this model.
        """
        reply = self._to_its_end(request)
        return pointed(reply) if request.purpose == "point" else reply

    def _to_its_end(self, request: Request) -> Reply:
        """The reply; where the provider paused in the middle of it, what it has is sent back and goes on."""
        end = time.monotonic() + deadline.left(request.seconds or self._patience.seconds)
        reply = self._asked(request, self.view)
        for _ in range(PAUSES):
            if reply.stop != "paused":
                return reply
            left = max(0.01, end - time.monotonic())
            more = replace(request, turns=(*request.turns, reply), seconds=left)
            reply = continued(reply, self._asked(more, self.view))
        if reply.stop == "paused":
            raise BadReply(f"{self.name} paused {PAUSES} times and did not come to an end; answer shorter")
        return reply

    @property
    def view(self) -> View:
        """How this model sees a request."""
        return View(self.spec.model, self.family, self.spec.wire, self.spec.home, self._cap)

    def numbers(self, request: Request) -> tuple[tuple[float, float], ...]:
        """The coordinates in the answer just as the model wrote them, for finding out what they mean."""
        seen = self.view.of(request).space
        if seen is None:
            return ()
        raw = _Written(seen.screen, seen.width, seen.height, seen.grid, heard=[])
        self._asked(request, self.view, raw)
        return tuple(raw.heard)

    def close(self) -> None:
        """Let go of the connections."""
        self._transport.close()

    def _asked(self, request: Request, view: View, raw: Space | None = None) -> Reply:
        began = time.monotonic()
        end = began + deadline.left(request.seconds or self._patience.seconds)
        attempt = fits = 0
        while True:
            view = replace(view, cap=self._cap).of(request)
            told = prepared(request, view)
            seen = replace(view, space=raw) if raw is not None else view
            body = {**self._codec.body(told, view), **self._extra}
            headers = view.headers(told)
            try:
                left = max(0.01, end - time.monotonic())
                answer = self._transport.post(self._codec.path, body, headers, left)
                reply = self._codec.parse(answer, told, seen)
            except ServiceFault as fault:
                if fault.oversize and fits < 3 and request.screen is not None:
                    fits += 1
                    self._cap = fault.largest(self.family.rule.size(request.screen, self._cap))
                    continue
                attempt += 1
                pause = self._patience.pause(attempt - 1, fault.retry_after)
                late = time.monotonic() + pause >= end
                if not fault.passing or attempt >= self._patience.tries or late:
                    raise fault.error(self.name, self.spec.host) from fault
                self._sleep(pause)
                continue
            return replace(reply, seconds=time.monotonic() - began)


def continued(begun: Reply, rest: Reply) -> Reply:
    """One reply of two parts, the second of which goes on where the first was paused."""
    return replace(
        rest,
        text="\n".join(part for part in (begun.text, rest.text) if part),
        thought="\n".join(part for part in (begun.thought, rest.thought) if part),
        raw=(*begun.raw, *rest.raw) if rest.raw else (),
        usage=begun.usage + rest.usage,
        seconds=begun.seconds + rest.seconds,
    )


@dataclass(frozen=True)
class _Written(Space):
    """Coordinates that are kept as they were written."""

    heard: list[tuple[float, float]] = None  # type: ignore[assignment]

    def point(self, x: float, y: float) -> Point:
        self.heard.append((x, y))
        return Point(0, 0)
