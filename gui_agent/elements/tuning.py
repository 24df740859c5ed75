"""Every threshold of the grounder in one place, with its reason.

Scores run from 0 to 1. They decide what may be meant at all; the grounder's order decides between several.
"""

from __future__ import annotations

FLOOR = 0.6
"""Elements below this score are not candidates, such as names that share only some words with the target."""
MARGIN = 0.08
"""Of elements with equal rank, the best must lead by this much; a slightly shorter name does not."""
NEAREST = 5
"""How many candidates an error message names: enough to see the mistake, few enough for one line."""

# How much a match with each kind of text counts: with ...
NAME = 1.0
"""... the accessible name: what the element itself says it is."""
DESCRIPTION = 0.88
"""... placeholder, hint or title: also by the author, but a second choice."""
LABEL = 0.92
"""... the text beside or above an element without a name: geometry can err."""
VALUE = 0.8
"""... its value: right for drop-downs and read-only fields, misleading for others."""
OPTION = 0.7
"""... an option of a closed list: the list can be operated, but the option is not in sight."""
ICON = 0.68
"""... words of its class or kind, such as an icon's `trash`: only if nothing matches better."""
PERHAPS_ICON = 0.67
"""... what may be such an icon: only if there is none."""

OTHER_CASE = 0.09
"""Subtracted if only upper and lower case differ."""
DECORATED = 0.02
"""Subtracted if only a colon, star or ellipsis differs."""
SAME = 1.0 - OTHER_CASE - DECORATED
"""Least likeness of two texts that count as the same."""
AGREEMENT = 0.3
"""A second matching text closes this share of the gap to 1."""

WRONG_ROLE = 0.66
"""Factor if another role was asked for: an exact name still passes, a fuzzy one does not."""
UNTOLD_ROLE = 0.9
"""Factor for an element that may also be called so: a switch for a checkbox, a blue `span` for a link."""
ROLE_ONLY = 0.9
"""Score of an element that was asked for only by its role and has it."""
SWITCH = 0.75
"""Least score of a switch that is to be clicked: `Qt` does not mean the box `Qt interface`."""
NO_WORDS = 0.8
"""Score of an element that suits the action, if nothing else was asked for."""
LABEL_REACH = 160
"""Pixels: a text farther away does not label a control."""

# Fuzzy matching of names.
PLURAL = 0.95
"""Singular against plural, or joined words (`e-mail`, `email`)."""
ONE_TYPO, ONE_TYPO_LENGTH = 0.88, 5
"""One typo after the first letter (Light/Right) in a word of at least this length. Four letters are too few:
Save/Sale.
"""
TWO_TYPOS, TWO_TYPOS_LENGTH, TWO_TYPOS_START = 0.8, 8, 3
"""Two typos in a long word, after its beginning: words that differ there are opposites (maximise, minimise;
increase, decrease).
"""
SOME_WORDS_BASE, SOME_WORDS_SHARE = 0.62, 0.33
"""All wanted words are in a longer name: base plus share times the part of the name that they cover."""
OTHER_ORDER = 0.03
"""Subtracted if the words are in another order."""
STEP = 0.86
"""The wanted text is the whole host of an address, or the whole file name of a path."""
NUMBER_SHARE = 0.25
"""A number alone must be this share of a longer name: `2` is not `Chapter 2`, but 42 matches `Total: 42`."""
LACKING = 0.15
"""Subtracted if a name lacks a wanted article; more than OTHER_CASE, so that `The End` beats `End`."""
TURNED = 0.45
"""Factor if the name has an unwanted word that changes the effect (`all`, `not`)."""
TURNING_WORDS = frozenset(
    ("all", "any", "no", "not", "don't", "never", "without", "forever", "everything", "permanently")
) | frozenset(("cancel", "undo", "un", "delete"))

# Nearness.
ANCHOR = 0.75
"""How well a text must match to serve as the anchor of `near`."""
NEAR_BAND = 0.25
"""Candidates whose text matches this much worse than the best still count when nearness decides."""
NEAR_RATIO, NEAR_SLACK = 1.3, 6
"""The second nearest must be farther by this ratio and these pixels, or it is a tie."""
ORDINAL_BAND = 0.1
"""Things counted by `second` or `last` match within this of the best one."""
