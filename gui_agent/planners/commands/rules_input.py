"""Parse rules for input: type, choose, tick, set, upload."""

from __future__ import annotations

import contextlib
from dataclasses import replace

from gui_agent.core.actions import Check, Choose, TypeText, Upload
from gui_agent.core.observation import Words
from gui_agent.elements.roles import BOXES, ENTRIES
from gui_agent.elements.text import DETERMINERS
from gui_agent.planners.commands.commands import Append, Command, Do, Pick, Put
from gui_agent.planners.commands.lexer import Fault, Span, phrases
from gui_agent.planners.commands.noun_phrases import NEAR, plain_name, read_point, read_target, read_words
from gui_agent.planners.commands.rules_pointer import menu_path, unfold_path

_KINDS = phrases("text, word, words, number, value, name, username, user, password, date, time, phrase")
_FROM = ("from", "out of", "in", "for", "on", "of", "as", "under")

CONTENT = phrases(
    "the text in, the text from, what is in, everything in, the content of, the contents of, "
    "the value of, the value in, the text of"
)

WHOLE = phrases("all text, all the text, all of the text, the whole text, everything")
ALL_IN = tuple(f"{one} {place}" for one in (*WHOLE, "the text") for place in ("in", "of"))
"""Before a place: what is there is to go, whatever it is."""


def type_text(span: Span) -> tuple[Command, ...]:
    """`T into X`, or `T` alone for where the focus is."""
    halves = _value_and_place(span, ("into", "in to"), ("in", "inside"))
    text, place = halves
    if place is None:
        return (Do(TypeText(text)),)
    return (Do(TypeText(text, read_target(place), replace=True)),)


def put(span: Span) -> tuple[Command, ...]:
    """`T into X`; the place must be named, because these are common words."""
    halves = _value_and_place(span, ("into", "in to", "as"), ("in", "inside", "on", "for"))
    text, place = halves
    if place is None:
        named = span.cut(0, len(span) - 1)
        if len(span) > 1 and span[-1].kind == "quoted" and all(t.kind == "word" for t in named.each):
            return set_to(named, span.cut(len(span) - 1))
        raise Fault(span.position, "it does not say where", 'as in: put "Ada" into "Name"')
    return (Do(TypeText(text, read_target(place), replace=True)),)


def enter(span: Span) -> tuple[Command, ...]:
    """As `put`; a quoted text alone goes where the focus is."""
    alone = len(span) == 1 and span[0].kind == "quoted"
    return (Do(TypeText(_value_and_place(span, (), ())[0])),) if alone else put(span)


def append(span: Span) -> tuple[Command, ...]:
    halves = _value_and_place(span, ("to", "into"), ("in",))
    if halves[1] is None:
        raise Fault(span.position, "it does not say where", 'as in: append "!" to "Note"')
    return (Append(halves[0], read_target(halves[1])),)


def clear(span: Span) -> tuple[Command, ...]:
    return (Do(TypeText("", read_target(span.after((*CONTENT, *ALL_IN))), replace=True)),)


def fill(span: Span) -> tuple[Command, ...]:
    """`X with T`, or `T into X`."""
    halves = span.split(("with",), last=True)
    if halves is not None:
        return set_to(halves[0], halves[1])
    if any(token.word in DETERMINERS for token in span.each[:2]):  # `in the form for Ada` is no value
        raise Fault(span.position, "it does not say with what", 'as in: fill "Name" with "Ada"')
    return put(span)


def assign(span: Span) -> tuple[Command, ...]:
    """`X to T`."""
    halves = span.split(("to", "="), last=True)
    if halves is None:
        raise Fault(span.position, "it does not say to what", 'as in: set "Country" to "Canada"')
    before = halves[0].split(("from",), last=True)
    return set_to((before or halves)[0], halves[1])


def choose(span: Span) -> tuple[Command, ...]:
    """`A in X`, `"A", "B" and "C" from X`, `A`, or a menu path."""
    path = menu_path(span)
    if path:
        return unfold_path(path)
    options, place = _options(span)
    with contextlib.suppress(Fault):
        whole = read_words(span)
        if whole.role in BOXES and not whole.text:
            return (Pick(whole),)  # `the radio button in the row of "Ada"`
    if place is None:
        return _picks(options)
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
    """One thing that is ticked, or unticked, or a list of them."""
    ticked: list[Command] = []
    for item in _names(span.after(("both", "both of"))):
        target = read_target(item)
        if isinstance(target, Words) and target.role == "textbox":
            target = replace(target, role="checkbox")  # `tick the box for Ada`
        elif isinstance(target, Words) and target.role == "row" and (who := target.near or target.text):
            target = Words(role="checkbox", near=who, relation="in the row of")
        ticked.append(Do(Check(target, on)))
    return _some(ticked, span)


def switch(span: Span) -> tuple[Command, ...]:
    """`on X`, `X on`, `off X`, `X off`, `X up to 60`."""
    amount = span.split(("up to", "down to", "to"))
    if amount is not None and amount[1].text.rstrip("%").isdecimal():
        return set_to(*amount)
    if len(span) > 1:
        for on, word in ((True, "on"), (False, "off")):
            if span[0].word == word:
                return check(on, span.cut(1))
            if span[-1].word == word:
                return check(on, span.cut(0, len(span) - 1))
    raise Fault(span.position, "it does not say on or off", 'as in: switch on "Wi-Fi"')


def upload(span: Span) -> tuple[Command, ...]:
    """`"file"`, `"a", "b" to X`."""
    span = span.after(("the file", "the files", "file", "files", "the document"))
    halves = span.split(("to", "into", "in", "as", "with", "through", "using", "via"))
    files, place = halves if halves is not None else (span, None)
    names = tuple(item[0].raw if item.is_quoted else item.text for item in files.without_joints().as_items())
    if not names:
        raise Fault(span.position, "it does not say which file", 'as in: upload "photo.png" to "Picture"')
    return (Do(Upload(read_target(place) if place is not None else Words(), names)),)


def set_to(place: Span, value: Span) -> tuple[Command, ...]:
    """The control at the place gets the value, whatever it takes."""
    target = read_target(place)
    value = value.without_joints()
    if any(token.kind == "quoted" for token in value.each) and not value.is_quoted:
        raise Fault(value.position, f"'{value.text}' is not one value", "put the whole value in quotes")
    if not len(value):
        raise Fault(value.position, "it does not say to what")
    return (Put(value.text, target),)


def _value_and_place(span: Span, strong: tuple[str, ...], weak: tuple[str, ...]) -> tuple[str, Span | None]:
    """The text to type and the place; a quoted text ends at its quote, an unquoted one at the last `into`."""
    span = span.without_joints()
    if not len(span):
        raise Fault(span.position, "it does not say what to type", 'as in: type "Ada" into "Name"')
    span = _without_kind_of_text(span)
    if span[0].kind == "quoted":
        if len(span) == 1:
            return span.text, None
        taken = span.begins((*strong, *weak), 1)
        if taken and len(span) > 1 + taken:
            return span[0].text, span.cut(1 + taken)
        rest = span.cut(1).without_joints()
        raise Fault(rest.position, f"'{rest.text}' is not a plain command", 'as in: type "Ada" into "Name"')
    halves = span.split(strong, last=True) or span.split(weak, last=True)
    value, place = halves if halves is not None else (span, None)
    if place is None and span.begins((*strong, *weak)):
        raise Fault(span.position, "it does not say what to type", 'as in: type "Ada" into "Name"')
    if any(token.kind == "quoted" for token in value.each):
        raise Fault(value.position, f"'{value.text}' is not one text", "put the whole text in quotes")
    return value.text, place


def _without_kind_of_text(span: Span) -> Span:
    begin = span.begins(DETERMINERS)
    while begin + 1 < len(span) and span[begin].word in _KINDS:
        begin += 1
    return span.cut(begin) if begin < len(span) and span[begin].kind == "quoted" else span


def _options(span: Span) -> tuple[Span, Span | None]:
    span = span.without_joints()
    quoted = [index for index, token in enumerate(span.each) if token.kind == "quoted"]
    begin = 0
    if quoted and quoted[0] <= 1:
        # The list of options ends with the first quoted text that no joint follows.
        begin = next((i for i in quoted if i + 1 >= len(span) or not span[i + 1].joins), len(span) - 1)
        taken = 0 if span.begins(NEAR.keys() - {"under"}, begin + 1) else span.begins(_FROM, begin + 1)
        if taken and begin + 1 + taken < len(span):
            return span.cut(0, begin + 1), span.cut(begin + 1 + taken)
        return span, None
    halves = span.split(("from", "out of"), last=True) or span.split(("in", "for", "as"), last=True)
    return halves if halves is not None else (span, None)


def _picks(options: Span) -> tuple[Command, ...]:
    return _some([Pick(read_words(item)) for item in _names(options)], options)


def _some(found: list[Command], span: Span) -> tuple[Command, ...]:
    if not found:
        raise Fault(span.position, "it does not say what", 'as in: tick "I agree"')
    return tuple(found)


def _names(span: Span) -> list[Span]:
    """The names of a list; without commas or quotes, `Terms and Conditions` stays one name."""
    listed = span.as_items()
    quoted = [item for item in listed if item[0].kind == "quoted" or item[-1].kind == "quoted"]
    commas = any(token.kind == "comma" for token in span.each)
    return listed if quoted or commas or read_point(span) else [span.without_joints()] if len(span) else []
