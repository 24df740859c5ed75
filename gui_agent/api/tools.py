"""Custom tools: Python functions as verbs of plain commands, each checked by the guard first."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, ParamSpec, TypeVar, get_type_hints, overload

from gui_agent.agent.answers import as_type
from gui_agent.agent.guard.vocabulary import MEANINGS
from gui_agent.core.binding import with_values
from gui_agent.core.errors import ConfigError, NotUnderstood
from gui_agent.planners.commands.lexer import Token, Unclosed, tokenize

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class OwnTool(Generic[P, R]):
    """A function as a verb: `look_up(name)` is written as `look up "Ada"`, or `look up name "Ada" as
    "it"`.
    """

    function: Callable[P, R]
    guard: str = ""
    """Its meaning for the guard, such as send or pay; empty if it only reads or computes."""
    words: tuple[str, ...] = ()
    types: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def name(self) -> str:
        return self.function.__name__

    def __call__(self, *given: P.args, **named: P.kwargs) -> R:
        return self.function(*given, **named)

    def bound_arguments(
        self, tokens: Sequence[Token], values: Mapping[str, str]
    ) -> tuple[dict[str, Any], str]:
        """The arguments given in a command, with slots filled, and the name for the result."""
        parameters = list(inspect.signature(self.function).parameters.values())
        given: dict[str, Any] = {}
        name, wanted = self.name, ""
        for token in tokens[len(self.words) :]:
            if token.kind != "quoted":
                said = token.word
                wanted = said if said == "as" or said in self.types else wanted
                continue
            if wanted == "as":
                name = token.text
            else:
                open_ones = [one.name for one in parameters if one.name not in given]
                key = wanted or next(iter(open_ones), "")
                if not key or key in given:
                    raise NotUnderstood(f'{self}: "{token.text}" is one value too many')
                given[key] = as_type(with_values(token.text, values), self.types.get(key, str))
            wanted = ""
        missing = [one.name for one in parameters if one.default is one.empty and one.name not in given]
        if missing:
            raise NotUnderstood(f"{self}: give a value for {', '.join(missing)}, in quotes")
        return given, name

    def __str__(self) -> str:
        values = " ".join(f'{name} "..."' for name in self.types)
        return f"{' '.join(self.words)} {values}".strip()


@overload
def tool(function: Callable[P, R]) -> OwnTool[P, R]: ...


@overload
def tool(*, guard: str = "") -> Callable[[Callable[P, R]], OwnTool[P, R]]: ...


def tool(function: Callable[..., Any] | None = None, *, guard: str = "") -> Any:
    """Make a function a verb of plain commands: `Browser(tools=[look_up])`, then `act('look up "Ada"')`.

    Args:
        guard: its meaning for the guard, such as `send`, `pay` or `delete`; it is judged accordingly.

    Raises:
        ConfigError: the guard does not know the meaning.
    """
    if guard and guard not in MEANINGS:
        raise ConfigError(f'"{guard}" is no meaning that the guard knows; known: {", ".join(MEANINGS)}')

    def make_tool(function: Callable[..., Any]) -> OwnTool[..., Any]:
        hints = get_type_hints(function)
        types = {name: hints.get(name, str) for name in inspect.signature(function).parameters}
        return OwnTool(function, guard, tuple(function.__name__.casefold().split("_")), types)

    return make_tool(function) if function is not None else make_tool


def split(text: str, tools: Sequence[OwnTool[..., Any]]) -> Iterator[str | tuple[OwnTool[..., Any], str]]:
    """The parts of a text in order: plain commands unchanged, and each command of a tool."""
    try:
        tokens = tokenize(text)
    except Unclosed:
        yield text
        return
    at = begun = 0
    while at < len(tokens):
        starts = at == 0 or tokens[at - 1].joins
        mine = next((one for one in tools if starts and _says(tokens[at:], one.words)), None)
        if mine is None:
            at += 1
            continue
        if plain := _words_without_joints(text, tokens[begun:at]):
            yield plain
        end = next((i for i in range(at, len(tokens)) if tokens[i].joins), len(tokens))
        yield mine, text[tokens[at].start : tokens[end - 1].end]
        at = begun = end
    if plain := _words_without_joints(text, tokens[begun:]):
        yield plain


def _says(tokens: Sequence[Token], words: Sequence[str]) -> bool:
    return [token.word for token in tokens[: len(words)]] == list(words)


def _words_without_joints(text: str, tokens: Sequence[Token]) -> str:
    kept = [i for i, token in enumerate(tokens) if not token.joins]
    return text[tokens[kept[0]].start : tokens[kept[-1]].end] if kept else ""
