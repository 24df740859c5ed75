"""Renders the texts for a model: prompts, one template per role, and screens and steps."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from heapq import nlargest
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from gui_agent.core.observation import Observation
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Outcome, Step, Turn
from gui_agent.elements.abstraction import weights
from gui_agent.elements.describe import describe_step, printable
from gui_agent.planners.llm.listing import BEHIND, LISTING, WIDEST, list_lines

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).resolve().parent / "templates"
OPEN, CLOSE = "⟦", "⟧"
"""Brackets around untrusted text; such text cannot contain them, so it cannot forge its own end."""
_FORGED = str.maketrans({OPEN: "[", CLOSE: "]"})
_BLANKS = re.compile(r"\n{3,}")

Role = Literal["system", "task", "moment", "judge", "verify", "manage"]


def render(role: Role, **context: Any) -> str:
    """The prompt of a role; raises if a name is missing in the context."""
    given = {"open": OPEN, "close": CLOSE, "fence": fence, **context}
    text = _environment().get_template(f"{role}.md.j2").render(given)
    return _BLANKS.sub("\n\n", text).strip()


def fence(text: str, source: str) -> str:
    """Untrusted text between brackets that name its source and that it cannot contain itself."""
    return f"{OPEN}{source}\n{own(text)}\n/{source}{CLOSE}"


def own(text: str) -> str:
    """Text without the brackets of `fence` and without characters that hide its content."""
    return printable(text.translate(_FORGED))


@functools.cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    # Prompts are plain text; HTML escaping would garble them.
    return Environment(
        loader=FileSystemLoader(FOLDER),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )


OUTCOME = 240
"""Maximum characters about one outcome."""
NOTHING = "Nothing is open, or its elements cannot be listed; use the picture."
HIDDEN = 8
"""Maximum names of elements out of sight."""
REMEMBERED = 12
"""Maximum older steps listed individually."""

_WORDS = {
    "confirmed": "worked",
    "changed": "the screen changed",
    "no_change": "nothing visible changed",
    "unexpected": "NOT as expected",
    "unverifiable": "outcome unknown",
    "failed": "FAILED",
}


def screen_text(observation: Observation, task: str, most: int = LISTING) -> str:
    """The location and the elements: the relevant ones with their numbers, in reading order.

    A table row takes one line, and is either complete or missing.
    """
    shown, left_out = list_lines(observation, task, most)
    return _list_in_words(observation, shown or [NOTHING], left_out, task)


def _list_in_words(observation: Observation, lines: Sequence[str], left_out: int, task: str) -> str:
    left_out += observation.left_out
    hidden = observation.beyond
    weighed = weights(hidden, task)
    best = sorted(nlargest(HIDDEN, range(len(hidden)), key=weighed.__getitem__))
    names = ", ".join(shorten(str(hidden[place]), 40) for place in best)
    rest = f" and {len(hidden) - HIDDEN} more" if len(hidden) > HIDDEN else ""
    return "\n".join(
        [
            *_heading(observation),
            *lines,
            *([f"({left_out} more elements are not listed)"] if left_out else []),
            *([f"Out of sight, name it by words: {names}{rest}"] if names else []),
            *(f"Just now: {notice}" for notice in observation.news),
        ]
    )


def screen_changes(before: Observation, now: Observation, task: str, most: int = LISTING) -> str | None:
    """The changes to the element list since a screen the model has seen, and the current location.

    None if a list of changes would mislead: an element came to or left the front, or the remaining
    elements are in another order, as the rows of a sorted table.
    """
    known, _ = list_lines(before, task, most)
    shown, left_out = list_lines(now, task, most)
    old, new = _numbers(known), _numbers(shown)
    stayed = [line for line in new if line in old]
    if (BEHIND in known) != (BEHIND in shown) or stayed != [line for line in old if line in new]:
        return None
    fresh = [line for line in shown if (bare := _without_marks(line)) in new and bare not in old]
    there = set(new.values())
    gone = [number for line, number in old.items() if line not in new and number not in there]
    lines = fresh or ["Nothing in the list is new or differs."]
    lines += [f"No longer listed: {', '.join(gone)}"] if gone else []
    return _list_in_words(now, lines, left_out, task)


def _without_marks(line: str) -> str:
    return line.replace("]* ", "] ")


def _numbers(lines: Sequence[str]) -> dict[str, str]:
    return {_without_marks(line): line.partition("]")[0] + "]" for line in lines if line.startswith("[")}


def place_text(observation: Observation) -> str:
    """Only the location and the events; for models that read the picture."""
    return "\n".join([*_heading(observation), *(f"Just now: {notice}" for notice in observation.news)])


def step_line(step: Step) -> str:
    return f"{step.number}. {shorten(describe_step(step), 100)}: {outcome_text(step.outcome)}"


def outcome_text(outcome: Outcome) -> str:
    """The outcome of an action, in a few words."""
    word, summary = _WORDS[outcome.kind], outcome.summary
    if summary.startswith(word):
        return shorten(summary, OUTCOME)
    return shorten(f"{word} ({summary})" if summary else word, OUTCOME)


def history_text(turns: Sequence[Turn], most: int = REMEMBERED) -> str:
    """The steps of these turns, one line each; if there are more than `most`, earlier ones are only counted.

    Tool calls precede them, because their effects are seen nowhere else.
    """
    steps = _steps(turns)
    early, late = steps[: max(0, len(steps) - most)], steps[-most:]
    lines = [step_line(step) for step in late]
    if early:
        bad = sum(not step.outcome.good for step in early)
        titles = (shorten(step.after.place.title, 40) for step in early)
        places = [*dict.fromkeys(filter(None, titles))]
        seen = f"; screens: {', '.join(places[-5:])}" if places else ""
        lines.insert(0, f"1 to {early[-1].number}: {len(early)} steps, {bad} of them failed{seen}")
    uses = chain.from_iterable(turn.decision.called for turn in turns)
    called = [f"Called {use.what}: {shorten(use.result, OUTCOME)}" for use in uses]
    return "\n".join([*called, *lines])


def _steps(turns: Sequence[Turn]) -> list[Step]:
    return list(chain.from_iterable(turn.steps for turn in turns))


def failures(turns: Sequence[Turn]) -> tuple[int, ...]:
    """The numbers of the last two steps if both went wrong, otherwise none."""
    wrong = [step.number for step in _steps(turns)[-2:] if not step.outcome.good]
    return tuple(wrong) if len(wrong) == 2 else ()


def _heading(observation: Observation) -> list[str]:
    place, more = observation.place, observation.more
    where = " - ".join(filter(None, (place.app, place.title)))
    beyond = ", ".join(f"{pixels} px {side}" for side, pixels in more.items() if pixels)
    told = {
        "Place": shorten(where, WIDEST),
        "Address": shorten(place.url, 200),
        "Other windows": ", ".join(shorten(title, 40) for title in place.others[:8]),
        "More to scroll": beyond,
    }
    return [f"{name}: {text}" for name, text in told.items() if text]
