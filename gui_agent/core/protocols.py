"""Extension interfaces: any object with these methods works, nothing has to inherit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal, Protocol, Self, runtime_checkable

from gui_agent.core.actions import Action
from gui_agent.core.clarification import KnownAliases
from gui_agent.core.observation import Element, Observation, Target
from gui_agent.core.trajectory import Decision, Found, Outcome, Planned, Step, Task, Trajectory, Turn

_PROGRAMS = re.compile(
    r"\.(exe|msi|bat|cmd|com|scr|ps1|vbs|js|jse|wsf|jar|app|dmg|pkg|deb|rpm|apk|appimage|run|sh|bash|"
    r"desktop|reg|lnk|py|pl|rb|command|workflow|scpt)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Opening:
    """What a device would do to open something: guard and device go by the same one."""

    kind: Literal["address", "program", "document", "executable", "command", "nothing", "unknown"]
    """program: one that the menus list, with documents at most; document: a file in the program for it;
    executable: a file that is run itself; command: any other command line."""
    command: tuple[str, ...] = ()
    """What is started."""
    url: str = ""
    """The address that is opened, also by a program that is given one."""


def is_program(name: str) -> bool:
    """Whether opening this file may run it."""
    return bool(_PROGRAMS.search(name.strip()))


@dataclass(frozen=True, slots=True)
class Settled:
    """How long the screen took to come to rest, and whether it did before the cap."""

    seconds: float
    quiet: bool = True
    changed: bool = True
    """Whether anything was seen to change at all."""


class Closing:
    """What is closed at the end of a `with` statement."""

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
        """Look at the screen; without `picture` the screenshot is left out, which is much faster.

        Raises:
            ComputerLost: the browser, display or phone is gone.
        """

    def perform(self, action: Action, expected: Element | None = None) -> None:
        """Carry out one action with real input; returns when the input is delivered.

        Args:
            expected: the element believed to be at `action.at`. The device hit-tests the point just
                before acting.

        Raises:
            Stale: something else is on top at the point; the message names it.
            ActionFailed: this device cannot do it, or only a part was done; the message says which.
            ComputerLost: the device is gone.
        """

    def settle(self) -> Settled:
        """Wait until the screen has changed and come to rest after the last action, up to a cap."""

    def start(self, where: str) -> None:
        """Bring the place where a task begins to the front: an address, an application, a file.

        Raises:
            ActionFailed: it cannot be opened; the message says why.
            ComputerLost: the device is gone.
        """

    def close(self) -> None:
        """Let go of everything; safe to call twice and from another thread."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything a planner may know at the moment of deciding."""

    task: Task
    observation: Observation
    turns: tuple[Turn, ...] = ()
    exemplars: tuple[Exemplar, ...] = ()
    advice: tuple[str, ...] = ()
    """What the loop has to say: a batch was cut short, this action is going round in circles ..."""
    platform: str = ""
    steps_left: int | None = None
    """Actions that the limits of the run still allow; None when nothing is known of them."""
    text: Callable[[], str] | None = field(default=None, compare=False, repr=False)
    """Reads all text of the page or document in front, as `ReadsAll.text`; None where nothing can."""
    recall: Callable[[str], tuple[Exemplar, ...]] | None = field(default=None, compare=False, repr=False)
    """Finds runs that resemble a part of the task; None where nothing is remembered."""
    guard: JudgesMeanings | None = field(default=None, compare=False, repr=False)
    """Asked before a tool is called; None where nothing judges that, and guarded tools are refused."""
    aliases: KnownAliases = field(default_factory=KnownAliases, compare=False, repr=False)
    """What the person calls things, learned from their answers."""

    @property
    def last(self) -> Step | None:
        """The last step taken, None at the beginning."""
        return next((turn.steps[-1] for turn in reversed(self.turns) if turn.steps), None)


@runtime_checkable
class JudgesMeanings(Protocol):
    """A guard that can judge what is not done on a screen, such as a call of a tool."""

    def check_meaning(self, meaning: str, what: str, observation: Observation) -> None:
        """Let something pass by what it means and by its words.

        Raises:
            Forbidden: a rule or the person refused it, or nobody could be asked.
        """


@runtime_checkable
class ReadsAll(Protocol):
    """A computer that can read more than is in sight."""

    def text(self) -> str:
        """All text of the page or document in front, also what has to be scrolled to; nothing is scrolled.

        Raises:
            ActionFailed, ComputerLost: it cannot be read.
        """


@runtime_checkable
class Opens(Protocol):
    """A computer that can tell what it would do to open something."""

    def opening(self, name: str) -> Opening:
        """What an `open` action, or the start of a task, of this name would do; nothing is opened.

        Raises:
            ActionFailed: it stands for nothing that can be opened.
        """


SOCKET = "WebSocket"
"""The kind of what leaves through an open connection, which nothing can hold back."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What a page is about to send."""

    method: str
    url: str
    body: str = ""
    kind: str = ""
    """Document, XHR, Ping ..., as browsers call it."""
    fresh: bool = False
    """Whether another document has come into the page since the last input."""


@runtime_checkable
class HoldsRequests(Protocol):
    """A computer that can keep what its pages send from leaving until it was judged."""

    def confine(self, allowed: Callable[[str], bool] | None) -> None:
        """Block going to any other address from now on, whatever leads there; None lets it go anywhere."""

    def hold(self, leaves: Callable[[Outgoing], bool] | None) -> None:
        """Hold from now on what does not leave by itself; None holds nothing. It is asked on any thread."""

    @property
    def held_requests(self) -> tuple[Outgoing, ...]: ...

    def release(self, send: bool) -> None:
        """Send all that is held, or have it fail, so that nothing was sent."""


@runtime_checkable
class JudgesRequests(Protocol):
    """A guard that judges what leaves a page as well."""

    def check_requests(self) -> bool:
        """Let leave what is held since the action that was last checked; whether there was anything.

        Raises:
            Forbidden: a rule or the person refused it, or nobody could be asked; it was not sent.
        """

    def end_step(self) -> None:
        """The step is over: what pages send from now on is of their own accord."""


@runtime_checkable
class RecordsRequests(Protocol):
    """A guard that knows what left."""

    def take_sent_requests(self) -> tuple[str, ...]:
        """What left since this was last asked and changes something, in the form of `Step.requests`."""


@runtime_checkable
class JudgesOpenings(Protocol):
    """A guard that judges what is opened by what the computer would do."""

    def judge_by(self, computer: Opens) -> None:
        """This is the computer that will open it."""


class Planner(Protocol):
    """Decides what to do next. Stateless: everything it needs is in the situation.

    `decide` is all that a planner needs; `PlannerCapabilities` says what it may offer besides.
    """

    @property
    def name(self) -> str: ...

    def decide(self, situation: Situation) -> Decision:
        """Say what to do next.

        Raises:
            BadReply: the answer of a model could not be understood after repair.
            Unavailable: the model's service is down.
        """


class PlannerCapabilities:
    """What a planner may offer besides `decide`; whoever inherits this overrides what it can do.

    A planner of your own need not inherit it: `capabilities` puts these defaults around any planner.
    """

    can_resume: bool = False
    """Whether `resume` is ever worth a question."""

    def cannot_do(self, task: Task) -> str:
        """Why it would give up whatever the screen shows; empty when it takes the screen to tell."""
        return ""

    def remaining(self, situation: Situation) -> Sequence[str]:
        """The rest of its plan, one sentence for each step; empty when it has none."""
        return ()

    def resume(self, situation: Situation) -> Decision | None:
        """What comes next of its plan after another planner; None as long as that is not clear."""
        return None

    def takes_command(self, text: str) -> bool:
        """Whether it can do what a text says in place of one step of its plan."""
        return False

    def read_target(self, text: str) -> Target | None:
        """What a text names on the screen, such as `the second switch`; None where it names nothing."""
        return None


def capabilities(planner: Planner) -> PlannerCapabilities:
    """What a planner offers besides `decide`; the defaults where it offers nothing."""
    return planner if isinstance(planner, PlannerCapabilities) else PlannerCapabilities()


class Grounder(Protocol):
    """Finds targets on the screen."""

    def locate(self, target: Target, observation: Observation, *, verb: str = "click") -> Found:
        """Find the target for an action of kind `verb`, which says what kind of element is likely.

        Raises:
            NotFound: nothing fits; carries the nearest candidates.
            Ambiguous: several fit equally well; carries them.
        """


class Guard(Protocol):
    """Judges every action before it is sent, by what it would touch."""

    def check(self, action: Action, found: Mapping[str, Found], observation: Observation) -> None:
        """Let the action pass.

        Raises:
            Forbidden: a rule or the person refused it.
        """


class Reflector(Protocol):
    """Says what an action did."""

    def judge(
        self, planned: Planned, found: Mapping[str, Found], before: Observation, after: Observation
    ) -> Outcome:
        """Compare the screens before and after an action that was delivered."""


@dataclass(frozen=True, slots=True)
class Exemplar:
    """A remembered run that resembles the present one."""

    id: str
    task: str
    trajectory: str
    """The run as text for a prompt."""
    score: float = 0.0
    values: Mapping[str, str] = field(default_factory=dict, hash=False)
    since: int = 0
    """Turns that were taken before it was recalled."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a task is done, as an independent look at the screen tells."""

    missing: str = ""
    """What is not done yet, in plain words; empty when all is. Where it did not judge, why not."""
    calls: int = 0
    """Model calls spent."""
    judged: bool = True
    """Whether it came to a verdict; what has none counts as done at most, and never as verified."""


class Verifier(Protocol):
    """Looks at the end of a run with fresh eyes."""

    def verify(self, trajectory: Trajectory, answer: str, screen: Observation) -> Verdict:
        """Say what of the task is still missing.

        Raises:
            Unavailable: the model's service is down.
        """


class ExemplarSource(Protocol):
    """Remembers verified runs and finds the ones that resemble the present task."""

    def recall(self, task: Task, observation: Observation, goal: str | None = None) -> Sequence[Exemplar]:
        """The runs worth showing, best first, or none; in the middle of a run, `goal` is what is left."""

    def remember(self, trajectory: Trajectory) -> None:
        """Take note of an ended run: keep it when verified, else count it against what was recalled."""


class Observer(Protocol):
    """Watches a run: the trace, the terminal, a test. Its errors end the run; it changes nothing.

    An object with only some of these methods is an observer too: it is called for what it has.
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
    """Follows what a person does, from the moment it is made; nobody else may act meanwhile."""

    platform: str
    start: str
    """The address, program or file with which the recording began; empty for none."""

    @property
    def open(self) -> bool:
        """Whether what the person works in is still there."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Names of the secrets that were typed."""

    @property
    def hidden_texts(self) -> frozenset[str]:
        """What was typed into fields that hide it; complete when the recording has ended."""

    def poll(self, seconds: float = 0.0) -> tuple[tuple[int, str], ...]:
        """Wait about so long at most; number and sentence of finished steps, 0 for what is not kept."""

    def undo(self) -> str:
        """Forget the last step, what was done stays done; the step in words, empty when there is none."""

    def stop(self, task: Task) -> Trajectory:
        """End the recording: all steps under the task, without secrets and pictures, ended as done."""
