"""What the pages of runs and of benchmarks have in common."""

from __future__ import annotations

import pytest
from jinja2 import UndefinedError

from gui_agent.trace.report import moment, resource, templates


def test_what_comes_from_a_run_is_escaped_and_nothing_may_be_missing() -> None:
    page = templates("gui_agent.trace").from_string("<p>{{ said }}</p>")
    assert page.render(said="<script>") == "<p>&lt;script&gt;</p>"
    with pytest.raises(UndefinedError):
        page.render()


@pytest.mark.parametrize(
    ("package", "name"), [("gui_agent.trace", "report.css"), ("guiagent_eval", "run.css")]
)
def test_a_resource_is_found_in_its_package(package: str, name: str) -> None:
    assert "{" in resource(package, name)


def test_a_time_is_written_as_people_write_it() -> None:
    assert moment("2026-03-04T05:06:07") == "4 March 2026, 05:06"
    assert moment("one day") == "one day"
