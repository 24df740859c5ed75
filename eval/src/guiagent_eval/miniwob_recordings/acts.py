"""Reduces raw mouse and key events to the few actions that a person meant, as steps of a demonstration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from gui_agent.core.actions import Action, Choose, Click, Drag, Press, Scroll, TypeText
from gui_agent.core.observation import Point
from guiagent_eval.miniwob_recordings.effects import DraftAct, looks, middle, useful
from guiagent_eval.miniwob_recordings.recording import PageNode, PageState
from guiagent_eval.miniwob_recordings.roles import PUSHED

STILL = 8
"""Maximum pixels between press and release of a click; farther apart they are a drag."""
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
"""Names of keys by their codes; other keys arrive as characters."""
LEAVING = ("tab", "escape")
"""Keys that end typing into a field."""
_FREE = ("text", "search", "password", "")
"""Types of fields that hold the typed text, letter by letter, unless the page removes it."""
_NOT_TYPED = PUSHED | {"checkbox", "radio", "image", "file", "range", "color"}


def is_field(node: PageNode | None) -> bool:
    """Whether an element takes typed text."""
    if node is None:
        return False
    return node.tag == "textarea" or (node.tag == "input" and node.type not in _NOT_TYPED)


def drafts(events: Sequence[PageState], last: PageState) -> list[DraftAct]:
    """The steps of a recording.

    Args:
        events: each event once, in order.
        last: the last state that was recorded.
    """
    reader = _Events()
    for event in events:
        reader.hear(event)
    reader.end(last)
    return useful(reader.drafts, last)


class _Events:
    """Processes the events; keeps what is pressed and what is being typed."""

    def __init__(self) -> None:
        self.drafts: list[DraftAct] = []
        self._down: PageState | None = None
        self._clicked = False
        """Whether the click of the released button is still to come."""
        self._held: list[str] = []
        self._typing: DraftAct | None = None
        self._last: PageState | None = None

    def hear(self, event: PageState) -> None:
        """Process one event."""
        match event.kind:
            case "mousedown":
                self.leave(event)
                self._down, self._clicked = event, False
            case "mouseup":
                self._release(event)
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

    def end(self, last: PageState) -> None:
        """Process pending input if the page ended the recording, as some do at a press."""
        if self._down is not None:
            self._release(self._down)
        self.leave(last)

    def leave(self, now: PageState) -> None:
        """End typing into a field: its present value was meant."""
        draft, self._typing = self._typing, None
        if draft is None or draft.node is None:
            return
        was = draft.node.value or ""
        field_now = now.nodes.get(draft.node.ref)
        # A field that is gone took all its typed text with it.
        typed = "".join(one.typed for one in draft.keys)
        text = typed if field_now is None else field_now.value or ""
        taken_away = len(text) < len(typed) == len(draft.keys) and draft.node.type in _FREE
        if text == was or taken_away:
            self.drafts += _together([key for key in draft.keys if key.action != TypeText("")])
        elif was and text.startswith(was):
            self.drafts.append(replace(draft, action=_typing(draft, text[len(was) :], whole=False)))
        else:
            self.drafts.append(replace(draft, action=_typing(draft, text, whole=bool(was))))

    def _release(self, event: PageState) -> None:
        down, self._down = self._down, None
        if down is None:
            return
        self._clicked = True
        if event.is_told and not down.is_told:
            down = event
        target = down.target
        if target is not None and _list(down) is not None:
            self._choose(down, cast(PageNode, _list(down)))
            return
        if target is not None and target.tag == "option" and len(down.lineage) > 1:
            self._pick(down, target)
            return
        far = max(abs(event.x - down.x), abs(event.y - down.y)) > STILL
        if far and not is_field(target):
            action = Drag(_point(down), _point(event), tuple(self._held))
            onto = event.target if event.target is not target else None
            self.drafts.append(DraftAct(action, down, target, onto))
            return
        click = Click(_point(down), modifiers=tuple(self._held))
        self.drafts.append(DraftAct(click, down, target, idle=is_field(target)))

    def _click(self, event: PageState) -> None:
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
            self.drafts.append(
                DraftAct(Click(_point(event)), event, event.target, idle=is_field(event.target))
            )

    def _pushed_by_key(self, event: PageState) -> None:
        """Enter or Space on a control that has the focus is a click on it."""
        last, target = self.drafts[-1] if self.drafts else None, event.target
        if last is None or target is None or last.before.target is None:
            return
        key = isinstance(last.action, Press) or (isinstance(last.action, TypeText) and last.typed == " ")
        if key and last.before.target.ref == target.ref:
            self.drafts[-1] = DraftAct(Click(middle(target)), last.before, target)

    def _double(self, event: PageState) -> None:
        """Two clicks on a text are one double click; two quick ones on a button stay two."""
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

    def _pick(self, event: PageState, option: PageNode) -> None:
        """An option was clicked in a list that shows its options; without Ctrl it is the only one chosen."""
        around = event.lineage[1]
        if not self._held:
            while self.drafts and _is_pick(self.drafts[-1], around):
                self.drafts.pop()
        self.drafts.append(DraftAct(Choose(middle(around), option.text), event, around))

    def _choose(self, event: PageState, choice: PageNode, typed: str = "") -> None:
        """An option was chosen in a drop-down list; the recorder does not keep which."""
        last = self.drafts[-1] if self.drafts else None
        if last is not None and _is_pick(last, choice):
            last.typed += typed
            return
        self.drafts.append(DraftAct(Choose(middle(choice), ""), event, choice, typed=typed))

    def _key(self, event: PageState) -> None:
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
        target = event.target
        if not name and is_field(target):
            # The field's value after the keys shows the result of an input method.
            self._add_key(event, DraftAct(TypeText(""), event))
            return
        if not name or (len(name) == 1 and not chord) or name == "space":
            return  # The key arrives as a character.
        press = DraftAct(Press((*self._held, name)), event, idle=name == "tab")
        line_end = name == "enter" and target is not None and target.tag != "textarea"
        if is_field(target) and name not in LEAVING and not line_end:
            self._add_key(event, press)
            return
        self.leave(event)
        self._press(press)

    def _character(self, event: PageState) -> None:
        if event.character < 32 or set(self._held) & {"ctrl", "meta"}:
            return
        letter = chr(event.character)
        choice = _list(event)
        if choice is not None:
            self._choose(event, choice, letter)
            return
        pressed = self._last if self._last is not None and self._last.kind == "keydown" else event
        draft = DraftAct(TypeText(letter), pressed, typed=letter)
        if is_field(event.target):
            self._add_key(event, draft)
            return
        self.leave(event)
        self.drafts = _together([*self.drafts, draft])

    def _add_key(self, event: PageState, key: DraftAct) -> None:
        """A key goes into the field that has the focus."""
        target = cast(PageNode, event.target)
        if self._typing is not None and cast(PageNode, self._typing.node).ref != target.ref:
            self.leave(event)
        if self._typing is None:
            self._typing = DraftAct(TypeText("", middle(target)), event, target)
        self._typing.keys.append(key)

    def _press(self, draft: DraftAct) -> None:
        self.drafts = _together([*self.drafts, draft])

    def _scroll(self, event: PageState) -> None:
        last = self._last
        if last is not None and last.kind != "scroll" and event.time - last.time < AT_ONCE:
            return
        target = event.target
        if target is not None and not is_field(target):
            self.leave(event)
            self.drafts.append(DraftAct(Scroll(middle(target)), event, target))


def _together(steps: Sequence[DraftAct]) -> list[DraftAct]:
    """The steps; consecutive letters are one step, and so is a key pressed again while nothing changed."""
    kept: list[DraftAct] = []
    for step in steps:
        last = kept[-1].action if kept else None
        now = step.action
        if (
            isinstance(last, Press)
            and isinstance(now, Press)
            and last.keys == now.keys
            and _alike(kept[-1], step)
        ):
            kept[-1] = replace(kept[-1], action=replace(last, times=last.times + now.times))
        elif _is_loose(last) and _is_loose(now):
            one, two = cast("TypeText[Any]", last), cast("TypeText[Any]", now)
            typed = kept[-1].typed + step.typed
            kept[-1] = replace(kept[-1], action=replace(one, text=one.text + two.text), typed=typed)
        else:
            kept.append(step)
    return kept


def _alike(one: DraftAct, other: DraftAct) -> bool:
    """Whether two steps were done on pages that look the same."""
    return looks(one.before.page) == looks(other.before.page)


def _is_pick(step: DraftAct, choice: PageNode) -> bool:
    """Whether a step chose in this list."""
    return isinstance(step.action, Choose) and step.node is not None and step.node.ref == choice.ref


def _is_loose(action: Action | None) -> bool:
    """Whether an action types where the focus is."""
    return isinstance(action, TypeText) and action.at is None


def _list(event: PageState) -> PageNode | None:
    """The drop-down list of an event, if it went to one that does not show its options."""
    target = event.target
    closed = target is not None and target.tag == "select" and not target.children
    return target if closed else None


def _typing(draft: DraftAct, text: str, *, whole: bool) -> Action:
    return TypeText(text, middle(cast(PageNode, draft.node)), whole)


def _point(event: PageState) -> Point:
    return Point(int(event.x), int(event.y))


Sort = tuple[str, str]
"""Tag and classes: elements that look alike can be operated alike."""
_NEVER = frozenset(("label", "body", "form", "ul", "ol", "table", "tr", "td", "svg", "select"))
"""Tags of elements that are never clicked by themselves."""


@dataclass(frozen=True, slots=True)
class Used:
    """The elements clicked and scrolled anywhere in a recording."""

    clicked: frozenset[Sort] = frozenset()
    rows: frozenset[Sort] = frozenset()
    """Elements of which several are beside each other, with several texts in each."""
    entries: bool = False
    """Whether entries of a list were clicked that hold only the clicked text."""
    scrolled: frozenset[int] = frozenset()
    """Numbers of the scrolled elements."""

    def clickable(self, node: PageNode) -> bool:
        """Whether an element looks like a clicked one, and is an element of its own."""
        sort = (node.tag, node.classes)
        if sort in self.rows or (node.tag == "li" and self.entries):
            return True
        return sort in self.clicked and node.tag not in _NEVER


UNUSED = Used()


def used(events: Sequence[PageState]) -> Used:
    """The elements operated in these events."""
    pressed = [event for event in events if event.kind == "mousedown" and event.target is not None]
    hit = [event.lineage[0] for event in pressed if row_around(event) is None]
    rows = [row for event in pressed if (row := row_around(event)) is not None]
    return Used(
        clicked=frozenset((node.tag, node.classes) for node in hit if node.classes),
        rows=frozenset((row.tag, row.classes) for row in rows),
        entries=any(_is_entry(event) for event in pressed),
        scrolled=frozenset(e.lineage[0].ref for e in events if e.kind == "scroll" and e.lineage),
    )


def row_around(event: PageState) -> PageNode | None:
    """The row of a list, with several texts in it, around the text that an event went to."""
    if not event.lineage or not event.lineage[0].text:
        return None
    for row, around in zip(event.lineage[1:], event.lineage[2:], strict=False):
        alike = [other for other in around.children if (other.tag, other.classes) == (row.tag, row.classes)]
        if row.classes and len(alike) > 1 and len(texts_in(row)) > 1:
            return row
    return None


def texts_in(node: PageNode) -> list[str]:
    """The texts in an element."""
    return [inner.text for inner in node.walk() if inner.text]


def _is_entry(event: PageState) -> bool:
    said = texts_in(event.lineage[0])
    return bool(said) and any(node.tag == "li" and texts_in(node) == said for node in event.lineage)
