"""Rows that are turned through are joined without gaps, or it is said that this cannot be told."""

from __future__ import annotations

import pytest

from gui_agent.api.long_tables import TableRow, joined_rows
from gui_agent.core.observation import Box


def rows(names: str, top: int) -> list[TableRow]:
    """One row of 20 pixels for each letter."""
    return [
        TableRow({"Name": name}, {"Name": Box(0, top + 20 * place, 50, 20)})
        for place, name in enumerate(names)
    ]


def test_rows_that_were_there_before_come_once() -> None:
    found = joined_rows(rows("abcd", 0), rows("cdef", 0), 40)
    assert found and found.sure and found.moved == 40
    assert "".join(row["Name"] for row in found.rows) == "abcdef"


def test_rows_that_share_nothing_leave_a_gap() -> None:
    assert joined_rows(rows("abcd", 0), rows("efgh", 0), 80) is None


@pytest.mark.parametrize(("step", "count"), [(40, 6), (50, 4)])
def test_rows_that_look_alike_are_joined_by_how_far_they_moved_and_never_surely(
    step: int, count: int
) -> None:
    found = joined_rows(rows("aaaa", 0), rows("aaaa", 0), step)
    assert found and not found.sure
    assert len(found.rows) == count


def test_by_less_than_a_row_there_is_one_way_only() -> None:
    found = joined_rows(rows("aaaa", 0), rows("aaaa", -10), 10)
    assert found and found.sure and (found.moved, len(found.rows)) == (10, 4)
