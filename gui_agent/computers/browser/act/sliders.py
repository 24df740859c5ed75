"""Sliders, which are moved with the arrow keys and read back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui_agent.core.errors import ActionFailed

if TYPE_CHECKING:
    from gui_agent.computers.browser.act.control import Asked, Control
    from gui_agent.computers.browser.act.pointer import Place
    from gui_agent.computers.browser.tab import Tab

FOCUS_ONLY = "(slider) => slider.focus()"
READ = """(slider) => slider.localName === "input"
  ? [slider.valueAsNumber, Number(slider.min || 0), Number(slider.max || 100)]
  : [slider.getAttribute("aria-valuenow"), slider.getAttribute("aria-valuemin") || 0,
     slider.getAttribute("aria-valuemax") || 100].map(Number)"""
MOST = 2000
"""Key presses after which a slider counts as not movable."""


async def set_slider(tab: Tab, control: Control[Asked], text: str, at: Place) -> None:
    """Press arrow keys until the slider shows the number, or the nearest one it can show.

    Raises:
        ActionFailed: not a number, beyond the ends of the slider, or the slider does not follow the keys.
    """
    try:
        wanted = float(text.strip().rstrip("%"))
    except ValueError as error:
        raise ActionFailed(f"{control} takes a number only") from error
    value, least, most = await control.handle.evaluate(READ)
    if not least <= wanted <= most:
        raise ActionFailed(f"{control} goes from {least:g} to {most:g}; the number is not on it")
    await control.handle.evaluate(FOCUS_ONLY)  # a click on a slider would move it
    for _ in range(MOST):
        if value == wanted:
            return
        await tab.page.keyboard.press("ArrowRight" if value < wanted else "ArrowLeft")
        before, (value, _, _) = value, await control.handle.evaluate(READ)
        if value == before:
            raise ActionFailed(f"{control} stays at {value:g}; drag its handle instead")
        if (before - wanted) * (value - wanted) < 0:
            raise ActionFailed(f"{control} cannot show the number; next to it are {before:g} and {value:g}")
    raise ActionFailed(f"{control} did not reach the number; drag its handle instead")
