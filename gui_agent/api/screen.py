"""A screen for small steps: act, read, check, find, run, with the loop and guard of a whole task."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import (
    TYPE_CHECKING,
    Any,
    Protocol,
    TypeVar,
    cast,
    get_args,
    get_origin,
    overload,
    runtime_checkable,
)

from gui_agent.agent.answers import as_type, fields_of, is_optional, record
from gui_agent.agent.guard import PolicyGuard
from gui_agent.agent.guard.asking import AnyApprover
from gui_agent.agent.limits import RunControl, in_use
from gui_agent.api.long_tables import (
    TableRow,
    all_rows,
    column_of,
    elements_under_heading,
    scroll_to_header,
    table,
    tables_with_columns,
)
from gui_agent.api.tools import OwnTool, split
from gui_agent.core.binding import named_in, with_values
from gui_agent.core.errors import Ambiguous, ConfigError, NotFound
from gui_agent.core.observation import Observation, Words
from gui_agent.core.protocols import Closing, Computer, Grounder, Guard
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Decision, Ending, Found, Result, Step, Task, Trajectory, Turn
from gui_agent.planners.commands import PlainPlanner, Unparsed, parse
from gui_agent.planners.commands.lexer import tokenize
from gui_agent.planners.commands.read_values import Value, read_value
from gui_agent.planners.commands.unparse import quote
from gui_agent.settings import Settings, load, override
from gui_agent.wiring.learned import run_skill
from gui_agent.wiring.parts import Ask, make_grounder, make_guard, prepared_computer, private_data
from gui_agent.wiring.running import Part, run

if TYPE_CHECKING:
    from playwright.async_api import Page as AsyncPage
    from playwright.sync_api import Page as SyncPage

    from gui_agent.api.async_screen import AsyncScreen
    from gui_agent.skills import Skill

T = TypeVar("T")


@runtime_checkable
class DrivesPlaywright(Protocol):
    """A computer driven by Playwright."""

    def driver_page(self, *, awaited: bool = False) -> Any:
        """The page in front as an object of Playwright's sync API, or with `awaited` of the async one."""


class LiveScreen(Closing):
    """A computer with small steps: `Browser`, `Desktop`, `Phone`, or `LiveScreen(computer)` around your own.

    Each step observes the screen, waits for its target, asks the guard and checks the effect, as `run` does.
    A failed step raises a `GuiAgentError` that says why, with `candidates` and `result`.
    """

    def __init__(
        self,
        computer: Computer | Part | None = None,
        *,
        settings: Settings | None = None,
        yes: bool = False,
        guard: Guard | Part | None = None,
        grounder: Grounder | Part | None = None,
        approver: AnyApprover | None = None,
        ask: Ask | None = None,
        observers: Sequence[object] = (),
        on_step: Callable[[Step], object] | None = None,
        tools: Sequence[OwnTool[..., Any]] = (),
        own: bool = False,
        **sections: Part,
    ) -> None:
        """
        Args:
            computer: an open one, which stays open; or the name or settings of one, closed with this screen.
            tools: functions made verbs by `@tool`; in `run`, models may call them too.
            own: whether to close an open computer with this screen.
            yes: answer every question of the guard with yes; what is forbidden stays forbidden.
            guard, grounder, approver, ask, observers, on_step: as for `run`, for every step.
            sections: settings by section, such as `limits={"seconds": 20}` for each step.

        Raises:
            ConfigError: a setting is wrong.
            Unavailable: the screen cannot be opened.
        """
        named = computer is None or isinstance(computer, str | Mapping)
        tables = {"trace": {"folder": ""}, **sections}
        if named and computer is not None:
            tables["computer"] = {"kind": computer} if isinstance(computer, str) else cast("Part", computer)
        self.settings = override(settings or load(), tables)
        small_steps: dict[str, Any] = {
            "planner": {"kind": "plain"},
            "model": {"name": "none"},
            "outcome": {"effects": ()},
        }
        self._plain = override(self.settings, small_steps)
        self.options: dict[str, Any] = {
            "yes": yes, "guard": guard, "grounder": grounder, "approver": approver, "ask": ask,
            "observers": observers, "on_step": on_step,
            "private": private_data(self.settings.privacy.patterns),
        }  # fmt: skip
        kept = grounder is not None and not isinstance(grounder, str | Mapping)
        self._grounder = cast("Grounder", grounder) if kept else make_grounder(self.settings)
        self.control = RunControl()
        """Stops, pauses and messages the current step or run, from another thread."""
        self.computer = prepared_computer(self.settings)() if named else cast("Computer", computer)
        self._own = named or own
        self._tools = tuple(tools)

    @property
    def playwright(self) -> SyncPage:
        """The page in front as a Playwright page, for anything that no command can do.

        Raises:
            ConfigError: this screen is not a browser.
        """
        if not isinstance(self.computer, DrivesPlaywright):
            raise ConfigError(f"{self.computer.platform} has no Playwright page; use a browser")
        return cast("SyncPage", self.computer.driver_page())

    def open(self, where: str) -> None:
        """Bring an address, file or program to the front.

        Raises:
            ActionFailed: it cannot be opened.
        """
        self._do_task(Task("wait 0 seconds", where))

    def act(self, command: str, **values: object) -> Result:
        """Carry out plain commands, such as `type "Ada" into "Name", click "Send"`.

        Args:
            values: texts for `{name}` slots inside the quotes of the commands, inserted verbatim.

        Raises:
            GuiAgentError: NotUnderstood, NotFound, Ambiguous, Forbidden, ActionFailed ...; it never guesses.
        """
        given = {name: str(value) for name, value in values.items()}
        if not self._tools:
            return self._do_task(Task(command, values=given))
        turns: list[Turn] = []
        noted: dict[str, str] = {}
        result: Result | None = None
        for part in split(command, self._tools):
            if isinstance(part, str):
                result = self._do_task(Task(part, values=named_in(part, given | noted)))
                turns += result.turns
                noted |= result.notes
            else:
                turns.append(self._call_tool(*part, given | noted))
                noted |= turns[-1].decision.notes
        answer = "\n".join(noted.values())
        ending = replace(result.ending, answer=answer) if result else Ending("done", answer=answer)
        return Result(Trajectory(Task(command), tuple(turns), ending))

    def _call_tool(self, own: OwnTool[..., Any], command: str, values: Mapping[str, str]) -> Turn:
        given, name = own.bound_arguments(tokenize(command), values)
        said = with_values(command, values)
        screen = self.computer.observe(picture=False)
        if own.guard:
            guard = self.options["guard"]
            if guard is None or isinstance(guard, str | Mapping):
                settings = override(self.settings, {"guard": {"yes": True}} if self.options["yes"] else {})
                guard = make_guard(settings, self.options["approver"])
            if not isinstance(guard, PolicyGuard):
                raise ConfigError(f"{type(guard).__name__} cannot judge tools; use a PolicyGuard for them")
            guard.check_meaning(own.guard, said, screen)
        value = own(**given)
        return Turn(Decision(said, notes={} if value is None else {name: str(value)}, planner="tool"), screen)

    def check(self, statement: str) -> Result:
        """Check a statement, such as `"Total" is "42"` or `"Thank you" is shown`.

        Raises:
            CheckFailed: it does not hold, even after a wait; the message says what is there instead.
        """
        return self._do_task(Task(_as_one("verify", statement, quoted=" is shown")))

    def find(self, what: str) -> Found:
        """Find an element, waiting and scrolling for it: element, box, point, and how sure the match is.

        Raises:
            NotFound: nothing matches; `candidates` are the nearest.
            Ambiguous: several match.
        """
        target, said = _click_target(what)
        done = self._do_task(Task(f"scroll to {said}"))
        return self._grounder.locate(target, done.turns[-1].observation)

    @overload
    def read(self, what: str) -> Value: ...

    @overload
    def read(self, what: str = "", *, schema: type[T]) -> T: ...

    def read(self, what: str = "", *, schema: Any = str) -> Any:
        """Read a value of the screen, or a record of values.

        Args:
            what: the label or position of a value, such as `Total` or `"Price" in the row of "Tea"`; without
                a
                schema, the result is a text with its `place` on the picture. For a
                record: its row, or the heading of its section; empty for the whole screen.
            schema: the type of the value, or a dataclass, TypedDict or pydantic model whose fields are read
                by their names; `list[...]` of one reads a table.

        Raises:
            NotFound, Ambiguous: a value is missing, ambiguous, or of another type.
        """
        if get_origin(schema) is list:
            return self.table(what, schema=get_args(schema)[0])
        if not fields_of(schema):
            done = self._do_task(Task(_as_one("read", what)))
            if schema is str:
                return self._with_place(what, done)
            try:
                return as_type(done.answer, schema)
            except NotFound as error:
                raise NotFound(f"{what}: {error}") from error
        last: NotFound | None = None
        for read in (self._read_in_row, self._read_in_section) if what else (self._read_anywhere,):
            screen = self._look(what or next(iter(fields_of(schema).values()))[0])
            try:
                return record(schema, read(what, schema, screen))
            except NotFound as error:
                last = last or error
        assert last is not None
        raise last

    @overload
    def table(self, what: str = "") -> list[TableRow]: ...

    @overload
    def table(self, what: str = "", *, schema: type[T]) -> list[T]: ...

    def table(self, what: str = "", *, schema: Any = None) -> Any:
        """Read the rows of a table, scrolling to its end if necessary.

        Args:
            what: its heading, its caption, or one of its columns; empty for the only table.
            schema: a dataclass, TypedDict or pydantic model of a row; without one, the rows are dicts of
                texts, and `row.places` has the box of each value.

        Raises:
            NotFound, Ambiguous: there is no such table, or several.
            ActionFailed: it is too long, or its rows cannot be followed.
        """
        fields = fields_of(schema) if schema is not None else {}
        wanted = _required_labels(fields)
        rows = self._rows(what, wanted)
        if schema is None:
            return rows
        return [record(schema, _values_in_row(row, fields)) for row in rows]

    def run(self, what: Task | Skill | str, **values: object) -> Result:
        """Do a whole task here: a skill by name with its values, a learned instruction, or a task for a
        model.

        Raises:
            GuiAgentError: it was not done; see `Result.raise_for_status`.
        """
        options = {**self._options(self.settings), "tools": self._tools}
        if isinstance(what, Task) or (isinstance(what, str) and (not values or " " in what.strip())):
            return run(what, values={n: str(v) for n, v in values.items()}, **options).raise_for_status()
        return run_skill(what, values, **options).raise_for_status()

    def observe(self, *, picture: bool = True) -> Observation:
        """Observe the screen: its elements, its place, and the picture."""
        return self.computer.observe(picture=picture)

    def close(self) -> None:
        """Close the screen if it was opened here, ending a step of another thread; safe to call twice."""
        if self._own and in_use(self.computer):
            self.control.stop()
        if self._own:
            self.computer.close()

    def _do_task(self, task: Task) -> Result:
        return run(task, **self._options(self._plain)).raise_for_status()

    def _options(self, settings: Settings) -> dict[str, Any]:
        return {**self.options, "settings": settings, "computer": self.computer, "control": self.control}

    def _with_place(self, what: str, done: Result) -> Value:
        """The answer, with its place if the screen it was read from still shows it."""
        with suppress(NotFound, Ambiguous):
            value = read_value(_click_target(what)[0], done.turns[-1].observation, self._grounder)
            if value == done.answer:
                return value
        return Value(done.answer)

    def _look(self, what: str) -> Observation:
        try:
            return self._do_task(Task(_as_one("scroll to", what))).turns[-1].observation
        except (NotFound, Ambiguous):
            return self.computer.observe(picture=False)

    def _read_anywhere(self, what: str, schema: Any, screen: Observation) -> dict[str, str]:
        values: dict[str, str] = {}
        for name, (label, kind) in fields_of(schema).items():
            try:
                values[name] = read_value(Words(label), screen, self._grounder)
            except NotFound:
                if not is_optional(kind):
                    raise
                values[name] = ""
        return values

    def _read_in_row(self, what: str, schema: Any, screen: Observation) -> dict[str, str]:
        fields = fields_of(schema)
        wanted = _required_labels(fields)
        rows = chain.from_iterable(one.rows() for one in tables_with_columns(screen, wanted))
        found = [row for row in rows if normal(what) in map(normal, row.values())]
        if not found:
            raise NotFound(f'no row with the columns {", ".join(wanted)} has "{what}" in it')
        if len(found) > 1:
            raise Ambiguous(f'{len(found)} rows have "{what}" in them; use table() and choose one')
        return _values_in_row(found[0], fields)

    def _read_in_section(self, what: str, schema: Any, screen: Observation) -> dict[str, str]:
        section = replace(screen, elements=tuple(elements_under_heading(what, screen)))
        return self._read_anywhere("", schema, section)

    def _rows(self, what: str, wanted: Sequence[str]) -> list[TableRow]:
        named = what or next(iter(wanted), "")
        screen = self._look(named) if named else self.computer.observe(picture=False)
        found = table(what, screen, wanted)
        if scroll_to_header(found, screen, self.computer):
            screen = self.computer.observe(picture=False)
            found = table(what, screen, wanted)
        return all_rows(found, screen, self.computer)


def _values_in_row(row: TableRow, fields: Mapping[str, tuple[str, Any]]) -> dict[str, str]:
    return {name: row.get(column_of(label, list(row)), "") for name, (label, _) in fields.items()}


def _as_one(verb: str, text: str, quoted: str = "") -> str:
    """A single command with this verb; the text is put in quotes unless it is a valid wording already."""
    if not text.strip():
        raise ConfigError(f"there is nothing to {verb.partition(' ')[0]}; name it by its label")
    said = f"{verb} {text}"
    commands = parse(said)
    alone = not isinstance(commands, Unparsed) and len(commands) == 1
    return said if alone else f"{verb} {quote(text)}{quoted}"


def _required_labels(fields: Mapping[str, tuple[str, Any]]) -> list[str]:
    """The labels of the fields that a record must have."""
    return [label for label, kind in fields.values() if not is_optional(kind)]


def _click_target(text: str) -> tuple[Words, str]:
    """The target that a text means after "click", and its wording in a command; quoted if it is no such
    wording.
    """
    target = PlainPlanner().read_target(text)
    return (target, text) if isinstance(target, Words) else (Words(text), quote(text))


@overload
def from_page(page: SyncPage, **options: Any) -> LiveScreen: ...


@overload
def from_page(page: AsyncPage, **options: Any) -> AsyncScreen[LiveScreen]: ...


def from_page(page: Any, **options: Any) -> Any:
    """Small steps on your own Playwright page, which stays open: `with from_page(page) as steps:`.

    Use `async with` for a page of the async API. The page must belong to Chromium. A sync page is used in its
    own thread; while a step runs, the page's dialogs wait for it.

    Args:
        options: as for `LiveScreen`.

    Raises:
        ConfigError: it is not such a page.
    """
    from gui_agent.api.async_screen import AsyncScreen
    from gui_agent.computers.browser.computer import BrowserComputer
    from gui_agent.computers.browser.lent import ExternalPage

    lent = ExternalPage(page)

    def take_page() -> LiveScreen:
        return LiveScreen(BrowserComputer(lent=lent), own=True, **options)

    return take_page() if lent.sync else AsyncScreen(take_page)


class Browser(LiveScreen):
    """A browser for small steps: `with Browser("example.org") as page: page.act('click "More"')`."""

    def __init__(self, url: str = "", *, options: Mapping[str, Any] | None = None, **rest: Any) -> None:
        """
        Args:
            url: where to begin.
            options: of `BrowserComputer`, such as `{"headless": False}`.
            rest: as for `LiveScreen`.
        """
        super().__init__({"kind": "browser", "options": {"url": url, **(options or {})}}, **rest)


class Desktop(LiveScreen):
    """Desktop programs for small steps: on a private display, or on your own screen."""

    def __init__(
        self,
        open: str = "",
        *,
        private: bool = sys.platform == "linux",
        options: Mapping[str, Any] | None = None,
        **rest: Any,
    ) -> None:
        """
        Args:
            open: a program or file to begin with.
            private: use an invisible display (Linux) instead of your own screen.
            options: of `VirtualComputer` or of this platform's desktop.
            rest: as for `LiveScreen`.
        """
        kind = "virtual" if private else "desktop"
        super().__init__({"kind": kind, "options": {"open": open, **(options or {})}}, **rest)


class Phone(LiveScreen):
    """An Android phone for small steps, over adb."""

    def __init__(self, serial: str = "", *, options: Mapping[str, Any] | None = None, **rest: Any) -> None:
        """
        Args:
            serial: serial, or address and port; empty for the only connected phone.
            options: of `AndroidComputer`.
            rest: as for `LiveScreen`.
        """
        super().__init__({"kind": "android", "options": {"name": serial, **(options or {})}}, **rest)
