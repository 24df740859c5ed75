"""Words that people use for the same command of a program, and words that command nothing."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from gui_agent.core.texts import normal


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COMMANDS = (
    "delete remove trash erase discard bin rid recycle wipe dump junk",
    "reply respond response answer tell text know send",
    "forward send pass relay give share hand redirect resend",
    "star important importance favourite favorite flag mark priority",
    "archive",
    "like love heart thumbs",
    "share repost retweet",
    "follow subscribe",
    "unfollow unsubscribe",
    "mute silence",
    "block ban",
    "report complain",
    "print",
    "copy duplicate clone",
    "move transfer relocate",
    "rename retitle",
    "save keep",
    "download fetch",
    "upload attach",
    "add create new insert compose",
    "edit change modify update correct",
    "cancel abort stop",
    "close quit exit leave",
    "undo revert restore recover",
    "buy order purchase pay checkout",
    "book reserve",
    "accept approve confirm agree allow",
    "reject decline refuse deny",
    "login sign log",
    "submit finish complete",
    "install",
    "uninstall",
    "enable activate",
    "disable deactivate",
    "hide",
    "translate",
    "merge combine join",
    "snooze postpone remind",
    "spam phishing",
    "unread",
)
_NEUTRAL = _words(
    """
    i we he get say said write wrote written she they them him her his hers their theirs our us who whom
    whose which what where when there here be been being was were am do does did done have has had
    having will would shall should may might must need want like wish let make made take go going come
    ahead please kindly now just then so if that too also find found look locate search seek show see
    pull open view bring list check click press select choose hit use using pick set put way all any
    some one ones out up off over through via within after before new last latest recent newest most
    today yesterday earlier previous current received receive receives came able possible sure yes hey
    hi hello siri alexa a an the this these those it its my your of to in on at by with for from and can
    could you me is are 's
    """
)
"""What may stand in any instruction without changing what is to be done."""
FORBIDDING = _words(
    """
    not no never don't dont without except unless but nobody none neither nor instead rather other than
    """
)
"""Words that turn an instruction around; what has one of them is read word by word or not at all."""
_SUFFIX = re.compile(r"(?<=\w{3})(?:ings?|ied|ies|ed|es|s|ly|e|y)$")
_TYPING_SLIP = 0.85


def stem(word: str) -> str:
    """The word without its common endings, for comparing `deleted` with `delete`."""
    plain = normal(word).replace("-", "").split("'")[0]
    found = _SUFFIX.sub("", plain)
    return found[:-1] if len(found) > 3 and found[-1] == found[-2] else found


_DESCRIBING = {"sent": "send", "given": "give", "gave": "give", "told": "tell"}
"""Forms that mostly tell what has happened: `the letter that Ada sent`."""
_GROUPS: dict[str, frozenset[int]] = {}
for _number, _line in enumerate(_COMMANDS):
    for _word in _line.split():
        _GROUPS[stem(_word)] = _GROUPS.get(stem(_word), frozenset()) | {_number}
_IDLE = frozenset(stem(word) for word in _NEUTRAL) | _NEUTRAL


def commands(word: str) -> frozenset[int]:
    """The commands that a word may stand for, as numbers; empty when it is none that is known."""
    root = stem(word)
    if root in _GROUPS:
        return _GROUPS[root]
    if len(root) < 5:
        return frozenset()
    near = (known for known in _GROUPS if len(known) >= 5 and known[0] == root[0])
    return next(
        (_GROUPS[k] for k in near if SequenceMatcher(None, k, root).ratio() >= _TYPING_SLIP), frozenset()
    )


def described_commands(word: str) -> frozenset[int]:
    """The commands that a word may stand for, which more often tells what has happened before."""
    return commands(_DESCRIBING[normal(word)]) if normal(word) in _DESCRIBING else frozenset()


def idle(word: str) -> bool:
    """Whether a word says nothing about what is to be done."""
    return normal(word) in _IDLE or stem(word) in _IDLE
