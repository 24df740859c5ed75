"""A person's stand-in: does MiniWoB++ tasks with real mouse and keys while the pages' own recorder listens.

It knows nothing of this project. What is kept is what the recorder (`core/record.js`) sends to its server,
byte for byte, laid out as in the public collection: DIR/<task>/<task>_<seed>.json.gz.

python tests/end_to_end/eval/stand_in.py --out DIR --tasks click-button,enter-text --each 5
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import random
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, Route, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[3]))  # so that it also runs as a script

from tests.end_to_end.eval.ways import WAYS, Hand

TRAINING = 10_000
"""Seeds from here on are for tests."""
LOOK = 300
"""Milliseconds for which a person looks at a page before the first move, pictures are there by then."""
SENT = "http://localhost:8032/record"
"""Where the recorder sends to by itself; nothing listens there, the request is caught in the browser."""
FLAGS = ("--no-sandbox", "--disable-smooth-scrolling")


@contextmanager
def browser_page() -> Iterator[Page]:
    """A page of a browser with room around the task, as on a person's screen."""
    executable = next(
        (found for name in ("chromium", "google-chrome") if (found := shutil.which(name))), None
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        context = browser.new_context(
            viewport={"width": 500, "height": 320}, locale="en-US", timezone_id="UTC"
        )
        yield context.new_page()
        browser.close()


def record(page: Page, task: str, seeds: list[int], out: Path) -> list[Path]:
    """Do these instances of a task and keep what the recorder sends.

    Raises:
        ValueError: a seed is reserved for tests.
    """
    if any(seed >= TRAINING for seed in seeds):
        raise ValueError(f"demonstrations take seeds below {TRAINING}")
    sent: list[bytes] = []

    def keep(route: Route) -> None:
        sent.append(route.request.post_data_buffer or b"")
        route.fulfill(status=200, body="saved", headers={"Access-Control-Allow-Origin": "*"})

    spec = importlib.util.find_spec("miniwob")
    assert spec is not None and spec.submodule_search_locations
    pages = Path(spec.submodule_search_locations[0]) / "html" / "miniwob"
    kept: list[Path] = []
    page.unroute_all()
    page.route(SENT, keep)
    for seed in seeds:
        page.goto(f"{(pages / f'{task}.html').as_uri()}?record=true&mode=train")
        page.wait_for_function("typeof recorder !== 'undefined' && !!recorder.LISTENERS")
        page.evaluate("seed => Math.seedrandom(seed)", seed)
        page.mouse.click(80, 105)  # START
        page.wait_for_timeout(LOOK)
        said = " ".join(page.locator("#query").inner_text().split())
        with page.expect_request_finished(lambda request: request.url == SENT, timeout=40_000):
            WAYS[task](Hand(page, random.Random(seed)), said)
        path = out / task / f"{task}_{seed:04}.json.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(sent.pop(), mtime=0))
        kept.append(path)
    return kept


def main(arguments: list[str] | None = None) -> int:
    """Record; exit code 1 when a task is not known."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tasks", default=",".join(WAYS))
    parser.add_argument("--each", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--like", type=Path, help="take the seeds that are file names in DIR/<task>/")
    given = parser.parse_args(arguments)
    tasks = given.tasks.split(",")
    if unknown := [task for task in tasks if task not in WAYS]:
        print(f"not known: {', '.join(unknown)}; known are {', '.join(WAYS)}", file=sys.stderr)
        return 1
    with browser_page() as page:
        for task in tasks:
            seeds = list(range(given.first_seed, given.first_seed + given.each))
            if given.like:
                seeds = sorted(int(path.stem) for path in (given.like / task).glob("*.json"))[: given.each]
            kept = record(page, task, seeds, given.out)
            print(f"{task}: {len(kept)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
