"""Collects the screens of `tests/scene` from real software, with questions that its own structure answers.

`python -m tests.scene.collect django fava ...` starts applications of `eval/apps`, follows links of their
own, and keeps what the agent lists of each page: the elements, no pictures. Questions and answers are
read from the document itself, by `oracle.js`: never from what the scene says.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from guiagent_eval.app_catalogue import App, applications
from guiagent_eval.app_server import AppServer, cache_folder
from guiagent_eval.page_computer import PageComputer

from gui_agent.core.codec import plain
from gui_agent.core.observation import Observation

SCREENS = Path(__file__).with_name("screens")
ORACLE = Path(__file__).with_name("oracle.js")
PAGES = 8
"""Pages of an application."""
MOST = 140
"""Questions about one screen."""
_LEAVING = re.compile("log-?out|sign-?out|delete|remove|quit|shutdown|download|static")
"""Links that lead away, or do something."""


def pages_of(computer: PageComputer, start: str) -> Iterator[Observation]:
    """The pages of an application that its own links lead to, those of another shape first."""
    waiting, known, shapes = [start], {start}, set[str]()
    while waiting and len(shapes) < PAGES:
        address = waiting.pop(0)
        shape = "/".join(part for part in urlsplit(address).path.split("/") if not part.isdecimal())
        if shape in shapes:
            continue
        computer.start(address)
        computer.settle()
        shapes.add(shape)
        yield computer.observe(picture=False)
        found = computer.evaluate("[...document.links].map(link => link.href)")
        for link in random.Random(address).sample(found, len(found)):
            bare = urljoin(start, link).split("#")[0]
            own = urlsplit(bare).netloc == urlsplit(start).netloc
            if own and bare not in known and not _LEAVING.search(bare.casefold()):
                known.add(bare)
                waiting.append(bare)


def questions(computer: PageComputer, screen: Observation) -> list[Mapping[str, Any]]:
    """What the document itself answers about a screen."""
    centers = [[one.id, *one.box.measures] for one in screen.elements]
    asked: Sequence[Mapping[str, Any]] = computer.evaluate(ORACLE.read_text("utf-8"), centers)
    kinds = dict.fromkeys(one["kind"] for one in asked)
    each = {kind: [one for one in asked if one["kind"] == kind] for kind in kinds}
    draw = random.Random(screen.place.url)
    share = max(3, MOST // max(1, len(each)))
    return [one for some in each.values() for one in draw.sample(some, min(share, len(some)))]


def write(name: str, screens: Sequence[Mapping[str, Any]]) -> None:
    """Keep the screens of one program, a line each."""
    SCREENS.mkdir(exist_ok=True)
    lines = "".join(json.dumps(one, ensure_ascii=False, sort_keys=True) + "\n" for one in screens)
    (SCREENS / f"{name}.jsonl.gz").write_bytes(gzip.compress(lines.encode(), mtime=0))


def collect(app: App, computer: PageComputer) -> list[Mapping[str, Any]]:
    """The screens of an application, with their questions."""
    server = AppServer(app, cache_folder())
    try:
        server.fresh()
        start = server.data.address + app.start
        return [
            {"screen": _without_address(plain(screen)), "questions": questions(computer, screen)}
            for screen in pages_of(computer, start)
        ]
    finally:
        server.close()


def _without_address(screen: Any) -> Any:
    screen["place"]["url"] = "http://app.test" + urlsplit(screen["place"]["url"]).path
    screen.pop("screenshot", None)
    return screen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("apps", nargs="+")
    known = applications(None)
    with PageComputer(size=(1280, 900)) as computer:
        for name in parser.parse_args().apps:
            found = collect(known[name], computer)
            write(name, found)
            print(name, len(found), sum(len(one["questions"]) for one in found), flush=True)


if __name__ == "__main__":
    main()
