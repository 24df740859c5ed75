"""Detects cycles of actions and refuses an action that has proved useless."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from gui_agent.core.actions import Action, Wait
from gui_agent.core.codec import encode
from gui_agent.core.errors import ActionFailed
from gui_agent.core.observation import Observation
from gui_agent.core.trajectory import Step

USELESS = 2
"""How often an action may change nothing on the very same screen before it is refused there."""
LONGEST_CYCLE = 4
HINT_AFTER = 2
"""Rounds of the same cycle after which the planner is told."""
REFUSE_AFTER = 3
"""Rounds after which the action that would start another one is refused."""


def identity(observation: Observation) -> str:
    """A short name for a screen: equal for screens that a person would call the same.

    Focus, newness and movements of a few pixels do not count; where there are no elements the picture
    decides.
    """
    digest = hashlib.blake2b(digest_size=10)
    digest.update(f"{observation.place.app}|{observation.place.url}|{observation.place.title}".encode())
    for element in observation.elements:
        states = ",".join(sorted(element.states - {"focused", "new"}))
        place = f"{element.box.left // 8},{element.box.top // 8}"
        digest.update(f"{element.role}|{element.name}|{element.value}|{states}|{place}\n".encode())
    if not observation.elements and observation.screenshot is not None:
        digest.update(observation.screenshot.data)
    digest.update(str(sorted(observation.more.items())).encode())
    return digest.hexdigest()


def action_key(action: Action | Wait) -> str:
    """A name for an action; two clicks on the same place are the same action."""
    return encode(action).decode()


class Trail:
    """The (screen, action) pairs of a run so far, with what has proved useless on each screen."""

    def __init__(self) -> None:
        self._pairs: list[tuple[str, str]] = []
        self._useless: Counter[tuple[str, str]] = Counter()

    def refuse_useless(self, action: Action, screen: Observation) -> None:
        """Stop an action that changed nothing twice on this very screen, or that starts a cycle anew.

        Raises:
            ActionFailed: says that it was not sent, and why.
        """
        pair = identity(screen), action_key(action)
        useless = self._useless[pair]
        if useless >= USELESS:
            raise ActionFailed(
                f"not sent: it changed nothing {useless} times on this very screen; try another way"
            )
        length, rounds = cycle([*self._pairs, pair])
        if length > 1 and rounds >= REFUSE_AFTER:
            raise ActionFailed(
                f"not sent: the last {length} actions went round {rounds - 1} times to no effect"
            )

    def note(self, step: Step) -> None:
        """Remember a step that was sent to the device."""
        if step.action is None or step.error or isinstance(step.action, Wait):
            return
        pair = identity(step.before), action_key(step.action)
        self._pairs = [*self._pairs, pair][-LONGEST_CYCLE * (REFUSE_AFTER + 1) :]
        if step.outcome.kind == "no_change":
            self._useless[pair] += 1
        else:
            del self._useless[pair]

    def advice(self) -> str:
        """A hint for the planner when the run has begun to go in circles, else an empty text."""
        length, rounds = cycle(self._pairs)
        if rounds < HINT_AFTER:
            return ""
        return (
            f"The last {length} action(s) were done {rounds} times on the same screen(s): try something else."
        )


def cycle(trail: Sequence[tuple[str, str]]) -> tuple[int, int]:
    """The shortest cycle at the end of a trail of (screen, action): its length and number of rounds.

    Returns (0, 0) when the end of the trail does not repeat what was just before it.
    """
    for length in range(1, LONGEST_CYCLE + 1):
        last = list(trail[-length:])
        rounds = 1
        while list(trail[-length * (rounds + 1) : -length * rounds]) == last and last:
            rounds += 1
        if rounds > 1:
            return length, rounds
    return 0, 0
