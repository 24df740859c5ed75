"""What was scrolled past tells what was not meant."""

from __future__ import annotations

from dataclasses import replace

from gui_agent.procedures.induction.selectors import targets
from gui_agent.procedures.induction.values import TargetCase
from gui_agent.procedures.language.evaluate import Scope, select
from gui_agent.procedures.language.view import View
from gui_agent.testing import button, screen, text


def test_a_description_that_fits_what_was_passed_is_no_reason() -> None:
    view = View(screen(text("Offers to Rome"), text("9 EUR"), button("Book for 9")))
    passed = View(screen(text("Offers to Rome"), text("20 EUR"), button("Book for 20")))
    target = next(e for e in view.elements if e.name == "Book for 9")
    case = TargetCase(Scope(view, {"to": "Rome"}, "Book the cheapest to Rome"), target)
    without = targets([case])
    told = targets([replace(case, passed=(passed,))])
    there = [[e.name for e in select(one.it, case.scope.with_view(passed))] for one in without]
    assert ["Book for 20"] in there
    assert told and not any(select(one.it, case.scope.with_view(passed)) for one in told)
