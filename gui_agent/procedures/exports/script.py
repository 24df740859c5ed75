"""A procedure as a language-neutral script: locators by role and name, actions and checks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from gui_agent.core import actions
from gui_agent.core.aiming import places
from gui_agent.core.errors import ActionFailed, ConfigError
from gui_agent.core.keys import NAMED
from gui_agent.core.observation import Element, Fingerprint
from gui_agent.core.texts import label, normal
from gui_agent.core.trajectory import Demonstration
from gui_agent.elements.roles import BOXES, CELLS, HEADERS, ORIENTING, SUGGESTING, UNNAMED
from gui_agent.procedures.importers._verbs import Chain, Pattern, ScriptCall, ScriptExpression
from gui_agent.procedures.language import program as language
from gui_agent.procedures.language.evaluate import Scope, value_of
from gui_agent.procedures.language.forms import list_items
from gui_agent.procedures.language.program import (
    Captioned,
    Const,
    DoStep,
    Expected,
    HasRole,
    Program,
    Selector,
    Slot,
    Step,
    Value,
    data_of,
    nodes,
)
from gui_agent.procedures.language.view import View
from gui_agent.procedures.language.wording import step_in_words
from gui_agent.procedures.recordings.from_run import volatile

PAGE = Chain("page")
_SECRET = re.compile(r"(\$\{secret:\w+\})")
_TAKEN = frozenset(("page", "expect", "test", "re", "os", "item", "in", "from", "for", "as", "is", "class"))
_BY_TEXT = UNNAMED | {""}
"""Roles without an accessible name; the script finds them by their text."""
_READABLE = _BY_TEXT | ORIENTING | HEADERS | CELLS
"""Roles whose name is their visible text and not an attribute."""
_PLAIN_FIELDS = ("input", "textarea")
_EDITORS = "[contenteditable]:not([contenteditable=false]), [role=textbox]"
_MOST_CHECKS, _MOST_LETTERS = 2, 100
_PLAINLY = {"use_inner_text": True, "ignore_case": True}
_TICKED = {"state": "to_be_checked", "no state": "not_to_be_checked"}
_REFUSING = ("Cancel", "Stay")


class Inexpressible(ConfigError):
    """A part of the procedure cannot be written as a script."""


@dataclass(frozen=True)
class Text:
    """A sequence of literal texts and variables."""

    parts: tuple[str | ScriptExpression, ...]

    @property
    def constant(self) -> str | None:
        return "".join(map(str, self.parts)) if all(isinstance(one, str) for one in self.parts) else None


@dataclass(frozen=True)
class ScriptStep:
    """An action, a read into the variable `gives`, or a check of the element that the chain locates."""

    chain: Chain
    check: ScriptCall | None = None
    gives: str = ""
    comment: str = ""


@dataclass(frozen=True)
class Block:
    """Statements that run once for each of `items`, or only if `shown` is visible."""

    body: tuple[Statement, ...]
    items: Text | None = None
    shown: Chain = PAGE


Statement = ScriptStep | Block


@dataclass(frozen=True)
class WrittenScript:
    """The script that a procedure was translated to."""

    name: str
    task: str
    start: str
    parameters: Mapping[str, str | tuple[str, ...]]
    body: tuple[Statement, ...]


def script_of(
    program: Program, demonstrations: Sequence[Demonstration] = (), *, start: str = "", inline: bool = False
) -> WrittenScript:
    """Translate a program to a script.

    Args:
        demonstrations: what it was learned from; they show which other elements were on the screens.
        inline: make parameters only of typed and chosen values; other values of the task become literals.
    """
    writer = _Writer(program, demonstrations, inline)
    body = tuple(writer.statements(program.steps))
    from gui_agent.computers.browser.act.navigation import address

    start = start or program.start
    with suppress(ActionFailed):  # a window has no address
        start = address(start) if start else ""
    return WrittenScript(program.name, program.instruction(), start, writer.parameters, body)


@dataclass
class _Moment:
    mark: Fingerprint
    element: Element | None = None
    before: Sequence[Element] = ()
    after: Sequence[Element] = ()
    came_focused: bool = False
    """Whether the element appeared with the keyboard focus, such as the field for renaming something."""


_UNSEEN = _Moment(Fingerprint("", ""))


@dataclass
class _Writer:
    program: Program
    demonstrations: Sequence[Demonstration]
    inline: bool
    parameters: dict[str, str | tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        given = self.program.parameters
        examples = {one.name: one.examples[0] if one.examples else one.default or "" for one in given}
        done = [one for one in nodes(self.program.steps) if isinstance(one, DoStep)]
        self.scope = Scope(View.from_screen(None), examples)
        self.typed = [*chain.from_iterable(nodes(step.text) for step in done)]
        entered = {one.name for one in self.typed if isinstance(one, Slot)}
        self.fixed = {name for name in examples if self.inline and name not in entered}

    def _shown_text(self, value: Value) -> str:
        """The text that the value had in the demonstration; empty if it had none."""
        return value_of(value, self.scope) or ""

    def text(self, value: Value) -> Text:
        parts: list[str | ScriptExpression] = []
        for part in self._parts(value):
            if isinstance(part, str) and parts and isinstance(parts[-1], str):
                parts[-1] += part
            else:
                parts.append(part)
        return Text(tuple(parts))

    def _parts(self, value: Value) -> Iterator[str | ScriptExpression]:
        match value:
            case Const(text):
                for part in filter(None, _SECRET.split(text)):
                    yield ScriptExpression(f"env:{part[9:-1]}") if _SECRET.match(part) else part
            case Slot(name) if name in self.fixed:
                yield self.scope.slots[name]
            case Slot(name):
                yield self._parameter(name, self.scope.slots.get(name, ""))
            case language.Item():
                yield ScriptExpression("item")
            case language.Note(name):
                yield ScriptExpression(identifier(name))
            case language.Joined(parts):
                for part in parts:
                    yield from self._parts(part)
            case _:
                yield self._worked_out(value)

    def _worked_out(self, value: Value) -> str | ScriptExpression:
        """A variable for a value that is computed from a value of the task."""
        inside = [one for one in nodes(value) if isinstance(one, Slot | language.Note | Selector)]
        result = value_of(value, self.scope)
        if result is None or len(inside) != 1 or not isinstance(inside[0], Slot):
            raise Inexpressible("a value is computed from the screen")
        way = value.form if isinstance(value, language.Formed) else type(value).__name__
        slot = inside[0].name
        return result if slot in self.fixed else self._parameter(f"{slot} {way}", result)

    def _parameter(self, name: str, example: str) -> ScriptExpression:
        self.parameters[identifier(name)] = example
        return ScriptExpression(identifier(name))

    def place(self, aim: language.Aim | None, moment: _Moment) -> Chain:
        mark = moment.mark
        if aim is None and not mark.role:
            raise Inexpressible("the target has no name, only coordinates")
        if moment.came_focused and mark.role == "textbox" and not mark.name:
            field = mark.attributes.get("tag", "input")
            return _frame_of(mark.path).then("locator", f"{field}:focus")
        named = (HasRole(mark.role), *([Captioned(Const(mark.name))] if mark.name else ()))
        choices = aim.choices if aim is not None else (Selector(named),)
        told = tuple(one for one in choices[0].tests if isinstance(one, HasRole | Captioned))
        bare = Selector(told if any(isinstance(one, Captioned) for one in told) else named)
        reasons: list[Inexpressible] = []
        for selector in (*choices, bare):
            try:
                return self._select(selector, moment, _frame_of(mark.path))
            except Inexpressible as error:
                reasons.append(error)
        raise reasons[0]

    def _select(self, selector: Selector, moment: _Moment, root: Chain = PAGE) -> Chain:
        role, rank = "", moment.mark.rank if _count_alike(moment) > 1 else 0
        wanted: Text | Pattern | None = None
        options: dict[str, Any] = {}
        tag = moment.mark.attributes.get("tag", "")
        for test in selector.tests:
            match test:
                case HasRole(given):
                    role = given
                case Captioned(text, "is"):
                    wanted = self._in_capitals_of(self.text(text), (moment.mark.name, moment.mark.label))
                    if text not in self.typed:
                        self._show_as_called(wanted, moment.mark.name)
                case Captioned(Const(constant), _):
                    wanted = Pattern(re.escape(constant))
                case language.NamedAsOneOf(texts):
                    wanted = Pattern(f"^({'|'.join(map(re.escape, texts))})$")
                case language.With(anchor, up) if up:
                    container = self._container_above(anchor, up, moment)
                    root, rank = self._anchor(anchor, root, moment).then("locator", container), 0
                case language.After(anchor) if tag:
                    return _sibling(self._anchor(anchor, root, moment), "following", tag)
                case language.InState(state, on) if state not in ("focused", "readonly"):
                    options[state] = on
                case _:
                    raise Inexpressible("the target is described by more than roles, names and neighbours")
        match selector.pick:
            case language.Rank(Const(number), False) if re.fullmatch(r"-1|\d+", number):
                rank = int(number)
            case language.Rank() | language.Extreme():
                raise Inexpressible("the target is computed from the screen")
        found = self._by_name(role, wanted, moment, root, options)
        return found if found.calls[-1].name in ("first", "nth") else _with_rank(found, rank)

    def _by_name(
        self, role: str, wanted: Text | Pattern | None, moment: _Moment, root: Chain, options: dict[str, Any]
    ) -> Chain:  # fmt: skip
        """A locator by role and name, or by visible text or label if the role has no accessible name."""
        mark, tag = moment.mark, moment.mark.attributes.get("tag", "")
        if tag == "canvas" or (role == "textbox" and tag not in ("", *_PLAIN_FIELDS)):
            return _by_tag(tag if tag == "canvas" else _EDITORS, moment, root)
        if wanted is None or (not mark.name and volatile(mark.label)):
            if role in _BY_TEXT:
                raise Inexpressible("the target has neither role nor name")
            return root.then("get_by_role", role, **options)
        if mark.label and not mark.name and tag:
            axis = "preceding" if role in BOXES else "following"
            return _sibling(root.then("get_by_text", wanted), axis, tag)
        wanted, exactly = _exactness(wanted, role, moment)
        return _by_role_or_text(root, "" if tag == "summary" else role, wanted, options | exactly)

    def _in_capitals_of(self, wanted: Text, names: Sequence[str]) -> Text:
        same = [one for one in names if wanted.constant and label(one) == label(wanted.constant)]
        return Text((" ".join(same[0].split()),)) if same else wanted

    def _show_as_called(self, wanted: Text, name: str) -> None:
        """Spell the example of a value that is never typed with the capitals that the screen shows."""
        one = wanted.parts[0] if len(wanted.parts) == 1 else ""
        if isinstance(one, ScriptExpression) and label(name) == label(str(self.parameters.get(one.source))):
            self.parameters[one.source] = name

    def _anchor(self, anchor: Selector, root: Chain, moment: _Moment) -> Chain:
        role = anchor.role
        texts = [one.text for one in anchor.tests if isinstance(one, Captioned) and one.how == "is"]
        if anchor.pick is not None or len(texts) != 1 or len(anchor.tests) > 1 + bool(role):
            raise Inexpressible("the element beside the target has no name")
        text = label(self._shown_text(texts[0]))
        frames = [_frame_of(one.path) for one in moment.before if label(one.name) == text]
        if frames and _frame_of(moment.mark.path) not in frames:
            raise Inexpressible("the element beside the target is in another frame")
        wanted = self._in_capitals_of(self.text(texts[0]), [one.name for one in moment.before])
        named, options = _exact(wanted.constant) if wanted.constant else (wanted, {"exact": True})
        return _by_role_or_text(root, role, named, options)

    def _container_above(self, anchor: Selector, levels: int, moment: _Moment) -> str:
        own = moment.mark.path.split("/")
        called = {label(self._shown_text(one.text)) for one in anchor.tests if isinstance(one, Captioned)}
        paths = (one.path.split("/") for one in moment.before if one.path and label(one.name) in called)
        path = next((path for path in paths if path[:-levels] == own[: len(path) - levels]), [])
        tags = [part.partition("[")[0] for part in path[-levels - 1 : -1]] or ["*"] * levels
        return f"xpath=ancestor::{tags[0]}[{tags.count(tags[0])}]"

    def statements(self, steps: Sequence[Step]) -> list[Statement]:
        found: list[Statement] = []
        for number, step in enumerate(steps, start=1):
            try:
                self._add(step, found)
            except Inexpressible as error:
                told = f'step {number} cannot be exported: "{step_in_words(step)}" ({error})'
                raise Inexpressible(told) from error
        return found

    def _add(self, step: Step, found: list[Statement]) -> None:
        match step:
            case DoStep():
                self._add_action(step, found)
            case language.Remember(name, language.ReadText(of, "text")):
                read = self._select(of, _UNSEEN).then("inner_text")
                found.append(ScriptStep(read, gives=identifier(name)))
            case language.ForEach(Slot(name), body, commas):
                given = Text((self._parameter(name, ""),))
                listed = list_items(self.scope.slots.get(name, ""), commas=commas)
                self.parameters[identifier(name)] = listed
                found.append(Block(tuple(self.statements(body)), items=given))
            case language.When(shown, body):
                found.append(Block(tuple(self.statements(body)), shown=self._select(shown, _UNSEEN)))
            case _:
                raise Inexpressible("the step depends on what the screen shows")

    def _add_action(self, step: DoStep, found: list[Statement]) -> None:
        marks = places(step.action)
        moment = self._moment(marks["at"]) if "at" in marks else _UNSEEN
        if moment.element is not None and moment.element.source == "dialog":
            found.insert(_place_of_dialog_answer(found), _answer(step.action, moment.element))
            return
        unlisted = "at" in marks and step.at is None and not moment.mark.role and step.action.kind == "type"
        at = PAGE
        if "at" in marks:
            at = self._unlisted_field(step, moment) if unlisted else self.place(step.at, moment)
        text = self.text(_data(step))
        to = self.place(step.to, self._moment(marks["to"])) if "to" in marks else PAGE
        comment = step_in_words(step, self.scope).partition("; then")[0].rstrip(".")
        match step.action:
            case actions.Choose(mark):
                chains = _choose(mark, at, text, found)
            case actions.TypeText() if unlisted:
                chains = [at.then("press_sequentially", text)]
            case _:
                chains = _chains(step, at, text, to)
        for one in chains:
            found.append(ScriptStep(one, comment=comment))
            comment = ""
        found += self._checks(step, at, moment)

    def _unlisted_field(self, step: DoStep, moment: _Moment) -> Chain:
        """The hidden field that receives the keys of a code editor, if it is the only one of its kind."""
        text = self._shown_text(_data(step)).strip()
        shown = _holding(text.partition("\n")[0], moment.after)
        root = _frame_of(shown[0].path) if shown else PAGE
        others = (one.path for one in moment.before if re.search(r"/textarea(\[\d+])?$", one.path))
        if not shown or any(_frame_of(path) == root for path in others):
            raise Inexpressible("the field that received the keys is not on the screen, and not the only one")
        return _with_rank(root.then("locator", "textarea"), 1)

    def _moment(self, mark: Fingerprint) -> _Moment:
        for demonstration in self.demonstrations:
            for number, step in enumerate(demonstration.steps):
                if mark in places(step.action).values() and step.screen is not None:
                    own = next((one for one in step.screen.elements if one.id == step.element), None)
                    later = [*(one.screen for one in demonstration.steps[number + 1 :]), demonstration.final]
                    after = next((one.elements for one in later if one is not None), ())
                    first = demonstration.steps[0].screen
                    there = [one.path for one in first.elements] if first is not None else [mark.path]
                    is_new = own is not None and "focused" in own.states and mark.path not in there
                    return _Moment(mark, own, step.screen.elements, after, is_new)
        return _Moment(mark)

    def _checks(self, step: DoStep, at: Chain, moment: _Moment) -> Iterator[ScriptStep]:
        able: defaultdict[str, list[Expected]] = defaultdict(list)
        for one in step.expect:
            if self._is_sayable(one, moment):
                able[one.what].append(one)
        places = [*able["url"], *able["title"]]
        if places:
            yield ScriptStep(PAGE, ScriptCall(f"to_have_{places[0].what}", (self._pattern(places[0]),)))
        shown = sorted(able["shown"], key=lambda one: self._rank(one, moment))
        yield from (self._check_shown_text(self.text(one.text), moment) for one in shown[:_MOST_CHECKS])
        if isinstance(step.action, actions.Wait) and step.text is not None:
            yield _check_text("to_contain_text", self.text(step.text))
        gone = sorted(able["gone"], key=lambda one: isinstance(one.text, Const))
        if gone and not places and not shown:
            yield _check_text("not_to_contain_text", self.text(gone[0].text))
        if isinstance(step.action, actions.Click):
            ticked = (_TICKED.get(one.what) for one in step.expect if one.text == Const("checked"))
            yield from (ScriptStep(at, ScriptCall(way)) for way in ticked if way is not None)

    def _check_shown_text(self, text: Text, moment: _Moment) -> ScriptStep:
        roles = [holder.role for holder in _holding(text.constant, moment.after)]
        if not roles or _READABLE.intersection(roles):
            return _check_text("to_contain_text", text)
        named = PAGE.then("get_by_role", roles[0], name=text)
        return ScriptStep(_with_rank(named, 1), ScriptCall("to_be_visible"))

    def _is_sayable(self, expected: Expected, moment: _Moment) -> bool:
        text = self._shown_text(expected.text)
        if expected.what != "shown":
            return bool(re.search(r"\w{3}", text))
        seen = not moment.after or any(">" not in one.path for one in _holding(text, moment.after))
        return bool(re.search(r"\w{3}", text)) and len(text) <= _MOST_LETTERS and seen

    def _rank(self, expected: Expected, moment: _Moment) -> tuple[bool, bool, int, int]:
        """Sort key: checks with a task value first, then the rarest on the screens, then the longest."""
        text = self._shown_text(expected.text)
        roles = [one.role for one in _holding(text, moment.after)]
        steps = chain.from_iterable(one.steps for one in self.demonstrations)
        often = sum(bool(_holding(text, step.screen.elements)) for step in steps if step.screen)
        return isinstance(expected.text, Const), not _READABLE.intersection(roles), often, -len(text)

    def _pattern(self, expected: Expected) -> Pattern:
        """A pattern for a title, or for an address without its host; task values become wildcards."""
        parts = [one if isinstance(one, str) else "*" for one in self.text(expected.text).parts]
        path = re.sub(r"^\w+://[^/]*", "", "".join(parts))
        escaped = re.escape(path).replace(r"\*", ".*").replace(r"\?", ".").replace(r"\-", "-")
        return Pattern(escaped.removesuffix(".*") if path.endswith("*") else f"{escaped}$")


def _chains(step: DoStep, at: Chain, text: Text, to: Chain) -> list[Chain]:
    """The calls that perform an action on a locator; none if the page does it by itself."""
    match step.action:
        case actions.Click():
            return [_click(at, step.action)]
        case actions.TypeText(at=None):
            return [at.then("keyboard").then("type", text)]
        case actions.TypeText(at=Fingerprint(role)) if role in SUGGESTING:
            return [at.then("clear"), at.then("press_sequentially", text)]
        case actions.Press(keys=keys, times=times) if step.times is None:
            chord = "+".join(NAMED.get(key, key) for key in keys)
            return [at.then("keyboard").then("press", chord)] * times
        case actions.Check(on=on):
            return [at.then("set_checked", on)]
        case actions.Wait(seconds=seconds, until=""):
            return [at.then("wait_for_timeout", int(1000 * seconds))]
        case actions.Scroll() | actions.Wait():
            return []  # Playwright scrolls to an element, and waits for it, before it acts
        case actions.Drag():
            return [at.then("drag_to", to)]
        case actions.Move() | actions.Back():
            return [at.then(_BARE[step.action.kind])]
        case actions.TypeText() | actions.Upload() | actions.Navigate(new_tab=False):
            return [at.then(_TAKING_TEXT[step.action.kind], text)]
    raise Inexpressible(f"cannot export {step.action.kind}: scripts have no equivalent")


_BARE = {"move": "hover", "back": "go_back"}
_TAKING_TEXT = {"type": "fill", "upload": "set_input_files", "navigate": "goto"}


def _click(at: Chain, action: actions.Click[Fingerprint]) -> Chain:
    options: dict[str, Any] = {} if action.button == "left" else {"button": action.button}
    if action.modifiers:
        options["modifiers"] = [NAMED[one] for one in action.modifiers]
    return at.then("dblclick" if action.clicks == 2 else "click", **options)


def _choose(mark: Fingerprint, at: Chain, text: Text, found: list[Statement]) -> list[Chain]:
    if mark.attributes.get("tag") != "select":
        option = PAGE.then("get_by_role", "option", name=text, exact=True)
        return [at.then("click"), option.then("click")]
    several = mark.role == "listbox"
    return [at.then("select_option", label=[*_pop_picks(found, at), text] if several else text)]


def _data(step: DoStep) -> Value:
    return step.text or Const(data_of(step.action) or "")


def identifier(name: str) -> str:
    plain = re.sub(r"\W+", "_", name.lower()).strip("_")
    return f"value_{plain}" if not plain or plain[0].isdigit() or plain in _TAKEN else plain


def _with_rank(chain: Chain, rank: int) -> Chain:
    if rank in (0, 1, -1):
        return [chain, chain.then("first"), chain.then("last")][rank]
    return chain.then("nth", rank - 1)


def _sibling(anchor: Chain, axis: str, tag: str) -> Chain:
    return _with_rank(anchor.then("locator", f"xpath={axis}::{tag}[1]"), 1)


def _by_tag(tag: str, moment: _Moment, root: Chain) -> Chain:
    """A canvas or an editor, located by its index among others of its kind, as it has no name."""
    alike: list[Element] = []
    if root == _frame_of(moment.mark.path):
        alike = [one for one in moment.before if _is_editor(one, root)]
    rank = alike.index(own) + 1 if (own := moment.element) in alike else 1
    return _with_rank(root.then("locator", tag), rank)


def _by_role_or_text(root: Chain, role: str, name: Text | Pattern, options: dict[str, Any]) -> Chain:
    if role in _BY_TEXT:
        return root.then("get_by_text", name, **options)
    return root.then("get_by_role", role, name=name, **options)


def _check_text(how: str, text: Text) -> ScriptStep:
    return ScriptStep(PAGE.then("locator", "body"), ScriptCall(how, (text,), _PLAINLY))


def _pop_picks(found: list[Statement], at: Chain) -> list[Any]:
    """Remove the previous statement if it picks from the same list, and return its picks to merge them."""
    last = found[-1] if found else None
    if not isinstance(last, ScriptStep) or last.chain.calls[:-1] != at.calls:
        return []
    found.pop()
    return [*last.chain.calls[-1].options["label"]]


def _exact(text: str) -> tuple[Text | Pattern, dict[str, Any]]:
    """An exact name; it ignores case if the page may draw the capitals itself."""
    if text.isupper() or text != text.strip(" :*"):
        return Pattern(rf"^\s*{re.escape(text)}\s*$"), {}
    return Text((text,)), {"exact": True}


def _exactness(name: Text | Pattern, role: str, moment: _Moment) -> tuple[Text | Pattern, dict[str, Any]]:
    """A name to look up: exact only if a partial match would find other elements too."""
    constant = name.constant if isinstance(name, Text) else ""
    if constant is None:
        return name, {"exact": True}
    in_others = isinstance(name, Text) and (role in _BY_TEXT or _is_part_of_others(constant, role, moment))
    return _exact(constant) if in_others else (name, {})


def _frame_of(path: str) -> Chain:
    found = PAGE
    for frame in path.split(">")[:-1]:
        tag, _, number = frame.rpartition("/")[2].rstrip("]").partition("[")
        nth = f" >> nth={int(number) - 1}" if number else ""
        found = found.then("frame_locator", f"{tag}{nth}")
    return found


def _is_editor(one: Element, root: Chain) -> bool:
    tag = one.path.rpartition("/")[2].partition("[")[0]
    return one.role == "textbox" and tag not in _PLAIN_FIELDS and _frame_of(one.path) == root


def _holding(text: str | None, elements: Sequence[Element]) -> list[Element]:
    return [one for one in elements if text and normal(text) in normal(one.name)]


def _is_part_of_others(name: str, role: str, moment: _Moment) -> bool:
    return any(one.role == role and normal(one.name) != normal(name) for one in _holding(name, moment.before))


def _count_alike(moment: _Moment) -> int:
    own = (moment.mark.role, normal(moment.mark.name))
    return sum((one.role, normal(one.name)) == own for one in moment.before)


def _place_of_dialog_answer(found: Sequence[Statement]) -> int:
    done = (at for at, one in enumerate(found) if isinstance(one, ScriptStep) and one.check is None)
    return max(done, default=0)


def _answer(action: actions.Recorded, element: Element) -> ScriptStep:
    if not isinstance(action, actions.Click):
        raise Inexpressible("the step types into a dialog of the page")
    said = "dismiss" if element.name in _REFUSING else "accept"
    return ScriptStep(PAGE.then("once", said))
