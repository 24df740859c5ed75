"""Conversations with COM objects: recorded while a real or false UI Automation answers, and played again.

A player takes the calls of a tape in their order and with their arguments, and nothing else.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from guiagent_platforms.windows import automation

PLAIN = (bool, int, float, str, type(None))


@dataclass
class Tape:
    """What was asked and answered; objects are numbers, in the order in which they appeared."""

    lines: list[dict[str, Any]] = field(default_factory=list)
    place: int = 0

    def next(self, **asked: Any) -> dict[str, Any]:
        """The next line, which must be this question."""
        assert self.place < len(self.lines), f"nothing more was recorded, and this is asked: {asked}"
        line = self.lines[self.place]
        told = {key: line[key] for key in asked if key in line}
        assert told == asked, f"line {self.place}: {told} was recorded, and this is asked: {asked}"
        self.place += 1
        return line


class ComFailure(Exception):
    """`COMError` as a tape tells it."""

    def __init__(self, hresult: int, text: str = "") -> None:
        super().__init__(hresult, text)
        self.hresult = hresult


class Recorded:
    """A COM object that notes all that it is asked."""

    def __init__(self, recorder: Recorder, real: Any) -> None:
        object.__setattr__(self, "_recorder", recorder)
        object.__setattr__(self, "_real", real)

    def __getattr__(self, name: str) -> Any:
        recorder, real = self._recorder, self._real
        number = recorder.number(self)
        try:
            value = getattr(real, name)
        except AttributeError as error:
            recorder.note(on=number, call=name, error=None, kind=type(error).__name__, text=str(error))
            raise
        if callable(value) and not isinstance(value, type):
            return lambda *given, **named: recorder.asked(number, name, value, given, named)
        return recorder.asked(number, name, lambda: value, None, {})

    def __setattr__(self, name: str, value: Any) -> None:
        self._recorder.note(on=self._recorder.number(self), set=name, given=self._recorder.plain(value))
        setattr(self._real, name, self._recorder.real(value))

    def __bool__(self) -> bool:
        return bool(self._real)


class Recorder:
    """Wraps objects and keeps the tape."""

    def __init__(self, errors: tuple[type[Exception], ...]) -> None:
        self.tape = Tape()
        self._errors = errors
        self._numbers: dict[int, int] = {}
        self._kept: list[Recorded] = []

    def wrap(self, real: Any) -> Any:
        """What can be noted as it is, or an object whose calls are noted."""
        if isinstance(real, PLAIN):
            return real
        if isinstance(real, tuple | list) and all(isinstance(one, PLAIN) for one in real):
            return real
        made = Recorded(self, real)
        self._numbers[id(made)] = len(self._kept)
        self._kept.append(made)
        return made

    def number(self, one: Recorded) -> int:
        return self._numbers[id(one)]

    def real(self, value: Any) -> Any:
        return value._real if isinstance(value, Recorded) else value

    def plain(self, value: Any) -> Any:
        if isinstance(value, Recorded):
            return {"object": self.number(value)}
        if isinstance(value, array):
            return {"array": value.typecode, "values": list(value)}
        return (
            list(value)
            if isinstance(value, tuple)
            else value
            if isinstance(value, PLAIN)
            else str(type(value))
        )

    def note(self, **line: Any) -> None:
        self.tape.lines.append(line)

    def asked(self, on: int, name: str, call: Callable[..., Any], given: Any, named: dict[str, Any]) -> Any:
        line: dict[str, Any] = {"on": on, "call": name}
        if given is not None:
            line["given"] = [self.plain(one) for one in (*given, *named.values())]
        try:
            real = call(
                *(self.real(one) for one in given or ()), **{k: self.real(v) for k, v in named.items()}
            )
        except self._errors as error:
            code = getattr(error, "hresult", None)
            self.note(**line, error=code, kind=type(error).__name__, text=str(error))
            raise
        told = self.wrap(real)
        self.note(**line, told=self.plain(told))
        return told


class Played:
    """A COM object of a tape."""

    def __init__(self, tape: Tape, number: int) -> None:
        object.__setattr__(self, "_tape", tape)
        object.__setattr__(self, "_number", number)

    def __getattr__(self, name: str) -> Any:
        line = self._tape.lines[min(self._tape.place, len(self._tape.lines) - 1)]
        if line.get("call") == name and "given" not in line:
            return self._answer(name, None)
        return lambda *given, **named: self._answer(name, [_plain(one) for one in (*given, *named.values())])

    def __setattr__(self, name: str, value: Any) -> None:
        self._tape.next(on=self._number, set=name, given=_plain(value))

    def _answer(self, name: str, given: list[Any] | None) -> Any:
        asked = {"on": self._number, "call": name} | ({} if given is None else {"given": given})
        line = self._tape.next(**asked)
        if "kind" in line:
            raise (
                ComFailure(line["error"], line["text"])
                if line["error"] is not None
                else OSError(line["text"])
            )
        told = line["told"]
        if isinstance(told, dict) and "object" in told:
            return Played(self._tape, told["object"])
        return tuple(told) if isinstance(told, list) else told


def _plain(value: Any) -> Any:
    if isinstance(value, Played):
        return {"object": value._number}
    if isinstance(value, array):
        return {"array": value.typecode, "values": list(value)}
    return (
        list(value) if isinstance(value, tuple) else value if isinstance(value, PLAIN) else str(type(value))
    )


@contextmanager
def recording(patch: pytest.MonkeyPatch) -> Iterator[Tape]:
    """Note the conversation of every `ComAutomation` that is made meanwhile."""
    comtypes, load = automation._comtypes(), automation.import_module
    client = load("comtypes.client")
    recorder = Recorder((comtypes.COMError, OSError, AttributeError, AssertionError))
    with patch.context() as part:
        part.setattr(
            automation,
            "import_module",
            lambda name: recorder.wrap(client) if name == "comtypes.client" else load(name),
        )
        yield recorder.tape


@contextmanager
def playing(tape: Tape, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the tape answer; all of it must have been asked for at the end."""
    false = SimpleNamespace(COMError=ComFailure, CLSCTX_INPROC_SERVER=1)
    with patch.context() as part:
        part.setattr(automation, "_comtypes", lambda: false)
        part.setattr(automation, "import_module", lambda name: Played(tape, 0))
        yield
    assert tape.place == len(tape.lines), f"recorded, and not asked for: {tape.lines[tape.place]}"
