"""The stored questions of a run to models, in a readable form, to be asked again."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from gui_agent.core.codec import decode
from gui_agent.core.dialogue import Asked, Part, Reply, Request, Results, Tool, ToolResult, Turn
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Screenshot, Size
from gui_agent.core.parsing import parse_json
from gui_agent.trace.lines import IMAGES, MEDIA, REQUESTS, ROLES

OPTIONS = ("must_call", "computer", "platform", "schema", "max_tokens", "shrink")
"""Further fields of a question that are needed to ask it again."""
SPEAKERS = {Asked: "user", Reply: "assistant", Results: "tool"}
_HEADING = re.compile(r"^===== (.+) =====$", re.MULTILINE)
_PICTURE = re.compile(r"^(\[picture \S+\])$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class KeptQuestion:
    """One question to a model with its answer."""

    step: int
    turn: int
    """The decision that it belongs to, 1-based."""
    role: str
    """The part that asked: planner, grounder, reflector or verifier."""
    request: Request
    reply: Reply
    names: Mapping[bytes, str]
    """The file of each picture, by its data."""
    cost: float | None = None
    """Dollars, if the price is known."""

    @property
    def figures(self) -> str:
        """The length of the question, and its cost."""
        parts = list(chain.from_iterable(_sections(self).values()))
        tools = (f"{tool.name}{tool.description}{json.dumps(tool.parameters)}" for tool in self.request.tools)
        texts = (part for part in (self.request.system, *tools, *parts) if isinstance(part, str))
        usage, shots = self.reply.usage, sum(isinstance(part, Screenshot) for part in parts)
        cost = f", ${self.cost:.4f}" if self.cost else ""
        return (
            f"{sum(map(len, texts)):,} characters, {shots} picture{'' if shots == 1 else 's'}, "
            f"{usage.read:,} tokens in, {usage.wrote:,} out{cost}"
        )


def question_line(
    request: Request, reply: Reply, cost: float | None, image: Callable[[Screenshot], str]
) -> dict[str, Any]:
    """A question with its answer, as it is stored; `image` returns the file name of a picture."""

    def plain(value: Any) -> Any:
        if isinstance(value, Screenshot):
            return {"image": image(value)}
        if is_dataclass(value):
            return {one.name: plain(getattr(value, one.name)) for one in fields(value) if one.repr}
        return [plain(item) for item in value] if isinstance(value, tuple) else value

    return {
        "role": ROLES[request.purpose],
        "model": reply.model,
        "system": request.system,
        "messages": [{"role": SPEAKERS[type(one)], **plain(one)} for one in request.turns],
        "tools": plain(request.tools),
        "options": {name: plain(getattr(request, name)) for name in OPTIONS},
        "reply": plain(reply),
        "usage": plain(reply.usage),
        "cost": cost,
    }


def read_questions(folder: Path) -> list[KeptQuestion]:
    """The readable questions of a run in order; empty if the run did not store them."""
    try:
        lines = (folder / REQUESTS).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{folder / REQUESTS} cannot be read: {error}") from error
    made = []
    for line in lines:
        with suppress(LookupError, ValueError, TypeError, ConfigError):  # damaged, or cut off
            made.append(_question(parse_json(line), folder / IMAGES))
    return made


def document(question: KeptQuestion) -> str:
    """A question as a text that a person can edit; `edited_request` reads it back."""
    return "\n\n".join(f"===== {heading} =====\n{text}" for heading, text in _texts(question).items()) + "\n"


def new_parts(question: KeptQuestion, before: KeptQuestion | None) -> dict[str, str]:
    """The parts of a question that the previous one of the same role did not have, by heading."""
    old = {} if before is None else _texts(before)
    return {heading: text for heading, text in _texts(question).items() if old.get(heading) != text}


def edited_request(question: KeptQuestion, text: str) -> Request:
    asked, first = _read(text), _texts(question)
    unknown = next((heading for heading in asked if heading not in first), None)
    if unknown is not None or not asked:
        raise ConfigError(f'the edited question has an unknown heading "{unknown}"; headings must not change')
    pictures = {
        f"[picture {question.names[part.data]}]": part
        for part in chain.from_iterable(_sections(question).values())
        if isinstance(part, Screenshot)
    }

    def parts(heading: str) -> tuple[Part, ...]:
        pieces = _PICTURE.split(asked.get(heading, ""))
        return tuple(pictures.get(piece, piece.strip("\n")) for piece in pieces if piece.strip())

    turns: list[Turn] = []
    for number, turn in enumerate(question.request.turns, start=1):
        match turn:
            case Asked():
                turns.append(replace(turn, parts=parts(f"{number}: user")))
            case Reply():
                heading = f"{number}: answer of the model"
                if asked.get(heading) != first[heading].strip("\n"):
                    raise ConfigError(f'"{heading}" was changed; only the messages to the model can be')
                turns.append(turn)
            case Results():
                results = (
                    replace(result, parts=parts(f"{number}.{place}: result"))
                    for place, result in enumerate(turn.results, start=1)
                )
                turns.append(replace(turn, results=tuple(results)))
    return replace(question.request, system=asked.get("system", ""), turns=tuple(turns))


def answer_text(reply: Reply) -> str:
    """A model's answer, for a person."""
    calls = [
        json.dumps({"call": call.name, **dict(call.arguments)}, ensure_ascii=False, indent=1)
        if call.name
        else "; ".join(map(str, (*call.proposals, *filter(None, (call.end, call.error)))))
        for call in reply.calls
    ]
    return "\n".join(filter(None, (reply.thought, reply.text, *calls, reply.refusal)))


def _read(text: str) -> dict[str, str]:
    _, *pieces = _HEADING.split(text)
    return {heading: body.strip("\n") for heading, body in zip(pieces[::2], pieces[1::2], strict=True)}


def _texts(question: KeptQuestion) -> dict[str, str]:
    made = {"system": question.request.system}
    for heading, parts in _sections(question).items():
        made[heading] = "\n".join(
            part if isinstance(part, str) else f"[picture {question.names[part.data]}]" for part in parts
        )
    return made


def _sections(question: KeptQuestion) -> dict[str, tuple[Part, ...]]:
    made: dict[str, tuple[Part, ...]] = {}
    for number, turn in enumerate(question.request.turns, start=1):
        match turn:
            case Asked(parts):
                made[f"{number}: user"] = parts
            case Reply():
                made[f"{number}: answer of the model"] = (answer_text(turn),)
            case Results(results):
                made |= {f"{number}.{place}: result": one.parts for place, one in enumerate(results, start=1)}
    return made


def _question(line: Any, images: Path) -> KeptQuestion:
    from PIL import Image

    names: dict[bytes, str] = {}

    def parts(given: Sequence[Any]) -> tuple[Part, ...]:
        return tuple(one if isinstance(one, str) else shot(images / Path(one["image"]).name) for one in given)

    def shot(path: Path) -> Part:
        if not path.is_file():
            return "(a picture that was not kept)"
        data = path.read_bytes()
        names[data] = path.name
        return Screenshot(data, Size(*Image.open(path).size), MEDIA[path.suffix])

    def turns(given: Sequence[Any]) -> Iterator[Turn]:
        for one in given:
            if one["role"] == "user":
                yield Asked(parts(one["parts"]), one["cache"])
            elif one["role"] == "tool":
                results = (
                    ToolResult(each["call"], parts(each["parts"]), each["failed"]) for each in one["results"]
                )
                yield Results(tuple(results), one["cache"])
            else:
                yield _reply({key: value for key, value in one.items() if key != "role"})

    request = Request(
        next(purpose for purpose, role in ROLES.items() if role == line["role"]),
        tuple(turns(line["messages"])),
        line["system"],
        tuple(Tool(**tool) for tool in line["tools"]),
        **line.get("options", {}),
    )
    return KeptQuestion(
        line["step"], line["turn"], line["role"], request, _reply(line["reply"]), names, line.get("cost")
    )


def _reply(given: Mapping[str, Any]) -> Reply:
    reply: Reply = decode(Reply, json.dumps(given).encode(), source=REQUESTS)
    return reply
