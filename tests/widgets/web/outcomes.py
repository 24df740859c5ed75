"""What a run says of each action on the widgets of real libraries, beside what the page itself tells.

    .venv/bin/python -m tests.widgets.web.outcomes [LIBRARY ...]

The page is asked by a script of its own for texts, values, states, places and scroll positions before and
after each action, and the pictures are compared pixel by pixel: neither goes through the code that is judged.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from guiagent_eval.page_computer import PageComputer
from PIL import Image, ImageChops

from gui_agent.core.errors import GuiAgentError
from gui_agent.core.observation import Screenshot
from gui_agent.core.trajectory import Step, Turn
from gui_agent.wiring.running import run
from tests.widgets.web.kinds import KINDS
from tests.widgets.web.libraries import CACHE, LIBRARIES, built
from tests.widgets.web.matrix import STATE, served

TRUTH = """() => {
  const facts = {texts: {}, values: [], states: [], scrolls: [], places: []};
  const seen = (e) => {
    const box = e.getBoundingClientRect(), style = getComputedStyle(e);
    return box.width > 1 && box.height > 1 && box.bottom > 0 && box.top < innerHeight && box.right > 0 &&
      box.left < innerWidth && style.visibility !== "hidden" && +style.opacity > 0.05;
  };
  const ask = (root) => {
    for (const e of root.querySelectorAll("*")) {
      if (e.shadowRoot) ask(e.shadowRoot);
      if (!seen(e)) continue;
      for (const n of e.childNodes) if (n.nodeType === 3 && n.data.trim()) {
        const text = n.data.trim().slice(0, 80); facts.texts[text] = (facts.texts[text] || 0) + 1;
      }
      const field = /^(INPUT|TEXTAREA|SELECT)$/.test(e.tagName);
      if (field) facts.values.push(String(e.value));
      facts.states.push([e.checked, e.getAttribute("aria-checked"), e.getAttribute("aria-pressed"),
        e.getAttribute("aria-selected"), e.getAttribute("aria-expanded")].map((s) => s ?? "").join());
      if (e.scrollTop || e.scrollLeft) facts.scrolls.push([e.scrollTop, e.scrollLeft].join());
      if (e.matches("[role=slider], [draggable=true], [role=separator]")) {
        const b = e.getBoundingClientRect(); facts.places.push([b.left, b.top].map(Math.round).join());
      }
    }
  };
  ask(document);
  facts.states = facts.states.filter((s) => s.replace(/,|false/g, ""));
  facts.scrolls.push([scrollX, scrollY].join());
  facts.url = location.href.split("?")[0] + location.hash;
  return JSON.stringify(facts);
}"""
PIXELS = 40
"""Pixels that may differ between two pictures of the same: a text cursor."""
SAYS = {
    "values": ("became", "confirmed", "filled", "empty", "spaces", "selected"),
    "states": (
        *(
            "checked",
            "selected",
            "pressed",
            "expanded",
            "on",
            "off",
            "closed",
            "appeared",
            "went",
            "confirmed",
        ),
        *("became", "longer", "shorter", "disabled", "moved", "now", "focus", "picture"),
    ),
}
"""Words of which one has to be said when nothing else changed."""


@dataclass
class Watching:
    """Follows a run and keeps a line for each action."""

    computer: PageComputer
    library: str
    kind: str
    pairs: list[dict[str, Any]] = field(default_factory=list)
    _before: dict[str, Any] = field(default_factory=dict)

    def decided(self, turn: Turn) -> None:
        """Ask the page before the first action."""
        self._before = self._truth()

    def stepped(self, step: Step) -> None:
        """Compare what was said of an action with what the page tells."""
        before, after = self._before, self._truth()
        self._before = after
        if step.error or step.action is None or step.action.kind in ("wait", "navigate", "open"):
            return
        facts = [name for name in after if before.get(name) != after[name]]
        drawn = drawn_apart(step.before.screenshot, step.after.screenshot)
        said = f"{step.outcome.kind} {step.outcome.summary} {'; '.join(step.outcome.evidence)}"
        self.pairs.append(
            {
                "library": self.library,
                "kind": self.kind,
                "action": step.action.kind,
                "changed": facts,
                "pixels": drawn,
                "outcome": step.outcome.kind,
                "said": said[:300],
                "verdict": verdict(facts, drawn, before, after, step.outcome.kind, said),
            }
        )

    def _truth(self) -> dict[str, Any]:
        try:
            return dict(json.loads(self.computer.evaluate(TRUTH)))
        except GuiAgentError:
            return {}


def drawn_apart(one: Screenshot | None, other: Screenshot | None) -> int:
    """Pixels that differ visibly between two pictures."""
    if one is None or other is None or one.size != other.size:
        return 0
    with Image.open(io.BytesIO(one.data)) as first, Image.open(io.BytesIO(other.data)) as second:
        grey = ImageChops.difference(first.convert("RGB"), second.convert("RGB")).convert("L")
    return sum(grey.point(lambda value: 255 if value > 24 else 0).histogram()[255:])


def verdict(
    facts: list[str], drawn: int, before: dict[str, Any], after: dict[str, Any], outcome: str, said: str
) -> str:
    """right, or what is wrong with the outcome: `false nothing`, `false change`, `wrong news`."""
    if not facts and drawn <= PIXELS:
        wrong = outcome == "changed" and "focus" not in said
        return "false change" if wrong else "right"
    if outcome == "no_change":
        return "false nothing" if facts else "false nothing (picture)"
    only = [name for name in facts if name in SAYS]
    if facts and only == facts and not any(word in said for name in only for word in SAYS[name]):
        return "wrong news"
    return "right"


def pairs(library: str) -> Iterator[dict[str, Any]]:
    """The actions on all widgets of a library, each widget on a freshly loaded page."""
    page = built(library)
    (CACHE / "receipt.txt").write_text("42 euros")
    with served(page.parent) as address, PageComputer() as computer:
        computer.start(f"{address}/{page.name}")
        computer.settle()
        facts = json.loads(computer.evaluate(STATE))
        for kind, asked in KINDS.items():
            if kind not in facts["kinds"]:
                continue
            commands = facts["wording"].get(kind, asked.commands).replace("FILE", str(CACHE / "receipt.txt"))
            watching = Watching(computer, library, kind)
            with contextlib.suppress(GuiAgentError):
                run(
                    commands,
                    url=f"{address}/{page.name}?kind={kind.replace(' ', '+')}",
                    computer=computer,
                    yes=True,
                    observers=[watching],
                    trace={"folder": str(CACHE / "runs"), "pictures": True},
                    memory={"enabled": False},
                    limits={"seconds": 60.0},
                )
            yield from watching.pairs


def main(libraries: list[str]) -> int:
    """Print a line for each wrong outcome and the figures; 1 when fewer than 97 of 100 are right."""
    found: list[dict[str, Any]] = []
    right = nothing = still = 0
    for library in libraries or LIBRARIES:
        for pair in pairs(library):
            found.append(pair)
            if pair["verdict"] != "right":
                sys.stdout.write(f"{json.dumps(pair)}\n")
        right = sum(pair["verdict"] == "right" for pair in found)
        nothing = sum(pair["verdict"].startswith("false nothing") for pair in found)
        still = sum(not pair["changed"] and pair["pixels"] <= PIXELS for pair in found)
        told = f"{right} of {len(found)} right, {nothing} false 'nothing changed', {still} without a change"
        sys.stdout.write(f"up to {library}: {told}\n")
        sys.stdout.flush()
    return int(right < 0.97 * len(found) or nothing > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
