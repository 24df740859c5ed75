"""Where the bar in a recorded page has its buttons, which only the browser itself can tell."""

from __future__ import annotations

from typing import Any


async def at_button(page: Any, act: str) -> tuple[float, float]:
    """The middle of a button of the bar in a page of Playwright."""
    line = await page.context.new_cdp_session(page)
    tree = await line.send("DOM.getDocument", {"depth": -1, "pierce": True})
    waiting = [tree["root"]]
    while waiting:
        node = waiting.pop()
        if act in node.get("attributes", ()):
            quad = (await line.send("DOM.getBoxModel", {"nodeId": node["nodeId"]}))["model"]["border"]
            return (quad[0] + quad[2]) / 2, (quad[1] + quad[5]) / 2
        waiting += [*node.get("children", ()), *node.get("shadowRoots", ())]
    raise AssertionError(f"there is no button {act}")
