"""Checkboxes, radio buttons and switches; and files for file fields."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gui_agent.computers.browser.act import pointer
from gui_agent.computers.browser.act.control import Control, ControlQuery, control_at
from gui_agent.core.errors import ActionFailed
from gui_agent.core.os_errors import user_path
from gui_agent.elements.roles import RADIOS

if TYPE_CHECKING:
    from gui_agent.computers.browser.act.pointer import Place
    from gui_agent.computers.browser.tab import Tab

IS_ON = """(box) => {
  if (box.localName === "input") {
    return ["checkbox", "radio"].includes(box.type) ? box.checked && !box.indeterminate : null;
  }
  const told = box.getAttribute("aria-checked") ?? box.getAttribute("aria-pressed");
  return told === null ? null : told === "true";
}"""
PATIENCE = 0.5
"""Seconds for a page's own code to show the new state."""
CHOOSER = 3.0
"""Seconds for a file chooser to open."""


async def check(tab: Tab, at: Place, on: bool) -> None:
    """Leave the box at the place on or off: click only when it is not so already, and read it back.

    Raises:
        ActionFailed: it is no such box, it is a radio button to be switched off, or it did not follow.
    """
    control = await control_at(tab, at)
    state = await control.handle.evaluate(IS_ON)
    if state is None:
        raise ActionFailed(f"{control} cannot be checked; click it instead")
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
    raise ActionFailed(f"{control} did not become {'checked' if on else 'unchecked'}; something prevents it")


async def upload(tab: Tab, at: Place, files: Sequence[str]) -> None:
    """Click what opens a file chooser and give it the files.

    Raises:
        ActionFailed: a file does not exist, no chooser opened, or it takes one file only.
    """
    paths = [user_path(name) for name in files]
    for path in paths:
        if not path.is_file():
            raise ActionFailed(f"there is no file {path}; give the path of an existing file")
    tab.chooser = None
    await pointer.click(tab, at)
    chooser = await tab.chooser_opened(CHOOSER)
    if chooser is None:
        raise ActionFailed("no file chooser opened; aim at the file field or its button")
    if len(paths) > 1 and not chooser.is_multiple():
        raise ActionFailed("this field takes one file; give one")
    await chooser.set_files(paths)


async def _becomes(control: Control[ControlQuery], on: bool) -> bool:
    loop = asyncio.get_running_loop()
    end = loop.time() + PATIENCE
    while True:
        if await control.handle.evaluate(IS_ON) == on:
            return True
        if loop.time() > end:
            return False
        await asyncio.sleep(0.01)
