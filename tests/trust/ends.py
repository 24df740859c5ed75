"""Generated pages on which a task ends well or badly, a server that knows the truth, and runs on them.

A page has a small form. What its button does is drawn by the seed: whether it keeps what was filled in, by
which way it does (its own script, a request, the form itself), and how it tells the person what came of it.
The server, or the script of the page, holds what was kept; nothing of that is on the screen.
"""

from __future__ import annotations

import html
import http.server
import json
import random
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

from guiagent_eval.page_computer import PageComputer

from gui_agent.agent.guard import PolicyGuard
from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Click
from gui_agent.core.trajectory import Ending
from gui_agent.planners.commands import PlainPlanner

Verdict = Literal["right", "refused", "wrong"]
KINDS = ("alert", "silent", "message", "late", "dialog")
"""How a page ends a task that it does not take: with an alert, without a word, with words somewhere, with
words that come late, in a dialog that stays. What is taken is told in as many ways."""
_LABELS = ("Name", "City", "Straße", "Apellido", "Note", "Amount", "Ref. no.", "Prénom")
_VALUES = ("Ada", "Oslo", "Grace Hopper", "x", "42", "Zoë & Söhne", "a.b@example.org")
_BUTTONS = ("Save", "Send", "Speichern", "Enviar", "Add", "OK", "Weiter", "Valider", "Order now")
_REFUSALS = (
    "{value} is taken",
    "Das geht so nicht",
    "Inténtalo otra vez",
    "Please look at this again",
    "Saved entries: none",
    "Pas encore",
)
_SUCCESSES = ("Saved", "Danke", "We have got it", "Ya está", "{value} was added", "Fertig")


@dataclass(frozen=True)
class EndPage:
    """One page: how it looks, what its button does, and how it tells that."""

    seed: int
    kind: str
    keeps: bool
    """Whether what is filled in is kept."""
    way: str
    """script, fetch or form."""
    sign: str
    """What shows the end, besides words: none, cleared, listed, replaced, moved."""
    words: str
    place: str
    """Where words are put: alert, alertdialog, native, text, toast, closable; empty for none."""
    wait: float
    """Seconds after which anything of it happens."""
    busy: str
    """What the page shows at once, where the end comes late: text, label; empty for nothing."""
    values: Mapping[str, str] = field(default_factory=dict)
    button: str = "Save"

    def __str__(self) -> str:
        how = f"{self.kind}, {self.way}, {self.sign or 'no sign'}, {self.place or 'no'} words"
        late = f", after {self.wait:.1f} s" if self.wait else ""
        return f"seed {self.seed}: {'kept' if self.keeps else 'not kept'} ({how}{late})"

    @property
    def commands(self) -> str:
        """The task in plain commands."""
        typed = [f'type "{value}" into "{label}"' for label, value in self.values.items()]
        return ", ".join([*typed, f'click "{self.button}"'])

    def html(self, refilled: Mapping[str, str] | None = None, told: str = "") -> str:
        """The page, as it comes first or as the answer to its form."""
        given = refilled or {}
        rows = "".join(
            f"<p><label>{html.escape(label)}"
            f' <input name="f{n}" value="{html.escape(given.get(f"f{n}", ""))}"></label></p>'
            for n, label in enumerate(self.values)
        )
        form = f'<form method="post" action="/{self.seed}/save">{rows}<button>{self.button}</button></form>'
        if self.kind == "dialog":
            form = f'<div role="dialog" aria-label="Entry" id="box">{form}</div>'
        plan = json.dumps({
            "keeps": self.keeps, "way": self.way, "sign": self.sign, "words": self.words, "place": self.place,
            "wait": self.wait, "busy": self.busy, "dialog": self.kind == "dialog", "seed": self.seed,
        })  # fmt: skip
        return _PAGE.format(form=form, told=told, plan=plan)


_PAGE = """<!doctype html><meta charset="utf-8"><title>Entries</title>
<style>#toast {{ position: fixed; right: 20px; top: 20px; background: #eee; padding: 1em }}</style>
<h1>Entries</h1><p>Fill in and go on.</p>{form}<ul id="list"><li>First entry</li></ul>
<div id="there">{told}</div>
<script>
const plan = {plan}, form = document.querySelector("form");
window.kept = false;
const button = form.querySelector("button"), label = button.textContent;
const later = (seconds, act) => seconds ? setTimeout(act, seconds * 1000) : act();
const tell = (words, place) => {{
  if (!words || !place) return;
  if (place === "native") return setTimeout(() => alert(words), 0);
  const box = document.createElement("div");
  box.textContent = words;
  if (place === "alert" || place === "alertdialog") box.setAttribute("role", place);
  if (place === "toast") box.id = "toast";
  if (place === "closable" || place === "alertdialog") {{
    const away = document.createElement("button");
    away.type = "button";
    away.textContent = place === "closable" ? "×" : "OK";
    away.onclick = () => box.remove();
    box.append(" ", away);
  }}
  document.getElementById("there").replaceChildren(box);
}};
const show = () => {{
  button.textContent = label;
  button.disabled = false;
  const values = [...form.querySelectorAll("input")].map((one) => one.value);
  if (plan.keeps && plan.dialog) document.getElementById("box").remove();
  if (plan.sign === "cleared") form.reset();
  if (plan.sign === "listed") {{
    const line = document.createElement("li");
    line.textContent = values.join(", ");
    document.getElementById("list").append(line);
  }}
  if (plan.sign === "replaced") form.remove();
  tell(plan.words, plan.place);
}};
const end = async () => {{
  if (plan.way === "fetch") {{
    const body = new URLSearchParams(new FormData(form));
    await fetch("/" + plan.seed + "/save", {{ method: "POST", body }});
    show();
  }} else {{
    window.kept = plan.keeps;
    show();
  }}
}};
form.onsubmit = (event) => {{
  if (plan.way === "form") return;
  event.preventDefault();
  if (plan.busy === "text") document.getElementById("there").textContent = "One moment";
  if (plan.busy === "label") {{ button.textContent = "…"; button.disabled = true; }}
  later(plan.wait, end);
}};
</script>"""


def end_page(seed: int) -> EndPage:
    """The page of a seed."""
    draw = random.Random(seed)
    kind = KINDS[seed % len(KINDS)]
    keeps = draw.random() < 0.5
    labels = draw.sample(_LABELS, draw.choice((1, 1, 2, 3)))
    values = {label: draw.choice(_VALUES) for label in labels}
    way = draw.choice(("script", "fetch", "form"))
    words = draw.choice(_SUCCESSES if keeps else _REFUSALS).format(value=next(iter(values.values())))
    late = kind == "late"
    way = draw.choice(("script", "fetch")) if late or kind == "dialog" else way
    places = {"alert": ("alert", "alertdialog", "native"), "message": ("text", "toast", "closable")}
    place = draw.choice(places.get(kind, ("text", "")))
    sign = ""
    if keeps:
        # What a page keeps by its own script alone, it shows: else nothing tells it from a refusal.
        sign = draw.choice(("cleared", "listed", "replaced", *(["none"] if way == "fetch" else [])))
        place = draw.choice(("text", "toast", "")) if kind in ("alert", "silent") else place
        place = place or ("text" if sign == "none" else "")
        sign = "closed" if kind == "dialog" else sign
    elif kind == "silent":
        place = ""
    elif late:
        place = draw.choice(("alert", "text", "toast"))
    return EndPage(
        seed, kind, keeps, way, sign, words, place,
        draw.uniform(0.2, 3.0) if late else 0.0,
        draw.choice(("text", "label", "")) if late else "",
        values, draw.choice(_BUTTONS),
    )  # fmt: skip


class EndServer:
    """Serves the pages of all seeds, and knows what was kept."""

    def __init__(self) -> None:
        self.kept: set[int] = set()
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                seed, _, query = urlsplit(self.path).path.strip("/").partition("/")
                if not seed.isdecimal():
                    return self._answer(404, "")
                page = end_page(int(seed))
                if query == "thanks":
                    return self._answer(200, f"<title>Entries</title><h1>{html.escape(page.words)}</h1>")
                self._answer(200, page.html(told=page.words if query == "again" else ""))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                sent = {name: values[0] for name, values in parse_qs(body, keep_blank_values=True).items()}
                page = end_page(int(self.path.strip("/").partition("/")[0]))
                if page.keeps:
                    server.kept.add(page.seed)
                if page.way == "fetch":
                    return self._answer(200 if page.keeps else 422, "{}")
                if page.keeps:
                    leads = "again" if page.sign == "listed" else "thanks"
                    return self._answer(303, "", location=f"/{page.seed}/{leads}")
                role = ' role="alert"' * (page.kind == "alert")
                told = f"<p{role}>{html.escape(page.words)}</p>" * bool(page.place)
                self._answer(200, page.html(sent, told))

            def _answer(self, status: int, body: str, **headers: str) -> None:
                data = body.encode()
                self.send_response(status)
                self.send_header("content-type", "text/html; charset=utf-8")
                self.send_header("content-length", str(len(data)))
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *arguments: Any) -> None: ...

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@dataclass(frozen=True)
class Bed:
    """A browser and the server of the pages, for many cases."""

    browser: PageComputer
    server: EndServer


@contextmanager
def bed() -> Iterator[Bed]:
    server = EndServer()
    try:
        with PageComputer(size=(1000, 800)) as browser:
            yield Bed(browser, server)
    finally:
        server.close()


def run_case(seed: int, on: Bed | None = None) -> tuple[Verdict, str]:
    """The verdict on one run, and why: a true "done" is right, a false one wrong, all else refused."""
    if on is None:
        with bed() as own:
            return run_case(seed, own)
    page = end_page(seed)
    on.server.kept.discard(seed)
    on.browser.start(f"{on.server.url}/{seed}")
    limits = Limits(patience=Limits().patience if page.wait else 0.5)
    guard = PolicyGuard.default(yes=True)
    agent = Agent(on.browser, PlainPlanner(waits=()), guard=guard, limits=limits, picture=False)
    ending = agent.run(page.commands).trajectory.ending
    assert isinstance(ending, Ending)
    kept = seed in on.server.kept if page.way != "script" else bool(_kept_by_script(on.browser))
    said_done = ending.kind == "done" and ending.verified
    told = f"{page}; {page.commands}; it ended as {ending.kind}, verified {ending.verified}: {ending.reason}"
    if said_done:
        return ("right" if kept else "wrong"), told
    return "refused", f"{told}; it was {'kept' if kept else 'not kept'}"


def _kept_by_script(browser: PageComputer) -> object:
    """What the page itself holds; a message of the browser that stands in front is put away first."""
    shown = [one for one in browser.observe(picture=False).elements if one.source == "dialog"]
    for one in shown:
        if one.role == "button":
            browser.perform(Click(one.box.center))
    return browser.evaluate("window.kept")
