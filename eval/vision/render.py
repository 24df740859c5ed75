"""Makes screens with truth for the training of the detector, from a seed.

    python eval/vision/render.py --out SCREENS --screens 4000 --packages FOLDER [--workers 2]

FOLDER is where npm put the icon sets and style sheets that `icons.toml` and `SHEETS` name (`npm install` them
there by name). Each screen is a picture and a line of `truth-*.jsonl`: the boxes in pixels of the picture
with role, states and class of icon. A thing that is covered, cut off or outside the picture is left out: the
page itself says what is on top at nine points of its box. The same seed gives the same page; only fonts
differ between machines. Screens that are there already are kept, so a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from pages import PageMaker
from playwright.sync_api import Browser, sync_playwright

from gui_agent.computers.browser.launch import find_executable

HERE = Path(__file__).parent
SHEETS = (
    *("water.css/out/water.css", "sakura.css/css/sakura.css", "@picocss/pico/css/pico.css"),
    *("simpledotcss/simple.css", "mvp.css/mvp.css", "milligram/dist/milligram.css"),
    *("@exampledev/new.css/new.css", "bulma/css/bulma.css", "purecss/build/pure.css"),
)
"""Style sheets that also change elements without classes, in the folder of packages."""
SIZES = ((1280, 800), (1280, 720), (1024, 768), (1440, 900), (800, 600), (390, 780), (1100, 700))
SCALES = (1.0, 1.0, 1.0, 1.0, 0.8, 1.25, 1.5, 2.0)
WIDEST = 1920
"""Most pixels of a picture's side."""
TRUTH = """() => [...document.querySelectorAll("[data-r]")].map((one) => {
  let {left, top, right, bottom} = one.getBoundingClientRect();
  const whole = (right - left) * (bottom - top);
  left = Math.max(left, 0); top = Math.max(top, 0);
  right = Math.min(right, innerWidth); bottom = Math.min(bottom, innerHeight);
  for (let up = one.parentElement; up && up !== document.body; up = up.parentElement)
    if (getComputedStyle(up).overflow !== "visible") {
      const edge = up.getBoundingClientRect();
      left = Math.max(left, edge.left); top = Math.max(top, edge.top);
      right = Math.min(right, edge.right); bottom = Math.min(bottom, edge.bottom);
    }
  const wide = right - left, high = bottom - top;
  if (wide < 5 || high < 5 || wide * high < 0.7 * whole) return null;
  let seen = 0;
  for (const x of [0.12, 0.5, 0.88]) for (const y of [0.15, 0.5, 0.85]) {
    const there = document.elementFromPoint(left + x * wide, top + y * high);
    seen += !!there && (one.contains(there) || (one.parentElement === there && one.dataset.r === "icon"));
  }
  return seen < 8 ? null : {role: one.dataset.r, states: one.dataset.s || "", icon: one.dataset.i || "",
    box: [left, top, wide, high]};
}).filter(Boolean)"""


def read_icons(packages: Path, *, trained: bool) -> dict[str, list[str]]:
    """The markup of icons by class, of the sets that are trained on, or of the others."""
    told = tomllib.loads((HERE / "icons.toml").read_text("utf-8"))
    classes = {name: one for one, names in told["classes"].items() for name in names}
    drawing, found = set(told["drawing"]["words"]), defaultdict(list)
    for package, place in told["sets"].items():
        if place["trained"] != trained:
            continue
        for path in sorted((packages / package / place["folder"]).rglob("*.svg")):
            words = path.stem.replace("_", "-").split("-")
            while "-".join(words) not in classes and words[-1] in drawing and len(words) > 1:
                words.pop()
            if (name := classes.get("-".join(words))) is not None:
                found[name].append(_as_drawn(path.read_text("utf-8")))
    return dict(found)


def _as_drawn(svg: str) -> str:
    """An icon in the colour and size of the text around it."""
    svg = svg[svg.index("<svg") :]
    head, end, rest = svg.partition(">")
    kept = [part for part in head.split() if not part.startswith(("width=", "height=", "class=", "style="))]
    colour = "" if "fill=" in head or 'stroke="currentColor"' in rest else ' fill="currentColor"'
    return " ".join(kept) + colour + end + rest.replace("#000", "currentColor")


def make_screens(
    out: Path, packages: Path, numbers: Sequence[int], *, icons: Mapping[str, Sequence[str]]
) -> Iterator[dict[str, object]]:
    """Render these screens; yields the truth of each."""
    sheets = [path.read_text("utf-8") for name in SHEETS if (path := packages / name).is_file()]
    with sync_playwright() as driver:
        found = find_executable("", driver.chromium.executable_path, windowless=True)
        browser = driver.chromium.launch(executable_path=found, args=["--no-sandbox", "--hide-scrollbars"])
        for number in numbers:
            yield _render(browser, out, number, icons, sheets)


def _render(
    browser: Browser, out: Path, number: int, icons: Mapping[str, Sequence[str]], sheets: Sequence[str]
) -> dict[str, object]:
    random = Random(number)
    width, height = random.choice(SIZES)
    scale = random.choice([one for one in SCALES if one * max(width, height) <= WIDEST])
    sheet = random.choice(sheets) if sheets and random.random() < 0.3 else ""
    markup = PageMaker(number, icons, sheet).page()
    page = browser.new_page(viewport={"width": width, "height": height}, device_scale_factor=scale)
    page.set_content(markup, wait_until="commit")
    page.wait_for_timeout(30)
    page.evaluate("(share) => scrollTo(0, share * (document.documentElement.scrollHeight - innerHeight))",
                  random.choice((0, 0, random.random())))  # fmt: skip
    things = page.evaluate(TRUTH)
    name = f"{number:06d}.jpg" if random.random() < 0.25 else f"{number:06d}.png"
    options = {"quality": random.randint(40, 90), "type": "jpeg"} if name.endswith("jpg") else {}
    page.screenshot(path=out / name, scale="device", **options)
    page.close()
    for one in things:
        one["box"] = [round(scale * edge, 1) for edge in one["box"]]
    return {"picture": name, "things": things}


def _work(job: tuple[Path, Path, list[int], bool]) -> int:
    out, packages, numbers, held_out = job
    icons = read_icons(packages, trained=not held_out)
    with (out / f"truth-{numbers[0]:06d}.jsonl").open("a", encoding="utf-8") as file:
        for screen in make_screens(out, packages, numbers, icons=icons):
            file.write(json.dumps(screen) + "\n")
            file.flush()
    return len(numbers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--packages", type=Path, required=True, help="where npm installed (node_modules)")
    parser.add_argument("--screens", type=int, default=4000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--held-out", action="store_true", help="with the icon sets that are only measured on"
    )
    given = parser.parse_args()
    if not read_icons(given.packages, trained=not given.held_out):
        sys.exit(f"{given.packages} has none of the icon sets that icons.toml names; npm install them there")
    given.out.mkdir(parents=True, exist_ok=True)
    wanted = range(given.first, given.first + given.screens)
    left = [one for one in wanted if not any(given.out.glob(f"{one:06d}.*"))]
    jobs = [(given.out, given.packages, left[at : at + 50], given.held_out) for at in range(0, len(left), 50)]
    began, made = time.monotonic(), 0
    with multiprocessing.Pool(given.workers) as pool:
        for count in pool.imap_unordered(_work, jobs):
            made += count
            print(f"{made} of {len(left)} screens, {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
