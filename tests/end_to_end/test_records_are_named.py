"""Which record an action is about is said where the person decides, and where they read what was done."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from gui_agent import run
from gui_agent.cli import app

ORDERS = """<!doctype html><title>Orders</title><h1>Orders</h1><table>
<tr><th>Order</th><th>Customer</th><th>Items</th><th></th></tr>
<tr><td>7</td><td>Ann Lee</td><td>5</td><td><button onclick="gone(this)">Delete</button></td></tr>
<tr><td>8</td><td>Bob Ray</td><td>3</td><td><button onclick="gone(this)">Delete</button></td></tr>
</table><p id="log"></p><script>function gone(button) {
  const row = button.closest("tr");
  document.getElementById("log").append("gone: " + row.cells[0].textContent);
  row.remove() }</script>"""


@pytest.fixture
def orders(tmp_path: Path) -> str:
    page = tmp_path / "orders.html"
    page.write_text(ORDERS)
    return str(page)


def test_the_question_and_the_report_name_the_record(orders: str) -> None:
    questions: list[str] = []

    class Person:
        def approve(self, question: str, *_: object) -> bool:
            questions.append(question)
            return True

    result = run("delete order 8", url=orders, approver=Person())
    assert result.ok
    assert "in the row of Order 8: Bob Ray, Items 3" in questions[0]
    CliRunner().invoke(app, ["show", result.folder, "--no-open"], catch_exceptions=False)
    report = Path(result.folder, "report.html").read_text("utf-8")
    assert "in the row of Order 8: Bob Ray, Items 3" in report


@pytest.mark.parametrize("task", ["delete order 5", 'delete "order 5"', "delete the order 3", "delete 5"])
def test_a_number_of_another_column_deletes_nothing_and_the_keys_are_listed(orders: str, task: str) -> None:
    result = run(task, url=orders, yes=True)
    assert not result.ok
    assert "there are 7, 8" in result.reason


@pytest.mark.parametrize(
    "task",
    [
        "delete the row with Bob Ray",
        "click Delete for Bob Ray",
        'click Delete for "Bob Ray"',
    ],
)
def test_a_control_is_named_by_its_row_in_free_words(orders: str, task: str) -> None:
    result = run(task, url=orders, yes=True)
    assert result.ok
    assert "gone: 8" in result.trajectory.steps[-1].outcome.summary


@pytest.mark.parametrize(
    "task",
    [
        "delete the order of Bob Ray",
        'delete the order of "Bob Ray"',
        "delete the comments of Bob Ray",
        'delete the order in the row of "Sue"',
        "delete the items of Bob Ray",
        "delete the order of 5",
        "click Delete for order 5",
        "click Sell for Bob Ray",
    ],
)
def test_a_name_that_is_only_a_part_or_belongs_to_nothing_is_asked_about(orders: str, task: str) -> None:
    result = run(task, url=orders, yes=True)
    assert not result.ok and not any(step.outcome.kind == "changed" for step in result.trajectory.steps)


SETTINGS = """<!doctype html><title>Settings</title><h1>Settings</h1>
<fieldset><legend>Email notifications</legend><label><input type=checkbox> Comments</label></fieldset>
<fieldset><legend>Push notifications</legend><label><input type=checkbox id=push> Comments</label></fieldset>
<label>Items per page <input type=number value=20></label>"""


@pytest.mark.parametrize(
    ("task", "done"),
    [
        ("turn on push notifications for comments", "row of Push notifications"),
        ("tick Comments for push notifications", "row of Push notifications"),
        ("change items per page to 50", 'spinbutton "Items per page"'),
    ],
)
def test_a_setting_is_named_by_its_group_in_either_order(tmp_path: Path, task: str, done: str) -> None:
    (tmp_path / "settings.html").write_text(SETTINGS)
    result = run(task, url=str(tmp_path / "settings.html"), yes=True)
    assert result.ok
    CliRunner().invoke(app, ["show", result.folder, "--no-open"], catch_exceptions=False)
    assert done in Path(result.folder, "report.html").read_text("utf-8").replace("&#34;", '"')


def test_a_setting_that_two_groups_have_is_asked_about(tmp_path: Path) -> None:
    (tmp_path / "settings.html").write_text(SETTINGS)
    result = run("turn on notifications for comments", url=str(tmp_path / "settings.html"), yes=True)
    assert not result.ok
    assert not any("is checked" in step.outcome.summary for step in result.trajectory.steps)
