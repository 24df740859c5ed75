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
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Locator, Page, Route, sync_playwright

TRAINING = 10_000
"""Seeds from here on are for tests."""
SENT = "http://localhost:8032/record"
"""Where the recorder sends to by itself; nothing listens there, the request is caught in the browser."""
FLAGS = ("--no-sandbox", "--disable-smooth-scrolling")


@dataclass
class Hand:
    """Mouse and keyboard of someone who sees the page and has the habits that a number stands for."""

    page: Page
    habit: random.Random
    at: tuple[float, float] = (80, 190)
    pause: float = field(default=25)
    """Milliseconds between two keys."""

    def see(self, selector: str, text: str = "") -> Locator:
        """What fits and can be seen, in the order of the page."""
        found = self.page.locator(f"#area {selector}:visible")
        return found.filter(has_text=re.compile(rf"^\s*{re.escape(text)}\s*$")) if text else found

    def click(self, thing: Locator) -> None:
        """Move there, press and release the left button, somewhere in the middle of it."""
        box = thing.bounding_box()
        assert box is not None, thing
        near = (self.habit.uniform(0.35, 0.65), self.habit.uniform(0.35, 0.65))
        x, y = box["x"] + box["width"] * near[0], box["y"] + box["height"] * near[1]
        self.page.mouse.move(x, y, steps=3)
        self.page.mouse.down()
        self.page.wait_for_timeout(self.habit.uniform(20, 60))
        self.page.mouse.up()

    def keys(self, text: str) -> None:
        """Type, now and then with a slip that is put right at once."""
        slip = self.habit.random() < 0.3 and len(text) > 2
        for place, letter in enumerate(text):
            if slip and place == len(text) // 2:
                self.page.keyboard.type("q", delay=self.pause)
                self.page.keyboard.press("Backspace", delay=self.pause)
            if letter.isupper():
                self.page.keyboard.down("Shift")
            self.page.keyboard.type(letter, delay=self.pause)
            if letter.isupper():
                self.page.keyboard.up("Shift")

    def press(self, key: str) -> None:
        """Press one key."""
        self.page.keyboard.press(key, delay=self.pause)

    def write(self, thing: Locator, text: str) -> None:
        """Click into a field and type."""
        self.click(thing)
        self.keys(text)

    def fill(self, fields: list[Locator], texts: list[str]) -> None:
        """Fill fields one after the other; some people go on with Tab, some with the mouse."""
        tab = self.habit.random() < 0.5
        for number, (thing, text) in enumerate(zip(fields, texts, strict=True)):
            if number and tab:
                self.press("Tab")
                self.keys(text)
            else:
                self.write(thing, text)

    def submit(self) -> None:
        """Press the button at the end of a form."""
        self.click(self.see("button", "Submit"))


Way = Callable[[Hand, str], None]


def quoted(said: str) -> list[str]:
    """What stands in double quotes."""
    return re.findall(r'"([^"]*)"', said)


def click_button(hand: Hand, said: str) -> None:
    hand.click(hand.see("button", quoted(said)[0]).first)


def enter_text(hand: Hand, said: str) -> None:
    hand.write(hand.see("input"), quoted(said)[0])
    hand.submit()


def login_user(hand: Hand, said: str) -> None:
    fields = hand.see("input")
    hand.fill([fields.nth(0), fields.nth(1)], quoted(said))
    hand.click(hand.see("button", "Login"))


def enter_password(hand: Hand, said: str) -> None:
    fields = hand.see("input")
    hand.fill([fields.nth(0), fields.nth(1)], quoted(said) * 2)
    hand.submit()


def click_checkboxes(hand: Hand, said: str) -> None:
    wanted = said.removeprefix("Select ").removesuffix(" and click Submit.")
    for one in [] if wanted == "nothing" else wanted.split(", "):
        label = hand.see("label", one)
        hand.click(label if hand.habit.random() < 0.5 else label.locator("input"))
    hand.submit()


def click_option(hand: Hand, said: str) -> None:
    wanted = said.removeprefix("Select ").removesuffix(" and click Submit.")
    label = hand.see("label", wanted)
    hand.click(label if hand.habit.random() < 0.5 else label.locator("input"))
    hand.submit()


def choose_list(hand: Hand, said: str) -> None:
    wanted = said.removeprefix("Select ").removesuffix(" from the list and click Submit.")
    hand.click(hand.see("select"))
    hand.keys(wanted[:1] if hand.habit.random() < 0.2 else wanted)
    hand.press("Enter")
    hand.submit()


def click_tab_2(hand: Hand, said: str) -> None:
    wanted = quoted(said)[0]
    tabs = hand.see("a.ui-tabs-anchor")
    for number in range(tabs.count()):
        if number:
            hand.click(tabs.nth(number))
            hand.page.wait_for_timeout(80)
        if link := hand.see("span.alink", wanted).all():
            hand.click(link[0])
            return


def click_collapsible_2(hand: Hand, said: str) -> None:
    wanted = quoted(said)[0]
    heads = hand.see("h3")
    for number in range(-1, heads.count()):
        if number >= 0:
            hand.click(heads.nth(number))
            hand.page.wait_for_timeout(450)
        if link := hand.see("span.alink", wanted).all():
            hand.click(link[0])
            return


def email_inbox(hand: Hand, said: str) -> None:
    who = re.search(r"by (\w+)", said)
    assert who is not None
    row = hand.see(".email-thread").filter(has=hand.page.locator(".email-sender", has_text=who[1])).first
    while not row_in_sight(hand, row):
        hand.page.mouse.move(70, 130)
        hand.page.mouse.wheel(0, 40)
        hand.page.wait_for_timeout(60)
    if "important" in said or "Delete" in said or "delete" in said:
        hand.click(row.locator(".star" if "important" in said else ".trash"))
        return
    hand.click(row.locator(".email-subject"))
    if "eply" in said:
        hand.click(hand.see(".email-reply"))
        hand.write(hand.see("#reply-text"), quoted(said)[0])
        hand.click(hand.see("#send-reply"))
        return
    to = re.search(r"to (\w+)", said)
    assert to is not None
    hand.click(hand.see(".email-forward"))
    hand.write(hand.see(".forward-sender"), to[1])
    hand.click(hand.see("#send-forward"))


def row_in_sight(hand: Hand, row: Locator) -> bool:
    """Whether the row of a list that scrolls is wholly in its window."""
    box, window = row.bounding_box(), hand.see("#main").bounding_box()
    assert box is not None and window is not None
    return box["y"] + box["height"] <= window["y"] + window["height"]


def use_spinner(hand: Hand, said: str) -> None:
    number = re.search(r"-?\d+", said)
    assert number is not None
    arrow = hand.see(".ui-spinner-up" if int(number[0]) > 0 else ".ui-spinner-down")
    for _ in range(abs(int(number[0]))):
        hand.click(arrow)
    hand.submit()


def search_engine(hand: Hand, said: str) -> None:
    hand.write(hand.see("#search-text"), quoted(said)[0])
    hand.click(hand.see("#search"))
    found = re.search(r"(\d+)(?:st|nd|rd|th)", said)
    assert found is not None
    place = int(found[1]) - 1
    for _ in range(place // 3):
        hand.click(hand.see("#pagination a", ">"))
        hand.page.wait_for_timeout(60)
    hand.click(hand.see("a.search-title").nth(place % 3))


def navigate_tree(hand: Hand, said: str) -> None:
    wanted = quoted(said)[0]
    opened: set[str] = set()
    while True:
        if leaf := hand.see("span.file, #area span.folder", wanted).all():
            hand.click(leaf[0])
            return
        shut = [one for one in hand.see("span.folder").all() if one.inner_text() not in opened]
        opened.add(shut[0].inner_text())
        hand.click(shut[0])
        hand.page.wait_for_timeout(80)


def click_dialog_2(hand: Hand, said: str) -> None:
    wanted = quoted(said)[0]
    button = ".ui-dialog-titlebar-close" if wanted == "x" else ".ui-dialog-buttonset button"
    shown = hand.page.locator(f"{button}:visible")
    hand.click(shown if wanted == "x" else shown.filter(has_text=wanted))


WAYS: dict[str, Way] = {
    "choose-list": choose_list,
    "click-button": click_button,
    "click-checkboxes": click_checkboxes,
    "click-collapsible-2": click_collapsible_2,
    "click-dialog-2": click_dialog_2,
    "click-option": click_option,
    "click-tab-2": click_tab_2,
    "email-inbox": email_inbox,
    "enter-password": enter_password,
    "enter-text": enter_text,
    "login-user": login_user,
    "navigate-tree": navigate_tree,
    "search-engine": search_engine,
    "use-spinner": use_spinner,
}


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
        ValueError: a seed is kept for tests.
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
