"""Extension interfaces: any object with these methods works, without inheritance."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, Protocol, Self, runtime_checkable

from gui_agent.core.actions import Action
from gui_agent.core.clarification import KnownAliases
from gui_agent.core.dialogue import GuardedTool
from gui_agent.core.observation import Element, Observation, Target
from gui_agent.core.trajectory import Decision, Found, Outcome, Planned, Step, Task, Trajectory, Turn

_PROGRAMS = re.compile(
    r"\.(exe|msi|bat|cmd|com|scr|ps1|vbs|js|jse|wsf|jar|app|dmg|pkg|deb|rpm|apk|appimage|run|sh|bash|"
    r"desktop|reg|lnk|py|pl|rb|command|workflow|scpt)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Opening:
    """What a device would do to open something; guard and device use the same value."""

    kind: Literal["address", "program", "document", "executable", "command", "nothing", "unknown"]
    """program: one listed in the menus, perhaps with documents; document: a file in its program; executable:
    a file that is run itself; command: any other command line.
    """
    command: tuple[str, ...] = ()
    """The command line that starts it."""
    url: str = ""
    """The address that is opened, even if a program receives it."""


def is_program(name: str) -> bool:
    """Whether opening this file may run it."""
    return bool(_PROGRAMS.search(name.strip()))


@dataclass(frozen=True, slots=True)
class Settled:
    """How long the screen took to settle, and whether it did before the cap."""

    seconds: float
    quiet: bool = True
    changed: bool = True
    """Whether any change was seen at all."""


class Closing:
    """A resource that is closed at the end of a `with` statement."""

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@runtime_checkable
class Computer(Protocol):
    """A screen with a keyboard and a pointer: browser, desktop, phone, virtual machine."""

    @property
    def platform(self) -> str:
        """browser, x11, windows, android ..."""

    def observe(self, *, picture: bool = True) -> Observation:
        """Observe the screen; without `picture` the screenshot is left out, which is much faster.

        Raises:
            ComputerLost: the browser, display or phone is gone.
        """

    def perform(self, action: Action, expected: Element | None = None) -> None:
        """Perform one action with real input; returns when the input is delivered.

        Args:
            expected: the element believed to be at `action.at`. The device hit-tests the point just
                before acting.

        Raises:
            Stale: something else covers the point; the message names it.
            ActionFailed: this device cannot do it, or did only a part; the message says which.
            ComputerLost: the device is gone.
        """

    def settle(self) -> Settled:
        """Wait until the screen has changed and settled after the last action, up to a cap."""

    def start(self, where: str) -> None:
        """Bring the task's starting point to the front: an address, an application, a file.

        Raises:
            ActionFailed: it cannot be opened; the message says why.
            ComputerLost: the device is gone.
        """

    def close(self) -> None:
        """Release all resources; safe to call twice and from another thread."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything a planner may know when it decides."""

    task: Task
    observation: Observation
    turns: tuple[Turn, ...] = ()
    exemplars: tuple[Exemplar, ...] = ()
    advice: tuple[str, ...] = ()
    """Messages of the loop: a batch was cut short, this action repeats in a cycle ..."""
    platform: str = ""
    steps_left: int | None = None
    """Actions that the run's limits still allow; None if that is unknown."""
    text: Callable[[], str] | None = field(default=None, compare=False, repr=False)
    """Reads all text of the page or document in front, as `ReadsAll.text`; None if the computer cannot."""
    tools: Callable[[], Sequence[GuardedTool]] = field(default=tuple, compare=False, repr=False)
    """The tools that the page in front declares; what they say of themselves is text from outside."""
    guard: JudgesMeanings | None = field(default=None, compare=False, repr=False)
    """Judges a tool before it is called; without one, guarded tools are refused."""
    aliases: KnownAliases = field(default_factory=KnownAliases, compare=False, repr=False)
    """What the person calls things, learned from their answers."""

    @property
    def last(self) -> Step | None:
        """The last step taken, None at the beginning."""
        return next((turn.steps[-1] for turn in reversed(self.turns) if turn.steps), None)


@runtime_checkable
class JudgesMeanings(Protocol):
    """A guard that also judges acts that are not on a screen, such as a tool call."""

    def check_meaning(self, meaning: str, what: str, observation: Observation) -> None:
        """Allow or refuse an act by its meaning and its words.

        Raises:
            Forbidden: a rule or the person refused it, or no person could be asked.
        """


@runtime_checkable
class ReadsAll(Protocol):
    """A computer that can also read what is out of sight."""

    def text(self) -> str:
        """All text of the page or document in front, including what needs scrolling, without scrolling.

        Raises:
            ActionFailed, ComputerLost: it cannot be read.
        """


@runtime_checkable
class ReadsClipboard(Protocol):
    """A computer whose clipboard can be read."""

    def clipboard(self) -> str:
        """The text on the clipboard of this screen; empty if there is none.

        Raises:
            ActionFailed, ComputerLost: it cannot be read; the message says why.
        """


@runtime_checkable
class Opens(Protocol):
    """A computer that can say what it would do to open something."""

    def opening(self, name: str) -> Opening:
        """What an `open` action, or the start of a task, would do with this name; opens nothing.

        Raises:
            ActionFailed: the name does not stand for anything that can be opened.
        """


READING = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods of requests that change nothing where a server follows HTTP's rules."""
SOCKET = "WebSocket"
"""The kind of a message through an open connection, which cannot be held back."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request that a page is about to send."""

    method: str
    url: str
    body: str = ""
    kind: str = ""
    """The resource type as browsers name it: Document, XHR, Ping ..."""
    fresh: bool = False
    """Whether the page has loaded another document since the last input."""


@runtime_checkable
class HoldsRequests(Protocol):
    """A computer that can hold its pages' requests until they are judged."""

    def confine(self, allowed: Callable[[str], bool] | None) -> None:
        """From now on, block navigation to any other address, whatever causes it; None allows all."""

    def hold(self, leaves: Callable[[Outgoing], bool] | None) -> None:
        """From now on, hold every request for which `leaves` returns False; None holds nothing. Called on any
        thread.
        """

    @property
    def held_requests(self) -> tuple[Outgoing, ...]: ...

    def release(self, send: bool) -> None:
        """Send all held requests, or make them fail, so that nothing was sent."""


@runtime_checkable
class JudgesRequests(Protocol):
    """A guard that also judges a page's requests."""

    def check_requests(self) -> bool:
        """Release the requests held since the action last checked. Returns whether there were any.

        Raises:
            Forbidden: a rule or the person refused it, or no person could be asked; nothing was sent.
        """

    def end_step(self) -> None:
        """End the step; from now on, pages send requests on their own."""


@runtime_checkable
class JudgesCalls(JudgesRequests, Protocol):
    """A guard that also judges calls of a page's tools."""

    def check_call(self, what: str, observation: Observation) -> None:
        """Allow or refuse a call, and judge the page's requests from now on as those of an unclear press.

        Raises:
            Forbidden: a rule or the person refused it, or no person could be asked.
        """


@runtime_checkable
class OffersTools(Protocol):
    """A computer that shows pages with tools of their own."""

    def page_tools(self) -> Sequence[Mapping[str, str]]:
        """The tools of the page in front: `name`, `description`, `schema` (JSON, of the arguments) and more.

        Raises:
            ActionFailed, ComputerLost: they cannot be read.
        """

    def call_page_tool(
        self, tool: Mapping[str, str], arguments: Mapping[str, Any], judge: Callable[[], bool]
    ) -> str:
        """Call such a tool, and return what it answers.

        Args:
            judge: judges the requests that are held meanwhile; returns whether there were any.

        Raises:
            ActionFailed, ComputerLost: it failed, did not answer in time, or is not there any more.
        """


@runtime_checkable
class RecordsRequests(Protocol):
    """A guard that records sent requests."""

    def take_sent_requests(self) -> tuple[str, ...]:
        """Changing requests sent since the last call, in the form of `Step.requests`."""


@runtime_checkable
class KeepsAnswers(Protocol):
    """A guard that lets pass what the person has allowed for good."""

    def take_kept_answers(self) -> tuple[str, ...]:
        """The kept answers that let something pass since the last call, in the form of `Step.allowed`."""


@runtime_checkable
class JudgesOpenings(Protocol):
    """A guard that judges an opening by what the computer would do."""

    def judge_by(self, computer: Opens) -> None:
        """Set the computer that will open things."""


class Planner(Protocol):
    """Decides what to do next. Stateless: everything it needs is in the situation.

    A planner only needs `decide`; `PlannerCapabilities` lists what else it may offer.
    """

    @property
    def name(self) -> str: ...

    def decide(self, situation: Situation) -> Decision:
        """Decide what to do next.

        Raises:
            BadReply: a model's answer could not be understood after repair.
            Unavailable: the model's service is down.
        """


class PlannerCapabilities:
    """What a planner may offer besides `decide`; subclasses override the methods they support.

    A custom planner need not inherit it: `capabilities` provides these defaults for any planner.
    """

    can_resume: bool = False
    """Whether `resume` may ever return a decision."""
    reads_messages: bool = False
    """Whether it reads what the person says in the middle of a run."""

    def cannot_do(self, task: Task) -> str:
        """Why the planner would give up whatever the screen shows; empty if that depends on the screen."""
        return ""

    def remaining(self, situation: Situation) -> Sequence[str]:
        """The rest of its plan, one sentence per step; empty if it has none."""
        return ()

    def resume(self, situation: Situation) -> Decision | None:
        """The next decision of its plan after another planner acted; None while that is unclear."""
        return None

    def count_commands(self, text: str) -> int:
        """How many plain commands a text consists of; 0 if it cannot carry them out."""
        return 0

    def read_target(self, text: str) -> Target | None:
        """What a text names on the screen, such as `the second switch`; None where it names nothing."""
        return None


def capabilities(planner: Planner) -> PlannerCapabilities:
    """What a planner offers besides `decide`; defaults for a planner that offers nothing."""
    return planner if isinstance(planner, PlannerCapabilities) else PlannerCapabilities()


class Grounder(Protocol):
    """Finds targets on the screen."""

    def locate(self, target: Target, observation: Observation, *, verb: str = "click") -> Found:
        """Find the target for an action of kind `verb`, which says what kind of element is likely.

        Raises:
            NotFound: nothing matches; carries the nearest candidates.
            Ambiguous: several match equally well; carries them.
        """


class Guard(Protocol):
    """Judges every action by its target before it is sent."""

    def check(self, action: Action, found: Mapping[str, Found], observation: Observation) -> None:
        """Allow the action.

        Raises:
            Forbidden: a rule or the person refused it.
        """


class Reflector(Protocol):
    """Judges what an action did."""

    def judge(
        self, planned: Planned, found: Mapping[str, Found], before: Observation, after: Observation
    ) -> Outcome:
        """Compare the screens before and after a delivered action."""


@dataclass(frozen=True, slots=True)
class Exemplar:
    """A remembered run similar to the current one."""

    id: str
    task: str
    trajectory: str
    """The run as text for a prompt."""
    since: int = 0
    """How many turns the current run had taken when it was recalled."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a task is done, by an independent look at the screen."""

    missing: str = ""
    """What is not done yet, in plain words; empty when all is done. If `judged` is False, why it could not
    judge.
    """
    calls: int = 0
    """Model calls spent."""
    judged: bool = True
    """Whether it reached a verdict; without one, a run may count as done, but never as verified."""


class Verifier(Protocol):
    """Checks the end of a run independently."""

    def verify(self, trajectory: Trajectory, answer: str, screen: Observation) -> Verdict:
        """Say what is still missing from the task.

        Raises:
            Unavailable: the model's service is down.
        """


class OutsideEffects(Protocol):
    """Effects that no screen shows and that the person wants proven before a run counts as done."""

    @property
    def doubt(self) -> str:
        """Why they prove nothing, in words; empty if they are proof once none is missing."""

    def missing(self) -> str:
        """The effects that do not appear in time, in words; empty if all of them hold.

        Raises:
            Unavailable: a place cannot be read.
        """


class ExemplarSource(Protocol):
    """Finds remembered runs similar to the current task."""

    def recall(self, task: Task, observation: Observation, goal: str | None = None) -> Sequence[Exemplar]:
        """The runs worth showing, best first, or none; in the middle of a run, `goal` is what is left."""

    def remember(self, trajectory: Trajectory) -> None:
        """Count an ended run for or against the exemplars that it followed."""


class Observer(Protocol):
    """Watches a run without changing it: the trace, the terminal, a test. Its errors end the run.

    An object with only some of these methods is an observer too, and gets only those calls.
    """

    def started(self, task: Task) -> None: ...

    def decided(self, turn: Turn) -> None:
        """A decision was made; `turn.steps` is still empty."""

    def stepped(self, step: Step) -> None: ...

    def ended(self, trajectory: Trajectory) -> None: ...


class Approver(Protocol):
    """Asks the person whether a risky action may be done."""

    def approve(self, question: str, action: Action, observation: Observation) -> bool: ...


class Recorder(Protocol):
    """Records a person's actions from its creation on; the agent must not act meanwhile."""

    platform: str
    start: str
    """The address, program or file with which the recording began; or empty."""

    @property
    def open(self) -> bool:
        """Whether the recorded window or page is still there."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Names of the secrets that were typed."""

    @property
    def hidden_texts(self) -> frozenset[str]:
        """Texts typed into fields that hide them; complete when the recording has ended."""

    @property
    def slots(self) -> Mapping[str, str]:
        """The values that the person said differ each time, by name."""

    @property
    def notes(self) -> Mapping[str, str]:
        """The values that the person said are to be read, by name."""

    def poll(self, seconds: float = 0.0) -> tuple[tuple[int, str], ...]:
        """Wait at most `seconds`. Returns number and sentence of each finished step; 0 if it is not
        recorded, -1 if the person has undone it in the page.
        """

    def undo(self) -> str:
        """Forget the last step (it is not undone on the screen). Returns the step in words, or empty."""

    def stop(self, task: Task) -> Trajectory:
        """End the recording. Returns all steps under the task, without secrets and pictures, ended as
        done.
        """
