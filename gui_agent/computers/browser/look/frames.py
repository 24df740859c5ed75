"""Finds the frames of a page with their own world: of another origin, often in another process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gui_agent.computers.browser.cdp.isolated_world import FrameGone, IsolatedWorld
from gui_agent.computers.browser.cdp.sender import Limited, Silent, errors

if TYPE_CHECKING:
    from playwright.async_api import Page

FRAME = 3.0
"""Seconds for a frame in another process to answer; otherwise the page is read without it."""


@dataclass(eq=False)
class Frames:
    """Finds the world of a frame by its `iframe` element, and caches it while both exist."""

    page: Page
    _worlds: dict[tuple[int, int], IsolatedWorld | None] = field(default_factory=dict, init=False)
    """By the number of the document and of the `iframe` in it; None for a frame that does not answer."""

    @property
    def worlds(self) -> tuple[IsolatedWorld, ...]:
        """The worlds found so far whose frames are not known to have gone."""
        return tuple(filter(None, self._worlds.values()))

    async def world(self, parent: IsolatedWorld, owner: int) -> IsolatedWorld | None:
        """The world in the frame of an `iframe`; None if it cannot be reached now."""
        key = (parent.serial, owner)
        if key not in self._worlds:
            try:
                found = await self._find(parent, owner)
            except Silent:
                self._worlds[key] = None
                return None
            except (FrameGone, errors()):
                return None  # the frame is being replaced; the next look finds the new one
            if found is None:
                return None
            self._worlds = {k: w for k, w in self._worlds.items() if not w or w.frame_id != found.frame_id}
            self._worlds[key] = found
        return self._worlds[key]

    def forget(self, world: IsolatedWorld) -> None:
        """Stop using this world: its frame has gone."""
        self._worlds = {key: kept for key, kept in self._worlds.items() if kept is not world}

    def leave_out(self, world: IsolatedWorld) -> None:
        """Stop asking this world: its frame does not answer and would delay every look."""
        self._worlds = {key: None if kept is world else kept for key, kept in self._worlds.items()}

    async def _find(self, parent: IsolatedWorld, owner: int) -> IsolatedWorld | None:
        frame_id = await parent.frame_of(f"owner({owner})")
        if frame_id is None:
            return None
        tree = await parent.session.send("Page.getFrameTree")
        if frame_id in _ids(tree["frameTree"]):
            return IsolatedWorld(parent.session, frame_id)
        for frame in self.page.frames:
            if frame.parent_frame is None:
                continue
            try:
                raw = await self.page.context.new_cdp_session(frame)
            except errors():
                continue  # it lives in the process of its parent
            session = Limited(raw, FRAME)
            tree = await session.send("Page.getFrameTree")
            if tree["frameTree"]["frame"]["id"] == frame_id:
                return IsolatedWorld(session, frame_id)
            await raw.detach()
        return None


def _ids(tree: dict[str, Any]) -> Iterator[str]:
    yield tree["frame"]["id"]
    for child in tree.get("childFrames", ()):
        yield from _ids(child)
