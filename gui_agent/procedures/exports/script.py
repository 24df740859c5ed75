"""A procedure as a script: locators by role and name, actions and checks, in no particular language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from gui_agent.core import actions
from gui_agent.core.aiming import places
from gui_agent.core.errors import ActionFailed, ConfigError
from gui_agent.core.keys import NAMED
from gui_agent.core.observation import Element, Fingerprint
from gui_agent.core.texts import label, normal
from gui_agent.core.trajectory import Demonstration
from gui_agent.elements.roles import BOXES, CELLS, HEADERS, ORIENTING, SUGGESTING, UNNAMED
from gui_agent.procedures.importers.verbs import Chain, Pattern, ScriptCall, ScriptExpression
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
"""Roles to which the page gives no name: what they say is looked for."""
_READABLE = _BY_TEXT | ORIENTING | HEADERS | CELLS
"""Roles whose name is what can be read on them, and no attribute."""
_PLAIN_FIELDS = ("input", "textarea")
_EDITORS = "[contenteditable]:not([contenteditable=false]), [role=textbox]"
_MOST_CHECKS, _MOST_LETTERS = 2, 100
_PLAINLY = {"use_inner_text": True, "ignore_case": True}
_REFUSING = ("Cancel", "Stay")


class Inexpressible(ConfigError):
    """Something of a procedure has no words in a script."""


@dataclass(frozen=True)
class Text:
    """Texts and variables, one after the other."""

    parts: tuple[str | ScriptExpression, ...]

    @property
    def constant(self) -> str | None:
        return "".join(map(str, self.parts)) if all(isinstance(one, str) for one in self.parts) else None


@dataclass(frozen=True)
class ScriptStep:
    """An action, a value read into the variable `gives`, or a check of what the chain stands for."""

    chain: Chain
    check: ScriptCall | None = None
    gives: str = ""
    comment: str = ""


@dataclass(frozen=True)
class Block:
    """Statements done for each of `items`, or when `shown`."""

    body: tuple[Statement, ...]
    items: Text | None = None
    shown: Chain = PAGE


Statement = ScriptStep | Block


@dataclass(frozen=True)
class WrittenScript:
    """What a procedure became."""

    name: str
    task: str
    start: str
    parameters: Mapping[str, str | tuple[str, ...]]
    body: tuple[Statement, ...]


def script_of(
    program: Program, demonstrations: Sequence[Demonstration] = (), *, start: str = "", inline: bool = False
) -> WrittenScript:
    """A program as a script.

    Args:
        demonstrations: what it was learned from; they tell what else was on the screens.
        inline: only what is typed or chosen is a parameter, as the rest of the task names things.
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
    """Whether it was not there at first and has the keyboard, as a field in which a name is changed."""


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
        entered = {one.name for step in done for one in nodes(step.text) if isinstance(one, Slot)}
        self.scope = Scope(View.of(None), examples)
        self.typed = [one for step in done for one in nodes(step.text)]
        self.fixed = {name for name in examples if self.inline and name not in entered}

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
            case _:  # what is made of a value of the task becomes a value of its own
                inside = [one for one in nodes(value) if isinstance(one, Slot | language.Note | Selector)]
                result = value_of(value, self.scope)
                if result is None or not inside or not isinstance(inside[0], Slot) or len(inside) > 1:
                    raise Inexpressible("a value is worked out on the screen")
                way = value.form if isinstance(value, language.Formed) else type(value).__name__
                name = f"{inside[0].name} {way}"
                yield result if inside[0].name in self.fixed else self._parameter(name, result)

    def _parameter(self, name: str, example: str) -> ScriptExpression:
        self.parameters[identifier(name)] = example
        return ScriptExpression(identifier(name))

    def place(self, aim: language.Aim | None, moment: _Moment) -> Chain:
        mark = moment.mark
        if aim is None and not mark.role:
            raise Inexpressible("its place has no name, only coordinates")
        if moment.came_focused and mark.role == "textbox" and not mark.name:
            field = mark.attributes.get("tag", "input")
            return _then(_frame_of(mark.path), ScriptCall("locator", (f"{field}:focus",)))
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
                    root, rank = (
                        _then(self._anchor(anchor, root, moment), self._container_above(anchor, up, moment)),
                        0,
                    )
                case language.After(anchor) if tag:
                    return _beside(self._anchor(anchor, root, moment), "following", tag)
                case language.InState(state, on) if state not in ("focused", "readonly"):
                    options[state] = on
                case _:
                    raise Inexpressible("its place is described by more than roles, names and neighbours")
        match selector.pick:
            case language.Rank(Const(number), False) if re.fullmatch(r"-1|\d+", number):
                rank = int(number)
            case language.Rank() | language.Extreme():
                raise Inexpressible("its place is worked out on the screen")
        found = self._by_name(role, wanted, moment, root, options)
        return found if found.calls[-1].name in ("first", "nth") else _with_rank(found, rank)

    def _by_name(
        self, role: str, wanted: Text | Pattern | None, moment: _Moment, root: Chain, options: dict[str, Any]
    ) -> Chain:  # fmt: skip
        """By role and name; by what it says, or the label beside it, where the page gives it no name."""
        tag = moment.mark.attributes.get("tag", "")
        if tag == "canvas" or (role == "textbox" and tag not in ("", *_PLAIN_FIELDS)):
            found, alike = _then(root, ScriptCall("locator", (tag if tag == "canvas" else _EDITORS,))), []
            if root == _frame_of(moment.mark.path):
                alike = [one for one in moment.before if _is_editor(one, root)]
            return _with_rank(found, alike.index(own) + 1 if (own := moment.element) in alike else 1)
        wanted = wanted if moment.mark.name or not volatile(moment.mark.label) else None
        if wanted is None and role in _BY_TEXT:
            raise Inexpressible("it has neither role nor name")
        if wanted is None:
            return _then(root, ScriptCall("get_by_role", (role,), options))
        if moment.mark.label and not moment.mark.name and tag:
            shown = _then(root, ScriptCall("get_by_text", (wanted,)))
            return _beside(shown, "preceding" if role in BOXES else "following", tag)
        constant = wanted.constant if isinstance(wanted, Text) else None
        if constant is not None and (role in _BY_TEXT or _is_part_of_others(constant, role, moment)):
            wanted, exactly = _exact(constant)
            options |= exactly
        elif isinstance(wanted, Text) and constant is None:
            options["exact"] = True
        if role in _BY_TEXT or tag == "summary":
            return _then(root, ScriptCall("get_by_text", (wanted,), options))
        return _then(root, ScriptCall("get_by_role", (role,), {"name": wanted, **options}))

    def _in_capitals_of(self, wanted: Text, names: Sequence[str]) -> Text:
        same = [one for one in names if wanted.constant and label(one) == label(wanted.constant)]
        return Text((" ".join(same[0].split()),)) if same else wanted

    def _show_as_called(self, wanted: Text, name: str) -> None:
        """The example of a value that is typed nowhere has the capitals of what it names on the screen."""
        one = wanted.parts[0] if len(wanted.parts) == 1 else ""
        if isinstance(one, ScriptExpression) and label(name) == label(str(self.parameters.get(one.source))):
            self.parameters[one.source] = name

    def _anchor(self, anchor: Selector, root: Chain, moment: _Moment) -> Chain:
        role = next((one.role for one in anchor.tests if isinstance(one, HasRole)), "")
        texts = [one.text for one in anchor.tests if isinstance(one, Captioned) and one.how == "is"]
        if anchor.pick is not None or len(texts) != 1 or len(anchor.tests) > 1 + bool(role):
            raise Inexpressible("what it stands beside has no name")
        text = label(value_of(texts[0], self.scope) or "")
        frames = [_frame_of(one.path) for one in moment.before if label(one.name) == text]
        if frames and _frame_of(moment.mark.path) not in frames:
            raise Inexpressible("what it stands beside is in another frame")
        wanted = self._in_capitals_of(self.text(texts[0]), [one.name for one in moment.before])
        named, options = _exact(wanted.constant) if wanted.constant else (wanted, {"exact": True})
        if role in _BY_TEXT:
            return _then(root, ScriptCall("get_by_text", (named,), options))
        return _then(root, ScriptCall("get_by_role", (role,), {"name": named, **options}))

    def _container_above(self, anchor: Selector, levels: int, moment: _Moment) -> ScriptCall:
        own = moment.mark.path.split("/")
        called = {
            label(value_of(one.text, self.scope) or "") for one in anchor.tests if isinstance(one, Captioned)
        }
        paths = (one.path.split("/") for one in moment.before if one.path and label(one.name) in called)
        path = next((path for path in paths if path[:-levels] == own[: len(path) - levels]), [])
        tags = [part.partition("[")[0] for part in path[-levels - 1 : -1]] or ["*"] * levels
        return ScriptCall("locator", (f"xpath=ancestor::{tags[0]}[{tags.count(tags[0])}]",))

    def statements(self, steps: Sequence[Step]) -> list[Statement]:
        found: list[Statement] = []
        for number, step in enumerate(steps, start=1):
            try:
                self._add(step, found)
            except Inexpressible as error:
                told = f'step {number} has no words in a script: "{step_in_words(step)}" ({error})'
                raise Inexpressible(told) from error
        return found

    def _add(self, step: Step, found: list[Statement]) -> None:
        match step:
            case DoStep():
                self._add_action(step, found)
            case language.Remember(name, language.ReadText(of, "text")):
                read = _then(self._select(of, _UNSEEN), ScriptCall("inner_text"))
                found.append(ScriptStep(read, gives=identifier(name)))
            case language.ForEach(Slot(name), body, commas):
                given = Text((self._parameter(name, ""),))
                listed = list_items(self.scope.slots.get(name, ""), commas=commas)
                self.parameters[identifier(name)] = listed
                found.append(Block(tuple(self.statements(body)), items=given))
            case language.When(shown, body):
                found.append(Block(tuple(self.statements(body)), shown=self._select(shown, _UNSEEN)))
            case _:
                raise Inexpressible("it decides on the screen what to do")

    def _add_action(self, step: DoStep, found: list[Statement]) -> None:
        marks = places(step.action)
        moment = self._moment(marks["at"]) if "at" in marks else _UNSEEN
        if moment.element is not None and moment.element.source == "dialog":
            found.insert(_place_of_dialog_answer(found), _answer(step.action, moment.element))
            return
        unlisted = "at" in marks and step.at is None and not moment.mark.role and step.action.kind == "type"
        at = self.place(step.at, moment) if "at" in marks and not unlisted else PAGE
        at = self._unlisted_field(step, moment) if unlisted else at
        text = self.text(step.text or Const(data_of(step.action) or ""))
        to = self.place(step.to, self._moment(marks["to"])) if "to" in marks else PAGE
        comment = step_in_words(step, self.scope).partition("; then")[0].rstrip(".")
        match step.action:
            case actions.Choose(at=mark) if mark.attributes.get("tag") == "select":
                picked = [text]
                last = found[-1] if found else None
                if (
                    isinstance(last, ScriptStep)
                    and last.chain.calls[:-1] == at.calls
                    and mark.role == "listbox"
                ):
                    picked = [*last.chain.calls[-1].options["label"], text]  # all of them at once
                    found.pop()
                wanted = {"label": picked if mark.role == "listbox" else text}
                calls: list[tuple[ScriptCall, ...]] = [(ScriptCall("select_option", (), wanted),)]
            case actions.Choose():
                found.append(ScriptStep(_then(at, ScriptCall("click")), comment=comment))
                option = ScriptCall("get_by_role", ("option",), {"name": text, "exact": True})
                at, comment, calls = PAGE, "", [(option, ScriptCall("click"))]
            case actions.TypeText() if unlisted:
                calls = [(ScriptCall("press_sequentially", (text,)),)]
            case _:
                calls = _calls(step, text, to)
        for call in calls:
            found.append(ScriptStep(_then(at, *call), comment=comment))
            comment = ""
        found += self._checks(step, at, moment)

    def _unlisted_field(self, step: DoStep, moment: _Moment) -> Chain:
        """The field that takes the keys of a code editor and is not seen: the only one of its kind there."""
        text = (value_of(step.text, self.scope) or "" if step.text else data_of(step.action) or "").strip()
        shown = _holding(text.partition("\n")[0], moment.after)
        root = _frame_of(shown[0].path) if shown else PAGE
        others = (one.path for one in moment.before if re.search(r"/textarea(\[\d+])?$", one.path))
        if not shown or any(_frame_of(path) == root for path in others):
            raise Inexpressible("the field that took it is not on the screen, and not the only one")
        return _with_rank(_then(root, ScriptCall("locator", ("textarea",))), 1)

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
        able = [one for one in step.expect if self._is_sayable(one, moment)]
        places = [one for kind in ("url", "title") for one in able if one.what == kind][:1]
        for one in places:
            yield ScriptStep(PAGE, ScriptCall(f"to_have_{one.what}", (self._pattern(one),)))
        shown = sorted((one for one in able if one.what == "shown"), key=lambda one: self._rank(one, moment))
        body = _then(PAGE, ScriptCall("locator", ("body",)))
        for one in shown[:_MOST_CHECKS]:
            text = self.text(one.text)
            roles = [holder.role for holder in _holding(text.constant, moment.after)]
            if roles and not _READABLE.intersection(roles):
                named = ScriptCall("get_by_role", (roles[0],), {"name": text})
                yield ScriptStep(_with_rank(_then(PAGE, named), 1), ScriptCall("to_be_visible"))
            else:
                yield ScriptStep(body, ScriptCall("to_contain_text", (text,), _PLAINLY))
        if isinstance(step.action, actions.Wait) and step.text is not None:
            yield ScriptStep(body, ScriptCall("to_contain_text", (self.text(step.text),), _PLAINLY))
        gone = sorted((it for it in able if it.what == "gone"), key=lambda it: isinstance(it.text, Const))
        for one in gone[: not places and not shown]:
            yield ScriptStep(body, ScriptCall("not_to_contain_text", (self.text(one.text),), _PLAINLY))
        for one in step.expect if isinstance(step.action, actions.Click) else ():
            if one.what in ("state", "no state") and one.text == Const("checked"):
                yield ScriptStep(at, ScriptCall(f"{'' if one.what == 'state' else 'not_'}to_be_checked"))

    def _is_sayable(self, expected: Expected, moment: _Moment) -> bool:
        text = value_of(expected.text, self.scope) or ""
        if expected.what != "shown":
            return bool(re.search(r"\w{3}", text))
        seen = not moment.after or any(">" not in one.path for one in _holding(text, moment.after))
        return bool(re.search(r"\w{3}", text)) and len(text) <= _MOST_LETTERS and seen

    def _rank(self, expected: Expected, moment: _Moment) -> tuple[bool, bool, int, int]:
        """What has a value of the task in it first, then what few screens show, then what says most."""
        text = value_of(expected.text, self.scope) or ""
        roles = [one.role for one in _holding(text, moment.after)]
        screens = [step.screen for one in self.demonstrations for step in one.steps if step.screen]
        often = sum(bool(_holding(text, screen.elements)) for screen in screens)
        return isinstance(expected.text, Const), not _READABLE.intersection(roles), often, -len(text)

    def _pattern(self, expected: Expected) -> Pattern:
        """An address without its host, or a title; anything stands for the values of the task."""
        parts = [one if isinstance(one, str) else "*" for one in self.text(expected.text).parts]
        path = re.sub(r"^\w+://[^/]*", "", "".join(parts))
        escaped = re.escape(path).replace(r"\*", ".*").replace(r"\?", ".").replace(r"\-", "-")
        return Pattern(escaped.removesuffix(".*") if path.endswith("*") else f"{escaped}$")


def _calls(step: DoStep, text: Text, to: Chain) -> list[tuple[ScriptCall, ...]]:
    match step.action:
        case actions.Click(button=button, clicks=clicks, modifiers=held):
            options: dict[str, Any] = {} if button == "left" else {"button": button}
            options |= {"modifiers": [NAMED[one] for one in held]} if held else {}
            return [(ScriptCall("dblclick" if clicks == 2 else "click", (), options),)]
        case actions.TypeText(at=None):
            return [(ScriptCall("keyboard"), ScriptCall("type", (text,)))]
        case actions.TypeText(at=mark):
            if mark is not None and mark.role in SUGGESTING:
                return [(ScriptCall("clear"),), (ScriptCall("press_sequentially", (text,)),)]
            return [(ScriptCall("fill", (text,)),)]
        case actions.Check(on=on):
            return [(ScriptCall("set_checked", (on,)),)]
        case actions.Upload():
            return [(ScriptCall("set_input_files", (text,)),)]
        case actions.Press(keys=keys, times=times) if step.times is None:
            chord = "+".join(NAMED.get(key, key) for key in keys)
            return [(ScriptCall("keyboard"), ScriptCall("press", (chord,)))] * times
        case actions.Drag():
            return [(ScriptCall("drag_to", (to,)),)]
        case actions.Move() | actions.Back():
            return [(ScriptCall("hover" if isinstance(step.action, actions.Move) else "go_back"),)]
        case actions.Navigate(new_tab=False):
            return [(ScriptCall("goto", (text,)),)]
        case actions.Wait(seconds=seconds, until=""):
            return [(ScriptCall("wait_for_timeout", (int(1000 * seconds),)),)]
        case actions.Scroll() | actions.Wait():
            return []  # what is acted on is scrolled to, and waited for
    raise Inexpressible(f"{step.action.kind} is done to a page by no script")


def identifier(name: str) -> str:
    plain = re.sub(r"\W+", "_", name.lower()).strip("_")
    return f"value_{plain}" if not plain or plain[0].isdigit() or plain in _TAKEN else plain


def _then(chain: Chain, *calls: ScriptCall) -> Chain:
    return Chain(chain.root, (*chain.calls, *calls))


def _with_rank(chain: Chain, rank: int) -> Chain:
    named = {0: (), 1: (ScriptCall("first"),), -1: (ScriptCall("last"),)}
    return _then(chain, *named.get(rank, (ScriptCall("nth", (rank - 1,)),)))


def _beside(anchor: Chain, axis: str, tag: str) -> Chain:
    return _with_rank(_then(anchor, ScriptCall("locator", (f"xpath={axis}::{tag}[1]",))), 1)


def _exact(text: str) -> tuple[Text | Pattern, dict[str, Any]]:
    """A whole name; capitals alone may be the page's way of drawing it."""
    if text.isupper() or text != text.strip(" :*"):
        return Pattern(rf"^\s*{re.escape(text)}\s*$"), {}
    return Text((text,)), {"exact": True}


def _frame_of(path: str) -> Chain:
    found = PAGE
    for frame in path.split(">")[:-1]:
        tag, _, number = frame.rpartition("/")[2].rstrip("]").partition("[")
        nth = f" >> nth={int(number) - 1}" if number else ""
        found = _then(found, ScriptCall("frame_locator", (f"{tag}{nth}",)))
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
        raise Inexpressible("it types into the dialog of a page")
    said = "dismiss" if element.name in _REFUSING else "accept"
    return ScriptStep(_then(PAGE, ScriptCall("once", (said,))))
