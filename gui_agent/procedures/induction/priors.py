"""All description lengths of the theory, each with its reason.

One unit is about one bit of surprise: an explanation that costs one more is half as likely a priori. The
values are relative: a value of the instruction (1) is a likelier reason for a name than a coincidence
across all demonstrations (1.4), which is likelier than its rank (1.5 and more).
"""

from __future__ import annotations

CERTAIN = 6.0
"""Cost of leaving out an act that changed something: people seldom cause effects by mistake."""
DOUBTFUL = 1.2
"""Cost of leaving out an act on a control without a visible change: about half of these had an effect."""
IDLE = 0.4
"""Cost of leaving out an act on an inert element: nearly always a slip."""
UNDONE = 0.3
"""Cost of leaving out acts that together led back to their start: nearly always a detour."""
NOISE = 6.0
"""Cost of a demonstration that deviates from the program at this step: one slip with an effect."""
MISSING = 5.0
"""Cost of a demonstration that lacks a step: forgotten, or not recorded."""
OUTVOTED = 0.5
"""Minimum share of demonstrations with a step; a rarer act is a slip."""
WELL_EXPLAINED = 3.6
"""The search stops at a step this cheap: a better reason hardly exists."""
MOST_PARTS = 3
"""Number of texts of a clicked element that are tried as its name."""
REPEATED = 6.0
"""Cost of two steps, instead of a loop, for the same act twice in a row."""
FOR_EACH, UNTIL, EVERY, STEER, WHEN = 1.0, 3.0, 3.0, 2.0, 2.0
"""Costs of blocks without their bodies. A list in the instruction is nearly always processed item by item.
Searching, acting on every element and changing a quantity are as common as a step with a weak reason. An
optional step can explain anything, so it has to be the last resort."""

DISORDER = 0.5
"""Cost of taking one of several equal elements in view before another above it."""
STRANGE = 5
"""One of this many acts of a repetition may have a different kind of target, such as one half out of view."""
ALL_SAID = 2.0
"""Discount for acting on every element if the instruction says `all`."""
ALIGN_BASE, ALIGN_ROLE, ALIGN_NAME, ALIGN_PATH, ALIGN_ABOUT, ALIGN_APART = 3.0, 1.0, 2.0, 0.5, 3.0, 1.5
"""Cost of aligning two effects of one kind: more than leaving out a doubtful one, less for what they share.
A common value decides, a common name nearly does; many effects share a role. Effects with different values
are hardly the same."""
SHARED = 3.0
"""Cost of leaving out an act that every demonstration shows, in addition to its doubt."""
FOUNDED = 3
"""This many examples hardly agree in a place on the screen by chance."""
LOST = 1000.0
"""Cost of leaving out a certain effect of the only demonstration: nothing shows that it was a slip."""
ANY = 2.0
"""Cost of taking any of several matches, in addition to identifying the one each demonstration took."""
OTHER_CASE = 0.5
"""Cost of a typed text that differs in capitals from the given one: people are careless about them."""
FINE = 4.5
"""The search stops at a program whose steps cost less than this on average."""
UNFOUNDED = 14.0
"""A program whose steps cost more than this on average explains next to nothing."""
VARIANT, IDLE_SLOT, JOINS = 4.0, 16.0, 0.9
"""Cost of another program for the same task; cost of a part of the wording without a use; a demonstration
joins a group if that costs less than this share of a program of its own."""
FAVOURS = (2.5, 12.0)
"""Discounts for an explanation that uses a so far unused part of the instruction."""
COMMAND = 3.0
"""Cost of distinguishing differently named buttons by position: the name of a button says what it does."""
