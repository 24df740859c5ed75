"""Turns the recorded tree of a page into the elements that the snapshot of a live page would list.

The tree has tags, classes, places, texts and values, but no ARIA attributes, cursors, labels or options.
Roles from ARIA are inferred from the classes of common widgets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from gui_agent.core.observation import TEXT, Box, Element
from guiagent_eval.miniwob_recordings import roles
from guiagent_eval.miniwob_recordings.acts import UNUSED, Used
from guiagent_eval.miniwob_recordings.recording import PageNode
from guiagent_eval.miniwob_recordings.roles import (
    THIN,
    Rect,
    below,
    colour_name,
    enclosing_rect,
    goes_on,
    is_thin,
    is_vivid,
    meet,
    same_line,
    text_width,
)

NAME = 120
"""Maximum letters of a name that is read from an element's content."""
LEFT_OUT = {"body": (0, 1), "wrap": (1, 0)}
"""The number of `div` that the recorder leaves out before and after the others, by their parent."""


@dataclass
class _Item:
    """An element that may be listed; final once its content is known."""

    node: PageNode
    key: tuple[int, int]
    role: str
    kind: int
    """4 a control, 2 a clicked element, 1 a visible one, 0 text."""
    rect: Rect
    path: str
    name: str = ""
    dropped: bool = False
    scrolls: bool = False
    layer: int = 0
    """The layer among overlapping siblings: later ones cover earlier ones."""

    @property
    def control(self) -> bool:
        return self.kind >= 2


@dataclass
class _Run:
    """Text that is being collected."""

    node: PageNode
    key: tuple[int, int]
    path: str
    clip: Rect
    parts: list[tuple[str, Rect]] = field(default_factory=list)


class PageReader:
    """Reads the pages of one recording; an element keeps its number from page to page."""

    def __init__(self, view: Rect, used: Used = UNUSED) -> None:
        """
        Args:
            view: the visible part of the page.
            used: the elements operated anywhere in the recording.
        """
        self._used = used
        self._view = view
        self._numbers: dict[tuple[int, int], int] = {}
        self._items: list[_Item] = []
        self._run: _Run | None = None
        self._loose: set[int] = set()
        self._layer = 0

    def read(self, page: PageNode) -> tuple[Element, ...]:
        """The elements of one page, in reading order."""
        self._items, self._run = [], None
        self._loose = {
            inner.ref for node in page.walk() if roles.LOOSE in node.classes.split() for inner in node.walk()
        }
        self._children(page, "html/body", self._view, None)
        self._flush()
        layers = [node.rect for node in page.children]
        return tuple(self._element(it) for it in self._items if not (it.dropped or _is_covered(it, layers)))

    def number(self, node: PageNode) -> int:
        """The id of an element of the page; 0 if it was never listed."""
        return self._numbers.get((node.ref, 0), 0)

    def text_number(self, node: PageNode) -> int:
        """The id of the text that is an element's only content; 0 if it was never listed."""
        return self._numbers.get((node.ref, 1), 0) if node.text else 0

    def _walk(self, node: PageNode, path: str, clip: Rect, owner: _Item | None, around: PageNode) -> None:
        inline = node.tag in roles.INLINE and not _stands_alone(node)
        if not inline:
            self._flush()
        item = self._candidate(node, path, clip, owner, around)
        if item is not None:
            self._flush()
            self._items.append(item)
        first = len(self._items)
        if node.tag == "select" and item is not None and item.role == "listbox":
            self._children(node, path, meet(clip, node.rect), item)
        elif not roles.is_closed(node):
            if self._hides(node):
                clip = below(clip, node.rect)
            if node.text:
                self._add_text(
                    node,
                    (node.ref, 1),
                    path,
                    node.text,
                    node.rect if node.tag in roles.INLINE else text_width(node.rect, node.text),
                    clip,
                )
            self._children(node, path, clip, item or owner)
        if item is not None or not inline:
            self._flush()
        if item is not None:
            self._settle(item, self._items[first:])
        elif node.tag == "label":
            _label(self._items[first:], _content(node))

    def _hides(self, node: PageNode) -> bool:
        """Whether content that sticks out of an element is invisible; a drop-down menu is visible."""
        bottom = node.rect[3]
        if node.ref in self._used.scrolled:
            return True
        if node.tag not in roles.CLIPPING or bottom - node.rect[1] < roles.WINDOW:
            return False
        return sum(child.rect[3] > bottom + THIN for child in node.children) > 1

    def _children(self, node: PageNode, path: str, clip: Rect, owner: _Item | None) -> None:
        before, after = LEFT_OUT.get(node.id or node.tag, (0, 0))
        tags = Counter(child.tag for child in node.children if not child.is_text)
        tags["div"] += before + after if tags["div"] else 0
        seen = Counter({"div": before})
        record = not any(child.is_text for child in node.children) and len(node.children) > 1
        starts: list[int] = []
        for place, child in enumerate(node.children):
            starts.append(len(self._items))
            if child.is_text:
                self._add_text(node, (node.ref, place + 1), path, child.text, child.rect, clip)
                continue
            if node.tag == "body":
                self._layer = place
            seen[child.tag] += 1
            step = f"{child.tag}[{seen[child.tag]}]" if tags[child.tag] > 1 else child.tag
            if record:
                self._flush()
            self._walk(child, f"{path}/{step}", clip, owner, node)
        if starts and self._run is None:
            ends = [*starts[1:], len(self._items)]
            groups = [self._items[a:b] for a, b in zip(starts, ends, strict=True) if b > a]
            self._items[starts[0] :] = [item for group in _by_rows(groups) for item in group]

    def _add_text(
        self, node: PageNode, key: tuple[int, int], path: str, text: str, rect: Rect, clip: Rect
    ) -> None:
        run = self._run
        if run is not None and goes_on(run.parts[-1], (text, rect), self._view[2]):
            if run.node is not node:
                run.path = path if len(path) < len(run.path) else run.path
            run.parts.append((text, rect))
            return
        self._flush()
        self._run = _Run(node, key, path, clip, [(text, rect)])

    def _flush(self) -> None:
        run, self._run = self._run, None
        if run is None:
            return
        rect = run.parts[0][1]
        name = run.parts[0][0]
        for (_, before), (text, after) in pairwise(run.parts):
            # The recorder omits the spaces at the ends of a piece; a word and a number are always two.
            apart = name[-1:].isalpha() and text[:1].isdecimal()
            touching = after[0] - before[2] < 1 and same_line(before, after)
            name += ("" if touching and not apart else " ") + text
            rect = enclosing_rect(rect, after)
        name, rect = roles.tidy(name), meet(rect, run.clip)
        if name and not is_thin(rect):
            self._items.append(_Item(run.node, run.key, TEXT, 0, rect, run.path, name, layer=self._layer))

    def _candidate(
        self, node: PageNode, path: str, clip: Rect, owner: _Item | None, around: PageNode
    ) -> _Item | None:
        role = roles.role_of(node, around)
        if role == "menuitem" and node.ref in self._loose:
            role = "generic"
        kind = roles.kind_of(role, node)
        free = owner is None or owner.kind < 2 or node.tag == "li"
        if kind < 2 and free and self._used.clickable(node):
            kind = 2
        bare = role == "generic" and not node.children and not node.text and _is_painted(node, self._view)
        scrolls = node.ref in self._used.scrolled
        if (bare or scrolls) and not kind:
            kind = 1
        if not kind:
            return None
        rect = meet(node.rect, clip)
        if is_thin(rect):
            return None
        if role == "generic" and not roles.is_handle(node) and (bare or node.tag in roles.DRAWN):
            role = "img"
        return _Item(node, (node.ref, 0), role, kind, rect, path, scrolls=scrolls, layer=self._layer)

    def _settle(self, item: _Item, inner: Sequence[_Item]) -> None:
        """Name an item once its content is known; drop it, or the texts in it that only repeat its name."""
        inner = [one for one in inner if not one.dropped]
        nested = [at for at, it in enumerate(inner) if (it.role, it.node.tag) == (item.role, item.node.tag)]
        if nested and item.kind == 2:
            item.rect = _own_row(item.rect, inner[nested[0]].rect)
            inner = inner[: nested[0]]
        texts = [one for one in inner if one.role == TEXT]
        controls = [one for one in inner if one.control]
        item.name = self._name(item, inner)
        if item.kind == 4:
            for one in inner:
                one.dropped = one.dropped or (one.role == "img" and not one.name)
            _merge(item, controls)
        elif _is_needless(item, inner, texts, controls):
            item.dropped = True
            return
        for text in texts:
            told = item.kind == 4 and len(item.name) <= 80 and text.name in item.name
            text.dropped = text.dropped or told or text.name == item.name

    def _name(self, item: _Item, inner: Sequence[_Item]) -> str:
        node, read = item.node, " ".join(one.name for one in inner if one.role == TEXT)
        if node.tag == "input":
            return roles.tidy(node.value or "") if node.type in roles.PUSHED else ""
        if item.role in roles.NAMED_BY_CONTENT:
            return _content(node)
        if item.role == "img" and node.text:
            return roles.tidy(node.text)
        if item.kind >= 2 and item.kind < 4 and not item.scrolls and item.role not in roles.HOLDERS:
            return roles.short(roles.tidy(read), NAME)
        return ""

    def _element(self, item: _Item) -> Element:
        node = item.node
        left, top, right, bottom = (round(side) for side in item.rect)
        number = self._numbers.setdefault(item.key, len(self._numbers) + 1)
        box = Box(left, top, max(1, right - left), max(1, bottom - top))
        if item.role == TEXT:
            told = roles.attributes_of(node, "") if node.tag == "text" else {"tag": node.tag}
            if is_vivid(node.fore):
                told["color"] = colour_name(node.fore)
            return Element(number, TEXT, item.name, box, path=item.path, attributes=told)
        return Element(
            id=number,
            role=item.role,
            name=item.name,
            box=box,
            value=roles.value_of(node),
            states=roles.states_of(node, item.role) | ({"scrollable"} if item.scrolls else set()),
            path=item.path,
            attributes=roles.attributes_of(node, item.name),
        )


def _is_covered(item: _Item, layers: Sequence[Rect]) -> bool:
    """Whether the middle of an item is covered by an element that was put over the page."""
    x, y = (item.rect[0] + item.rect[2]) / 2, (item.rect[1] + item.rect[3]) / 2
    above = layers[item.layer + 1 :]
    return any(left <= x < right and top <= y < bottom for left, top, right, bottom in above)


def _own_row(rect: Rect, nested: Rect) -> Rect:
    """The box of an entry that holds the entries below it, up to where those begin."""
    return (*rect[:3], min(nested[1], rect[3])) if nested[1] > rect[1] + 2 else rect


def _label(inner: Sequence[_Item], text: str) -> None:
    """Name the field inside a label."""
    fields = [item for item in inner if item.node.tag in ("input", "select", "textarea")]
    if len(fields) == 1 and not fields[0].name:
        fields[0].name = text


def _merge(item: _Item, controls: Sequence[_Item]) -> None:
    """Merge a control with the control inside it that has the same name."""
    if len(controls) != 1 or controls[0].name != item.name or controls[0].role == item.role:
        return
    if controls[0].role == "link" or controls[0].kind < 4:
        controls[0].dropped = True
    elif controls[0].role == "button":
        item.dropped = True


def _content(node: PageNode) -> str:
    """All text in an element, in sight or not."""
    parts = [one.text for one in node.walk() if one.text and one.tag not in roles.CLOSED]
    return roles.tidy(" ".join(parts))


def _by_rows(groups: list[list[_Item]]) -> list[list[_Item]]:
    """Groups row by row if the page is drawn in another order than it is written."""
    rects = [_hull(group) for group in groups]

    def follows(one: Rect, other: Rect) -> bool:
        return other[2] > one[0] + 2 if same_line(one, other) else other[3] > one[1] + 2

    if all(follows(one, other) for one, other in pairwise(rects)):
        return groups
    rows: list[list[tuple[Rect, list[_Item]]]] = []
    for pair in sorted(zip(rects, groups, strict=True), key=lambda pair: pair[0][1]):
        if rows and same_line(rows[-1][0][0], pair[0]):
            rows[-1].append(pair)
        else:
            rows.append([pair])
    return [group for row in rows for _, group in sorted(row, key=lambda pair: pair[0][0])]


def _hull(group: Sequence[_Item]) -> Rect:
    rect = group[0].rect
    for item in group[1:]:
        rect = enclosing_rect(rect, item.rect)
    return rect


def _is_needless(
    item: _Item, inner: Sequence[_Item], texts: Sequence[_Item], controls: Sequence[_Item]
) -> bool:
    """Whether an item says nothing that its content does not say."""
    if item.scrolls:
        return False
    if item.node.tag == "svg":
        return bool(inner)
    if item.role in roles.HOLDERS:
        return bool(controls) or item.kind < 2
    if item.kind >= 2:
        return not texts and bool(controls) and (not item.name or item.name == controls[0].name)
    if item.role in roles.CELLS:
        return bool(controls) or len(texts) > 1 if texts or item.name else True
    if item.role == "heading":
        return len(controls) == 1 and controls[0].name == item.name
    if item.role == "img" and item.node.tag != "img":
        return bool(controls or texts)
    return item.role == "generic"


def _is_painted(node: PageNode, view: Rect) -> bool:
    """Whether an element without content is visible by its style alone: an icon, a coloured box."""
    width, height = node.rect[2] - node.rect[0], node.rect[3] - node.rect[1]
    if node.tag in ("hr", "label") or width < 5 or height < 5:
        return False
    if width * height > 0.3 * (view[2] - view[0]) * (view[3] - view[1]):
        return False
    icon = bool(node.classes or node.id) and max(width, height) <= roles.ICON
    return icon or bool(colour_name(node.back))


def _stands_alone(node: PageNode) -> bool:
    """Whether an element that is usually part of a line is a block: higher than a line of its text."""
    return bool(node.children) and any(child.tag in ("div", "p", "ul", "h2", "h3") for child in node.children)
