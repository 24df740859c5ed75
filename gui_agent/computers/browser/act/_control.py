"""Finds the form control at a point, in any frame or shadow root, and reads its properties."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Coroutine
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from gui_agent.computers.browser.act import _pointer as pointer
from gui_agent.computers.browser.cdp.sender import translate_errors
from gui_agent.core.errors import ActionFailed

if TYPE_CHECKING:
    from playwright.async_api import ElementHandle, Frame, JSHandle, Page

    from gui_agent.computers.browser._tab import Tab
    from gui_agent.computers.browser.act._pointer import Place
    from gui_agent.computers.browser.cdp.isolated_world import IsolatedWorld

DEEPEST = """([x, y], control) => {
  let at = document.elementFromPoint(x, y);
  while (at && at.shadowRoot) {
    const inner = at.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === at) break;
    at = inner;
  }
  return at && control(at);
}"""
FRAME_ORIGIN = """(frame) => {
  const box = frame.getBoundingClientRect();
  const scale = frame.offsetWidth ? box.width / frame.offsetWidth : 1;
  const style = getComputedStyle(frame);
  const left = frame.clientLeft + parseFloat(style.paddingLeft);
  const top = frame.clientTop + parseFloat(style.paddingTop);
  return [box.left + left * scale, box.top + top * scale, scale];
}"""
CONTROL = (Path(__file__).parent / "control.js").read_text(encoding="utf-8")
FACTS = """(element) => {
  const words = (text) => (text || "").replace(/\\s+/g, " ").trim();
  const texts = (label) => [...label.childNodes].map((node) => (node.nodeType === 3 ? node.data : ""));
  const own = (label) => words(texts(label).join(" ")) || words(label.textContent);
  const label = element.labels && element.labels[0];
  const name = element.getAttribute("aria-label") || (label && own(label)) || words(element.textContent);
  return {
    tag: element.localName,
    type: element.localName === "input" ? element.type : "",
    role: element.getAttribute("role") || "",
    value: "value" in element ? String(element.value ?? "") : element.textContent,
    editable: Boolean(element.isContentEditable),
    disabled: Boolean(element.disabled) || element.getAttribute("aria-disabled") === "true",
    readonly: Boolean(element.readOnly),
    name: words(name || element.name).slice(0, 60),
    numeric: element.type === "number" || element.role === "spinbutton"
      || /numeric|decimal/.test(element.inputMode),
  };
}"""
HAS_KEYBOARD = "(control) => control === control.getRootNode().activeElement"
CLICKING = 1000
"""Milliseconds for a page to receive a click."""
BOX = """(element) => {
  const { x, y, width, height } = element.getBoundingClientRect();
  return width || height ? { x, y, width, height } : null;
}"""
TEXT_TYPES = frozenset({"text", "search", "email", "url", "tel", "password", "number"})


class ControlQuery(Protocol):
    """A way to evaluate expressions on an element of a page."""

    async def evaluate(self, expression: str) -> Any:
        """The result of a JavaScript function called with the element."""

    async def bounding_box(self) -> Any:
        """Its x, y, width and height in CSS pixels; None if it is not visible."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in the lifetime of a document; the next click counts from it."""

    document: str
    clicks: int
    """Number of completed clicks."""


@dataclass(frozen=True, slots=True)
class Held:
    """An element that the page script keeps under a number."""

    world: IsolatedWorld
    number: int
    found: Moment | None = None

    async def evaluate(self, expression: str) -> Any:
        return _demand_still_there(await self.world.call(f"askControl({self.number}, {expression})"))["value"]

    async def bounding_box(self) -> Any:
        """Its x, y, width and height in CSS pixels; None if it is not visible."""
        return await self.evaluate(BOX)


H_co = TypeVar("H_co", bound=ControlQuery, covariant=True)


@dataclass(frozen=True, slots=True)
class Control(Generic[H_co]):
    """An element that takes input, with the properties that determine how to operate it."""

    handle: H_co
    tag: str
    type: str
    """The type of an input element, such as date; empty for others."""
    role: str
    value: str
    editable: bool
    """Rich text: contenteditable."""
    disabled: bool
    readonly: bool
    name: str
    numeric: bool

    def __str__(self) -> str:
        kind = self.role or (f"{self.type} field" if self.tag == "input" else self.tag)
        return f'{kind} "{self.name}"' if self.name else kind

    @property
    def takes_text(self) -> bool:
        """Whether typed characters become its value unchanged."""
        return self.editable or self.tag == "textarea" or (self.tag == "input" and self.type in TEXT_TYPES)

    async def now(self) -> Control[H_co]:
        """The same control with its current properties."""
        return Control(self.handle, **await self.handle.evaluate(FACTS))

    def check_usable(self) -> None:
        if self.disabled:
            raise ActionFailed(f"{self} is disabled; enable it first")


class PressCancelled(Exception):
    """The page did not let a press through, because its target was not there when it arrived."""


def _demand_still_there(found: Any) -> Any:
    if found is None:
        raise ActionFailed("the page has replaced the element; look at the screen again")
    return found


async def control_at(tab: Tab, at: Place) -> Control[ControlQuery]:
    """The control at a point, found in one message unless it is in a frame."""
    found = await tab.world.call(f"controlAt({at[0]}, {at[1]})")
    if found is None or found["facts"]["tag"] in ("iframe", "frame"):
        return await handled_at(tab.page, at)
    moment = Moment(found["document"], found["clicks"])
    control = Control(Held(tab.world, found["number"], moment), **found["facts"])
    control.check_usable()
    return control


async def clicked_at(
    tab: Tab, at: Place, click: Coroutine[Any, Any, None], since: Moment
) -> Control[ControlQuery] | None:
    """Click at a point, and return the control with the focus: the one there, or one that it opened.

    The query is sent together with the click. None if no control has the focus.
    """
    question = f"controlAfterClick({at[0]}, {at[1]}, {json.dumps(asdict(since))}, {CLICKING})"
    asking = asyncio.create_task(tab.world.call(question))
    try:
        await click
        found = _demand_still_there(await asking)
    finally:
        asking.cancel()
    if "halted" in found:
        raise PressCancelled
    if found["keyboard"]:
        return Control(Held(tab.world, found["number"]), **found["facts"])
    return await focused_control(tab.page)


async def handled_at(page: Page, at: Place) -> Control[ElementHandle]:
    """The control at or around the innermost element at a point; through frames and shadow roots."""
    frame: Frame = page.main_frame
    x, y = at
    while True:
        handle = await element_of(frame.evaluate_handle(f"(at) => ({DEEPEST})(at, {CONTROL})", [x, y]))
        if handle is None:
            raise ActionFailed("there is nothing at this point; look at the screen again")
        control = Control(handle, **await handle.evaluate(FACTS))
        inner = await handle.content_frame() if control.tag in ("iframe", "frame") else None
        if inner is None:
            control.check_usable()
            return control
        left, top, scale = await handle.evaluate(FRAME_ORIGIN)
        x, y, frame = (x - left) / scale, (y - top) / scale, inner


async def element_of(asked: Awaitable[JSHandle]) -> ElementHandle | None:
    """The element that a query returns; None if it returns something else."""
    return (await asked).as_element()


async def focused_control(page: Page) -> Control[ElementHandle] | None:
    """The focused control, through frames and shadow roots; None if only the page has the focus."""
    frame: Frame = page.main_frame
    while True:
        script = """() => { let at = document.activeElement;
            while (at && at.shadowRoot && at.shadowRoot.activeElement) at = at.shadowRoot.activeElement;
            return at && at !== document.body ? at : null; }"""
        handle = await element_of(frame.evaluate_handle(script))
        if handle is None:
            return None
        control = Control(handle, **await handle.evaluate(FACTS))
        inner = await handle.content_frame() if control.tag in ("iframe", "frame") else None
        if inner is None:
            return control
        frame = inner


ALL_SHOWN = """(control) => {
  const all = (root) => [...root.querySelectorAll("*")].flatMap(
    (element) => (element.shadowRoot ? [element, ...all(element.shadowRoot)] : [element]));
  return new Set(all(control.ownerDocument).filter((element) => element.getBoundingClientRect().height > 4
    && element.checkVisibility({visibilityProperty: true, opacityProperty: true})));
}"""
SEEN_COMING = 0.03
"""Seconds between the pointer's arrival and the click: star ratings take the highlighted value."""


async def click_element(tab: Tab, element: ElementHandle, keys: tuple[str, ...] = ()) -> None:
    """Scroll an element into view and click its centre."""
    with translate_errors("it is not visible"):
        await element.scroll_into_view_if_needed(timeout=2000)
        box = await element.bounding_box()
    if box is None:
        raise ActionFailed("it is not visible; first open the part of the page that contains it")
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    await pointer.move(tab, middle)
    await asyncio.sleep(SEEN_COMING)
    await pointer.click(tab, middle, keys=keys)
