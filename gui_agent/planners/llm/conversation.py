"""Builds the conversation of a request, anew from the run each time.

The conversation only grows: task and exemplars, then old steps in one line each, then the recent screens,
replies and outcomes verbatim, the current screen, and finally the part that is valid for this turn only.
Old turns are dropped several at a time. So all but the last screen stays byte for byte equal to the
previous request, and the provider's cache applies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import starmap, zip_longest

from gui_agent.agent.pictures import number_boxes
from gui_agent.core import dialogue
from gui_agent.core.dialogue import Asked, Call, Part, Reply, Results, ToolResult
from gui_agent.core.observation import Box, Observation
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import PERSON, Step, ToolUse, Trajectory, Turn
from gui_agent.elements.image_regions import crop
from gui_agent.planners.llm.listing import LISTING, list_lines
from gui_agent.planners.llm.rendering import (
    LAST_OUTCOME,
    failures,
    fence,
    history_text,
    own,
    place_text,
    render,
    screen_text,
    step_line,
)
from gui_agent.planners.llm.replies import Memo, earlier_plan, memo

ENLARGED = 700
"""The longer side in pixels that a part of the picture is enlarged to, in whole steps."""
REMEMBERED = 12
"""Maximum older steps that are listed."""


@dataclass(frozen=True, slots=True)
class Style:
    """How much of a run the model sees, and in which form."""

    pictures: int = 6
    """Maximum screens shown as pictures, including the current one; beside a list at most 2, 0 shows none."""
    recent: int = 12
    """Maximum turns kept verbatim; when exceeded, all but a third are dropped at once."""
    listing: int = LISTING
    """Maximum characters of the list of elements."""
    placed: bool = False
    """Leave the pictures beside the lists that they belong to; otherwise only the last ones are sent."""
    native: bool = False
    """For models that point at the picture with their own actions: omit the list of elements."""
    marks: bool = False
    """Draw the numbers of the elements on the current picture."""


def converse(situation: Situation, style: Style, skills: Sequence[str] = ()) -> tuple[dialogue.Turn, ...]:
    turns = situation.turns
    pictured = style.pictures > 0 and (style.native or style.placed)
    most = min(style.recent, max(1, style.pictures - 1)) if pictured else style.recent
    cut = first_kept(len(turns), most)
    said: list[dialogue.Turn] = [_beginning(situation, turns[:cut], skills)]
    seen: list[Observation] = []
    for number, turn in enumerate(turns[cut:], start=cut):
        _append_recalled(said, situation, number, cut)
        if turn.decision.planner != PERSON:
            _append(said, _screen_parts(turn.observation, seen, situation, style, picture=pictured))
            seen.append(turn.observation)
        _retell(said, turn)
    _append_recalled(said, situation, len(turns), cut)
    _append(said, _screen_parts(situation.observation, seen, situation, style, picture=pictured))
    _mark_stable(said)
    before = seen[-1] if seen else None
    if last := [*_pictures_beside_list(situation, before, style), *filter(None, [_moment(situation)])]:
        said.append(Asked(tuple(last)))
    return tuple(said)


def _pictures_beside_list(situation: Situation, before: Observation | None, style: Style) -> list[Part]:
    """The last pictures, for models that read the list.

    They are valid for this turn only: in the history, each dropped picture would change the beginning, which
    services keep in their caches.
    """
    is_placed = style.native or style.placed or not style.pictures
    shot = None if is_placed else situation.observation.screenshot
    if shot is None:
        return []
    boxes = {element.id: element.box for element in situation.observation.controls}
    marked = (style.marks and number_boxes(shot, boxes)) or shot
    task, then = situation.task.text, before.screenshot if before else None
    alike = before is not None and list_lines(before, task) == list_lines(situation.observation, task)
    if style.pictures == 1 or then is None or then.data == shot.data or not alike:
        return [marked]
    return ["Only the picture differs from the one before:", then, "Now:", marked]


def first_kept(turns: int, most: int) -> int:
    """The index of the first turn that is kept verbatim."""
    stride = most - max(1, (most - 1) // 2) + 1
    return 0 if turns <= most else -(-(turns - most) // stride) * stride


def _beginning(situation: Situation, early: Sequence[Turn], skills: Sequence[str]) -> Asked:
    exemplars = [one for one in situation.exemplars if one.since <= len(early)]
    text = render(
        "task",
        task=situation.task,
        skills=[own(skill) for skill in skills],
        exemplars=[fence(exemplar.trajectory, "example") for exemplar in exemplars],
        history=fence(history, "history") if (history := history_text(early, REMEMBERED)) else "",
    )
    spoken = [
        _person_text(turn) for turn in early if turn.decision.planner == PERSON and turn.decision.thought
    ]
    return Asked((text, *spoken), cache=True)


def _append_recalled(said: list[dialogue.Turn], situation: Situation, turn: int, cut: int) -> None:
    examples = [fence(one.trajectory, "example") for one in situation.exemplars if one.since == turn > cut]
    if examples:
        _append(said, ["\n\n".join(["Similar runs in this program; perhaps none fits.", *examples])])


def _person_text(turn: Turn) -> str:
    return f"The person says now: {own(turn.decision.thought)}"


def _retell(said: list[dialogue.Turn], turn: Turn) -> None:
    kept = memo(turn)
    if turn.decision.planner == PERSON and turn.decision.thought:
        _append(said, [_person_text(turn)])
        return
    if kept is None:
        told = "\n".join(step_line(step) for step in turn.steps) or "Nothing was done."
        _append(said, [fence(told, "history")])
        return
    said.append(kept.reply)
    if kept.reply.calls:
        said.append(Results(_results_of_calls(kept, turn)))
    else:
        _append(said, [_outcomes(turn.steps)])


def _mark_stable(said: list[dialogue.Turn]) -> None:
    """Mark the ends of the stable prefixes: of this request, and of the previous one."""
    ours = [place for place, turn in enumerate(said) if not isinstance(turn, Reply)]
    for place in ours[-2:]:
        turn = said[place]
        assert not isinstance(turn, Reply)
        said[place] = replace(turn, cache=True)


def _results_of_calls(kept: Memo, turn: Turn) -> tuple[ToolResult, ...]:
    calls, steps = kept.reply.calls, turn.steps
    if turn.decision.called:
        return tuple(starmap(_result_of_tool, zip_longest(calls, turn.decision.called)))
    results, begun, told = [], 0, 0
    # The ends of the batch's actions; automatic steps before an action, such as a scroll, belong to it.
    ends = [0, *(end for end, step in enumerate(steps, 1) if step.planned in turn.decision.planned)]
    most = kept.most if len(ends) - 1 == kept.most else 0
    for call in calls:
        if call.look:
            results.append(_result_of_look(call, steps[-1].after if steps else turn.observation))
            continue
        count = len(call.proposals) or (kept.taken if call is calls[0] else 0)
        begun += count
        missing = max(0, min(count, begun - len(ends) + 1))
        mine = steps[told : (told := len(steps) if missing else ends[begun])]
        failed = bool(call.error) or missing > 0 or not all(step.outcome.good for step in mine)
        said = call.error or _outcomes(mine, missing, most)
        results.append(ToolResult(call.id, (said,), failed, call.checks))
    return tuple(results)


def _result_of_look(call: Call, screen: Observation) -> ToolResult:
    shot = screen.screenshot
    seen = (
        crop(shot, call.region, enlargement(call.region)) if shot and call.region else "The screen follows."
    )
    return ToolResult(call.id, (seen,))


def enlargement(part: Box) -> int:
    """The factor by which a part of the picture is enlarged, at least 2."""
    return max(2, round(ENLARGED / max(part.width, part.height, 1)))


def _result_of_tool(call: Call, use: ToolUse | None) -> ToolResult:
    told = fence(use.result, "result") if use else "Not carried out."
    return ToolResult(call.id, (told,), use is None or use.failed, call.checks)


def _outcomes(steps: Sequence[Step], missing: int = 0, most: int = 0) -> str:
    if not steps:
        return "Not carried out." if missing else "Seen."
    lines = [*map(step_line, steps[:-1]), step_line(steps[-1], LAST_OUTCOME)]
    told = fence("\n".join(lines), "outcome")
    why = f": at most {most} are taken at once" if most else ""
    return f"{told}\nThe rest ({missing}) was not carried out{why}." if missing else told


def _screen_parts(
    now: Observation, seen: Sequence[Observation], situation: Situation, style: Style, *, picture: bool
) -> list[Part]:
    """A screen for the model; what screens seen before have too is in few words."""
    shot = now.screenshot if picture else None
    text = place_text(now) if style.native else screen_text(now, situation.task.text, style.listing, seen)
    return [fence(text, "screen"), *([shot] if shot else [])]


def _moment(situation: Situation) -> str:
    """The part of the prompt that is valid for this turn only; placed last."""
    notes = Trajectory(situation.task, situation.turns).notes
    return render(
        "moment",
        notes={own(name): own(value) for name, value in notes.items()},
        plan=own(earlier_plan(situation.turns)),
        advice=[own(line) for line in situation.advice],
        stuck=failures(situation.turns),
        steps_left=situation.steps_left,
    )


def _append(said: list[dialogue.Turn], parts: Sequence[Part]) -> None:
    """Append to our message; providers require our messages and the model's in turn."""
    last = said[-1]
    if isinstance(last, Asked):
        said[-1] = replace(last, parts=(*last.parts, *parts))
    elif isinstance(last, Results):
        ended = last.results[-1]
        kept = (*last.results[:-1], replace(ended, parts=(*ended.parts, *parts)))
        said[-1] = replace(last, results=kept)
    else:
        said.append(Asked(tuple(parts)))


@dataclass(frozen=True, slots=True)
class Rung:
    """Limits that depend on the remaining budget."""

    from_share: float
    """Share of the budget from which on it applies."""
    shrink: float = 1.0
    """Scale of the pictures' sides."""
    frugal: bool = False
    """No second opinions: no verifier, no judge."""
    cheaper: bool = False
    """Ask the cheaper model, if there is one."""


LADDER = (
    Rung(0.0),
    Rung(0.5, shrink=0.75),
    Rung(0.75, shrink=0.75, frugal=True),
    Rung(0.9, shrink=0.6, frugal=True, cheaper=True),
)


def rung(spent: float) -> Rung:
    """The rung for this share of the budget used, 0 to 1."""
    return [step for step in LADDER if spent >= step.from_share][-1]
