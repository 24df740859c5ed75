"""The services of the simulated phone's adbd: shell, exec, sync, framebuffer and reverse."""

from __future__ import annotations

import contextlib
import queue
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from guiagent_eval.phone import u2
from guiagent_eval.phone.commands import COMMANDS, LISTED
from guiagent_eval.phone.device import SimulatedPhone
from guiagent_eval.phone.dumps import Done

SYNC = struct.Struct("<4sI")
FILE_MODE = 0o100644
OUT, ERR, EXIT = 1, 2, 3
PIECE = 64 * 1024


class Pipe(Protocol):
    """The bytes to and from the host."""

    def read(self, size: int) -> bytes: ...

    def write(self, data: bytes) -> None: ...


def serve(phone: SimulatedPhone, service: str, pipe: Pipe) -> Callable[[], None] | None:
    """Answer a service; None if the phone has none of this name."""
    name, _, argument = service.partition(":")
    kind, *options = name.split(",")
    if kind == "shell" and not argument:
        return lambda: _interactive(phone, pipe, "v2" in options)
    if kind == "shell" and "com.wetest.uia2.Main" in argument:
        return lambda: _u2_server(phone, pipe)
    if kind == "shell" and argument.startswith("getevent -lt"):
        return lambda: _touches(phone, pipe)
    if kind == "shell" and "v2" in options:
        return lambda: _shell_v2(phone, argument, pipe)
    if kind in ("shell", "exec"):
        return lambda: _plain(phone, argument, pipe)
    if kind == "tcp" and argument == "9008" and phone.u2_runs:
        return lambda: u2.answer(phone, pipe)
    if kind == "localabstract" and phone.web and argument == phone.web_socket:
        return lambda: _relay(phone, pipe)
    if kind == "sync":
        return lambda: _sync(phone, pipe)
    if kind == "framebuffer":
        return lambda: _framebuffer(phone, pipe)
    if kind == "reverse":
        return lambda: _reverse(phone, argument, pipe)
    return None


def _plain(phone: SimulatedPhone, command: str, pipe: Pipe) -> None:
    done = run(phone, command)
    pipe.write(done.out + done.err)


def _u2_server(phone: SimulatedPhone, pipe: Pipe) -> None:
    """The server of uiautomator2, which runs until the connection that started it is closed."""
    if phone.u2_refuses or phone.u2_runs or "/data/local/tmp/u2.jar" not in phone.files:
        pipe.write(f"java.lang.IllegalStateException: {phone.u2_refuses or 'no jar'}\n".encode())
        return
    phone.u2_runs = True
    pipe.write(b"[server] INFO: [UiAutomator2Server] Starting Server\n")
    while pipe.read(1):
        pass
    phone.u2_runs = False


def _touches(phone: SimulatedPhone, pipe: Pipe) -> None:
    """Write the kernel's finger events until the reader is gone."""
    lines = listening(phone)
    with contextlib.suppress(OSError):
        while True:
            pipe.write(lines.get())
    phone.watched.remove(lines)


def _relay(phone: SimulatedPhone, pipe: Pipe) -> None:
    """The DevTools of a WebView: the bytes go to the browser that really draws it."""
    assert phone.web is not None
    with socket.create_connection(phone.web, 5) as wire:

        def back() -> None:
            with contextlib.suppress(OSError):
                while piece := wire.recv(PIECE):
                    pipe.write(piece)

        thread = threading.Thread(target=back, daemon=True)
        thread.start()
        with contextlib.suppress(OSError):
            while letter := pipe.read(1):
                wire.sendall(letter)
            wire.shutdown(socket.SHUT_RDWR)
        thread.join(2)


def _shell_v2(phone: SimulatedPhone, command: str, pipe: Pipe) -> None:
    done = run(phone, command)
    for number, data in ((OUT, done.out), (ERR, done.err), (EXIT, bytes([done.code]))):
        for start in range(0, len(data), PIECE):
            piece = data[start : start + PIECE]
            pipe.write(struct.pack("<BI", number, len(piece)) + piece)


def _interactive(phone: SimulatedPhone, pipe: Pipe, packed: bool) -> None:
    line = b""
    while letter := pipe.read(1):
        if packed:
            (length,) = struct.unpack("<I", pipe.read(4))
            line += pipe.read(length) if letter == b"\0" else (pipe.read(length), b"")[1]
        else:
            line += letter
        while b"\n" in line or b"\r" in line:
            command, _, line = line.replace(b"\r", b"\n").partition(b"\n")
            if command.strip() == b"exit":
                if packed:
                    pipe.write(struct.pack("<BI", EXIT, 1) + b"\0")
                return
            done = run(phone, command.decode())
            data = done.out + done.err
            pipe.write((struct.pack("<BI", OUT, len(data)) if packed else b"") + data)


def _framebuffer(phone: SimulatedPhone, pipe: Pipe) -> None:
    picture = phone.frame().convert("RGBA")
    # version, bits, colorspace, size, width, height, then offset and length of red, blue, green, alpha
    layout = (2, 32, 0, picture.width * picture.height * 4, picture.width, picture.height)
    pipe.write(struct.pack("<14I", *layout, 0, 8, 16, 8, 8, 8, 24, 8))
    pipe.write(picture.tobytes())


def _reverse(phone: SimulatedPhone, argument: str, pipe: Pipe) -> None:
    verb, _, rest = argument.partition(":")
    if verb == "forward":
        there, _, here = rest.removeprefix("norebind:").partition(";")
        phone.reversed[there] = here
    elif verb == "killforward":
        phone.reversed.pop(rest, None)
    elif verb == "killforward-all":
        phone.reversed.clear()
    listed = "".join(f"host-0 {there} {here}\n" for there, here in phone.reversed.items())
    answer = f"{len(listed):04x}{listed}" if verb == "list-forward" else "OKAY"
    pipe.write(("OKAY" + answer if verb != "list-forward" else answer).encode())


def _sync(phone: SimulatedPhone, pipe: Pipe) -> None:
    while head := pipe.read(SYNC.size):
        verb, length = SYNC.unpack(head)
        name = pipe.read(length).decode() if verb != b"QUIT" else ""
        if verb == b"STAT":
            data = phone.files.get(name)
            found = (FILE_MODE, len(data), int(time.time())) if data is not None else _folder(phone, name)
            pipe.write(struct.pack("<4s3I", b"STAT", *found))
        elif verb == b"LIST":
            for path, data in phone.files.items():
                if path.rpartition("/")[0] == name.rstrip("/"):
                    leaf = path.rpartition("/")[2].encode()
                    pipe.write(struct.pack("<4s4I", b"DENT", FILE_MODE, len(data), 0, len(leaf)) + leaf)
            pipe.write(struct.pack("<4s4I", b"DONE", 0, 0, 0, 0))
        elif verb == b"RECV":
            _send_file(phone, name, pipe)
        elif verb == b"SEND":
            path = name.rpartition(",")[0]
            phone.files[path] = _receive(pipe)
            pipe.write(SYNC.pack(b"OKAY", 0))
        else:
            return


def _folder(phone: SimulatedPhone, name: str) -> tuple[int, int, int]:
    inside = name in ("/", "/sdcard", "/data/local/tmp") or any(
        path.startswith(name.rstrip("/") + "/") for path in phone.files
    )
    return (0o040771, 0, 0) if inside else (0, 0, 0)


def _send_file(phone: SimulatedPhone, name: str, pipe: Pipe) -> None:
    data = phone.files.get(name)
    if data is None:
        reason = b"No such file or directory"
        pipe.write(SYNC.pack(b"FAIL", len(reason)) + reason)
        return
    for start in range(0, len(data), PIECE):
        piece = data[start : start + PIECE]
        pipe.write(SYNC.pack(b"DATA", len(piece)) + piece)
    pipe.write(SYNC.pack(b"DONE", 0))


def _receive(pipe: Pipe) -> bytes:
    data = bytearray()
    while True:
        verb, length = SYNC.unpack(pipe.read(SYNC.size))
        if verb != b"DATA":
            return bytes(data)
        data += pipe.read(length)


_PIECE = re.compile(
    r"""\s+|(?P<op>&&|\|\||2>&1|2>|>>|;|\||>|&|\n)|(?P<word>(?:[^\s;&|<>'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+)"""
)
_PART = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^'"\\]+)""", re.DOTALL)
JOINTS = (";", "\n", "&&", "||", "&")


@dataclass(slots=True)
class _Command:
    """One simple command, with the destination of its output."""

    words: list[str]
    target: str = ""
    append: bool = False
    silent: bool = False
    """Whether errors are discarded."""
    joined: bool = False
    """Whether errors go to the output."""


def run(phone: SimulatedPhone, text: str) -> Done:
    """Run a line of commands: `;`, `&&`, `||`, pipes, redirection to the phone's files, `$?`, quotes."""
    total, errors, code, joint = b"", b"", 0, ";"
    for pipeline, following in _pipelines(text):
        if (joint == "&&" and code) or (joint == "||" and not code):
            joint = following
            continue
        data = b""
        for command in pipeline:
            words = [word.replace("\0?", str(code)) for word in command.words]
            done = _one(phone, words, data)
            errors += b"" if command.silent or command.joined else done.err
            data = done.out + (done.err if command.joined else b"")
            code = done.code
            if command.target:
                before = phone.files.get(command.target, b"") if command.append else b""
                if command.target not in ("/dev/null", "/dev/tty"):
                    phone.files[command.target] = before + data
                data = data if command.target == "/dev/tty" else b""
        total += data
        joint = following
    return Done(total, errors, code)


def _one(phone: SimulatedPhone, words: list[str], data: bytes) -> Done:
    while words and re.match(r"[A-Z_]+=", words[0]):
        words = words[1:]
    if not words:
        return Done()
    phone.log.append(words)
    name = words[0].rpartition("/")[2]
    command = COMMANDS.get(name)
    if command is None:
        return Done(err=f"/system/bin/sh: {name}: inaccessible or not found\n".encode(), code=127)
    phone.wait(name)
    return command(phone, words[1:], data)


def _pipelines(text: str) -> Iterator[tuple[list[_Command], str]]:
    pipeline = [_Command([])]
    waiting = ""
    for kind, token in _tokens(text):
        command = pipeline[-1]
        if kind == "word":
            if waiting in (">", ">>"):
                command.target, command.append = token, waiting == ">>"
            elif waiting == "2>":
                command.silent = True
            else:
                command.words.append(token)
            waiting = ""
        elif token == "|":
            pipeline.append(_Command([]))
        elif token == "2>&1":
            command.joined = True
        elif token in JOINTS:
            if command.words:
                yield pipeline, token
            pipeline = [_Command([])]
        else:
            waiting = token
    if pipeline[-1].words:
        yield pipeline, ";"


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    place = 0
    while place < len(text):
        found = _PIECE.match(text, place)
        if found is None:  # An unclosed quote: the rest is one word.
            yield "word", text[place:]
            return
        place = found.end()
        if found["op"]:
            yield "op", found["op"]
        elif found["word"]:
            parts = _PART.findall(found["word"])
            yield (
                "word",
                "".join(
                    single or re.sub(r"\\(.)", r"\1", double) or escaped or bare.replace("$?", "\0?")
                    for single, double, escaped, bare in parts
                ),
            )


def listening(phone: SimulatedPhone) -> queue.SimpleQueue[bytes]:
    """The lines of `getevent -lt` from now on, the devices first."""
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    for line in LISTED.splitlines():
        if line.startswith(("add device", "  name")):
            lines.put(f"{line}\n".encode())
    phone.watched.append(lines)
    return lines
