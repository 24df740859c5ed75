"""The report of a run as one self-contained HTML page, with templates that benchmark reports share."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from itertools import chain, starmap
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from gui_agent.core.actions import Action, Scroll, Wait
from gui_agent.core.aiming import places
from gui_agent.core.codec import plain
from gui_agent.core.conditions import Condition, FileExists, holds
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Box, Mark, Observation, Point, Screenshot, Target
from gui_agent.core.os_errors import file_errors, replace_file
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Ask, Decision, Finish, Found, GiveUp, Step, Turn, found_element
from gui_agent.elements.describe import describe, describe_condition, describe_place, describe_step, printable
from gui_agent.trace.lines import ERRORS, IMAGES, OUTCOMES, REPORT, Wording, duration, plural, verdict
from gui_agent.trace.questions import KeptQuestion, answer_text, new_parts, read_questions
from gui_agent.trace.reader import StoredRun, read_run
from gui_agent.trace.terminal import EndView

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup
    from PIL import Image

    from gui_agent.trace.writer import RunWriter

_GRADES = ((1280, 80), (1024, 70), (800, 60), (640, 45))
"""Width in pixels and WebP quality, best first."""
_BUDGET = 9_000_000
"""Bytes for all pictures together. A picture that exceeds its share gets the next grade, as do all
after it.
"""
_SMALL_FILE = 150_000
"""Up to this many bytes, a picture is embedded unchanged, because re-encoding is the slowest part of
a page.
"""
_SMALL = 320
"""Width in pixels of the grey copies that are compared for changes."""
_DIFFERENT = 12
"""Grey levels of 256 from which a pixel counts as changed; less is noise of the encoder."""
_LISTED = 60
"""Maximum elements of a step that are listed."""
_WHOLE = 0.7
"""Share of the picture from which a change is no longer worth outlining."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One embedded picture."""

    key: str
    """Unique within the report."""
    uri: str
    width: int
    """Size of the screen it shows, in screenshot pixels: marks are drawn in these."""
    height: int
    grey: bytes
    grey_width: int


class Gallery:
    """Finds the embedded picture of an observation."""

    def __init__(self, observations: Iterable[Observation], *, budget: int = _BUDGET) -> None:
        distinct: dict[bytes, Observation] = {}
        for observation in observations:
            if observation.screenshot is not None:
                distinct.setdefault(observation.screenshot.data, observation)
        named = [(f"p{number}", seen) for number, seen in enumerate(distinct.values(), start=1)]
        encoder = _Encoder(budget // max(1, len(distinct)))
        with ThreadPoolExecutor(2) as pool:
            made = list(pool.map(lambda item: _embed(item[0], item[1], encoder), named))
        self._pictures = dict(zip(distinct, made, strict=True))

    def picture_of(self, observation: Observation) -> Picture | None:
        """The picture of a screen; None if none was taken, or it is damaged."""
        shot = observation.screenshot
        return self._pictures.get(shot.data) if shot else None

    def __len__(self) -> int:
        return sum(picture is not None for picture in self._pictures.values())


def changed_region(before: Picture | None, after: Picture | None) -> Box | None:
    """The region that differs between two pictures; None if nothing or nearly everything differs, or
    unknown.
    """
    from PIL import Image, ImageChops

    if before is None or after is None or before.key == after.key:
        return None
    if (before.width, before.height, len(before.grey)) != (after.width, after.height, len(after.grey)):
        return None
    size = (before.grey_width, len(before.grey) // before.grey_width)
    difference = ImageChops.difference(
        Image.frombytes("L", size, before.grey), Image.frombytes("L", size, after.grey)
    )
    edges = difference.point([255 if level >= _DIFFERENT else 0 for level in range(256)]).getbbox()
    if edges is None or (edges[2] - edges[0]) * (edges[3] - edges[1]) > _WHOLE * size[0] * size[1]:
        return None
    scale = before.width / size[0]
    found = Box.from_edges(*(round(edge * scale) for edge in edges)).grow(round(scale))
    return found.intersect(Box(0, 0, before.width, before.height))


class _Encoder:
    def __init__(self, share: int) -> None:
        self._share = share
        self._grade = 0

    def address(self, shot: Screenshot, image: Image.Image) -> str:
        media, data, grade = shot.media_type, shot.data, self._grade
        if len(data) > min(self._share, _SMALL_FILE) or image.width > _GRADES[0][0]:
            media, image = "image/webp", image.convert("RGB")
            while len(data := _encode(image, *_GRADES[grade])) > self._share and grade < len(_GRADES) - 1:
                grade += 1
            self._grade = max(self._grade, grade)
        return f"data:{media};base64,{base64.b64encode(data).decode('ascii')}"


def _embed(key: str, observation: Observation, encoder: _Encoder) -> Picture | None:
    from PIL import Image

    shot = observation.screenshot
    if shot is None:
        return None
    try:
        image = Image.open(io.BytesIO(shot.data))
        image.load()
    except (OSError, SyntaxError, ValueError):
        return None
    width = min(_SMALL, image.width)
    height = max(1, round(image.height * width / image.width))
    grey = image.convert("L").resize((width, height), Image.Resampling.BOX)
    return Picture(key, encoder.address(shot, image), *image.size, grey.tobytes(), width)


def _encode(image: Image.Image, width: int, quality: int) -> bytes:
    if image.width > width:
        image = image.resize((width, max(1, round(image.height * width / image.width))), reducing_gap=2.0)
    from PIL import WebPImagePlugin  # noqa: F401 - otherwise PIL loads all forty formats

    data = io.BytesIO()
    image.save(data, "WEBP", quality=quality, method=1)
    return data.getvalue()


PARTS = ("plan", "ground", "guard", "act", "settle", "observe", "check")
"""The parts of a step's time, in order."""
_ARROW = 0.03
"""Length of an arrow's head as a share of the picture's width."""


@dataclass(frozen=True, slots=True)
class TimeBar:
    """One part of a time span."""

    part: str
    time: str
    share: float
    """Per cent of the whole."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks drawn on the picture, in screenshot pixels."""

    points: tuple[Point, ...] = ()
    boxes: tuple[Box, ...] = ()
    arrow: str = ""
    """SVG path."""


@dataclass(frozen=True, slots=True)
class Card:
    """One step."""

    number: int
    sentence: str
    outcome: Wording
    summary: str
    error: str
    why: str
    evidence: tuple[str, ...]
    found: tuple[str, ...]
    expectations: tuple[tuple[str, str], ...]
    """Text, and one of yes, no, unknown."""
    before: Picture | None
    after: Picture | None
    marks: Marks
    changed: Box | None
    bars: tuple[TimeBar, ...]
    time: str
    at: str
    """Time since the start of the run."""
    place: str
    sent: tuple[str, ...]
    """Method and address of each request that could change something."""
    elements: tuple[tuple[str, str], ...]
    """Text of each element, and one of target, gone, new or nothing."""
    unlisted: int
    """Number of elements that `elements` leaves out."""
    console: tuple[str, ...]
    """Errors that the page's scripts reported during the step."""
    command: str
    """The step as a plain command; empty for a wait."""
    start: str
    """The address of the page before the step."""
    raw: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question to a model and its answer, collapsed."""

    role: str
    figures: str
    asked: Mapping[str, str]
    """The parts that the previous question of the same role did not have, by heading."""
    answer: str


@dataclass(frozen=True, slots=True)
class Chapter:
    """One decision and the cards of its steps."""

    number: int
    planner: str
    thought: str
    figures: tuple[str, ...]
    cards: tuple[Card, ...]
    notes: Mapping[str, str]
    dropped: tuple[str, ...]
    """Planned actions that were not carried out."""
    end: str
    """How the decision ended the run, in words; empty if the run went on."""
    end_label: str
    """The heading of `end_text`: answer, reason or question."""
    end_text: str
    picture: Picture | None
    exchanges: tuple[Exchange, ...] = ()


def chapters(
    turns: Sequence[Turn], gallery: Gallery, at: Sequence[float] = (), questions: Iterable[KeptQuestion] = ()
) -> list[Chapter]:
    """The turns of a run as chapters; `at` has the seconds at which each step ended."""
    times = iter(at)
    asked = _exchanges(questions)
    made: list[Chapter] = []
    for number, turn in enumerate(turns, start=1):
        decision = turn.decision
        thought = decision.thought
        cards = tuple(_card(step, gallery, next(times, None), thought) for step in turn.steps)
        end, label, text = _end(turn)
        figures = [duration(turn.seconds)] if turn.seconds else []
        if decision.calls:
            figures.append(f"{decision.calls} model call" + ("s" if decision.calls > 1 else ""))
        dropped = tuple(describe(planned.action) for planned in decision.planned[len(turn.own_steps) :])
        told = (end, label, text, gallery.picture_of(turn.observation) if end else None)
        made.append(
            Chapter(
                number,
                decision.planner,
                _thought_text(decision),
                tuple(figures),
                cards,
                decision.notes,
                dropped,
                *told,
                tuple(asked.get(number, ())),
            )
        )
    return made


def _exchanges(questions: Iterable[KeptQuestion]) -> dict[int, list[Exchange]]:
    made: dict[int, list[Exchange]] = {}
    last: dict[str, KeptQuestion] = {}
    for one in questions:
        new = new_parts(one, last.get(one.role))
        last[one.role] = one
        who = f"{one.role} {one.reply.model}".strip()
        made.setdefault(one.turn, []).append(Exchange(who, one.figures, new, answer_text(one.reply)))
    return made


def bars(seconds: Mapping[str, float]) -> tuple[TimeBar, ...]:
    """Time by part as shares of the whole, in the parts' order."""
    whole = sum(seconds.values())
    if whole <= 0:
        return ()
    names = [*(part for part in PARTS if part in seconds), *(part for part in seconds if part not in PARTS)]
    return tuple(
        TimeBar(name, duration(seconds[name]), round(100 * seconds[name] / whole, 2))
        for name in names
        if seconds[name] > 0
    )


def total_time(turns: Sequence[Turn]) -> dict[str, float]:
    """Seconds of the whole run by part."""
    total = {"plan": sum(turn.seconds for turn in turns)}
    for turn in turns:
        for step in turn.steps:
            for part, seconds in step.seconds.items():
                total[part] = total.get(part, 0.0) + seconds
    return {part: seconds for part, seconds in total.items() if seconds > 0}


def _thought_text(decision: Decision) -> str:
    """The planner's thought, unless it only repeats what the cards say."""
    listed = "; ".join(planned.why for planned in decision.planned)
    own = "" if normal(decision.thought) == normal(listed) else decision.thought
    return "\n".join(filter(None, (own, *map(str, decision.called))))


def _elements(step: Step) -> tuple[list[tuple[str, str]], int]:
    """The elements around a step with what became of each, and how many are left out."""
    target = found_element(step.found)
    then, now = _element_texts(step.before), _element_texts(step.after)
    came = [(text, "new") for text in now if text not in then]
    told = [(text, "" if text in now else "gone") for text in then]
    if target is not None:
        own = printable(str(target))
        told = [(text, "target" if text == own else state) for text, state in told]
    # What the step touched comes first, then what it changed.
    listed = sorted([*came, *told], key=lambda one: ("target", "new", "gone", "").index(one[1]))[:_LISTED]
    return listed, len(came) + len(told) - len(listed)


def _element_texts(screen: Observation) -> list[str]:
    return [printable(str(one)) for one in screen.elements]


def _card(step: Step, gallery: Gallery, at: float | None, thought: str) -> Card:
    before, after = gallery.picture_of(step.before), gallery.picture_of(step.after)
    elements, unlisted = _elements(step)
    place, sentence = step.after.place, describe_step(step)
    return Card(
        step.number,
        sentence,
        OUTCOMES[step.outcome.kind],
        step.outcome.for_person,
        ERRORS.get(step.error, step.error),
        step.planned.why if normal(step.planned.why) not in normal(thought) else "",
        _evidence(step),
        (*starmap(_how_found, step.found.items()), *map("by {}".format, filter(None, [step.means]))),
        tuple((describe_condition(e, step.before), _was_met(e, step)) for e in step.planned.expect),
        before,
        after if after is not None and (before is None or after.key != before.key) else None,
        _marks(step, before),
        changed_region(before, after),
        bars(step.seconds),
        duration(sum(step.seconds.values())) if step.seconds else "",
        duration(at) if at is not None else "",
        place.url or place.title or place.app,
        tuple(" ".join(request.split()[:2]) for request in step.requests),
        tuple(elements),
        unlisted,
        step.after.console,
        "" if isinstance(step.planned.action, Wait) else sentence,
        step.before.place.url,
        _raw(step),
    )


def _evidence(step: Step) -> tuple[str, ...]:
    """The evidence of the outcome, without lines that the list of expectations has anyway."""
    expected = step.planned.expect
    said = {normal(str(e)) for e in expected}
    said |= {normal(describe_condition(e, step.before)) for e in expected}
    shown = (line for line in step.outcome.evidence if normal(line) not in said)
    return (*shown, *(f"allowed by your kept answer {one} (guiagent policy list)" for one in step.allowed))


def _how_found(name: str, found: Found) -> str:
    noun = describe_place(found.point, found)
    way = f" by {found.how}" if found.how else ""
    to = "to: " if name == "to" else ""
    return f"{to}{noun}{way}, {found.score:.0%} sure"


def _was_met(condition: Condition[Target], step: Step) -> str:
    """Whether an expectation was met, as far as the stored screen shows: yes, no or unknown."""
    if step.outcome.kind == "confirmed":
        return "yes"
    if step.outcome.kind == "failed" or isinstance(condition, FileExists):
        return "unknown"
    of = getattr(condition, "of", None)
    if of is not None and not isinstance(of, Mark):
        return "unknown"
    held = holds(
        condition, step.after, lambda place, seen: seen.by_id(place.mark) if isinstance(place, Mark) else None
    )
    return "unknown" if held is None else "yes" if held else "no"


def _marks(step: Step, picture: Picture | None) -> Marks:
    if picture is None:
        return Marks()
    aimed = {name: found.point for name, found in step.found.items()}
    if step.action is not None:
        aimed.update({name: at for name, at in places(step.action).items() if isinstance(at, Point)})
    boxes = [found.box or (found.element.box if found.element else None) for found in step.found.values()]
    return Marks(
        tuple(aimed[name] for name in ("at", "to") if name in aimed),
        tuple(box for box in boxes if box is not None),
        _arrow(step, aimed, picture.width),
    )


def _arrow(step: Step, aimed: Mapping[str, Point], width: int) -> str:
    action = step.action or step.planned.action
    start, end = aimed.get("at"), aimed.get("to")
    if isinstance(action, Scroll) and start is not None and (action.down or action.right):
        reach = 0.1 * width / max(abs(action.down), abs(action.right))
        end = Point(round(start.x + action.right * reach), round(start.y + action.down * reach))
    if start is None or end is None or start == end:
        return ""
    tip = complex(end.x, end.y)
    way = tip - complex(start.x, start.y)
    head = way / abs(way) * _ARROW * width
    left, right = (
        f"{side.real:.0f} {side.imag:.0f}" for side in (tip - head * (1 + 0.5j), tip - head * (1 - 0.5j))
    )
    return f"M{start.x} {start.y}L{end.x} {end.y}M{left}L{end.x} {end.y}L{right}"


def _end(turn: Turn) -> tuple[str, str, str]:
    match turn.decision.end:
        case Finish(answer):
            return "The planner says that the task is done", "Answer", answer
        case GiveUp(reason):
            return "The planner does not know how to go on", "Reason", reason
        case Ask(question):
            return "The planner asks", "Question", question
    return "", "", ""


def _raw(step: Step) -> str:
    value = {
        "planned": plain(step.planned),
        "action": plain(step.action, Action | Wait | None),
        "found": plain(dict(step.found), dict[str, Found]),
        "outcome": plain(step.outcome),
        "error": step.error,
        "seconds": dict(step.seconds),
    }
    return json.dumps(value, ensure_ascii=False, indent=1)


PACKAGE = "gui_agent.trace"
_QUOTED = re.compile(r'(?:^|(?<=\s))(".+?")(?=$|[\s,])')
"""A quotation in a sentence; quotes inside it are not next to spaces."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One figure of the summary."""

    name: str
    value: str


def write_report(run: StoredRun | Path | str, target: Path | None = None) -> Path:
    """Write the report of a run, finished or killed, by default into its folder; returns the path."""
    stored = run if isinstance(run, StoredRun) else read_run(run)
    path = target or stored.folder / REPORT
    with file_errors(f"cannot write the report {path}"):
        replace_file(path, render(stored).encode())  # a partial report would look complete
    return path


def file_report(
    writer: RunWriter | None,
    observers: Sequence[object],
    _kind: object,
    error: BaseException | None,
    _trace: object,
) -> None:
    """Write the report for a watching person, however the run ended; an error gets a note with the trace's
    path.

    For `ExitStack.push`. A program that wants the report calls `write_report(result.folder)`.
    """
    if writer is None or writer.folder is None:
        return
    if error is not None:
        error.add_note(f"trace: {writer.folder}")
    if watching := [one for one in observers if isinstance(one, EndView)]:
        report, problems = None, writer.problems
        try:
            report = write_report(writer.folder)
        except ConfigError as fault:
            problems = (*problems, str(fault))
        for view in watching:
            view.tell_report(report, problems)


def render(run: StoredRun) -> str:
    turns = run.trajectory.turns
    screens = [turn.observation for turn in turns]
    for step in run.trajectory.steps:
        screens += (step.before, step.after)
    gallery = Gallery(screens)
    script = resource(PACKAGE, "report.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = _environment().get_template("report.html.j2")
    return page.render(
        run=run,
        task=run.trajectory.task,
        ending=run.trajectory.ending,
        verdict=verdict(run.trajectory.ending),
        notes=run.trajectory.notes,
        facts=_facts(run),
        started=moment(run.meta.started),
        chapters=chapters(turns, gallery, run.at, read_questions(run.folder)),
        total=bars(total_time(turns)),
        total_time=duration(sum(total_time(turns).values())),
        known=PARTS,
        settings=json.dumps(run.meta.settings, indent=2, ensure_ascii=False) if run.meta.settings else "",
        images=IMAGES if len(gallery) else "",
        style=resource(PACKAGE, "report.css"),
        script=script,
        script_hash=f"sha256-{digest}",
    )


def write_list_page(
    page: Path, out: Path, lines: Sequence[Mapping[str, str]], own: Iterable[str], **told: object
) -> None:
    tones = {"done": "good", "unclear": "warn", "begun": "warn", "stopped": "warn"}
    rows: list[dict[str, str]] = []
    # a row that never ended lacks some columns
    for line in ({**dict.fromkeys(own, ""), **line} for line in lines):
        report = line["report"] if line["report"].endswith(REPORT) else ""
        link = quote(os.path.relpath(out.parent / report, page.parent)) if report else ""
        rows.append({**line, "tone": tones.get(line["outcome"], "bad"), "link": link})
    read = [name for name in dict.fromkeys(chain.from_iterable(lines)) if name not in own]
    now, style = f"{datetime.now():%d %B %Y, %H:%M}".lstrip("0"), resource(PACKAGE, "report.css")
    template = _environment().get_template("list.html.j2")
    replace_file(page, template.render(rows=rows, read=read, time=now, style=style, **told).encode())


def _facts(run: StoredRun) -> list[Fact]:
    turns, steps = run.trajectory.turns, run.trajectory.steps
    planners = dict.fromkeys(turn.decision.planner for turn in turns if turn.decision.planner)
    facts = [
        Fact("steps", str(len(steps))),
        Fact("time", duration(run.seconds)),
        Fact("decisions", str(len(turns))),
        Fact("model calls", str(run.model_calls)),
    ]
    if planners:
        facts.append(Fact("planner", ", ".join(planners)))
    if turns:
        size = turns[0].observation.size
        facts.append(Fact("screen", f"{size.width}\u2009×\u2009{size.height}"))
    return facts


@cache
def _environment() -> Environment:
    environment = templates(PACKAGE)
    environment.filters["quoted"] = _mark_quotes
    environment.filters["plural"] = plural
    environment.filters["capital"] = lambda text: text[:1].upper() + text[1:]
    return environment


def _mark_quotes(sentence: str) -> Markup:
    from markupsafe import Markup, escape

    pieces = _QUOTED.split(sentence)
    made = (Markup("<q>“{}”</q>").format(p[1:-1]) if _QUOTED.fullmatch(p) else escape(p) for p in pieces)
    return Markup("").join(made)


@cache
def resource(package: str, name: str) -> str:
    """A template, script or style sheet of a package, as text."""
    return (files(package) / "templates" / name).read_text(encoding="utf-8")


def templates(package: str) -> Environment:
    """The templates of a package; inserted values are escaped, and a missing value is an error."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    return Environment(
        loader=FunctionLoader(lambda name: resource(package, name)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def moment(started: str) -> str:
    """A stored time as people write it; other texts unchanged."""
    try:
        return f"{datetime.fromisoformat(started):%d %B %Y, %H:%M}".lstrip("0")
    except ValueError:
        return started
