"""Whether a chat template passes on what an export teaches, tried before anything is trained.

A template is rendered as `transformers` does it: in a sandbox, in which it reads the messages and can do
nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import starmap
from pathlib import Path
from typing import Any

from jinja2 import TemplateError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from gui_agent.core.errors import ConfigError
from gui_agent.core.texts import shorten

FILES = ("chat_template.jinja", "chat_template.json", "tokenizer_config.json")
"""Where the folder of a tokenizer has its template, in this order."""
BEGIN, END = "\ue000", "\ue001"
"""Private letters around what a template marks as the model's own words."""
_OWN = re.compile(f"{BEGIN}([^{END}]*){END}")
_PART = "'type': 'text'"
"""What Python writes for a part of a message in place of its text."""
SPECIAL = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
"""Tokens that templates write around messages."""
KEPT = ("role", "type", "name")
"""Fields of messages that no word is added to."""
_FAULTS = (TemplateError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError)


class _Generation(Extension):
    """`{% generation %}`, around the words that count for the loss."""

    tags = {"generation"}  # noqa: RUF012 - as Jinja declares it

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_mark"), [], [], body).set_lineno(line)

    def _mark(self, caller: Any) -> str:
        return f"{BEGIN}{caller()}{END}"


@dataclass(frozen=True)
class ChatTemplate:
    """A template of Jinja that turns messages into the text that a model is trained on."""

    text: str
    name: str = "the template"

    def render(self, messages: Sequence[Any], **given: Any) -> str:
        """The text of messages, with private letters around the marked parts."""
        world = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, loopcontrols]
        )
        world.filters["tojson"] = _as_json
        world.globals |= {"raise_exception": _refuse, "strftime_now": datetime.now().strftime}
        return world.from_string(self.text).render(messages=messages, **SPECIAL, **given)

    def fault(self, row: Mapping[str, Any]) -> str:
        """How the template changes what a row teaches; empty if it passes every message on, in its place."""
        tagged = [*starmap(_with_words, enumerate(row["messages"]))]
        # TRL gives the template of a vision model lists of parts.
        forms = tagged, [(_in_parts(one), words) for one, words in tagged]
        faults = [self._fault(form, row.get("tools")) for form in forms]
        return "" if "" in faults else faults[0]

    def _fault(self, tagged: Sequence[tuple[dict[str, Any], list[str]]], tools: Any) -> str:
        messages = [one for one, _ in tagged]
        try:
            text = self.render(messages, tools=tools)
        except _FAULTS as error:
            return f"it refuses them ({shorten(str(error) or type(error).__name__)})"
        own = "".join(_OWN.findall(text)) if "endgeneration" in self.text else text
        for one, words in tagged:
            if not all(word in (own if one["role"] == "assistant" else text) for word in words):
                return f"it drops what the {one['role']} says"
        return self._loss(text, messages, tools)

    def _loss(self, text: str, messages: Sequence[dict[str, Any]], tools: Any) -> str:
        """What a text lacks besides the words of the messages."""
        if not all(one["function"]["description"] in text for one in tools or ()):
            return "it names no tools"
        if _PART in text:
            return "it writes the parts of a message as they are"
        blind = [_without_pictures(one) for one in messages]
        seen = blind == messages or self.render(blind, tools=tools) != text
        return "" if seen else "it shows no pictures"

    def demand(self, row: Mapping[str, Any]) -> None:
        """Raise ConfigError unless the template passes on what a row teaches."""
        if fault := self.fault(row):
            other = "--answers json or " if "tools" in row else "--no-pictures or " if "images" in row else ""
            raise ConfigError(f"{self.name} is not for these messages: {fault}; use {other}another template")


def read_template(path: Path) -> ChatTemplate:
    """The template in a file, or in the folder of a tokenizer.

    Raises:
        ConfigError: there is none, or it cannot be read.
    """
    places = [path / name for name in FILES] if path.is_dir() else [path]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise ConfigError(f"{path} holds none of {', '.join(FILES)}; give the file of the chat template")
    try:
        text = found.read_text("utf-8")
        return ChatTemplate(
            json.loads(text)["chat_template"] if found.suffix == ".json" else text, str(found)
        )
    except (OSError, ValueError, LookupError) as error:
        raise ConfigError(
            f"{found} holds no chat template: {error}; give the file of the template"
        ) from error


def _with_words(place: int, message: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """A message with a word of its own after each text, and all words that must appear.

    So what one message says is not taken for what another one does.
    """
    words: list[str] = []

    def tag(value: Any, key: str) -> Any:
        if isinstance(value, list):
            return [tag(one, "") for one in value]
        if isinstance(value, dict):
            return {name: tag(one, name) for name, one in value.items()}
        if not isinstance(value, str) or not value or key in KEPT:
            return value
        words.append(word := f" ~{place}.{len(words)}~")
        return value + word

    told = tag(dict(message), "")
    if message["role"] == "assistant" and isinstance(told["content"], str):
        words.append(told["content"])
    return told, words


def _in_parts(message: Mapping[str, Any]) -> dict[str, Any]:
    content = message["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return {**message, "content": parts}


def _without_pictures(message: Mapping[str, Any]) -> dict[str, Any]:
    content = message["content"]
    texts = [part for part in content if "text" in part] if isinstance(content, list) else content
    return {**message, "content": texts}


def _as_json(value: Any, **how: Any) -> str:
    """JSON as `transformers` writes it, without escapes for a web page."""
    return json.dumps(value, **{"ensure_ascii": False, **how})


def _refuse(message: str) -> None:
    raise TemplateError(message)
