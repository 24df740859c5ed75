"""Parses a model's reply to a decision: tool calls, plain text, or the model's own actions."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gui_agent.core.binding import slots_named, with_values
from gui_agent.core.codec import encode
from gui_agent.core.dialogue import Reply
from gui_agent.core.errors import BadReply
from gui_agent.core.keys import ACTING
from gui_agent.core.observation import Point, Size, Strict
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Ask, Decision, Finish, GiveUp, Planned, Turn, bookmark
from gui_agent.elements.describe import describe
from gui_agent.planners.llm.decision_schema import DECIDE, ModelDecision, read, read_text

VERDICT_TOKENS = 2000
"""Maximum tokens of a verdict; services count the model's reasoning as well."""
_ENDED = re.compile(r"^\W*(DONE|FAILED|ASK)\b\W*(.*)", re.DOTALL | re.MULTILINE)


def decision(reply: Reply, *, batch: int, name: str, screen: Size, native: bool = False) -> Decision:
    """The decision in a reply.

    Args:
        batch: maximum actions to take; the model is told if it proposed more.
        screen: the size of the screen that the model saw.

    Raises:
        BadReply: the reply is unusable; the message tells the model what to change.
    """
    if reply.refusal:
        return Decision(end=GiveUp(f"the model declined: {shorten(reply.refusal, 200)}"), planner=name)
    if reply.stop == "length":
        raise BadReply("your answer was cut off at the length limit; answer again, shorter")
    if reply.calls and reply.calls[0].error:
        raise BadReply(reply.calls[0].error)
    if native or any(call.proposals or call.end for call in reply.calls):
        return _own_actions(reply, batch, name)
    return _decided(_read_reply(reply, screen.box.center), reply, batch, name)


def verdict(reply: Reply, *words: str) -> tuple[str, str] | None:
    """The word, of these, that the answer's last verdict line starts with, and the rest of the line.

    None if no line starts so, or if the answer was cut off.
    """
    lines = [] if reply.stop == "length" else reply.text.splitlines()
    begun = re.compile(rf"[\W_]*({'|'.join(words)})\b[\W_]*(.*)")
    for number in reversed(range(len(lines))):
        if found := begun.match(lines[number]):
            rest = "\n".join([found[2], *lines[number + 1 :]])
            return found[1], shorten(rest.strip(" :`*_\n"), 200)
    return None


UNSAID = "the check gave no reason"


def verdict_in_words(reply: Reply) -> str | None:
    """What a check of a run's end finds missing, empty for nothing; None without a verdict."""
    said = verdict(reply, "DONE", "MISSING")
    return None if said is None else "" if said[0] == "DONE" else said[1] or UNSAID


def verdict_by_action(reply: Reply) -> str | None:
    """The same for a model that answers by actions: it ends the task, or continues with the missing part."""
    call = next(iter(reply.calls), None)
    if call is None or call.error or reply.stop == "length":
        return None
    match call.end:
        case Finish(answer):
            return verdict_in_words(Reply(answer)) or ""
        case GiveUp(said) | Ask(said):
            return said or UNSAID
    next_steps = "; ".join(describe(one) for one in call.proposals)
    return f"the check would continue with: {shorten(next_steps, 200)}" if next_steps else None


def _read_reply(reply: Reply, middle: Point) -> ModelDecision:
    if not reply.calls:
        return read_text(reply.text, middle)
    call = reply.calls[0]
    if call.name != DECIDE:
        raise BadReply(f'there is no tool "{call.name}"; call {DECIDE}')
    return read(call.arguments, middle)


def _decided(said: ModelDecision, reply: Reply, batch: int, name: str) -> Decision:
    planned = _actions_for_records(said.actions[:batch], said.records)
    if not planned and said.end is None:
        raise BadReply("your answer contains neither an action nor an end; give one of them")
    if planned and isinstance(said.end, GiveUp | Ask):
        raise BadReply(f"{said.end.kind} must stand alone; give either the actions or the end")
    cut = len(said.actions) > batch
    if cut and said.records:
        raise BadReply(f"at most {batch} actions are done for each record; give fewer")
    return Decision(
        thought=" ".join(filter(None, (said.last, said.thought))) or reply.thought,
        planned=planned,
        end=None if cut else said.end,
        notes={name: value for name, value in said.notes.items() if value is not None},
        dropped=tuple(name for name, value in said.notes.items() if value is None),
        bookmark=Memo(
            reply, "\n".join(said.plan), max(len(planned), len(said.actions)), batch if cut else 0
        ).as_text(),
        planner=name,
        criteria=said.criteria,
    )


def _actions_for_records(
    actions: tuple[Planned, ...], records: Sequence[Mapping[str, str]]
) -> tuple[Planned, ...]:
    """The actions once for each record, with its values in place of `{name}`; as they are without records."""
    if not records:
        return actions
    names = {*itertools.chain.from_iterable(records)} & {*slots_named(encode(actions).decode())}
    for number, record in enumerate(records, 1):
        if missing := names - record.keys():
            raise BadReply(f"record {number} has no value for {{{min(missing)}}}; give it, or leave it out")
        if any(ACTING.search(value) for value in record.values()):
            raise BadReply(f"record {number} contains line breaks or tabs, which act as keys; remove them")
    return tuple(with_values(action, record) for record, action in itertools.product(records, actions))


def _own_actions(reply: Reply, batch: int, name: str) -> Decision:
    understood = itertools.takewhile(lambda call: not call.error, reply.calls)
    proposals = [*itertools.chain.from_iterable(call.proposals for call in understood)]
    end = next((call.end for call in reply.calls if call.end), None)
    if not proposals and end is None:
        end = _ending(reply.text)
    return Decision(
        thought=shorten(reply.thought or reply.text, 500),
        planned=tuple(Planned(proposal) for proposal in proposals[:batch]),
        end=end if len(proposals) <= batch else None,
        bookmark=Memo(reply, taken=len(proposals), most=batch).as_text(),
        planner=name,
    )


def _ending(text: str) -> Finish | GiveUp | Ask:
    if not text.strip():
        raise BadReply("your answer is empty; act, or answer with DONE:, FAILED: or ASK:")
    found = _ENDED.search(text)
    if found is None:
        raise BadReply("you gave no action; act, or begin your answer with DONE:, FAILED: or ASK:")
    rest = found[2].strip()
    match found[1]:
        case "DONE":
            return Finish(rest)
        case "FAILED":
            return GiveUp(rest or "the model says that the task cannot be done")
        case _:
            return Ask(rest or "How should I continue?")


@dataclass(frozen=True, slots=True)
class Memo(Strict):
    """The reply behind a decision, kept complete for a verbatim replay, and the plan in it.

    It is in the decision's bookmark and not in the planner, so that a run resumed in another process, or
    passed from one planner to another and back, finds it there.
    """

    reply: Reply
    plan: str = ""
    taken: int = 0
    """Number of actions that the reply proposed."""
    most: int = 0
    """Maximum number of actions taken at once."""

    def as_text(self) -> str:
        return encode(self).decode()


def memo(turn: Turn) -> Memo | None:
    """The memo of a turn; None if another planner made it or the reply was unusable."""
    return bookmark(Memo, turn)


def earlier_plan(turns: Sequence[Turn]) -> str:
    """The last plan; empty if the last turn, which a request ends with, made it."""
    plans = (found.plan if (found := memo(turn)) else "" for turn in reversed(turns))
    return "" if next(plans, "") else next(filter(None, plans), "")
