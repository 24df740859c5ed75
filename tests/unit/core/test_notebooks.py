"""Results and screens show themselves in notebooks, and what a page says stays text there."""

from __future__ import annotations

from dataclasses import replace

from gui_agent.core.observation import Screenshot, Size
from gui_agent.core.trajectory import Ending, Result, Task, Trajectory
from gui_agent.testing import button, screen, text

EVIL = "<script>alert(1)</script>"


def test_a_screen_shows_its_picture_and_its_elements() -> None:
    shown = replace(screen(button("Send"), text(EVIL)), screenshot=Screenshot(b"abc", Size(1, 1)))
    html = shown._repr_html_()
    assert 'src="data:image/png;base64,YWJj"' in html
    assert "[1] button &quot;Send&quot;" in html
    assert "2 elements" in html and "<script>" not in html


def test_a_result_says_how_it_ended_and_why() -> None:
    ended = Result(Trajectory(Task("t"), (), Ending("not_done", f"no {EVIL} here")))
    html = ended._repr_html_()
    assert "<th>not_done</th>" in html and "no &lt;script&gt;" in html
