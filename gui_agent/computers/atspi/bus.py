"""A D-Bus client with bounded concurrency, and the connection to a session's accessibility bus."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any, NamedTuple

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

ATSPI = "org.a11y.atspi"
REGISTRY = f"{ATSPI}.Registry"
ROOT = "/org/a11y/atspi/accessible/root"
PROPERTIES = "org.freedesktop.DBus.Properties"
DRIVER = ("org.freedesktop.DBus", "/org/freedesktop/DBus")
AT_ONCE = 64
"""Maximum concurrent calls on one connection; with several hundred, the library's writer fails."""
AT_ONCE_EACH = 16
"""Maximum concurrent calls to one program: more are no faster, and a frozen one must not block others."""

Reference = tuple[str, str]
"""The address of an accessible object: the program's name on the bus, and the object's path."""


class CallFailed(Exception):
    """A program answered with an error, or has exited."""


class MethodCall(NamedTuple):
    """One call to a program."""

    to: Reference
    interface: str
    member: str
    signature: str = ""
    body: Sequence[Any] = ()


def ask(to: Reference, interface: str, member: str, signature: str = "", *body: Any) -> MethodCall:
    """A call of a method of one of AT-SPI's interfaces, named without their common prefix."""
    return MethodCall(to, f"{ATSPI}.{interface}", member, signature, body)


def get(to: Reference, interface: str, name: str) -> MethodCall:
    """A call that reads one property. Never read all at once: Qt 5 programs crash."""
    return MethodCall(to, PROPERTIES, "Get", "ss", (f"{ATSPI}.{interface}", name))


Question = Callable[[Reference], MethodCall]


def method(interface: str, member: str, signature: str = "", *body: Any) -> Question:
    """The same question for many objects: a method."""
    return lambda at: ask(at, interface, member, signature, *body)


def attribute(interface: str, name: str) -> Question:
    """The same question for many objects: a property."""
    return lambda at: get(at, interface, name)


async def ask_each(bus: Bus, objects: Iterable[Reference], *questions: Question) -> dict[Reference, Any]:
    """The answers of objects to several questions, in order; None for a question without an answer."""
    asked = list(objects)
    answers = await bus.many(question(at) for at, question in product(asked, questions))
    return dict(zip(asked, zip(*[iter(answers)] * len(questions), strict=True), strict=True))


async def answers_of(bus: Bus, objects: Iterable[Reference], question: Question) -> dict[Reference, Any]:
    """The answers of objects to a question; objects without an answer are missing."""
    told = await ask_each(bus, objects, question)
    return {at: answer for at, (answer,) in told.items() if answer is not None}


async def answer_to(bus: Bus, call: MethodCall) -> Any:
    """The answer of one object; None if it does not answer."""
    return (await bus.many([call]))[0]


def reference(told: Any) -> Reference | None:
    """The reference in an answer; None for any of the encodings of "no object"."""
    return (told[0], told[1]) if told and not told[1].endswith("/null") else None


class Bus:
    """A connection to a bus: a session's bus, or its accessibility bus."""

    def __init__(self, connection: MessageBus) -> None:
        self._connection = connection
        self._slots = asyncio.Semaphore(AT_ONCE)

    @classmethod
    async def open(cls, address: str) -> Bus:
        """Connect to the bus at an address. Raises OSError if no server listens there."""
        return cls(await MessageBus(bus_address=address, negotiate_unix_fd=True).connect())

    @classmethod
    async def connect(cls, session: str) -> Bus:
        """Connect to the session's accessibility bus, which the first request makes the session start."""
        door, at = await cls.open(session), ("org.a11y.Bus", "/org/a11y/bus")
        try:
            (address,) = await door.call(MethodCall(at, "org.a11y.Bus", "GetAddress"))
            on = ("org.a11y.Status", "IsEnabled", Variant("b", True))
            await door.call(MethodCall(at, PROPERTIES, "Set", "ssv", on))
        finally:
            door.close()
        bus = await cls.open(address)
        # GTK programs offer their cache only after a client listens to a signal.
        for event in ("object:state-changed:focused", "window:activate"):
            await bus.call(ask((REGISTRY, "/org/a11y/atspi/registry"), "Registry", "RegisterEvent", "sass",
                               event, [], ""))  # fmt: skip
        return bus

    @property
    def alive(self) -> bool:
        return bool(self._connection.connected)

    @property
    def name(self) -> str:
        """The name of this connection on the bus."""
        return str(self._connection.unique_name)

    async def listen(self, rule: str, heard: Callable[[Message], None]) -> None:
        """Call `heard` on the loop for every signal from now on, including those of other rules."""
        self._connection.add_message_handler(heard)
        await self.call(MethodCall(DRIVER, DRIVER[0], "AddMatch", "s", (rule,)))

    async def call(self, call: MethodCall) -> Sequence[Any]:
        """The values of the answer. Raises CallFailed for an error answer or a lost connection."""
        return (await self.answer(call)).body

    async def answer(self, call: MethodCall) -> Message:
        """The answer itself, with the file descriptors in it."""
        message = Message(
            destination=call.to[0],
            path=call.to[1],
            interface=call.interface,
            member=call.member,
            signature=call.signature,
            body=list(call.body),
        )
        async with self._slots:
            try:
                answer = await self._connection.call(message)
            except (OSError, EOFError) as error:
                raise CallFailed(f"the connection to the bus is lost: {error}") from error
        if answer is None:
            raise CallFailed(f"{call.member}: no answer")
        if answer.message_type is MessageType.ERROR:
            raise CallFailed(": ".join((call.member, *map(str, (answer.error_name, *answer.body[:1])))))
        return answer

    async def many(self, calls: Iterable[MethodCall]) -> list[Any]:
        """The first value of each answer, in order; None for failed calls. For calls to one program."""
        waiting = list(calls)
        answers: list[Any] = [None] * len(waiting)
        numbered = iter(enumerate(waiting))

        async def work() -> None:
            for number, call in numbered:
                try:
                    body = await self.call(call)
                except CallFailed:
                    continue
                first = body[0] if body else None
                answers[number] = first.value if isinstance(first, Variant) else first

        await asyncio.gather(*(work() for _ in range(min(AT_ONCE_EACH, len(waiting)))))
        return answers

    async def pid(self, name: str) -> int:
        """The process id behind a name on the bus; 0 if unknown."""
        try:
            (pid,) = await self.call(
                MethodCall(DRIVER, DRIVER[0], "GetConnectionUnixProcessID", "s", (name,))
            )
        except CallFailed:
            return 0
        return int(pid)

    def close(self) -> None:
        if self._connection.connected:
            self._connection.disconnect()
