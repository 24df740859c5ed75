"""From raw mouse and key events to the few actions that a person meant, as steps of a demonstration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from gui_agent.core.actions import Action, Check, Choose, Click, Drag, Press, Scroll, TypeText
from gui_agent.core.geometry import Point
from gui_agent.demos.importers.event_recording import Moment, Node
from gui_agent.demos.importers.recorded_roles import PUSHED

STILL = 8
"""Pixels within which a press and a release are a click; farther apart they are a drag."""
AT_ONCE = 0.06
"""Seconds within which a page scrolls by itself after a click or a key."""
MODIFIERS: Mapping[int, str] = {16: "shift", 17: "ctrl", 18: "alt", 91: "meta", 93: "meta"}
KEYS: Mapping[int, str] = {
    8: "backspace",
    9: "tab",
    13: "enter",
    27: "escape",
    32: "space",
    33: "pageup",
    34: "pagedown",
    35: "end",
    36: "home",
    37: "left",
    38: "up",
    39: "right",
    40: "down",
    45: "insert",
    46: "delete",
    **{112 + number: f"f{number + 1}" for number in range(12)},
    **{code: chr(code).lower() for code in (*range(48, 58), *range(65, 91))},
}
"""Names of keys by their codes; what other keys type comes as characters."""
LEAVING = ("tab", "escape")
"""Keys that end typing into a field."""
_PUSHED_TWICE = ("button", "a", "input", "select", "label")
_NOT_TYPED = PUSHED | {"checkbox", "radio", "image", "file", "range", "color"}


@dataclass
class Draft:
    """A step while it may still change with what comes next."""

    action: Action
    before: Moment
    """The page just before it."""
    node: Node | None = None
    """What it was done to."""
    to: Node | None = None
    """Where a drag ended; None when that is only a place."""
    idle: bool = False
    """It counts only when the page shows an effect: a click into a field, Tab."""
    typed: str = ""
    """Letters by which an option was looked for."""
    keys: list[Draft] = field(default_factory=list)
    """For typing into a field: its keys, which count when the field took none of them."""


def is_field(node: Node | None) -> bool:
    """Whether text is typed into an element."""
    if node is None:
        return False
    return node.tag == "textarea" or (node.tag == "input" and node.type not in _NOT_TYPED)


def drafts(events: Sequence[Moment], last: Moment) -> list[Draft]:
    """The steps of a recording.

    Args:
        events: each event once, in order.
        last: the last state that was recorded.
    """
    reader = _Events()
    for event in events:
        reader.hear(event)
    reader.leave(last)
    return _useful(reader.drafts, last)


class _Events:
    """Goes through the events; keeps what is pressed and what is being typed."""

    def __init__(self) -> None:
        self.drafts: list[Draft] = []
        self._down: Moment | None = None
        self._clicked = False
        """Whether the click that the released button gives is still to come."""
        self._held: list[str] = []
        self._typing: Draft | None = None
        self._last: Moment | None = None

    def hear(self, event: Moment) -> None:
        """Take one event in."""
        match event.kind:
            case "mousedown":
                self.leave(event)
                self._down, self._clicked = event, False
            case "mouseup":
                self._released(event)
            case "click":
                self._click(event)
            case "dblclick":
                self._double(event)
            case "keydown":
                self._key(event)
            case "keypress":
                self._character(event)
            case "keyup":
                name = MODIFIERS.get(event.key, "")
                self._held = [held for held in self._held if held != name]
            case "scroll":
                self._scroll(event)
        self._last = event

    def leave(self, now: Moment) -> None:
        """End typing into a field: what it holds now was meant."""
        draft, self._typing = self._typing, None
        if draft is None or draft.node is None:
            return
        was = draft.node.value or ""
        field_now = now.nodes.get(draft.node.ref)
        # A field that is gone took all that was typed with it.
        text = "".join(one.typed for one in draft.keys) if field_now is None else field_now.value or ""
        if text == was:
            self.drafts += _together(draft.keys)
        elif was and text.startswith(was):
            self.drafts.append(replace(draft, action=_typing(draft, text[len(was) :], whole=False)))
        else:
            self.drafts.append(replace(draft, action=_typing(draft, text, whole=bool(was))))

    def _released(self, event: Moment) -> None:
        down, self._down = self._down, None
        if down is None:
            return
        self._clicked = True
        target = down.target
        if target is not None and _list(down) is not None:
            self._choose(down, cast(Node, _list(down)))
            return
        far = max(abs(event.x - down.x), abs(event.y - down.y)) > STILL
        if far and not is_field(target):
            action = Drag(_point(down), _point(event), tuple(self._held))
            onto = event.target if event.target is not target else None
            self.drafts.append(Draft(action, down, target, onto))
            return
        click = Click(_point(down), modifiers=tuple(self._held))
        self.drafts.append(Draft(click, down, target, idle=is_field(target)))

    def _click(self, event: Moment) -> None:
        if self._clicked:
            self._clicked = False
            return
        before = self._last
        choice = _list(event)
        if choice is not None:
            self._choose(event, choice)
        elif before is not None and before.kind.startswith("key"):
            self._pushed_by_key(event)
        elif before is None or before.kind not in ("click", "mouseup"):
            self.drafts.append(Draft(Click(_point(event)), event, event.target, idle=is_field(event.target)))

    def _pushed_by_key(self, event: Moment) -> None:
        """Enter or Space on a control that has the focus is a click on it."""
        last, target = self.drafts[-1] if self.drafts else None, event.target
        if last is None or target is None or last.before.target is None:
            return
        key = isinstance(last.action, Press) or (isinstance(last.action, TypeText) and last.typed == " ")
        if key and last.before.target.ref == target.ref:
            self.drafts[-1] = Draft(Click(_middle(target)), last.before, target)

    def _double(self, event: Moment) -> None:
        """Two clicks on a text are one double click; two quick ones on a button are two."""
        target = event.target
        if (
            len(self.drafts) < 2
            or target is None
            or target.tag in ("button", "a", "input", "select", "label")
        ):
            return
        one, two = self.drafts[-2:]
        same = one.node is not None and two.node is not None and one.node.ref == two.node.ref == target.ref
        if same and target.text and isinstance(one.action, Click) and isinstance(two.action, Click):
            self.drafts.pop()
            one.action = replace(one.action, clicks=2)

    def _choose(self, event: Moment, choice: Node, typed: str = "") -> None:
        last = self.drafts[-1] if self.drafts else None
        if last is not None and isinstance(last.action, Choose) and cast(Node, last.node).ref == choice.ref:
            last.typed += typed
            return
        self.drafts.append(Draft(Choose(_middle(choice), ""), event, choice, typed=typed))

    def _key(self, event: Moment) -> None:
        if event.key in MODIFIERS:
            if MODIFIERS[event.key] not in self._held:
                self._held.append(MODIFIERS[event.key])
            return
        name = KEYS.get(event.key, "")
        choice = _list(event)
        if choice is not None and name != "tab":
            self._choose(event, choice)
            return
        chord = [held for held in self._held if held != "shift"]
        if not name or (len(name) == 1 and not chord) or name == "space":
            return  # It comes as a character.
        press = Draft(Press((*self._held, name)), event, idle=name == "tab")
        target = event.target
        line_end = name == "enter" and target is not None and target.tag != "textarea"
        if is_field(target) and name not in LEAVING and not line_end:
            self._into(event, press)
            return
        self.leave(event)
        self._press(press)

    def _character(self, event: Moment) -> None:
        if event.character < 32 or set(self._held) & {"ctrl", "meta"}:
            return
        letter = chr(event.character)
        choice = _list(event)
        if choice is not None:
            self._choose(event, choice, letter)
            return
        draft = Draft(TypeText(letter), event, typed=letter)
        if is_field(event.target):
            self._into(event, draft)
            return
        self.leave(event)
        self.drafts = _together([*self.drafts, draft])

    def _into(self, event: Moment, key: Draft) -> None:
        """A key goes into the field that has the focus."""
        target = cast(Node, event.target)
        if self._typing is not None and cast(Node, self._typing.node).ref != target.ref:
            self.leave(event)
        if self._typing is None:
            self._typing = Draft(TypeText("", _middle(target)), event, target)
        self._typing.keys.append(key)

    def _press(self, draft: Draft) -> None:
        self.drafts = _together([*self.drafts, draft])

    def _scroll(self, event: Moment) -> None:
        last = self._last
        if last is not None and last.kind != "scroll" and event.time - last.time < AT_ONCE:
            return
        self.leave(event)
        target = event.target
        if target is not None and not is_field(target):
            self.drafts.append(Draft(Scroll(_middle(target)), event, target))


def _together(steps: Sequence[Draft]) -> list[Draft]:
    """The steps, the same key pressed again and letters one after the other as one step each."""
    kept: list[Draft] = []
    for step in steps:
        last = kept[-1].action if kept else None
        now = step.action
        if isinstance(last, Press) and isinstance(now, Press) and last.keys == now.keys:
            kept[-1] = replace(kept[-1], action=replace(last, times=last.times + now.times))
        elif _is_loose(last) and _is_loose(now):
            one, two = cast("TypeText[Any]", last), cast("TypeText[Any]", now)
            typed = kept[-1].typed + step.typed
            kept[-1] = replace(kept[-1], action=replace(one, text=one.text + two.text), typed=typed)
        else:
            kept.append(step)
    return kept


def _is_loose(action: Action | None) -> bool:
    """Whether it is typing where the focus is."""
    return isinstance(action, TypeText) and action.at is None


def _useful(steps: Sequence[Draft], last: Moment) -> list[Draft]:
    """The steps without those that had no effect, with ticks in place of clicks and with the way scrolled."""
    kept: list[Draft] = []
    for number, step in enumerate(steps, start=1):
        after = steps[number].before if number < len(steps) else last
        if step.idle and _looks(step.before.page) == _looks(after.page):
            continue
        if isinstance(step.action, Click):
            kept.append(_as_check(step, after))
        elif isinstance(step.action, Scroll):
            down, right = _moved(cast(Node, step.node), after)
            if down or right:
                kept.append(replace(step, action=replace(step.action, down=down, right=right)))
        else:
            kept.append(step)
    return kept


def _as_check(step: Draft, after: Moment) -> Draft:
    """A click that changed a box or a radio button as the action that says so."""
    click = cast("Click[Point]", step.action)
    if click.modifiers or click.clicks != 1:
        return step
    then = step.before.nodes
    changed = [
        node
        for ref, node in after.nodes.items()
        if node.type in ("checkbox", "radio") and ref in then and then[ref].checked != node.checked
    ]
    on = [node for node in changed if node.checked or node.type == "checkbox"]
    around = {node.ref for node in step.before.lineage[:1]}
    labels = [node for node in step.before.lineage if node.tag == "label"]
    near = around | {inner.ref for label in labels for inner in label.walk()}
    if len(on) != 1 or (on[0].ref not in near and not labels):
        return step
    box = then[on[0].ref]
    return replace(step, action=Check(_middle(box), on[0].checked), node=box)


def _moved(scrolled: Node, after: Moment) -> tuple[int, int]:
    """By how many pixels what is in an element has moved up and to the left."""
    now = after.nodes
    for inner in scrolled.walk():
        if inner.ref != scrolled.ref and not inner.is_text and inner.ref in now:
            rect = now[inner.ref].rect
            return round(inner.rect[1] - rect[1]), round(inner.rect[0] - rect[0])
    return 0, 0


def _looks(page: Node) -> list[tuple[object, ...]]:
    """What a page shows, without where the focus is."""
    return [
        (node.tag, 0 if node.is_text else node.ref, node.text, node.value, node.checked, node.classes)
        for node in page.walk()
    ]


def _list(event: Moment) -> Node | None:
    """The drop-down list that an event went to, if it did: one that does not show its options."""
    target = event.target
    closed = target is not None and target.tag == "select" and not target.children
    return target if closed else None


def _typing(draft: Draft, text: str, *, whole: bool) -> Action:
    return TypeText(text, _middle(cast(Node, draft.node)), whole)


def _point(event: Moment) -> Point:
    return Point(int(event.x), int(event.y))


def _middle(node: Node) -> Point:
    left, top, right, bottom = node.rect
    return Point(int((left + right) / 2), int((top + bottom) / 2))
