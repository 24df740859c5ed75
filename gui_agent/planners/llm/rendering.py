"""Renders the texts for a model: prompts, one template per role, and screens and steps."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from heapq import nlargest
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from gui_agent.core.actions import PHONES
from gui_agent.core.observation import Observation
from gui_agent.core.texts import equal_runs, shorten
from gui_agent.core.trajectory import Outcome, Step, Turn
from gui_agent.elements.abstraction import weights
from gui_agent.elements.describe import describe_step, printable
from gui_agent.planners.llm.listing import LISTING, WIDEST, list_lines

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).resolve().parent / "templates"
OPEN, CLOSE = "⟦", "⟧"
"""Brackets around untrusted text; such text cannot contain them, so it cannot forge its own end."""
_FORGED = str.maketrans({OPEN: "[", CLOSE: "]"})
_BLANKS = re.compile(r"\n{3,}")
_NUMBER = re.compile(r"\[(\d+)\]\*?")
"""The number of an element in a line, and the sign that it is new."""

Role = Literal["system", "task", "moment", "verify", "compare"]


def render(role: Role, **context: Any) -> str:
    """The prompt of a role; raises if a name is missing in the context."""
    given = {"open": OPEN, "close": CLOSE, "fence": fence, "phones": PHONES, **context}
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


OUTCOME, LAST_OUTCOME = 240, 80
"""Maximum characters about one outcome, and about one whose screen is listed right after it."""
NOTHING = "Nothing is open, or its elements cannot be listed; use the picture."
HIDDEN = 8
"""Maximum names of elements out of sight."""
_WORDS = {
    "confirmed": "worked",
    "changed": "the screen changed",
    "no_change": "nothing visible changed",
    "unexpected": "NOT as expected",
    "unverifiable": "outcome unknown",
    "failed": "FAILED",
}


def screen_text(
    observation: Observation, task: str, most: int = LISTING, seen: Sequence[Observation] = ()
) -> str:
    """The location and the elements: the relevant ones with their numbers, in reading order.

    A table row takes one line, and is either complete or missing.

    Args:
        seen: screens whose lists the reader has. Lines that the last one has too are named in one by their
            numbers; on a page that is back, those of its last time, where that is shorter. No number is named
            whose line became another one since.
    """
    lines, left_out = list_lines(observation, task, most)
    heading = _heading(observation)
    if seen:
        known = _comparable([list_lines(one, task, most)[0] for one in seen], lines)
        lines = min((_with_known_lines(old, lines) for old in known), key=lambda told: sum(map(len, told)))
        heading = [line for line in heading if line not in _heading(seen[-1])]
    left_out += observation.left_out
    hidden = observation.beyond
    weighed = weights(hidden, task)
    best = sorted(nlargest(HIDDEN, range(len(hidden)), key=weighed.__getitem__))
    names = ", ".join(shorten(str(hidden[place]), 40) for place in best)
    rest = f" and {len(hidden) - HIDDEN} more" if len(hidden) > HIDDEN else ""
    return "\n".join(
        [
            *heading,
            *(lines or [NOTHING]),
            *([f"({left_out} more elements are not listed)"] if left_out else []),
            *([f"Out of sight: {names}{rest}"] if names else []),
            *(f"Just now: {notice}" for notice in observation.news),
        ]
    )


def _comparable(seen: Sequence[Sequence[str]], shown: Sequence[str]) -> list[Sequence[str]]:
    """The lines of the last screen, and of the one before it that has most of those shown and still valid."""
    latest: dict[str, str] = {}
    for line in chain.from_iterable(seen):
        latest.update(dict.fromkeys(_NUMBER.findall(line), line))

    def valid(lines: Sequence[str]) -> list[str]:
        return [line for line in lines if {latest[number] for number in _NUMBER.findall(line)} <= {line}]

    *earlier, last = seen
    wanted = {*map(_without_numbers, shown)}
    best = max(
        map(valid, earlier), key=lambda lines: len(wanted & {*map(_without_numbers, lines)}), default=last
    )
    return [last, best]


def _without_numbers(line: str) -> str:
    return _NUMBER.sub("[]", line)


def _with_known_lines(known: Sequence[str], shown: Sequence[str]) -> list[str]:
    """The lines shown, each run of lines that were known as one line: `[5] to [30] as before`.

    If the elements have other numbers on this page, it says which: `[95] to [99] as [5] to [9] before`.
    """
    old, new = ([*map(_without_numbers, lines)] for lines in (known, shown))
    lines: list[str] = []
    done = 0
    for there, here, size in equal_runs(old, new):
        lines += shown[done:here]
        done = here + size
        pairs = zip(known[there:], shown[here:done], strict=False)
        lines += chain.from_iterable(_run_in_words(shift, [*run]) for shift, run in groupby(pairs, _shift))
    return lines


def _shift(pair: tuple[str, str]) -> int | None:
    """By how much the numbers of a line differ from those of a known one; None if by several amounts."""
    numbers = ([int(number) for number in _NUMBER.findall(line)] for line in pair)
    shifts = {now - then for then, now in zip(*numbers, strict=True)}
    return shifts.pop() if len(shifts) == 1 else None


def _run_in_words(shift: int | None, pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Lines that differ from known ones only by an amount added to their numbers, as one line if shorter."""
    lines = [line for _, line in pairs]
    if shift is None or len(lines) == 1:
        return lines
    first, last = (int(_NUMBER.findall(line)[0]) for line in (lines[0], lines[-1]))
    then = f" [{first - shift}] to [{last - shift}]" if shift else ""
    told = f"[{first}] to [{last}] as{then} before"
    return [told] if len(told) < sum(map(len, lines)) else lines


def place_text(observation: Observation) -> str:
    """Only the location and the events; for models that read the picture."""
    return "\n".join([*_heading(observation), *(f"Just now: {notice}" for notice in observation.news)])


def step_line(step: Step, most: int = OUTCOME) -> str:
    return f"{step.number}. {shorten(describe_step(step), 100)}: {_outcome_text(step, most)}"


def _outcome_text(step: Step, most: int) -> str:
    """The outcome of a step, in a few words; what the step itself says is not repeated."""
    outcome, action = step.outcome, step.planned.action
    entered = getattr(action, "text", getattr(action, "option", None))
    is_said = entered and outcome.summary.endswith(f'became "{entered}"') and ";" not in outcome.summary
    return _WORDS["confirmed"] if outcome.kind == "confirmed" and is_said else outcome_text(outcome, most)


def outcome_text(outcome: Outcome, most: int = OUTCOME) -> str:
    """An outcome in a few words; the reason of one that is not good in up to OUTCOME characters."""
    most = most if outcome.good else OUTCOME
    word, summary = _WORDS[outcome.kind], outcome.summary
    if summary.startswith(word):
        return shorten(summary, most)
    return shorten(f"{word} ({summary})" if summary else word, most)


def history_text(turns: Sequence[Turn], most: int = 1_000) -> str:
    """The last steps of these turns, one line each.

    Tool calls precede them, because their effects are seen nowhere else.
    """
    steps = _steps(turns)
    lines = [step_line(step) for step in steps[-most:]]
    uses = chain.from_iterable(turn.decision.called for turn in turns)
    called = [f"Called {use}" for use in uses]
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
