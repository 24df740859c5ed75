"""OS-Genesis' triples: a screen, an action, the screen after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gui_agent.agent.limits import identity
from gui_agent.core.observation import Observation
from gui_agent.elements.describe import describe_step
from gui_agent.planners.llm.rendering import screen_text
from guiagent_eval.exports import Pictures
from guiagent_eval.practice.turns import Conversation, proposal_of

FILE = "triples.jsonl"
CALLS = False


def rows(told: Conversation, pictures: Pictures) -> Iterator[Mapping[str, Any]]:
    """One row a step that was carried out."""
    for one in told.taken:
        for step in one.turn.steps:
            if step.action is None:
                continue
            yield {
                **_screen("before", step.before, pictures),
                "action": {**proposal_of(step), "said": describe_step(step)},
                **_screen("after", step.after, pictures),
                "url": step.before.place.url,
                "website_name": step.before.place.app,
                "instruction": told.kept.trajectory.task.text,
            }


def _screen(when: str, seen: Observation, pictures: Pictures) -> dict[str, str]:
    shot = seen.screenshot
    return {
        f"screen_{when}": pictures.name(shot) if shot else "",
        f"a11y_{when}": screen_text(seen, ""),
        f"state_{when}": identity(seen),
    }
