"""Constructs for procedures on MiniWoB++'s pages, enabled by `--domain miniwob`.

Each of these serves one or two of the benchmark's tasks: drawn shapes, charts, shades of colours, sums,
guessing games, words picked from a line of a terminal.
"""

from __future__ import annotations

from gui_agent.procedures.language.constructs import Domain
from guiagent_eval.miniwob_constructs.drawings import (
    Appearance,
    ChartPoint,
    Colour,
    Describes,
    Kind,
    Shade,
    drawn_counts,
)
from guiagent_eval.miniwob_constructs.equations import result_of_sum, solution
from guiagent_eval.miniwob_constructs.guessing import Narrow
from guiagent_eval.miniwob_constructs.words import PickedWord, behind_a_constant, spell, spelling


def miniwob() -> Domain:
    """The constructs of the domain `miniwob`."""
    return Domain(
        "miniwob",
        forms={"calculated": result_of_sum, "solved": solution},
        attributes=(Kind(), Shade(), ChartPoint(), Describes(), Appearance(), Colour()),
        values=(PickedWord(),),
        readings={"spelled": spell},
        loops=(Narrow(),),
        proposals=(spelling, behind_a_constant, drawn_counts),
    )
