"""The isolated JavaScript world of the page script, one in each frame of a page.

A world shares the document with the page but no globals and no prototypes. So the page can neither see
nor break the script.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from functools import cache
from importlib.resources import files
from typing import Any

from gui_agent.computers.browser.act._control import CONTROL, FACTS
from gui_agent.computers.browser.cdp.sender import MOVED_ON, Sender, errors, is_gone, is_moved_on
from gui_agent.computers.event_loop import turns
from gui_agent.core.errors import ActionFailed, ComputerLost
from gui_agent.core.observation import NOTHING, Effects, Form

NAME = "guiagent"
PARTS = (
    *("geometry", "colours", "roles", "names", "states", "walk", "tools"),
    *("candidates", "labels", "stands", "does", "shows", "list", "at", "person", "controls", "reading"),
)
"""The script's files in `js/`; they share one scope."""
MOVING, LEAST = 3.0, 5
"""Seconds, and minimum attempts (a busy machine is slow), to reach a page that keeps changing documents."""
AGAIN = 0.01
"""Seconds between two attempts to reach a page that is changing documents."""
BIRTH = f'globalThis.{NAME}?.document ?? ""'
"""The script's own name of its document; empty if there is no script."""
LOST_FRAME = ("No frame for given id", "No frame with given id", "Frame with the given")


class FrameGone(Exception):
    """The frame was removed or moved to another process between two messages."""


@cache
def script() -> str:
    """The whole script for evaluation in each world; a second evaluation changes nothing."""
    folder = files("gui_agent.computers.browser.look") / "js"
    parts = [(folder / f"{part}.js").read_text(encoding="utf-8") for part in PARTS]
    scripts = f"const theControl = {CONTROL};\nconst factsOf = {FACTS};"
    body = "\n".join((scripts, *parts))
    given = (
        "take, at, focusNow, owner, look, idsAt, idsIn, inPicture, controlAt, askControl, expectPress,"
        " controlAfterClick, wholeText, pageTools, callPageTool, document: birth"
    )
    return f'globalThis.{NAME} ??= (() => {{ "use strict";\n{body}\nreturn {{ {given} }}; }})(), 0'


class IsolatedWorld:
    """The script's world in one frame; created again after a navigation destroyed it."""

    _serials = itertools.count(1)

    def __init__(self, session: Sender, frame_id: str = "") -> None:
        self.session = session
        self.frame_id = frame_id
        self.serial = 0
        """Number of the document that the script was last installed in; unique for each."""
        self.context = 0
        self._document = ""
        self._main_frame = ""
        self._documents = 0
        self._making: asyncio.Task[None] | None = None

    async def install(self) -> None:
        """Have the browser install the script in each new document of the main frame from now on."""
        source = f"if (window === window.top) {{ {script()} }}"
        await self.session.send(
            "Page.addScriptToEvaluateOnNewDocument", {"source": source, "worldName": NAME}
        )

    def renew(self, frame_id: str) -> None:
        """Recreate the world for a new document in the main frame before the next request."""
        self._main_frame, self.context = frame_id, 0
        self._documents += 1
        self._making = asyncio.create_task(self._put())
        self._making.add_done_callback(_take_error)

    async def call(self, expression: str) -> Any:
        async for _ in turns(MOVING, AGAIN, LEAST):
            try:
                if not self.context:
                    await self._make()
                answer = await self._evaluate(f"{NAME}.{expression}", self.context)
            except errors() as error:
                self._raise_unless_passing(error)
            else:
                return json.loads(answer)
        raise ActionFailed("the page keeps navigating and cannot be looked at; wait until it has loaded")

    async def run(self, source: str) -> None:
        if not self.context:
            await self._make()
        await self._evaluate(source, self.context)

    async def frame_of(self, expression: str) -> str | None:
        """The driver's id of the frame in an element; `expression` is a call that returns the element."""
        given = await self.session.send(
            "Runtime.evaluate", {"expression": f"{NAME}.{expression}", "contextId": self.context}
        )
        if "objectId" not in given["result"]:
            return None
        told = await self.session.send("DOM.describeNode", {"objectId": given["result"]["objectId"]})
        found: str | None = told["node"].get("frameId")
        return found

    async def _make(self) -> None:
        making, self._making = self._making, None
        if making is None:
            await self._put()
        else:
            await making

    async def _put(self) -> None:
        before, frame = self._documents, self.frame_id or self._main_frame
        if not frame:
            tree = await self.session.send("Page.getFrameTree")
            frame = tree["frameTree"]["frame"]["id"]
        made = await self.session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": NAME})
        context = made["executionContextId"]
        document = await self._evaluate(BIRTH, context)
        if not document:
            await self._evaluate(script(), context)
            document = await self._evaluate(BIRTH, context)
        if before != self._documents:
            return  # another one has arrived meanwhile
        if document != self._document:
            self._document, self.serial = document, next(IsolatedWorld._serials)
        self.context = context

    async def _evaluate(self, expression: str, context: int) -> Any:
        answer = await self.session.send(
            "Runtime.evaluate",
            {"expression": expression, "contextId": context, "returnByValue": True, "awaitPromise": True},
        )
        if "exceptionDetails" in answer:
            thrown = answer["exceptionDetails"].get("exception", {})
            if f"{NAME} is not defined" in str(thrown.get("description")):
                # A page in another process restarts its numbering: the number belongs to another world now.
                raise errors()(MOVED_ON[0])
            told = str(thrown.get("description") or thrown.get("value")).splitlines()
            raise RuntimeError(f"the element list's script failed: {' '.join(told[:3])}")
        return answer["result"].get("value")

    def _raise_unless_passing(self, error: Exception) -> None:
        lost = any(sign in str(error) for sign in LOST_FRAME) and not self.frame_id
        if lost or (is_moved_on(error) and not is_gone(error)):
            self.context = 0
            return
        if self.frame_id:
            raise FrameGone(str(error)) from error
        raise ComputerLost("the tab was closed or its page crashed; open it again") from error


def _take_error(task: asyncio.Task[None]) -> None:
    """Mark a failure as handled; the next request to the world raises it."""
    if not task.cancelled():
        task.exception()


def effects_of(told: dict[str, Any]) -> Effects:
    """The effects that the script reports for a control."""
    made = told | {key: tuple(told[key]) for key in ("said", "areas") if key in told}
    if "form" in told:
        form = told["form"]
        made["form"] = Form(**form | {key: tuple(form.get(key, ())) for key in ("words", "fields")})
    return Effects(**made) if told else NOTHING
