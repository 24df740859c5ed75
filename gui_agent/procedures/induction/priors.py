"""All description lengths of the theory, in one place, each with its reason.

One unit is about one bit of surprise: what costs one more is half as likely before anything was seen. They
are relative: a value of the instruction (1) is a likelier reason for a name than its being the same by
chance in all demonstrations (1.4), and that is likelier than its rank (1.5 and more).
"""

from __future__ import annotations

CERTAIN = 6.0
"""Leaving out an act that changed something: people seldom do by mistake what has an effect."""
DOUBTFUL = 1.2
"""Leaving out an act on a control that changed nothing visible: as often as not it had one."""
IDLE = 0.4
"""Leaving out an act on something that does nothing when acted on: nearly always a slip."""
UNDONE = 0.3
"""Leaving out acts that together led back to where they began: nearly always a detour."""
NOISE = 6.0
"""A demonstration that did something else at this step than the program says: one slip that had an effect."""
MISSING = 5.0
"""A demonstration that did not do a step at all: forgotten, or not recorded."""
OUTVOTED = 0.5
"""The share of demonstrations that must do a step for it to be one; what fewer do is a slip."""
WELL_EXPLAINED = 3.6
"""A step explained at this price is not looked at any closer: hardly a better reason is left."""
MOST_PARTS = 3
"""So many texts of what was clicked are tried as its name."""
REPEATED = 6.0
"""Taking the same act twice in a row for two steps instead of a loop."""
FOR_EACH, UNTIL, EVERY, STEER, WHEN = 1.0, 3.0, 3.0, 2.0, 2.0
"""The kinds of blocks, without their bodies: a list in the instruction is nearly always done one by one;
searching, doing something everywhere and turning a quantity are as common as a step with a weak reason; what
is done only sometimes explains anything, so that it has to be the last resort."""

DISORDER = 0.5
"""Taking one of several alike that come into view before another that stands above it."""
STRANGE = 5
"""Of so many acts of a repetition one may be on something else, such as what was half out of sight."""
ALL_SAID = 2.0
"""By how much doing something everywhere is likelier where the instruction says `all`."""
ALIGN_BASE, ALIGN_ROLE, ALIGN_NAME, ALIGN_PATH, ALIGN_ABOUT, ALIGN_APART = 3.0, 1.0, 2.0, 0.5, 3.0, 1.5
"""Aligning two effects of one kind costs more than leaving a doubtful one out, less what they share:
the value that they are about says all, a name nearly so; a role is shared by many. Two that are about
different values are hardly the same."""
SHARED = 3.0
"""Leaving out what every demonstration shows, besides the doubts about it."""
FOUNDED = 3
"""So many examples that agree in a place on the screen do so hardly by chance."""
LOST = 1000.0
"""Leaving out what surely had an effect in the only demonstration: nothing shows that it was a slip."""
ANY = 2.0
"""Taking any one of several that fit, besides what it costs to say which one each demonstration took."""
OTHER_CASE = 0.5
"""A text typed with other capitals than it was given with: people are free with them."""
FINE = 4.5
"""A program of which each step costs less on average is not looked at any closer."""
UNFOUNDED = 14.0
"""A program of which each step costs more on average explains next to nothing."""
VARIANT, IDLE_SLOT, JOINS = 4.0, 16.0, 0.9
"""Another program for the same task; a part of the wording without a use; the share of its own price for
which a demonstration joins others."""
FAVOURS = (2.5, 12.0)
"""By how much an explanation gets cheaper for using a part of the instruction that has no use yet."""
COMMAND = 3.0
"""Telling buttons that are called differently by their place: what a button does is what it is called."""
