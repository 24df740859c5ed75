"""Sums, games and meanings of words, which a person works out before acting."""

from __future__ import annotations

import re
from collections.abc import Sequence

from demonstrators.script import Script
from demonstrators.seeing import click, fill, groups, like, only, several, submit, those, tick
from demonstrators.thesaurus import alike
from gui_agent.core.observation import Element, Observation
from gui_agent.core.trajectory import Trajectory

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def arithmetic(task: str, screen: Observation) -> Script:
    """Work out the sum, type the result, then submit."""
    problem = like(screen, lambda one: one.is_text and one.name.endswith("="), "problem").name
    left, sign, right = groups(r"(\d+) (\S) (\d+) =", problem)
    yield from _answered(screen, _worked_out(int(left), sign, int(right)))


def algebra(task: str, screen: Observation) -> Script:
    """Find x, type it, then submit."""
    problem = like(screen, lambda one: one.is_text and "=" in one.name and one.name != "x =", "problem").name
    left, sign, right, result = groups(r"(\S+) (\S) (\S+) = (-?\d+)", problem)
    known, total = int(right if left == "x" else left), int(result)
    subtracted = total + known if left == "x" else known - total
    yield from _answered(screen, total - known if sign == "+" else subtracted)


def problem_kind(shown: Trajectory) -> str:
    """The sign of the sum, and the place of x in it."""
    screen = shown.turns[0].observation
    problem = next(one.name for one in screen.elements if one.is_text and re.search(r"\d|x [-+]", one.name))
    return re.sub(r"\d+", "n", problem)


def guess(task: str, screen: Observation) -> Script:
    """Guess the middle of the remaining range until the number is found."""
    low, high = 0, 9
    while low <= high:
        middle = (low + high) // 2
        screen = yield fill(only(screen, "spinbutton"), str(middle), anew=True)
        screen = yield submit(screen)
        told = " ".join(one.name for one in those(screen, "text"))
        if "higher" in told:
            low = middle + 1
        elif "lower" in told:
            high = middle - 1
        else:
            return


def similar_words(task: str, screen: Observation) -> Script:
    """Tick the synonyms of the words in the instruction, in their order, then submit."""
    (listed,) = groups(r"similar to (.*) and click", task)
    for word in several(listed):
        box = like(screen, lambda one, word=word: one.role == "checkbox" and alike(word, one.name), word)  # type: ignore[misc]
        screen = yield tick(box)
    yield submit(screen)


def noughts_and_crosses(task: str, screen: Observation) -> Script:
    """Win if possible, else block, else take the middle, a corner, or any free field."""
    while True:
        fields = _fields(screen)
        if len(fields) != 9:
            return
        screen = yield click(fields[best_field([_mark(field) for field in fields])])


def best_field(marks: Sequence[str]) -> int:
    """The field for the next cross."""

    def worth(field: int) -> tuple[int, ...]:
        lines = [[marks[one] for one in line if one != field] for line in LINES if field in line]
        wins = sum(line == ["x", "x"] for line in lines)
        blocks = sum(line == ["o", "o"] for line in lines)
        chances = sum(sorted(line) == ["", "x"] for line in lines)
        free = sum(line == ["", ""] for line in lines)
        return wins, blocks, chances >= 2, chances, free

    return max((field for field in range(9) if not marks[field]), key=worth)


def _fields(screen: Observation) -> list[Element]:
    found = [one for one in screen.elements if one.attributes.get("id", "").startswith("ttt-")]
    return sorted(found, key=lambda one: (one.box.top, one.box.left))


def _mark(field: Element) -> str:
    words = field.attributes.get("class", "")
    return "x" if "mark-x" in words else "o" if "mark-o" in words else ""


def _answered(screen: Observation, number: int) -> Script:
    screen = yield fill(only(screen, "textbox"), str(number))
    yield submit(screen)


def _worked_out(left: int, sign: str, right: int) -> int:
    return {"+": left + right, "-": left - right}.get(sign, left * right)
