"""Fills in forms by the picture alone, and counts what the programs behind them got.

    python eval/bench/bench_forms.py [--only 3,7] [--kinds tk,canvas] [--out FILE] [--pictures FOLDER]

30 forms of 3 to 10 fields, by seed: Tk, ttk, a page that draws all on a canvas, Swing, and Tk at the other
end of VNC. No tree is read. A form is done when the program saved exactly what was asked for and the run
said that it is done; wrong when the run said so and the program has something else, or nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

from gui_agent import Agent, BrowserComputer
from gui_agent.agent.guard import PolicyGuard
from gui_agent.core.protocols import Computer
from gui_agent.planners.commands import PlainPlanner

HERE = Path(__file__).parents[1] / "eyes" / "forms"
KINDS = ("tk", "ttk", "canvas", "swing", "vnc")
STARTING = 20.0
"""Seconds within which a form must show its button."""
TEXTS = (
    *(("Name", "Ada Byron"), ("First name", "Grace"), ("Last name", "Okafor"), ("Company", "Blue Kite")),
    *(("Street", "Elm Street 12"), ("City", "Oslo"), ("Postcode", "10557"), ("Phone", "030 5512")),
    *(("Email", "ada@example.org"), ("Subject", "Broken lamp"), ("Order number", "A-2291")),
    *(("Invoice", "2026-118"), ("Room", "B 204"), ("Reference", "KX77"), ("Project", "Harbour")),
    *(("Website", "example.org"), ("Nickname", "Wren"), ("Comment", "ring twice")),
)
NUMBERS = (("Quantity", "12"), ("Persons", "4"), ("Nights", "3"), ("Age", "37"), ("Copies", "25"))
CHOICES = (
    ("Country", ("Norway", "Kenya", "Peru", "Japan")),
    ("Priority", ("Low", "Normal", "High")),
    ("Payment", ("Invoice by mail", "Card", "Cash")),
    ("Department", ("Sales", "Support", "Research")),
    ("Language", ("English", "German", "Spanish")),
    ("Colour", ("Red", "Green", "Blue")),
)
TICKS = ("Express", "Newsletter", "Gift wrapping", "Urgent", "Keep a copy", "Insured")
FONTS = ("sans-serif", "DejaVu Serif", "Liberation Sans")
RADIOS = (
    ("Size", ("Small", "Medium", "Large")),
    ("Contact by", ("Letter", "Call", "Text")),
    ("Seat", ("Window", "Aisle", "Any")),
)


@dataclass(frozen=True)
class Form:
    """A form, what is to stand in it, and the commands a person gives for that."""

    number: int
    kind: str
    style: str
    place: str
    """Where labels are: left or above."""
    fields: tuple[tuple[str, str, tuple[str, ...]], ...]
    """Kind, label and items of each."""
    wanted: dict[str, Any]
    task: str


def form(number: int) -> Form:
    """The form of this number."""
    random = Random(number)
    kind = KINDS[number % len(KINDS)]
    style = {
        "tk": "classic",
        "ttk": random.choice(("clam", "alt", "default")),
        "swing": random.choice(("metal", "metal", "nimbus")),
        "vnc": random.choice(("classic", "clam")),
    }.get(kind, "")
    pools = {
        "text": list(TEXTS),
        "number": list(NUMBERS),
        "choice": list(CHOICES),
        "tick": list(TICKS),
        "radio": list(RADIOS),
    }
    fields, wanted, said = [], {}, []
    for place in range(random.randint(3, 10)):
        what = (
            "text"
            if place == 0
            else random.choice(("text", "text", "text", "number", "choice", "tick", "radio"))
        )
        if not pools[what]:
            what = "text"
        one: Any = pools[what].pop(random.randrange(len(pools[what])))
        if what in ("text", "number"):
            label, value = one
            fields.append((what, label, ()))
            wanted[label] = value
            said.append(f'type "{value}" into "{label}"')
        elif what == "tick":
            fields.append((what, one, ()))
            wanted[one] = random.random() < 0.7
            said += [f'check "{one}"'] if wanted[one] else []
        else:
            label, items = one
            fields.append((what, label, items))
            wanted[label] = random.choice(items)
            said.append(
                f'choose "{wanted[label]}" in "{label}"' if what == "choice" else f'click "{wanted[label]}"'
            )
    task = ", ".join([*said, 'click "Save"', 'wait for "Saved"'])
    return Form(number, kind, style, random.choice(("left", "above")), tuple(fields), wanted, task)


@contextmanager
def shown(made: Form, folder: Path) -> Iterator[tuple[Computer, Any]]:
    """A computer that shows the form, and a function that returns what was saved, or None."""
    lines, out = folder / "lines.txt", folder / "saved.json"
    lines.write_text(
        "".join(f"{kind}\t{label}\t{'|'.join(items)}\n" for kind, label, items in made.fields), "utf-8"
    )

    def saved() -> Any:
        return json.loads(out.read_text("utf-8")) if out.is_file() else None

    tk = ["/usr/bin/python3", str(HERE / "tk_form.py"), made.style, made.place, str(lines), str(out)]
    swing = ["java", str(HERE / "SwingForm.java"), made.style, made.place, str(lines), str(out)]
    if made.kind == "canvas":
        with BrowserComputer(_drawn_page(made), observe="vision") as page:

            def title() -> Any:
                text = page.observe().place.title
                return json.loads(text) if text.startswith("{") else None

            yield page, title
    elif made.kind == "vnc":
        with _over_vnc(tk, folder) as remote:
            yield remote, saved
    else:
        from gui_agent.computers.virtual.computer import VirtualComputer

        with VirtualComputer(home=str(folder), observe="vision") as desktop:
            desktop.start(" ".join(map(_quoted, swing if made.kind == "swing" else tk)))
            yield desktop, saved


def _quoted(word: str) -> str:
    return f"'{word}'"


def _drawn_page(made: Form) -> str:
    random = Random(1000 + made.number)
    look = {
        "font": f"{random.choice((13, 14, 15, 16))}px {random.choice(FONTS)}",
        "ink": random.choice(("#111", "#223", "#333")),
        "paper": random.choice(("#fff", "#f4f6f8", "#eef2e8")),
        "line": random.choice(("#999", "#777", "#b0b8c4")),
        "accent": random.choice(("#2563eb", "#0f766e", "#9d174d")),
        "round": random.choice((0, 3, 8)),
        "tall": random.choice((26, 30, 34)),
        "place": made.place,
    }
    fields = [{"kind": kind, "label": label, "items": items} for kind, label, items in made.fields]
    return (HERE / "canvas_form.html").as_uri() + "#" + quote(json.dumps({"look": look, "fields": fields}))


@contextmanager
def _over_vnc(command: list[str], folder: Path) -> Iterator[Computer]:
    """The program on a display behind a VNC server of this machine that asks for no password."""
    from guiagent_platforms.remote.vnc import VncComputer

    told, telling = os.pipe()
    port = 5990 + os.getpid() % 2000
    own = {"HOME": str(folder), "PATH": os.defpath, "LANG": "C.UTF-8"}
    options = f"-displayfd {telling} -rfbport {port} -geometry 1024x768 -SecurityTypes None -localhost"
    server = ["Xtigervnc", *options.split()]
    started = [subprocess.Popen(server, pass_fds=[telling], env=own, stderr=subprocess.DEVNULL)]
    os.close(telling)
    try:
        with os.fdopen(told) as answer:
            own["DISPLAY"] = f":{answer.readline().strip()}"
        started += [
            subprocess.Popen(one, env=own, stderr=subprocess.DEVNULL) for one in (["openbox"], command)
        ]
        with VncComputer(f"127.0.0.1::{port}") as remote:
            yield remote
    finally:
        for process in reversed(started):
            process.kill()
            process.wait(20)


def filled(made: Form, pictures: Path | None) -> dict[str, Any]:
    """One form, filled in by the commands: what became of it."""
    folder = Path(tempfile.mkdtemp(prefix="guiagent-forms-"))
    try:
        with shown(made, folder) as (computer, saved):
            until = time.monotonic() + STARTING
            while not any(one.name == "Save" for one in computer.observe().elements):
                if time.monotonic() > until:
                    break
                time.sleep(0.3)
            began = time.monotonic()
            run = Agent(computer, PlainPlanner(), guard=PolicyGuard.default(yes=True)).run(made.task)
            seconds, got = time.monotonic() - began, saved()
            shot = computer.observe().screenshot
            if pictures is not None and shot is not None:
                (pictures / f"form-{made.number}.png").write_bytes(shot.data)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    assert run.ending is not None
    done, right = run.ending.kind == "done", got == made.wanted
    differing = {
        label: [value, (got or {}).get(label)]
        for label, value in made.wanted.items()
        if (got or {}).get(label) != value
    }
    outcome = "done" if done and right else "wrong" if done else "right, not done" if right else "not done"
    failed = [f"{step.planned.why}: {step.outcome.summary}" for step in run.steps if not step.outcome.good]
    return {
        **asdict(made),
        "outcome": outcome,
        "differing": differing if got is not None else "nothing saved",
        "reason": run.ending.reason,
        "failed": failed,
        "seconds": round(seconds, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", help="numbers of forms, such as 3,7")
    parser.add_argument("--kinds", help=f"some of {','.join(KINDS)}")
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--out", type=Path, help="where the results are written, as JSON")
    parser.add_argument("--pictures", type=Path, help="folder for a picture of the end of each")
    given = parser.parse_args()
    numbers = [int(one) for one in given.only.split(",")] if given.only else range(given.count)
    forms = [form(number) for number in numbers]
    if given.kinds:
        forms = [one for one in forms if one.kind in given.kinds.split(",")]
    if given.pictures:
        given.pictures.mkdir(parents=True, exist_ok=True)
    results = []
    for made in forms:
        result = filled(made, given.pictures)
        results.append(result)
        why = f" - {result['reason']} {result['differing']}" if result["outcome"] != "done" else ""
        line = f"{made.number:2} {made.kind:6} {len(made.fields):2} fields, {result['seconds']:5} s: "
        print(line + result["outcome"] + why, file=sys.stderr, flush=True)
    counts = Counter(one["outcome"] for one in results)
    by_kind = Counter((one["kind"], one["outcome"]) for one in results)
    for kind in KINDS:
        told = ", ".join(f"{outcome} {count}" for (own, outcome), count in by_kind.items() if own == kind)
        print(f"{kind}: {told}")
    print(f"forms {len(results)}  done {counts['done']}  wrong {counts['wrong']}")
    if given.out:
        given.out.write_text(json.dumps(results, indent=1), "utf-8")


if __name__ == "__main__":
    main()
