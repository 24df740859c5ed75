"""Recordings that this project did not make, as the pages' own recorder sends them, are learned from."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from gui_agent.cli import call
from tests.end_to_end.eval.stand_in import browser_page, record

pytestmark = pytest.mark.nightly

TASKS = ("choose-list", "enter-text")
SEEDS = [6001, 6002, 6003]
SCRIPT = """
page.goto("https://localhost/click-button.html")
page.get_by_text("START").click()
page.get_by_role("button", name="{}").click()
"""

pytest.importorskip("miniwob")


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a person's stand-in did, a failed and a broken file among it, and scripts of another recorder."""
    folder = tmp_path_factory.mktemp("recordings")
    with browser_page() as page:
        for task in TASKS:
            record(page, task, SEEDS, folder)
    good = folder / "enter-text" / f"enter-text_{SEEDS[0]}.json.gz"
    failed = json.loads(gzip.decompress(good.read_bytes())) | {"rawReward": -1}
    (good.parent / "0.json").write_text(json.dumps(failed))
    (good.parent / "1.json.gz").write_bytes(good.read_bytes()[:200])
    scripts = folder / "click-button"
    scripts.mkdir()
    for name in ("Next", "previous"):
        (scripts / f"{name}.py").write_text(SCRIPT.format(name))
        (scripts / f"{name}.txt").write_text(f'Click on the "{name}" button.')
    return folder


def test_recordings_of_others_are_learned_from_as_they_are(
    recordings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks = ",".join((*TASKS, "click-button"))
    told = [
        "--tasks",
        tasks,
        "--demos",
        str(recordings),
        "--episodes",
        "2",
        "--seeds",
        "10300-",
        "--slowness",
        "10",
    ]
    assert call(["eval", "miniwob", *told, "--out", str(tmp_path / "run"), "--json", "--quiet"]) == 0
    printed = capsys.readouterr()
    assert "enter-text/1.json.gz: cannot be unpacked" in printed.err
    assert "enter-text: 1 recording does not end with reward 1, not used: 0.json" in printed.err
    figures = json.loads(printed.out)
    assert figures["mean"]["value"] == 1.0, figures


def test_what_the_recorder_sends_is_kept_as_it_is(recordings: Path) -> None:
    for path in recordings.glob("*/*_*.json.gz"):
        sent = json.loads(gzip.decompress(path.read_bytes()))
        assert sent["rawReward"] == 1
        assert sent["taskName"] == path.parent.name
        assert sent["states"][0]["action"] is None
