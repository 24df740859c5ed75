"""Runs that other programs start and watch: their steps, pictures and endings as events."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from gui_agent.agent.guard.asking import Answer, Question
from gui_agent.agent.limits import RunControl
from gui_agent.core import deadline
from gui_agent.core.clarification import DONE, Clarification
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError, GuiAgentError
from gui_agent.core.observation import Observation, Screenshot
from gui_agent.core.protocols import Computer
from gui_agent.core.trajectory import Step, Task
from gui_agent.elements.image_regions import image_of
from gui_agent.server.live import Feed
from gui_agent.trace.events import Event, Events

if TYPE_CHECKING:
    from PIL.Image import Image

    from gui_agent.computers.browser.computer import BrowserComputer
    from gui_agent.computers.browser.controller import Browsing

BETWEEN = 0.3
"""Minimum seconds between two pictures of a page."""
PATIENCE = 2.0
"""Seconds for a page to return a picture."""


@runtime_checkable
class Grabs(Protocol):
    """A computer that captures its screen itself."""

    def grab(self) -> Image:
        """The current screen; may be called from any thread."""


def grabber(computer: Computer) -> Callable[[], Image]:
    """A function that captures this computer's screen, from any thread."""
    from gui_agent.computers.browser.computer import BrowserComputer

    if isinstance(computer, BrowserComputer):
        return PagePicture(computer)
    if isinstance(computer, Grabs):
        return computer.grab
    raise ConfigError(f"a {computer.platform} shows no picture")


class PagePicture:
    """The page in a browser, captured at most so often that the run is not slowed down."""

    def __init__(self, browser: BrowserComputer) -> None:
        self._browser = browser
        self._taken: tuple[float, Image] | None = None
        self._lock = threading.Lock()

    def __call__(self) -> Image:
        with self._lock:
            if self._taken is None or time.monotonic() - self._taken[0] > BETWEEN:
                self._taken = (time.monotonic(), self._take() or self._last)
            return self._taken[1]

    @property
    def _last(self) -> Image:
        from PIL import Image

        return self._taken[1] if self._taken is not None else Image.new("RGB", (1280, 720), "white")

    def _take(self) -> Image | None:
        try:
            shot = self._browser.on_loop(_screenshot, PATIENCE)
        except (ActionFailed, ComputerLost):
            return None  # the page did not answer in time; the run itself notices a lost browser
        return None if shot is None else image_of(shot.data)


async def _screenshot(browsing: Browsing) -> Screenshot | None:
    from gui_agent.computers.browser.cdp.sender import translate_errors
    from gui_agent.computers.browser.look.preview import capture

    if browsing.session.dialog is not None:
        return browsing.dialog_observation(True).screenshot
    with translate_errors("the page cannot be captured"):
        tab = await browsing.session.standing()
        return await capture(tab.line, "jpeg")


POLL = 0.2
"""Seconds after which a run waiting for an answer checks the user's other requests."""
Status = Literal["running", "waiting", "paused", "yours", "ended"]


class InUse(ConfigError):
    """The screen is busy, the question was answered, or the key belongs to another request."""


@dataclass
class Pending:
    """A question that a run waits for."""

    id: str
    text: str
    asks: Literal["guard", "planner"]
    meanings: tuple[str, ...] = ()
    """What a yes would allow, the most serious first."""
    always: str = ""
    """What the answer "always" would allow from now on, in words; empty if it is not offered."""
    choices: tuple[Mapping[str, Any], ...] = ()
    """What may be meant: number, text and box on the picture."""
    short: str = ""
    """The question without its choices and the forms of an answer; empty where `text` has none."""
    buttons: tuple[Mapping[str, str], ...] = ()
    """The answers that need no words, each with its label."""
    picture: bytes = field(default=b"", repr=False)
    """The screen as PNG with the choices framed and numbered; empty if no choice has a place."""
    answer: str | None = field(default=None, repr=False)

    def as_answer(self, said: str | None) -> Answer:
        """What the person said, as an answer to the guard."""
        if said not in ("yes", "always"):
            return "no"
        return "always" if said == "always" and self.always else "once"

    def as_dict(self) -> dict[str, Any]:
        told: dict[str, Any] = {"id": self.id, "text": self.text, "asks": self.asks}
        told |= {
            "always": self.always,
            "meanings": list(self.meanings),
            "choices": list(self.choices),
            "short": self.short,
        }
        return {**told, "buttons": list(self.buttons), "pictured": bool(self.picture)}


class ServedRun(Events):
    """A running or ended task with its events; the approver and an observer of its own run."""

    def __init__(
        self,
        id_: str,
        task: str,
        folder: Path,
        limit: float,
        *,
        attended: bool = False,
        recorded: bool = False,
    ) -> None:
        """
        Args:
            folder: private; the live view of the run uses it.
            limit: maximum seconds that a question waits for its answer.
            attended: whether a user watches the view, so that the run may wait for them.
            recorded: whether what the user does becomes a demonstration.
        """
        super().__init__(self._keep)
        self.id, self.task, self.folder, self.attended = id_, task, folder, attended
        self.feed = Feed(folder, attended=attended, recorded=recorded, replies=self.reply)
        self.events: list[Event] = []
        self.lines: list[str] = []
        """The events as sent to followers, serialized once for all of them."""
        self.result: dict[str, Any] | None = None
        self.question: Pending | None = None
        self.picture: Screenshot | None = None
        """The screen after the last step."""
        self.control = RunControl()
        self.request: dict[str, Any] = {}
        """The request, with the arguments of `SessionRegistry.start`; empty if a person does the task."""
        self._grab: Callable[[], Image] | None = None
        self._stopped = False
        self._limit = limit
        self._questions = 0
        self._changed = threading.Condition(threading.RLock())
        self._listeners: list[Callable[[], None]] = []

    @property
    def status(self) -> Status:
        if self.result is not None:
            return "ended"
        return "waiting" if self.question is not None else (self.control.granted or "running")

    def as_dict(self) -> dict[str, Any]:
        """The state of the run, and its result if it has ended."""
        told: dict[str, Any] = {"run": self.id, "task": self.task, "status": self.status}
        told["events"] = len(self.events)
        question = self.question
        return {
            **told,
            **({"question": question.as_dict()} if question is not None else {}),
            **({"result": self.result} if self.result is not None else {}),
        }

    def steer(self, control: RunControl) -> None:
        self.control = control
        self.feed.steer(control)

    def started(self, task: Task) -> None:
        """Note that the run begins; an earlier stop applies."""
        super().started(task)
        if self._stopped:
            self.control.stop()

    def stop(self) -> None:
        """End the run before its next action, with a finished trace."""
        self._stopped = True
        self.control.stop()

    def stepped(self, step: Step) -> None:
        self.picture = step.after.screenshot or self.picture
        super().stepped(step)

    def sees(self, computer: Computer) -> None:
        """Set the screen that the run works on."""
        with contextlib.suppress(ConfigError):
            self._grab = grabber(computer)

    def screen_now(self) -> Image | None:
        """The current screen, for the user's view; the run's last picture if it is not available."""
        with contextlib.suppress(GuiAgentError):
            if self._grab is not None and self.result is None:
                return self._grab()
        return image_of(self.picture.data) if self.picture is not None else None

    @contextlib.contextmanager
    def changes(self) -> Iterator[asyncio.Event]:
        """An event of the running loop that is set on every change, from any thread."""
        loop, changed, called = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

        def wake_up() -> None:
            called.clear()
            changed.set()

        def wake() -> None:
            if not called.is_set():  # a pending call wakes the loop for all changes until then
                called.set()
                with contextlib.suppress(RuntimeError):  # the loop has ended, and no task waits any more
                    loop.call_soon_threadsafe(wake_up)

        with self._changed:
            self._listeners.append(wake)
        try:
            yield changed
        finally:
            with self._changed:
                self._listeners.remove(wake)

    def wait(self, seconds: float, after: int | None = None) -> None:
        """Wait until the run has ended or asks; with `after`, also until there are more events than that."""
        with self._changed:
            self._changed.wait_for(
                lambda: (
                    self.status in ("ended", "waiting") or (after is not None and len(self.events) > after)
                ),
                seconds,
            )

    def reply(self, question: str, answer: str) -> None:
        """Answer the open question, once. Raises InUse if another one is open, or none."""
        with self._changed:
            pending = self.question
            if pending is None or pending.id != question:
                raise InUse(f"the question {question} of {self.id} is no longer open")
            pending.answer, self.question = answer, None
            self._changed.notify_all()

    def answer(self, question: Question, observation: Observation) -> Answer:
        """Ask the user for permission; anything but yes and always is no."""
        pending = Pending(self._next_id(), question.text, "guard", question.meanings, question.always)
        return pending.as_answer(self._ask_person(pending))

    def ask(self, question: Clarification) -> str | None:
        """Ask the user a planner's question."""
        picture = question.picture()
        pending = Pending(self._next_id(), question, "planner", choices=tuple(question.choices_as_dicts()))
        pending.short = question.question if question.options else ""
        pending.buttons = tuple(question.buttons)
        pending.picture = picture.data if picture is not None else b""
        return self._ask_person(pending, question.attend)

    def _next_id(self) -> str:
        self._questions += 1
        return f"q{self._questions}"

    def _ask_person(self, pending: Pending, attend: Callable[[], bool] = bool) -> str | None:
        until = time.monotonic() + self._limit
        with self._changed:
            self.question = pending
        self.say("question", pending.text, **{k: v for k, v in pending.as_dict().items() if k != "text"})
        with deadline.stop_clock():
            while pending.answer is None and time.monotonic() < until and not self.control.is_stopped:
                self.control.poll()
                with self._changed:
                    self._changed.wait_for(lambda: pending.answer is not None, POLL)
                if pending.answer is None and attend():
                    pending.answer = DONE
        with self._changed:
            answer, self.question = pending.answer, None
        allowed = pending.as_answer(answer) != "no" if pending.asks == "guard" else answer is not None
        self.say("answered", "allowed" if allowed else "refused", id=pending.id, allowed=allowed)
        return answer

    def finish(self, result: Mapping[str, Any]) -> None:
        with self._changed:
            self.say("result", f"{result['ending']}: {result['reason']}".rstrip(": "), **result)
            self.result = dict(result)
        self.feed.close()
        self._tell()

    def _keep(self, event: Event) -> None:
        self.events.append(event)
        self.lines.append(f"id: {event.id}\nevent: {event.kind}\ndata: {event.as_json()}\n\n")
        self.feed.put_event(event)
        self._tell()

    def _tell(self) -> None:
        with self._changed:
            self._changed.notify_all()
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener()
