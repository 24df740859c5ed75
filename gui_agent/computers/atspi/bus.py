"""D-Bus: calls, many at a time and bounded; and the accessibility bus of one session."""

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
"""Calls under way on one connection; with several hundred the library's writer breaks down."""
AT_ONCE_EACH = 16
"""Calls under way to one program: more are not faster, and a frozen one must not hold up the others."""

Reference = tuple[str, str]
"""Where an accessible object lives: the program's name on the bus, and its path there."""


class CallFailed(Exception):
    """A program answered with an error, or is gone."""


class MethodCall(NamedTuple):
    """One question to a program."""

    to: Reference
    interface: str
    member: str
    signature: str = ""
    body: Sequence[Any] = ()


def ask(to: Reference, interface: str, member: str, signature: str = "", *body: Any) -> MethodCall:
    """A method of one of AT-SPI's interfaces, named without the prefix they share."""
    return MethodCall(to, f"{ATSPI}.{interface}", member, signature, body)


def get(to: Reference, interface: str, name: str) -> MethodCall:
    """One property. Never all at once: Qt 5 programs crash when asked for all."""
    return MethodCall(to, PROPERTIES, "Get", "ss", (f"{ATSPI}.{interface}", name))


Question = Callable[[Reference], MethodCall]


def method(interface: str, member: str, signature: str = "", *body: Any) -> Question:
    """The same question for many objects: a method."""
    return lambda at: ask(at, interface, member, signature, *body)


def attribute(interface: str, name: str) -> Question:
    """The same question for many objects: a property."""
    return lambda at: get(at, interface, name)


async def ask_each(bus: Bus, objects: Iterable[Reference], *questions: Question) -> dict[Reference, Any]:
    """What objects answer to each of some questions, in their order; None where one does not."""
    asked = list(objects)
    answers = await bus.many(question(at) for at, question in product(asked, questions))
    return dict(zip(asked, zip(*[iter(answers)] * len(questions), strict=True), strict=True))


async def answers_of(bus: Bus, objects: Iterable[Reference], question: Question) -> dict[Reference, Any]:
    """What objects answer to a question; those that do not are left out."""
    told = await ask_each(bus, objects, question)
    return {at: answer for at, (answer,) in told.items() if answer is not None}


async def answer_to(bus: Bus, call: MethodCall) -> Any:
    """What one object answers; None where it does not."""
    return (await bus.many([call]))[0]


def reference(told: Any) -> Reference | None:
    """An object as it is told of by another one; None for the ways of saying that there is none."""
    return (told[0], told[1]) if told and not told[1].endswith("/null") else None


class Bus:
    """A connection to a bus: that of a session, or the accessibility bus that belongs to it."""

    def __init__(self, connection: MessageBus) -> None:
        self._connection = connection
        self._slots = asyncio.Semaphore(AT_ONCE)

    @classmethod
    async def open(cls, address: str) -> Bus:
        """Connect to the bus at an address. Raises OSError: nobody listens there."""
        return cls(await MessageBus(bus_address=address, negotiate_unix_fd=True).connect())

    @classmethod
    async def connect(cls, session: str) -> Bus:
        """Connect; the first question for the bus makes the session start it."""
        door, at = await cls.open(session), ("org.a11y.Bus", "/org/a11y/bus")
        try:
            (address,) = await door.call(MethodCall(at, "org.a11y.Bus", "GetAddress"))
            on = ("org.a11y.Status", "IsEnabled", Variant("b", True))
            await door.call(MethodCall(at, PROPERTIES, "Set", "ssv", on))
        finally:
            door.close()
        bus = await cls.open(address)
        # GTK programs offer their cache only once somebody listens to something.
        for event in ("object:state-changed:focused", "window:activate"):
            await bus.call(ask((REGISTRY, "/org/a11y/atspi/registry"), "Registry", "RegisterEvent", "sass",
                               event, [], ""))  # fmt: skip
        return bus

    @property
    def alive(self) -> bool:
        return bool(self._connection.connected)

    @property
    def name(self) -> str:
        """What this connection is called on the bus."""
        return str(self._connection.unique_name)

    async def listen(self, rule: str, heard: Callable[[Message], None]) -> None:
        """Have `heard` called on the loop with each signal from now on, also those of other rules."""
        self._connection.add_message_handler(heard)
        await self.call(MethodCall(DRIVER, DRIVER[0], "AddMatch", "s", (rule,)))

    async def call(self, call: MethodCall) -> Sequence[Any]:
        """The answer's values. Raises CallFailed: the answer is an error, or the connection is gone."""
        return (await self.answer(call)).body

    async def answer(self, call: MethodCall) -> Message:
        """The answer itself, with the files that came with it."""
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
                raise CallFailed(f"the bus is gone: {error}") from error
        if answer is None:
            raise CallFailed(f"{call.member}: no answer")
        if answer.message_type is MessageType.ERROR:
            raise CallFailed(": ".join((call.member, *map(str, (answer.error_name, *answer.body[:1])))))
        return answer

    async def many(self, calls: Iterable[MethodCall]) -> list[Any]:
        """The first value of each answer, in order; None for those that failed. For calls to one program."""
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
        """The process behind a name on the bus; 0 when that is not known."""
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
