"""Budget tiers: what is saved when half, three quarters and nine tenths of the budget are spent."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gui_agent.planners.llm.conversation import Style


@dataclass(frozen=True, slots=True)
class Rung:
    """How careful to be with what is left of the budget."""

    from_share: float
    """Share of the budget from which on it holds."""
    pictures: int | None = None
    """Screens shown as pictures at most; None leaves it as it is."""
    shrink: float = 1.0
    """Sides of the pictures as a share of the usual ones."""
    elements: float = 1.0
    """Share of the element list that is kept."""
    frugal: bool = False
    """No second opinions: no verifier, no judge, no comparing of answers."""
    cheaper: bool = False
    """Ask the cheaper model, if there is one."""

    def lighter(self, style: Style) -> Style:
        """The style with what is saved on this rung."""
        pictures = style.pictures if self.pictures is None else min(style.pictures, self.pictures)
        return replace(style, pictures=pictures, elements=max(20, int(style.elements * self.elements)))


LADDER = (
    Rung(0.0),
    Rung(0.5, pictures=2, shrink=0.75),
    Rung(0.75, pictures=1, shrink=0.75, elements=0.6, frugal=True),
    Rung(0.9, pictures=1, shrink=0.6, elements=0.4, frugal=True, cheaper=True),
)


def rung(spent: float) -> Rung:
    """The rung that holds when this share of the budget, 0 to 1, is spent."""
    return [step for step in LADDER if spent >= step.from_share][-1]
