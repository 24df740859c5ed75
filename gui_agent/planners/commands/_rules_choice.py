"""Parse rules for choices: options, boxes, switches, files."""

from __future__ import annotations

import contextlib
from dataclasses import replace

from gui_agent.core.actions import Check, Choose, Upload
from gui_agent.core.observation import Words
from gui_agent.elements.roles import BOXES, ENTRIES
from gui_agent.planners.commands._noun_phrases import NEAR, plain_name, read_point, read_target, read_words
from gui_agent.planners.commands._rules_input import set_to
from gui_agent.planners.commands._rules_pointer import menu_path, unfold_path
from gui_agent.planners.commands.commands import Command, Do, Pick
from gui_agent.planners.commands.lexer import Fault, Span

_FROM = ("from", "out of", "in", "for", "on", "of", "as", "under")


def choose(span: Span) -> tuple[Command, ...]:
    """Parse `A in X`, `"A", "B" and "C" from X`, `A`, or a menu path."""
    path = menu_path(span)
    if path:
        return unfold_path(path)
    options, place = _options(span)
    with contextlib.suppress(Fault):
        whole = read_words(span)
        if whole.role in BOXES and not whole.text:
            return (Pick(whole),)  # `the radio button in the row of "Ada"`
    if place is None:
        return _some([Pick(read_words(item)) for item in _names(options)], options)
    target = read_target(place)
    if isinstance(target, Words) and target.role == "menu" and target.text and len(_names(options)) == 1:
        return unfold_path([target, Words(plain_name(options))])
    chosen: list[Command] = []
    for item in _names(options):
        words = read_words(item)
        if words.role not in ENTRIES | {""} or words.ordinal or words.near or not words.text:
            raise Fault(item.position, f"'{item.text}' is not the name of an option", "put it in quotes")
        chosen.append(Do(Choose(target, words.text)))
    return _some(chosen, options)


def check(on: bool, span: Span) -> tuple[Command, ...]:
    """Parse one box to check or uncheck, or a list of them."""
    ticked: list[Command] = []
    for item in _names(span.rest_after(("both", "both of"))):
        target = read_target(item)
        if isinstance(target, Words) and target.role == "textbox":
            target = replace(target, role="checkbox")  # `tick the box for Ada`
        elif isinstance(target, Words) and target.role == "row" and (who := target.near or target.text):
            target = Words(role="checkbox", near=who, relation="in the row of")
        ticked.append(Do(Check(target, on)))
    return _some(ticked, span)


def switch(span: Span) -> tuple[Command, ...]:
    """Parse `on X`, `X on`, `off X`, `X off`, `X up to 60`."""
    amount = span.split(("up to", "down to", "to"))
    if amount is not None and amount[1].text.rstrip("%").isdecimal():
        return set_to(*amount)
    if len(span) > 1:
        for on, word in ((True, "on"), (False, "off")):
            if span[0].word == word:
                return check(on, span.cut(1))
            if span[-1].word == word:
                return check(on, span.cut(0, -1))
    raise Fault(span.position, "on or off is missing", 'as in: switch on "Wi-Fi"')


def upload(span: Span) -> tuple[Command, ...]:
    """Parse `"file"`, `"a", "b" to X`."""
    span = span.rest_after(("the file", "the files", "file", "files", "the document"))
    halves = span.split(("to", "into", "in", "as", "with", "through", "using", "via"))
    files, place = halves if halves is not None else (span, None)
    names = tuple(item[0].raw if item.is_quoted else item.text for item in files.without_joints().as_items())
    if not names:
        raise Fault(span.position, "the file is missing", 'as in: upload "photo.png" to "Picture"')
    return (Do(Upload(read_target(place) if place is not None else Words(), names)),)


def _options(span: Span) -> tuple[Span, Span | None]:
    span = span.without_joints()
    quoted = [index for index, token in enumerate(span.each) if token.kind == "quoted"]
    begin = 0
    if quoted and quoted[0] <= 1:
        # The list of options ends with the first quoted text without a joint after it.
        begin = next((i for i in quoted if i + 1 >= len(span) or not span[i + 1].joins), len(span) - 1)
        taken = 0 if span.begins(NEAR.keys() - {"under"}, begin + 1) else span.begins(_FROM, begin + 1)
        if taken and begin + 1 + taken < len(span):
            return span.cut(0, begin + 1), span.cut(begin + 1 + taken)
        return span, None
    halves = span.split(("from", "out of"), last=True) or span.split(("in", "for", "as"), last=True)
    return halves if halves is not None else (span, None)


def _some(found: list[Command], span: Span) -> tuple[Command, ...]:
    if not found:
        raise Fault(span.position, "the target is missing", 'as in: tick "I agree"')
    return tuple(found)


def _names(span: Span) -> list[Span]:
    """The names of a list; without commas or quotes, `Terms and Conditions` stays one name."""
    listed = span.as_items()
    quoted = [item for item in listed if item[0].kind == "quoted" or item[-1].kind == "quoted"]
    commas = any(token.kind == "comma" for token in span.each)
    return listed if quoted or commas or read_point(span) else [span.without_joints()] if len(span) else []
