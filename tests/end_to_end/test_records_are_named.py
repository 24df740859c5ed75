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
