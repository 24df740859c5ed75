"""Asking the person at the terminal, with a picture of what the question is about."""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
import weakref
from pathlib import Path
from typing import TextIO

from gui_agent.agent.guard.guard import ANY, Answer, Question
from gui_agent.core.actions import Action, places
from gui_agent.core.geometry import Box
from gui_agent.core.observation import Observation
from gui_agent.core.texts import shorten
from gui_agent.elements.describe import printable

LONGEST = 600
"""Letters of a question that are shown."""
MARGIN = 60
"""Pixels around the target that the picture shows."""


class TerminalApprover:
    """Puts the guard's questions to the person at the terminal: yes, always, or no."""

    def __init__(
        self, source: TextIO | None = None, sink: TextIO | None = None, folder: Path | None = None
    ) -> None:
        """
        Args:
            source: where answers are read from; standard input when not given.
            sink: where questions are written to; standard error, so that standard output stays clean.
            folder: where pictures are put; when not given a temporary one, which goes with this object.
        """
        self._source = source
        self._sink = sink
        self._folder = folder
        self._pictures = 0

    def approve(self, question: str, action: Action, observation: Observation) -> bool:
        """Ask a plain yes or no."""
        at = places(action).get("at")
        box = Box(at.x, at.y, 1, 1) if at is not None else None
        return self.answer(Question(question, (action.kind,), ANY, box), observation) != "no"

    def answer(self, question: Question, observation: Observation) -> Answer:
        """Ask once; whatever is not clearly a yes, also the end of the input, is a no."""
        sink = self._sink or sys.stderr
        picture = self._crop(question.box, observation)
        where = _one_line(observation.place.url or observation.place.title)
        asked, scope = _one_line(question.text), _one_line(question.scope)
        lines = [asked, f"  on {where}" if where else "", f"  picture: {picture}" if picture else ""]
        always = "" if question.scope == ANY else f", a = always ({' + '.join(question.meanings)} on {scope})"
        sink.write("\n".join(filter(None, lines)) + f"\n  y = this once{always}, n = no: ")
        sink.flush()
        line = (self._source or sys.stdin).readline()
        if not line.endswith("\n"):
            sink.write("\n")
        match line.strip().lower():
            case "y" | "yes":
                return "once"
            case "a" | "always" if always:
                return "always"
            case _:
                return "no"

    def _crop(self, box: Box | None, observation: Observation) -> Path | None:
        """Write the part of the screen around a box to a file; None without a picture."""
        shot = observation.screenshot
        if box is None or shot is None:
            return None
        from PIL import Image, ImageDraw

        picture = Image.open(io.BytesIO(shot.data)).convert("RGB")
        edges = (box.left - 2, box.top - 2, box.right + 2, box.bottom + 2)
        ImageDraw.Draw(picture).rectangle(edges, outline="#d01030", width=2)
        window = Box(box.left - MARGIN, box.top - MARGIN, box.width + 2 * MARGIN, box.height + 2 * MARGIN)
        visible = window.intersect(Box(0, 0, picture.width, picture.height))
        if visible is None:
            return None
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="guiagent-"))
            # The pictures show what is on the person's screen: they go with this object, or with the program.
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._pictures += 1
        path = self._folder / f"question-{self._pictures}.png"
        picture.crop((visible.left, visible.top, visible.right, visible.bottom)).save(path)
        return path


def _one_line(text: str) -> str:
    """A text of a page as it may be shown: on one line, without control characters, of a readable length."""
    return shorten(printable(" ".join(text.split())), LONGEST)
