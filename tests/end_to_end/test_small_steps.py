"""Small steps from Python on a real page: act, read, table, check, find, run, and what they raise."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

import pytest
from guiagent_eval.page_computer import PageComputer
from pydantic import BaseModel, Field

from gui_agent import (
    Ambiguous,
    AsyncBrowser,
    Browser,
    CheckFailed,
    Forbidden,
    GuiAgentError,
    LiveScreen,
    NotFound,
    NotUnderstood,
    Stopped,
)

PAGE = """<!doctype html><title>Orders</title><h1>Order</h1>
<dl><dt>Customer</dt><dd>Ada Lovelace</dd><dt>Order no.</dt><dd>R-1042</dd><dt>Total</dt><dd>EUR 1,234.50</dd>
<dt>Ordered</dt><dd>3 November 2026</dd></dl>
<h2>Lines</h2><table><thead><tr><th>Item</th><th>Qty</th><th>Price</th><th></th></tr></thead><tbody>
<tr><td>Tea</td><td>2</td><td>4.50</td><td><button>Delete</button></td></tr>
<tr><td>Coffee <b>beans</b></td><td>1</td><td>12.00</td><td><button>Delete</button></td></tr>
<tr><td>Milk</td><td></td><td>1.20</td><td><button>Delete</button></td></tr></tbody></table>
<h2>People</h2><div role=grid><div role=row><div role=columnheader>Name</div>
<div role=columnheader>Age</div></div><div role=row><div role=gridcell>Ada</div>
<div role=gridcell>36</div></div>
<div role=row><div role=gridcell>Bob</div><div role=gridcell>41</div></div></div>
<label>Note <input></label><label><input type=checkbox> I agree</label>
<button onclick="this.textContent = 'Paid'">Pay now</button>
<button onclick="setTimeout(() => document.body.append('Saved at last'), 700)">Save</button>"""


LONG = """<!doctype html><title>Long</title><h1>Long</h1><main id=all></main><script>
const array = (from, to) => Array.from({length: to - from}, (_, n) => n + from);
const table = (count) => "<table><thead><tr><th>Nr<th>Kind</thead><tbody>"
  + array(0, count).map((n) => `<tr><td>N${n}<td>same`).join("") + "</table>";
const made = (from) => array(from, from + 12).filter((n) => n < 200).map((n) =>
  `<div role=row style="position:absolute;top:${24 * n}px;display:flex"><div role=gridcell
  style="width:60px">N${n}</div><div role=gridcell style="width:80px">same</div></div>`).join("");
const head = `<div role=row style="display:flex"><div role=columnheader style="width:60px">Nr</div>
  <div role=columnheader style="width:80px">Kind</div></div>`;
const list = "height:200px;overflow:auto";
all.innerHTML = location.search ? `<h2>Whole</h2>${table(120)}`
  : `<h2>Kept</h2><div style="${list}">${table(60)}</div><h2>Made</h2><div role=grid>${head}
    <div id=made style="${list}"><div role=rowgroup style="height:4800px;position:relative"></div>`;
const box = document.getElementById("made");
const show = () => (box.firstChild.innerHTML = made(Math.floor(box.scrollTop / 24)));
if (box) { box.onscroll = show; show(); }
</script>"""
"""Two lists that scroll by themselves, of which one makes only the rows in sight; or a long page."""


class Line(TypedDict):
    item: str
    qty: int | None
    price: float


@dataclass
class Order:
    customer: str
    total: float
    number: str = field(metadata={"label": "Order no."})


class Person(BaseModel):
    called: str = Field(alias="Name")
    age: int


@pytest.fixture(scope="module")
def computer() -> Iterator[PageComputer]:
    with PageComputer() as opened:
        yield opened


@pytest.fixture
def page(computer: PageComputer, tmp_path: Path) -> LiveScreen:
    (tmp_path / "orders.html").write_text(PAGE)
    computer.start((tmp_path / "orders.html").as_uri())
    return LiveScreen(computer)


def test_values_are_read_as_the_schema_says(page: LiveScreen) -> None:
    assert page.read("Total") == "EUR 1,234.50"
    assert page.read("Total", schema=float) == 1234.5
    place = page.read("Total").place
    assert place is not None and place.contains(page.find('"EUR 1,234.50"').point)
    cell = page.read('"Price" in the row of "Tea"').place
    assert cell is not None and cell.contains(page.find('"4.50"').point)
    assert page.read("Ordered", schema=str) == "3 November 2026"
    assert page.read('"Price" in the row of "Tea"', schema=float) == 4.5
    assert page.read(schema=Order) == Order("Ada Lovelace", 1234.5, "R-1042")
    assert page.read("Order", schema=Order).number == "R-1042"
    assert page.read("Milk", schema=Line) == {"item": "Milk", "qty": None, "price": 1.2}
    assert page.read("I agree", schema=bool) is False


def test_a_table_gives_its_rows_with_their_places(page: LiveScreen) -> None:
    rows = page.table("Lines")
    assert [row["Item"] for row in rows] == ["Tea", "Coffee beans", "Milk"]
    assert (rows[2]["Qty"], rows[2].places.keys() & {"Qty", "Price"}) == ("", {"Price"})
    assert rows[0].places["Price"].contains(page.find('"4.50"').point)
    assert page.table("Lines", schema=Line)[1] == {"item": "Coffee beans", "qty": 1, "price": 12.0}
    assert page.read("People", schema=list[Person])[1].age == 41
    assert page.table(schema=Person)[0].called == "Ada"


@pytest.mark.nightly
def test_a_table_longer_than_its_list_or_the_page_is_read_to_its_end(
    computer: PageComputer, tmp_path: Path
) -> None:
    """One list keeps all rows, one makes only those in sight as virtual lists of component libraries do."""
    (tmp_path / "long.html").write_text(LONG)
    computer.start((tmp_path / "long.html").as_uri())
    page = LiveScreen(computer)
    for name, count in (("Made", 200), ("Kept", 60)):
        rows = page.table(name)
        assert [row["Nr"] for row in rows] == [f"N{n}" for n in range(count)]
        assert all(row["Kind"] == "same" and row.places for row in rows)
    page.open((tmp_path / "long.html").as_uri() + "?all")
    assert [row["Nr"] for row in page.table("Whole")] == [f"N{n}" for n in range(120)]


ADMIN = """<!doctype html><title>Admin</title>
<style>i { display: inline-block; width: 12px; height: 12px; background: teal }</style>
<nav><a href=#>Orders</a></nav><h1>Orders</h1><h3>2 rows</h3>
<table><thead><tr><th><a href=#>Nr</a><th><a href=#>Paid</a><th><a href=#>Total</a></tr></thead><tbody>
<tr><td><a href=#>1</a><td><i role=img aria-label="paid: true"></i><td>4.50</tr>
<tr><td><a href=#>2</a><td><i role=img aria-label="paid: false"></i><td>7.00</tr></tbody></table>
<div style="height:360px"></div><div>Cities</div>
<div role=grid><div role=row style="display:flex"><div role=columnheader style="width:90px">City</div>
<div role=columnheader style="width:90px">Share</div></div><div id=made style="height:220px;overflow:auto">
<div role=rowgroup style="height:1920px;position:relative"></div></div></div><div style="height:300px"></div>
<script>
const box = document.getElementById("made");
const first = () => Math.floor(box.scrollTop / 24);
const show = () => (box.firstElementChild.innerHTML = Array.from({length: 12}, (_, n) => n + first())
  .filter((n) => n < 80).map((n) => `<div role=row style="position:absolute;top:${24 * n}px;display:flex">
  <div role=gridcell style="width:90px">C${n}</div><div role=gridcell style="width:90px">${n}</div></div>`)
  .join(""));
box.onscroll = show; show();
</script>"""


@dataclass
class Paid:
    nr: int
    paid: bool
    total: float


def test_tables_of_admin_pages_have_links_for_heads_and_icons_for_values(
    computer: PageComputer, tmp_path: Path
) -> None:
    (tmp_path / "admin.html").write_text(ADMIN)
    computer.start((tmp_path / "admin.html").as_uri())
    page = LiveScreen(computer)
    assert page.table("Orders", schema=Paid) == [Paid(1, True, 4.5), Paid(2, False, 7.0)]
    assert page.table("2 rows")[1] == {"Nr": "2", "Paid": "false", "Total": "7.00"}


@pytest.mark.nightly
def test_a_list_that_the_window_cuts_off_is_read_to_its_end_and_the_page_stays(
    computer: PageComputer, tmp_path: Path
) -> None:
    """A wheel at the end of a list would turn the page, and the list away with it."""
    (tmp_path / "admin.html").write_text(ADMIN)
    computer.start((tmp_path / "admin.html").as_uri())
    page = LiveScreen(computer)
    for _ in range(2):
        assert [row["City"] for row in page.table("Cities")] == [f"C{n}" for n in range(80)]
        assert page.find("Cities").box.top >= 0


def test_a_yes_or_no_that_nothing_says_is_not_taken_for_no(computer: PageComputer, tmp_path: Path) -> None:
    (tmp_path / "admin.html").write_text(ADMIN.replace("aria-label", "data-label"))
    computer.start((tmp_path / "admin.html").as_uri())
    with pytest.raises(NotFound, match=r"paid: .*boolean"):
        LiveScreen(computer).table("Orders", schema=Paid)


def test_what_is_not_clear_raises_with_candidates(page: LiveScreen) -> None:
    with pytest.raises(Ambiguous) as clash:
        page.act('click "Delete"')
    assert [one.role for one in clash.value.candidates] == ["button"] * 3
    assert clash.value.result is not None and clash.value.result.outcome == "not_done"
    with pytest.raises(Ambiguous, match="2 tables here") as tables:
        page.table()
    assert {"Item", "Name"} <= {one.name for one in tables.value.candidates}
    with pytest.raises(NotUnderstood, match="frobnicate"):
        page.act("frobnicate it")
    with pytest.raises(NotFound, match=r"Customer.*Ada Lovelace"):
        page.read("Customer", schema=int)
    with pytest.raises(NotFound, match="Price"):
        page.table("People", schema=Line)


def test_what_is_missing_is_waited_for_and_then_raised(page: LiveScreen) -> None:
    with pytest.raises(NotFound) as missing:
        page.find("Sav button nobody made")
    assert missing.value.candidates
    page.act('click "Save"')
    assert page.check("Saved at last").ok
    with pytest.raises(CheckFailed, match='"Note" holds "x"'):
        page.check('"Note" is "x"')


def test_steps_act_and_are_checked_and_guarded(page: LiveScreen, tmp_path: Path) -> None:
    seen: list[str] = []
    mine = LiveScreen(page.computer, on_step=lambda step: seen.append(step.outcome.kind))
    done = mine.act('type "hi" into "Note", tick "I agree"')
    assert (seen, len(done.steps)) == (["confirmed", "confirmed"], 2)
    assert mine.read("Note") == "hi" and mine.check("I agree is ticked").ok
    with pytest.raises(Forbidden):
        mine.act('click "Pay now"')
    assert LiveScreen(page.computer, yes=True).act('click "Pay now"').ok
    assert mine.find("Save button").element is not None
    assert not (Path.cwd() / "runs").exists() or "runs" not in done.folder


def test_an_opened_screen_is_closed_and_a_given_one_is_not(page: LiveScreen) -> None:
    page.close()
    assert page.observe(picture=False).elements
    with Browser() as own:
        computer = own.computer
    with pytest.raises(GuiAgentError):
        computer.observe()


def test_the_async_twin_has_the_same_verbs_and_stops_when_cancelled(tmp_path: Path) -> None:
    (tmp_path / "orders.html").write_text(PAGE)

    async def steps() -> float:
        async with AsyncBrowser(str(tmp_path / "orders.html")) as page:
            assert await page.read("Total", schema=float) == 1234.5
            assert len(await page.table("Lines", schema=Line)) == 3
            began = time.monotonic()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(page.act("wait 500 seconds"), 0.5)
            assert (await page.act('type "x" into "Note"')).ok
            return time.monotonic() - began

    assert asyncio.run(steps()) < 250


def test_a_step_is_stopped_from_another_thread(page: LiveScreen) -> None:
    page.control.stop()
    with pytest.raises(Stopped):
        page.act("wait 30 seconds")
    assert page.act("wait 0.1 seconds").ok
