"""Rows that are turned through are joined without gaps, or it is said that this cannot be told."""

from __future__ import annotations

import pytest

from gui_agent.api.long_tables import joined_rows
from gui_agent.api.tables import TableRow
from gui_agent.core.errors import ActionFailed
from gui_agent.core.geometry import Box


def rows(names: str, top: int) -> list[TableRow]:
    """One row of 20 pixels for each letter."""
    return [
        TableRow({"Name": name}, {"Name": Box(0, top + 20 * place, 50, 20)})
        for place, name in enumerate(names)
    ]


def test_rows_that_were_there_before_come_once() -> None:
    found = joined_rows(rows("abcd", 0), rows("cdef", 0), 40)
    assert "".join(row["Name"] for row in found or ()) == "abcdef"


def test_rows_that_share_nothing_leave_a_gap() -> None:
    assert joined_rows(rows("abcd", 0), rows("efgh", 0), 80) is None


def test_rows_that_look_alike_are_joined_by_how_far_they_moved() -> None:
    found = joined_rows(rows("aaaa", 0), rows("aaaa", 0), 40)
    assert found is not None
    assert len(found) == 6


def test_rows_that_look_alike_are_refused_where_the_list_came_to_its_end() -> None:
    with pytest.raises(ActionFailed, match="look alike"):
        joined_rows(rows("aaaa", 0), rows("aaaa", 0), 50)
