"""Every threshold of the grounder in one place, with its reason.

Scores run from 0 to 1. They say what may be meant at all; which of several things is, the grounder's order.
"""

from __future__ import annotations

FLOOR = 0.6
"""Below this nothing is taken. A name that shares only some words with what was asked stays below it."""
MARGIN = 0.08
"""Of what has one rank in the order the best must lead by this much; a slightly shorter name does not."""
NEAREST = 5
"""How many candidates an error message names: enough to see the mistake, few enough for one line."""

# How sure each way of matching a text is; the text is compared with ...
NAME = 1.0
"""... the accessible name: what the element itself says it is."""
DESCRIPTION = 0.88
"""... placeholder, hint or title: by the author too, but a second choice."""
LABEL = 0.92
"""... the text beside or above an element without a name: geometry can err."""
VALUE = 0.8
"""... the value it holds: right for drop-downs and read-only fields, misleading for others."""
OPTION = 0.7
"""... an option of a closed list: the list can be operated, but the option itself is not in sight."""
ICON = 0.68
"""... words of its class or kind, such as `trash` of an icon: only when there is nothing better."""
PERHAPS_ICON = 0.67
"""... what may be such an icon: only when there is none."""

OTHER_CASE = 0.09
"""Taken off when only upper and lower case differ."""
DECORATED = 0.02
"""Taken off when only a colon, star or ellipsis differs."""
SAME = 1.0 - OTHER_CASE - DECORATED
"""How alike at least two texts are that say the same."""
AGREEMENT = 0.3
"""A second way that also finds it closes this share of the gap to 1."""

WRONG_ROLE = 0.66
"""Factor when another role was asked for: an exact name still passes, a fuzzy one does not."""
UNTOLD_ROLE = 0.9
"""Factor for what may be called so too: a switch for a checkbox, a blue `span` for a link."""
ROLE_ONLY = 0.9
"""Score of an element that was asked for by its role alone and has it."""
SWITCH = 0.75
"""What is to be clicked must fit a switch at least so well: `Qt` is not the box `Qt interface`."""
NO_WORDS = 0.8
"""Score of an element that fits the action when nothing else was asked for."""
LABEL_REACH = 160
"""Pixels: a text farther away does not label a control."""

# Fuzzy matching of names.
PLURAL = 0.95
"""Singular against plural, or words run together (`e-mail`, `email`)."""
ONE_TYPO, ONE_TYPO_LENGTH = 0.88, 5
"""One slip behind the first letter (Light/Right) of a word of so many. Four are too few: Save/Sale."""
TWO_TYPOS, TWO_TYPOS_LENGTH, TWO_TYPOS_START = 0.8, 8, 3
"""Two slips in a long word, behind its beginning: words that differ there say the opposite (maximise,
minimise; increase, decrease)."""
SOME_WORDS_BASE, SOME_WORDS_SHARE = 0.62, 0.33
"""All words asked for are in a longer name: base plus share times the part of the name they cover."""
OTHER_ORDER = 0.03
"""Taken off when the words stand in another order."""
STEP = 0.86
"""The host, or the file, of an address or a path that is the whole name."""
NUMBER_SHARE = 0.25
"""A number alone must be this part of a longer name: `2` is not `Chapter 2`, 42 stands in `Total: 42`."""
LACKING = 0.15
"""Taken off when a name lacks an article asked for; more than OTHER_CASE, so that `The End` beats `End`."""
TURNED = 0.45
"""Factor when the name has a word that was not asked for and that changes what happens (`all`, `not`)."""
TURNING_WORDS = frozenset(
    ("all", "any", "no", "not", "don't", "never", "without", "forever", "everything", "permanently")
) | frozenset(("cancel", "undo", "un", "delete"))

# Nearness.
ANCHOR = 0.75
"""How well a text must fit to serve as the anchor of `near`."""
NEAR_BAND = 0.25
"""Candidates whose text fits this much worse than the best still take part when nearness decides."""
NEAR_RATIO, NEAR_SLACK = 1.3, 6
"""The second nearest must be this much farther, in ratio and pixels, or it is a tie."""
ORDINAL_BAND = 0.1
"""Things counted by `second`, `last` fit within this of the best one."""
