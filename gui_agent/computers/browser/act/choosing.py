"""Chooses an option by its text: in closed native lists by keyboard, in open and custom lists by mouse."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from gui_agent.computers.browser.act import _pointer as pointer
from gui_agent.computers.browser.act import keyboard
from gui_agent.computers.browser.act._control import (
    ALL_SHOWN,
    Control,
    ControlQuery,
    click_element,
    control_at,
    element_of,
    handled_at,
)
from gui_agent.computers.event_loop import turns
from gui_agent.core.errors import ActionFailed
from gui_agent.core.os_errors import demand_files, user_path
from gui_agent.core.texts import label, normal, shorten
from gui_agent.elements.roles import RADIOS

if TYPE_CHECKING:
    from playwright.async_api import ElementHandle, JSHandle

    from gui_agent.computers.browser._tab import Tab
    from gui_agent.computers.browser.act._pointer import Place

IS_ON = """(box) => {
  const told = box.getAttribute("aria-checked") ?? box.getAttribute("aria-pressed");
  const native = box.localName === "input";
  if (native && !["checkbox", "radio"].includes(box.type)) return null;
  // A page may keep the state in either of the two.
  if (native) return box.checked && !box.indeterminate || told === "true";
  return told === null ? null : told === "true";
}"""
PATIENCE = 0.5
"""Seconds for a page's own code to show the new state."""
CHOOSER = 3.0
"""Seconds for a file chooser to open."""


async def check(tab: Tab, at: Place, on: bool) -> None:
    """Check or uncheck the box at the place: click only if necessary, then verify the state."""
    control = await control_at(tab, at)
    state = await control.handle.evaluate(IS_ON)
    if state is None:
        raise ActionFailed(f"{control} is no box to tick; click it instead, or say: check ... is shown")
    if state == on:
        return
    if not on and (control.type == "radio" or control.role in RADIOS):
        raise ActionFailed(
            f"{control} is a radio button and cannot be switched off; check another one of its group"
        )
    for _ in range(2):  # a box in the mixed state may need two clicks
        await pointer.click(tab, at)
        if await _becomes(control, on):
            return
    raise ActionFailed(f"{control} did not become {'checked' if on else 'unchecked'}; the page prevents it")


async def upload(tab: Tab, at: Place, files: Sequence[str]) -> None:
    """Click the element that opens a file chooser, and give the files to the chooser."""
    demand_files(files)
    tab.chooser = None
    await pointer.click(tab, at)
    chooser = await tab.chooser_opened(CHOOSER)
    if chooser is None:
        raise ActionFailed("no file chooser opened; aim at the file field or its button")
    if len(files) > 1 and not chooser.is_multiple():
        raise ActionFailed("this field takes one file; give one")
    await chooser.set_files([user_path(name) for name in files])


async def _becomes(control: Control[ControlQuery], on: bool) -> bool:
    async for _ in turns(PATIENCE, 0.01, least=1):
        if await control.handle.evaluate(IS_ON) == on:
            return True
    return False


Handled: TypeAlias = "Control[ElementHandle]"
OPTIONS = """(list) => [
  [...list.options].map((option, index) => ({
    index, text: option.label || option.text, selected: option.selected,
    disabled: option.disabled || Boolean(option.closest("optgroup")?.disabled),
  })),
  list.multiple || list.size > 1,
  list.multiple,
]"""
SUGGESTIONS = (
    "(field) => field.list ? [...field.list.options].map((option) => option.value || option.text) : null"
)
CUSTOM = (Path(__file__).parent / "options.js").read_text(encoding="utf-8")
TURN = """(control, [before, back]) => {
  const [first] = (%s)(control, before);
  for (let at = first?.element; at; at = at.parentElement) {
    const turns = /auto|scroll|hidden/.test(getComputedStyle(at).overflowY);
    if (!turns || at.scrollHeight <= at.clientHeight + 4) continue;
    const from = at.scrollTop;
    at.scrollTop = back ? 0 : from + 0.7 * at.clientHeight;
    return at.scrollTop !== from;
  }
  return false;
}"""
TURNS = 200
"""Maximum parts of a long list to look through."""
OPENING = 1.0
"""Seconds for a custom list to open and show its options."""
LISTED = 25
"""Maximum options named in a message."""


@dataclass(frozen=True, slots=True)
class NativeOption:
    """One entry of a native list."""

    index: int
    text: str
    selected: bool
    disabled: bool


async def choose(tab: Tab, at: Place, option: str) -> None:
    there = await control_at(tab, at)
    if there.tag == "select":
        await _native(tab, there, at, option)
        return
    control = await handled_at(tab.page, at)
    suggested: Sequence[str] | None = None
    if control.tag == "input":
        suggested = await control.handle.evaluate(SUGGESTIONS)
    if suggested is not None:
        await _type_with_suggestions(tab, control, at, suggested[pick(option, suggested)])
        return
    await _choose_in_built_list(tab, control, at, option)


def pick(wanted: str, texts: Sequence[str]) -> int:
    """The index of the option: the same text, else the same without marks, else the only partial match."""
    ways = (
        [normal(text) == normal(wanted) for text in texts],
        [label(text) == label(wanted) for text in texts],
        [bool(label(wanted)) and label(wanted) in label(text) for text in texts],
    )
    for fits in ways:
        found = [place for place, fit in enumerate(fits) if fit]
        if len(found) == 1 or (found and fits is ways[0]):
            return found[0]
        if found:
            several = ", ".join(f'"{shorten(texts[place], 40)}"' for place in found[:LISTED])
            raise ActionFailed(f'several options fit "{wanted}": {several}; name one of them in full')
    raise ActionFailed(f'there is no option "{wanted}"; the options are {_options_in_words(texts)}')


async def _native(tab: Tab, control: Control[ControlQuery], at: Place, wanted: str) -> None:
    listed, listbox, multiple = await control.handle.evaluate(OPTIONS)
    options = [NativeOption(**each) for each in listed]
    target = options[pick(wanted, [option.text for option in options])]
    if target.disabled:
        raise ActionFailed(f'the option "{target.text}" is disabled; enable it first')
    if target.selected:
        return
    if listbox:
        await _click_option(tab, await handled_at(tab.page, at), target, ("ctrl",) if multiple else ())
    else:
        await _choose_by_arrows(tab, at, options, target)
    if not await _is_selected(control, target):
        # The fallback for lists that ignore the keyboard: the driver sets the option and fires the events.
        chosen = [option.index for option in options if option.selected] if listbox else []
        handle = (await handled_at(tab.page, at)).handle
        await handle.select_option(index=[*chosen, target.index] if listbox else target.index)
    if not await _is_selected(control, target):
        raise ActionFailed(f'{control} did not take "{target.text}"; the page prevents it')


async def _choose_by_arrows(tab: Tab, at: Place, options: list[NativeOption], target: NativeOption) -> None:
    enabled = [option for option in options if not option.disabled]
    now = next((place for place, option in enumerate(enabled) if option.selected), -1)
    await pointer.click(tab, at)
    await keyboard.walk(tab.line, enabled.index(target) - now)


async def _click_option(tab: Tab, control: Handled, target: NativeOption, keys: tuple[str, ...]) -> None:
    asked = control.handle.evaluate_handle("(list, index) => list.options[index]", target.index)
    option = await element_of(asked)
    assert option is not None
    await click_element(tab, option, keys)


async def _is_selected(control: Control[ControlQuery], target: NativeOption) -> bool:
    async for _ in turns(0.1, 0.01, least=10):
        if await control.handle.evaluate(f"(list) => list.options[{target.index}]?.selected ?? false"):
            return True
    return False


async def _type_with_suggestions(tab: Tab, control: Handled, at: Place, text: str) -> None:
    await pointer.click(tab, at)
    await keyboard.replace_text(tab, text)
    await keyboard.press(tab.page, ("escape",), 1)
    if (await control.now()).value != text:
        raise ActionFailed(f'{control} did not take "{text}"; the page prevents it')


async def _choose_in_built_list(tab: Tab, control: Handled, at: Place, wanted: str) -> None:
    """Choose in a list that the page builds itself: open it with a click, then click the matching option."""
    built = BuiltList(control)
    if await control.handle.evaluate(f"(control) => ({CUSTOM})(control)[0]?.radio !== undefined"):
        await _in_group(tab, built, wanted)
        return
    if await built.click(tab, wanted, patience=0.0):
        return
    built.before = await control.handle.evaluate_handle(ALL_SHOWN)
    await pointer.click(tab, at)
    if await built.click(tab, wanted, patience=OPENING):
        return
    if control.takes_text and not control.readonly:
        await keyboard.replace_text(tab, wanted)
        if await built.click(tab, wanted, patience=OPENING):
            return
        await keyboard.select_all(tab.page)  # the typed text chose nothing, so it is replaced
        await keyboard.press(tab.page, ("delete",), 1)
        await keyboard.type_text(tab.line, control.value)
    texts = await built.texts()
    await keyboard.press(tab.page, ("escape",), 1)
    if not texts:
        raise ActionFailed(f"{control} opened no list of options; click it and look at what opens")
    pick(wanted, texts)
    raise ActionFailed(f'the option "{wanted}" could not be clicked; click it yourself')


async def _in_group(tab: Tab, group: BuiltList, wanted: str) -> None:
    """Check the radio button of that name in a group; in a row without names, such as stars, the n-th."""
    texts = await group.texts()
    unnamed = len(set(map(normal, texts))) == 1 and wanted.isdecimal() and 0 < int(wanted) <= len(texts)
    place = int(wanted) - 1 if unnamed else pick(wanted, texts)
    found = await group.control.handle.evaluate_handle(
        f"(control, place) => ({CUSTOM})(control)[place]", place
    )
    radio = await element_of(found.get_property("radio"))
    element = await element_of(found.get_property("element"))
    assert radio is not None
    assert element is not None
    if await radio.evaluate(IS_ON):
        return
    await click_element(tab, element)
    async for _ in turns(0.5, 0.02, least=25):
        if not await radio.evaluate("(radio) => radio.isConnected") or await radio.evaluate(IS_ON):
            return
    raise ActionFailed(f'"{texts[place]}" did not become the chosen one; the page prevents it')


@dataclass(slots=True)
class BuiltList:
    """The options that a page shows for a control, open or not."""

    control: Handled
    before: JSHandle | None = None
    """Elements visible before the control was used: they are not its options."""

    async def texts(self) -> list[str]:
        script = f"(control, before) => ({CUSTOM})(control, before).map((each) => each.text)"
        texts: list[str] = await self.control.handle.evaluate(script, self.before)
        return texts

    async def click(self, tab: Tab, wanted: str, patience: float) -> bool:
        """Click the option once it is visible; False if it is not within `patience` seconds."""
        loop = asyncio.get_running_loop()
        end, turned = loop.time() + patience, 0
        while True:
            texts = await self.texts()
            place = next((n for n, text in enumerate(texts) if normal(text) == normal(wanted)), None)
            if place is not None:
                script = f"(control, [before, place]) => ({CUSTOM})(control, before)[place]?.element"
                arguments = [self.before, place]
                found = await element_of(self.control.handle.evaluate_handle(script, arguments))
                with contextlib.suppress(ActionFailed):  # a list may redraw itself when scrolled
                    if found is not None:
                        end = max(end, loop.time() + patience / 2) if turned < TURNS else end
                        turned += 1
                        await click_element(tab, found)
                        return True
            if texts and patience and turned < TURNS and await self.turn():
                turned += 1
                continue
            if loop.time() >= end:
                return False
            await asyncio.sleep(0.02)

    async def turn(self) -> bool:
        """Scroll on in a list that draws only visible options; False at its end."""
        moved: bool = await self.control.handle.evaluate(TURN % CUSTOM, [self.before, False])
        return moved


def _options_in_words(texts: Sequence[str]) -> str:
    shown = ", ".join(f'"{shorten(text, 40)}"' for text in texts[:LISTED])
    return f"{shown} and {len(texts) - LISTED} more" if len(texts) > LISTED else shown or "none"
