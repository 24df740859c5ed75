"""`guiagent doctor` starts the real browser."""

from __future__ import annotations

import pytest

from gui_agent.cli import doctor as checks

pytestmark = pytest.mark.nightly


def test_the_browser_starts_and_is_photographed() -> None:
    found = checks.browser()
    assert found.state == "ok", found.detail
    assert "took a 1280 x 800 picture" in found.detail


def test_a_browser_that_does_not_exist_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", "/nowhere")
    monkeypatch.setattr(
        "gui_agent.computers.browser.launch.SHELLS", ()
    )  # one of them lies at a place of its own
    found = checks.browser()
    assert found.state == "missing"
    assert "chromium" in found.fix
