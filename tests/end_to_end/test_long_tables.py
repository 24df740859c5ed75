"""Tables longer than what is in sight give all their rows, once each, wherever the page stands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from guiagent_eval.page_computer import PageComputer

from gui_agent import LiveScreen
from gui_agent.core.actions import Scroll
from gui_agent.core.observation import Point

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def computer() -> Iterator[PageComputer]:
    with PageComputer() as opened:
        yield opened


ALIKE = """<!doctype html><title>Alike</title><h2>Jobs</h2><div role=grid><div role=row style="display:flex">
<div role=columnheader style="width:90px">State</div><div role=columnheader style="width:90px">Who</div></div>
<div id=list style="height:204px;overflow:auto"></div></div><script>
const [count, high] = location.search.slice(1).split("x").map(Number);
const row = `<div role=row style="display:flex;height:${high}px">
  <div role=gridcell style="width:90px">waiting</div>
  <div role=gridcell style="width:90px">nobody</div></div>`;
list.innerHTML = row.repeat(count);
</script>"""
TWO = """<!doctype html><title>Two</title><h1>Two</h1><script>
const array = (count) => Array.from({length: count}, (_, n) => n);
const row = (role, a, b) => `<div role=row style="display:flex;height:30px">
  <div role=${role} style="width:90px">${a}</div><div role=${role} style="width:90px">${b}</div></div>`;
const rows = (count, state) => array(count).map((n) => row("gridcell", state, `N${n}`)).join("");
const grid = (count, state, by) => `<div role=grid style="margin-bottom: ${by}px">
  ${row("columnheader", "State", "Nr")}
  <div style="height:400px;overflow:auto">${rows(count, state)}</div></div>`;
document.body.innerHTML += "<h2>Done</h2>" + grid(40, "done", 120) + "<h2>Open</h2>" + grid(50, "open", 900);
</script>"""
"""Two tables with the same columns; of the second the window shows little more than its head."""


@pytest.mark.parametrize(("count", "high"), [(37, 24), (40, 24), (41, 34), (9, 51), (3, 24)])
def test_rows_that_all_look_alike_are_counted(
    computer: PageComputer, tmp_path: Path, count: int, high: int
) -> None:
    """Nothing in them tells how far the list has moved, least of all where it comes to its end."""
    (tmp_path / "alike.html").write_text(ALIKE)
    computer.start((tmp_path / "alike.html").as_uri() + f"?{count}x{high}")
    assert len(LiveScreen(computer).table("Jobs")) == count


@pytest.mark.parametrize("scrolled", [0, 60, 100, 150, 220, 300])
def test_a_table_below_another_of_the_same_columns_has_its_own_rows(
    computer: PageComputer, tmp_path: Path, scrolled: int
) -> None:
    """Wherever the page stands: its head at the edge of the window, that of the other out of sight."""
    (tmp_path / "two.html").write_text(TWO)
    computer.start((tmp_path / "two.html").as_uri())
    page = LiveScreen(computer)
    if scrolled:
        computer.perform(Scroll(Point(1200, 400), down=scrolled))
        computer.settle()
    rows = page.table("Open")
    assert [(row["State"], row["Nr"]) for row in rows] == [("open", f"N{n}") for n in range(50)]


STUCK = """<!doctype html><title>Stuck</title><style>th {position: sticky; top: %s; background: white}
header {position: sticky; top: 0; height: 40px; background: #eee}</style><header>Shop</header>
<p style="height: %spx">Before it</p><h2>Lines</h2><table><thead><tr><th>Nr<th>Kind</thead>
<tbody id=all></tbody></table><p style="height: 900px">After it</p><script>
all.innerHTML = Array.from({length: 90}, (_, n) => `<tr><td>N${n}<td>same`).join("");
scrollTo(0, %s);</script>"""


@pytest.mark.parametrize("scrolled", [0, 500, 1200, 2400])
@pytest.mark.parametrize("before", [10, 600])
@pytest.mark.parametrize("top", ["0", "40px", "auto"])
def test_a_table_whose_head_is_held_in_sight_is_read_from_its_first_row(
    computer: PageComputer, tmp_path: Path, scrolled: int, before: int, top: str
) -> None:
    (tmp_path / "stuck.html").write_text(STUCK % (top, before, scrolled))
    computer.start((tmp_path / "stuck.html").as_uri())
    assert [row["Nr"] for row in LiveScreen(computer).table("Kind")] == [f"N{n}" for n in range(90)]
