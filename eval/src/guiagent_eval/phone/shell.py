"""The tiny shell of the simulated phone. It knows its own commands only; nothing is ever run on the host."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from guiagent_eval.phone.commands import COMMANDS
from guiagent_eval.phone.device import SimulatedPhone
from guiagent_eval.phone.dumps import Done

_PIECE = re.compile(
    r"""\s+|(?P<op>&&|\|\||2>&1|2>|>>|;|\||>|&|\n)|(?P<word>(?:[^\s;&|<>'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+)"""
)
_PART = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^'"\\]+)""", re.DOTALL)
JOINTS = (";", "\n", "&&", "||", "&")


@dataclass(slots=True)
class _Command:
    """One simple command, with what its output goes to."""

    words: list[str]
    target: str = ""
    append: bool = False
    silent: bool = False
    """Whether errors are thrown away."""
    joined: bool = False
    """Whether errors go where the output goes."""


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
        if found is None:  # a quote that is not closed: what is left is one word
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
