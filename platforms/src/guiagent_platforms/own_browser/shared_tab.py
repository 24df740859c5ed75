"""Makes one lent tab look like a browser with a single page, to a driver that opens several sessions of it.

Chrome lets an extension attach to a tab only once, so the driver's sessions share that. This module only
translates messages; `relay` carries them.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from enum import Enum
from typing import Any

Message = dict[str, Any]
FAILED = -32000
"""The protocol's number for an error of the browser."""


class To(Enum):
    """Who gets a message."""

    DRIVER = "driver"
    TAB = "tab"


Sent = tuple[To, Message]
ReplyTo = tuple[str, int]
"""The driver's session and number of a message."""


class SharedTab:
    """The sessions of one tab.

    A session of the driver stands for a place: the tab, whose session at Chrome is nameless, or a frame
    or worker of it with a process of its own. The browser above them is made up here.
    """

    def __init__(self, target: Message, agent: str) -> None:
        """
        Args:
            target: `targetInfo` of the tab.
            agent: the browser's `userAgent`.
        """
        self._target = {**target, "attached": True}
        self._agent = agent
        self._places = {"tab": ""}
        """The place that each session of the driver stands for."""
        self._targets: dict[str, str] = {target["targetId"]: ""}
        """The place of each target."""
        self._domains: defaultdict[str, set[str]] = defaultdict(set)
        """The domains whose events a session gets: those in which it has sent something."""
        self._gate: tuple[str, Message] | None = None
        """The session that intercepts requests and what it asked for; also for frames that come later."""
        self._numbers = itertools.count(1)
        self._asked: dict[int, ReplyTo] = {}

    def take_from_driver(self, message: Message) -> Iterator[Sent]:
        """The messages that result from one of the driver."""
        session, method = message.get("sessionId", ""), message["method"]
        given, reply_to = message.get("params") or {}, (session, message["id"])
        if method.startswith("Fetch."):
            yield from self._intercept(reply_to, method, given)
        elif session in self._places and not method.startswith(("Target.get", "Target.detach")):
            self._domains[session].add(method.partition(".")[0])
            yield self._ask(self._places[session], method, given, reply_to)
        else:
            if method == "Target.setAutoAttach":
                attached = {"sessionId": "tab", "targetInfo": self._target, "waitingForDebugger": False}
                yield To.DRIVER, {"method": "Target.attachedToTarget", "params": attached}
            answer = self._own_answer(method, given)
            lent = {"code": FAILED, "message": f"{method} is not possible: one tab is lent and nothing else"}
            told = {"error": lent} if answer is None else {"result": answer}
            yield _reply(reply_to, told)

    def take_from_tab(self, message: Message) -> Iterator[Sent]:
        """The messages that result from an answer or an event of the tab."""
        if "method" in message:
            yield from self._pass_event(message["session"], message["method"], message.get("params") or {})
        elif reply_to := self._asked.pop(message["id"], None):
            failed = {"error": {"code": FAILED, "message": message.get("error")}}
            yield _reply(reply_to, failed if "error" in message else {"result": message["result"]})

    def _pass_event(self, place: str, method: str, given: Message) -> Iterator[Sent]:
        if method == "Target.attachedToTarget":
            inner = given["sessionId"]
            self._places[inner] = self._targets[given["targetInfo"]["targetId"]] = inner
            if self._gate is not None:
                yield self._ask(inner, "Fetch.enable", self._gate[1])
        if method.startswith("Fetch.") and self._gate is not None:
            # Each place numbers its requests by itself.
            event = {"method": method, "params": {**given, "requestId": f"{place} {given['requestId']}"}}
            yield To.DRIVER, {"sessionId": self._gate[0], **event}
            return
        domain = method.partition(".")[0]
        for session, stands_for in list(self._places.items()):
            if stands_for == place and (domain in self._domains[session] or domain == "Inspector"):
                yield To.DRIVER, {"sessionId": session, "method": method, "params": given}

    def _intercept(self, reply_to: tuple[str, int], method: str, given: Message) -> Iterator[Sent]:
        """Requests are intercepted for the browser; here this means for each place of the tab."""
        session = reply_to[0]
        if session in self._places:  # the page's own interception would replace that of the browser
            yield _reply(reply_to, {"result": {}})
        elif "requestId" in given:
            place, _, number = given["requestId"].partition(" ")
            yield self._ask(place, method, {**given, "requestId": number}, reply_to)
        else:
            self._gate = (session, given)
            yield self._ask("", method, given, reply_to)
            for place in {*self._targets.values()} - {""}:
                yield self._ask(place, method, given)

    def _own_answer(self, method: str, given: Message) -> Message | None:
        """The answer that the browser would give; None if it is not possible here."""
        if method == "Browser.getVersion":
            version = self._agent.partition("Chrome/")[2].partition(" ")[0]
            return {"protocolVersion": "1.3", "product": f"Chrome/{version}", "userAgent": self._agent}
        if method == "Target.getTargets":
            return {"targetInfos": [self._target]}
        if method == "Target.attachToBrowserTarget":
            return {"sessionId": f"browser {next(self._numbers)}"}
        if method == "Target.attachToTarget" and given["targetId"] in self._targets:
            session = f"shared {next(self._numbers)}"
            self._places[session] = self._targets[given["targetId"]]
            return {"sessionId": session}
        if method == "Target.detachFromTarget":
            self._places.pop(given["sessionId"], None)
        if method in ("Browser.setDownloadBehavior", "Target.setAutoAttach", "Target.detachFromTarget"):
            return {}
        return {"targetInfo": self._target} if method == "Target.getTargetInfo" else None

    def _ask(self, place: str, method: str, given: Message, reply_to: ReplyTo | None = None) -> Sent:
        number = next(self._numbers)
        if reply_to is not None:
            self._asked[number] = reply_to
        return To.TAB, {"id": number, "session": place, "method": method, "params": given}


def _reply(to: ReplyTo, told: Message) -> Sent:
    session, number = to
    return To.DRIVER, {"id": number, **({"sessionId": session} if session else {}), **told}
