"""Benchmarks on websites from files in the public forms of WebArena, WebArena-Verified and WebVoyager.

No text of a file is run as code: a check that is written in JavaScript or Python is read as a selector with
a property, or its task is refused by name.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from html import unescape
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from gui_agent.core.actions import Navigate
from gui_agent.core.errors import BenchmarkError, ConfigError
from gui_agent.core.texts import shorten, suggestion
from gui_agent.core.trajectory import Task, Trajectory
from gui_agent.settings import Settings, evaluator_folder, override
from gui_agent.wiring.models import make_models, need_models
from guiagent_eval.app_server import output_of
from guiagent_eval.benchmark import Case, Grade
from guiagent_eval.page_computer import PageComputer
from guiagent_eval.practice.judging import judge

Table = Mapping[str, Any]
_SITE = re.compile(r"__(?!SSH_HOST)([A-Z_]+?)__")
_NAME = re.compile(r"[\w()&,'-][\w .()&,'-]*")
_SELECTED = re.compile(
    r"""document\.querySelector(All)?\((["'`])(?P<selector>.+?)\2\)(?:\[(?P<place>\d+)\])?\??\.(?P<property>\w+)"""
)
_PROPERTIES = (
    *("innerText", "outerText", "textContent", "innerHTML", "outerHTML"),
    *("value", "checked", "selectedIndex"),
)
_READ = "([selector, place, property]) => document.querySelectorAll(selector)[place]?.[property]"
_OR, _AND = " |OR| ", " |AND| "
_KINDS = ("exact_match", "must_include")
_HIDDEN = ("response_cookies", "Cookie")
"""What the record of a browser's traffic never holds."""
ANSWER = """

When you are done, give as your answer one JSON object with the keys task_type (RETRIEVE, MUTATE or NAVIGATE),
status (SUCCESS, ACTION_NOT_ALLOWED_ERROR, PERMISSION_DENIED_ERROR, NOT_FOUND_ERROR, DATA_VALIDATION_ERROR or
UNKNOWN_ERROR), retrieved_data (a list for RETRIEVE, else null) and error_details (null on success)."""
"""How WebArena-Verified takes an answer."""
PACKAGE = "webarena-verified"
GRADING = 120.0
"""Seconds within which that package grades an episode."""


@dataclass(frozen=True, slots=True)
class WebTask:
    """One task of a file."""

    text: str
    starts: Sequence[str]
    """The addresses to begin with, each in a tab of its own; the first is in front."""
    table: Table = field(repr=False)
    refusal: str
    """Why it cannot be had; empty if it can."""


@dataclass(slots=True)
class WebEpisode:
    """A running task."""

    computer: PageComputer
    task: Task
    told: WebTask
    tasks: WebTasks
    record: Path
    """The traffic of the browser, once it is closed."""
    trajectory: Trajectory = field(default_factory=lambda: Trajectory(Task("")))

    @property
    def name(self) -> str:
        """The name by which a judge knows the run."""
        return self.task.text

    @property
    def answer(self) -> str:
        """The answer of the agent; empty if it gave none."""
        return self.trajectory.ending.answer if self.trajectory.ending else ""

    def end_reason(self) -> str:
        """Always empty: only the agent ends it."""
        return ""

    def ended(self, trajectory: Trajectory) -> None:
        """Receive the run, whose answer and screens are graded."""
        self.trajectory = trajectory

    def grade(self) -> Grade:
        """The grade by the checks of the file, by the package of WebArena-Verified, or by a model.

        Raises:
            BenchmarkError: that package failed.
        """
        checks = self.told.table.get("eval")
        details: Table = {}
        if checks is None:
            good, reason = self.tasks.model_verdict(self)
        elif isinstance(checks, list):
            self.computer.close()
            good, reason, details = self.tasks.package_verdict(self)
        else:
            wrong = next(self._wrong(checks), "")
            good, reason = not wrong, wrong
        return Grade(good, good, float(good), float(good), finished=True, reason=reason, details=details)

    def _wrong(self, checks: Table) -> Iterator[str]:
        """The checks that do not hold."""
        said, kinds = _clean(self.answer), checks["eval_types"]
        for kind, wanted in (checks.get("reference_answers") or {}).items():
            if "string_match" in kinds and not _holds(kind, wanted, said, whole_words=True):
                yield f"string_match: the answer is {self.answer!r}"
        here = self.computer.observe(picture=False).place.url
        if "url_match" in kinds and not _is_at(here, self.tasks.with_addresses(checks["reference_url"])):
            yield f"url_match: the page is {here}"
        for check in checks["program_html"] if "program_html" in kinds else ():
            if check["url"] != "last":
                self.computer.start(self.tasks.with_addresses(check["url"]))
            found = _SELECTED.fullmatch(check["locator"].strip().removesuffix(";"))
            asked = (found["selector"], int(found["place"] or 0), found["property"]) if found else PAGE
            seen = self.computer.evaluate(_READ, asked)
            [(kind, wanted)] = check["required_contents"].items()
            if not _holds(kind, wanted, _clean(unescape("" if seen is None else str(seen)))):
                yield f"program_html: {check['locator'] or 'the page'} does not hold {wanted}"


PAGE = ("html", 0, "outerHTML")


class WebTasks:
    """The tasks of a file: websites with checks in code, or graded by a model where a form has none.

    The data of the websites are not reset between episodes.
    """

    name = "web"

    def __init__(
        self, file: str, site: Mapping[str, str] | None = None, login: str = "", judge: str = ""
    ) -> None:
        """
        Args:
            file: JSON, or lines of JSON, in one of the three forms.
            site: the address of each website by its name, such as shopping.
            login: file of `guiagent login` for the tasks that need one.
            judge: the model that grades tasks without checks.

        Raises:
            ConfigError: the file cannot be read, or a task in it has none of the forms.
        """
        self._sites = {name: address.rstrip("/") for name, address in (site or {}).items()}
        self._file, self._login, self._judge = Path(file).absolute(), login, judge
        self._read: dict[str, WebTask] = {}
        for table in _tables(self._file):
            name = str(table.get("task_id", table.get("id")))
            if name in self._read or not _NAME.fullmatch(name):
                raise ConfigError(f"{file}: {name!r} is no name for a task, or the name of two")
            self._read[name] = self._task(table)

    def _task(self, table: Table) -> WebTask:
        match table:
            case {"intent": str(text), "start_urls": [str(start), *more], "eval": [*checks]}:
                refused = _refusals_by_package(checks)
                start, text = _AND.join((start, *more)), text + ANSWER
            case {"intent": str(text), "start_url": str(start), "eval": {"eval_types": [*_]} as checks}:
                refused = _refusals(checks, bool(table.get("require_login")) and not self._login)
            case {"ques": str(text), "web": str(start)}:
                refused = iter([] if self._judge else ["no code grades it: give --option judge=MODEL"])
            case _:
                raise ConfigError(
                    f"{self._file}: {shorten(json.dumps(table), 90)} has no known form of a task"
                )
        named = _SITE.findall(self.with_addresses(json.dumps([start, table.get("eval")])))
        unknown = [f"give --option site.{named[0].lower()}=ADDRESS"] if named else []
        starts = self.with_addresses(start).split(_AND)
        return WebTask(text, starts, table, next(chain(refused, unknown), ""))

    @property
    def refusals(self) -> Mapping[str, str]:
        """Why each task that cannot be had cannot be had."""
        return {name: told.refusal for name, told in self._read.items() if told.refusal}

    def with_addresses(self, text: str) -> str:
        """A text with the addresses of the websites in place of their names, such as `__SHOPPING__`."""
        return _SITE.sub(lambda found: self._sites.get(found[1].lower(), found[0]), text)

    def tasks(self, suite: str) -> Sequence[str]:
        """The tasks that can be had: a file is one suite, called all."""
        if suite != "all":
            raise ConfigError(f"a file of tasks has no suite {suite}{suggestion(suite, ('all',))}")
        return tuple(name for name, told in self._read.items() if not told.refusal)

    def setup(self) -> None:
        """Do nothing: each episode has a browser of its own."""

    @contextmanager
    def episode(self, case: Case) -> Iterator[WebEpisode]:
        """Open a browser without the cookies of an earlier episode.

        Raises:
            ConfigError: there is no such task, or it cannot be had.
        """
        told = self._read.get(case.task)
        if told is None or told.refusal:
            raise ConfigError(f"{case.task}: {told.refusal if told else 'the file has no such task'}")
        with tempfile.TemporaryDirectory(prefix="guiagent-web-") as folder:
            record = Path(folder) / "traffic.har"
            recorded: dict[str, Any] = (
                {"har": str(record)} if isinstance(told.table.get("eval"), list) else {}
            )
            last, *others = reversed(told.starts)
            with closing(PageComputer(last, login=self._login, **recorded)) as computer:
                for address in others:
                    computer.perform(Navigate(address, new_tab=True))
                yield WebEpisode(computer, Task(told.text, told.starts[0]), told, self, record)

    def teardown(self) -> None:
        """Do nothing."""

    def model_verdict(self, episode: WebEpisode) -> tuple[bool, str]:
        """The verdict of the model on a run, and its reason."""
        if not episode.answer:
            return False, "the run gave no answer"
        asked = override(Settings(), {"model": {"name": self._judge}})
        with closing(need_models(make_models(asked))) as models:
            said = judge(episode, models.model, "webjudge")
        return said.success, f"{said.model}: {said.reason}"

    def package_verdict(self, episode: WebEpisode) -> tuple[bool, str, Table]:
        """The verdict of the package of WebArena-Verified, its reason, and the release of the package.

        Raises:
            BenchmarkError: it is not installed, failed, or took too long.
        """
        folder = evaluator_folder() / PACKAGE
        python = folder / "bin" / "python"
        if not python.is_file():
            made = f"python3 -m venv {folder} && {python} -m pip install {PACKAGE}"
            raise BenchmarkError(f"the graders of WebArena-Verified are not installed: {made}")
        sites = {name: {"urls": [address]} for name, address in self._sites.items()}
        told = {"task": episode.told.table, "answer": episode.answer, "record": str(episode.record)}
        asked = json.dumps({**told, "environments": sites})
        worker = Path(__file__).with_name("web_tasks_grader.py")
        said = output_of([str(python), "-I", str(worker)], GRADING, fault=BenchmarkError, input=asked)
        result = json.loads(said.splitlines()[-1])
        return result["score"] == 1.0, result["reason"], {PACKAGE: result["release"]}


def _tables(file: Path) -> list[Table]:
    """The tasks of a file as JSON."""
    try:
        text = file.read_text(encoding="utf-8")
        told = json.loads(text) if text.lstrip().startswith("[") else [*map(json.loads, text.splitlines())]
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file} cannot be read as JSON or lines of JSON: {error}") from error
    if not all(isinstance(one, dict) for one in told):
        raise ConfigError(f"{file}: each task is one object of JSON")
    return told


def _refusals_by_package(checks: Sequence[Table]) -> Iterator[str]:
    yield from (
        f"the record of the traffic holds no {name}" for name in _HIDDEN if name in json.dumps(checks)
    )


SEVERAL = "it begins on several pages"


def _refusals(checks: Table, needs_login: bool) -> Iterator[str]:
    """Why checks of WebArena cannot be had."""
    if needs_login:
        yield "it needs a login: give --option login=FILE of `guiagent login`"
    kinds = checks["eval_types"]
    for kind in {*kinds} - {"string_match", "url_match", "program_html"}:
        yield f"{kind} is not known"
    if "string_match" in kinds:
        for kind in {*(checks.get("reference_answers") or {})} - {*_KINDS}:
            yield f"{kind} asks a model; only code grades here"
    if "url_match" in kinds and checks.get("url_note", "GOLD in PRED") != "GOLD in PRED":
        yield f"url_note {checks['url_note']} is not known"
    for check in checks["program_html"] if "program_html" in kinds else ():
        yield from _refusals_of_program(check)


def _refusals_of_program(check: Table) -> Iterator[str]:
    locator = check["locator"].strip().removesuffix(";")
    found = _SELECTED.fullmatch(locator)
    if check["url"].startswith("func:"):
        yield f"program_html: the program {shorten(check['url'], 60)} is not run"
    if "prep_actions" in check:
        yield f"program_html: the program {shorten(str(check['prep_actions']), 60)} is not run"
    if locator and not (found and found["property"] in _PROPERTIES):
        yield f"program_html: the program {shorten(locator, 60)} is not run"
    if [*check["required_contents"]] not in [[kind] for kind in _KINDS]:
        yield f"program_html: {', '.join(check['required_contents'])} is not known"


def _clean(text: str) -> str:
    """A text as WebArena compares it: without outer blanks and quotes, in lower case."""
    text = text.strip()
    return (text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text).lower()


def _holds(kind: str, wanted: Any, seen: str, *, whole_words: bool = False) -> bool:
    """Whether a text is what WebArena wants, or includes it.

    Args:
        whole_words: a single wanted character must be a word of its own, as in answers.
    """
    if kind == "exact_match":
        return _clean(wanted) == seen
    if whole_words and len(wanted) == 1 and len(_clean(wanted[0])) == 1:
        return _clean(wanted[0]) in re.findall(r"\w+|[^\w\s]", seen)
    return all(_has_one([each] if whole_words else each.split(_OR), seen) for each in wanted)


def _has_one(texts: Sequence[str], seen: str) -> bool:
    return any(_clean(text) in seen for text in texts)


def _is_at(address: str, wanted: str) -> bool:
    """Whether an address contains a wanted one, and for each name in their queries a wanted value."""
    here, query = _parts(address)
    places = [_parts(one) for one in wanted.split(_OR)]
    values: defaultdict[str, set[str]] = defaultdict(set)
    for _, asked in places:
        for name, some in asked.items():
            values[name].update(some)
    return any(place in here for place, _ in places) and all(
        some & {*query.get(name, ())} for name, some in values.items()
    )


def _parts(address: str) -> tuple[str, Mapping[str, Sequence[str]]]:
    parts = urlsplit(address.rstrip("/"))
    return (parts.netloc + parts.path).rstrip("/"), parse_qs(parts.query)
