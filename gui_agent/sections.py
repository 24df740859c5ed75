"""The sections of the settings: their keys, defaults and meanings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from gui_agent.core.os_errors import user_path

AtHome = Annotated[str, AfterValidator(lambda path: path and str(user_path(path)))]


class Section(BaseModel):
    """A table of settings; immutable, and without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ComputerSettings(Section):
    """The screen to work on."""

    kind: str = "browser"
    """A name that `guiagent doctor` lists, or `package.module:Class`."""
    options: Mapping[str, Any] = Field(default_factory=dict)
    """Arguments of that class, such as headless, size, profile."""


class PlannerSettings(Section):
    """Which planner decides."""

    kind: str = "auto"
    """auto: plain commands, then a given demonstration, then learned procedures. cascade: try several
    planners in order.
    """
    options: Mapping[str, Any] = Field(default_factory=dict)
    """Arguments of that class."""
    domains: tuple[str, ...] = ()
    """Domains whose constructs learned procedures may use besides the general ones."""


class GrounderSettings(Section):
    """What finds the planner's targets on the screen."""

    kind: str = "screen"
    """A name that `guiagent doctor` lists, or `package.module:Class`."""
    options: Mapping[str, Any] = Field(default_factory=dict)
    """Arguments of that class."""


class GuardSettings(Section):
    """What may be done without asking."""

    policy: str = ""
    """A TOML file of rules; empty means the person's own, or else the built-in default policy."""
    yes: bool = False
    """Allow everything the guard asks about, in this run only; what is forbidden stays forbidden."""
    grants: tuple[str, ...] = ()
    """Kinds of actions that need no question in this run: send, or send@example.org for one host."""


class ModelSettings(Section):
    """The language model, if one is used."""

    name: str = ""
    """anthropic/..., openai/..., or http://host:8000/v1#NAME; empty takes the provider whose key is set, and
    `none` uses no model.
    """
    grounder: str = ""
    """A pointing model, used for targets that no element names."""
    cheaper: str = ""
    """A model that takes over when nine tenths of the budget are spent."""
    fallback: str = ""
    """A model that takes over when the first one's service is down or overloaded."""
    max_cost: float = Field(default=0.0, ge=0)
    """Dollars that one run may cost; it ends there and can be resumed. 0 sets no limit."""
    max_tokens: int = Field(default=0, ge=0)
    """Tokens that one run may use, input and output together; 0 sets no limit."""
    seconds: float = Field(default=180.0, gt=0)
    """Seconds that one question may take, including retries and pauses."""
    batch: int = Field(default=5, ge=1)
    """Most actions of one decision."""
    pictures: int = Field(default=6, ge=0)
    """Most screens that a question shows as pictures; 0 for a model without vision."""
    form: Literal["auto", "tools", "json"] = "auto"
    """How it answers: by calling a tool, or as JSON with a schema; auto switches when no call comes."""
    answer_tokens: int = Field(default=4096, ge=64)
    """Most tokens of one answer."""
    marks: bool = False
    """Draw the numbers of the elements on the picture."""
    native: Literal["auto", "always", "never"] = "auto"
    """Use the model's own computer tool; auto means only if it takes no other."""
    verifier: bool = True
    """Ask the model whether the task is done, if no criteria can be checked."""
    skills: bool = True
    """Show the model the skill packs for the programs on the screen."""
    wire: Literal["", "responses", "chat", "messages"] = ""
    """The wire format, if not the model's usual one."""
    family: str = ""
    """The model family, which decides picture size and coordinates, if the name does not show it; see
    guiagent models.
    """
    key: str = ""
    """The environment variable with the key of your own server."""
    effort: Literal["", "low", "medium", "high"] = ""
    """How much the model thinks before it answers, if it can; empty leaves that to the model."""
    extra: Mapping[str, Any] = Field(default_factory=dict)
    """Further keys of every request."""
    tape: str = ""
    """A folder that records all traffic with models."""
    replay: bool = False
    """Answer from the tape, without any connection."""


class ToolSettings(Section):
    """What a model may call besides the screen."""

    folders: tuple[str, ...] = ()
    """Folders in which it may list, read and write files; it has no access to others."""
    terminal: tuple[str, ...] = ()
    """Folders in which it may run commands, in a sandbox without a network and without other files."""
    mcp: Mapping[str, str] = Field(default_factory=dict)
    """Commands of MCP servers, by name; their tools are called NAME_TOOL."""
    reading: tuple[str, ...] = ()
    """Tools of MCP servers that only read, which the guard allows; it asks about all others."""


class LimitSettings(Section):
    """Limits that end a run in any case."""

    steps: int = Field(default=50, ge=1)
    """Actions."""
    seconds: float = Field(default=600.0, gt=0)
    """Seconds since the start; then the run ends, whatever it is waiting for: a page, a model, a lock."""
    proof: Literal["strict", "lenient"] = "strict"
    """What "done" requires if no model decides: an effect of each action, or no objection of the screen."""
    held: float = Field(default=1800.0, gt=0)
    """Seconds that the person may hold a run, paused or taken over; they do not count as its time."""
    asked: float = Field(default=1800.0, gt=0)
    """Seconds that the person may take to answer a question; they do not count as the run's time."""


class OutcomeSettings(Section):
    """What has to be proven before a run counts as done."""

    effects: tuple[str, ...] = ()
    """Effects outside the screen, such as `file sent.csv` or `sql orders.db "SELECT ..." is paid`."""


class PrivacySettings(Section):
    """What is hidden besides secrets."""

    patterns: tuple[str, ...] = ()
    """Personal data in texts: mail, phone, card (by Luhn's sum), iban (by its check digits), NAME=REGEX."""


class MemorySettings(Section):
    """The memory of learned procedures and runs, and its use."""

    enabled: bool = True
    """Look for a learned procedure when a task is not made of plain commands."""
    path: str = ""
    """The file; empty means the person's own, `~/.local/share/guiagent/memory.db`, or the folder that XDG
    sets.
    """
    embedder: str = "auto"
    """How tasks are compared: auto, lexical or sentence-transformers:MODEL."""
    learn: Literal["asked", "verified"] = "asked"
    """`verified` stores every verified run that was not a replay; `asked` only what `guiagent learn` is
    given.
    """
    untrusted: tuple[str, ...] = ()
    """Hosts whose content must not influence later runs: what was learned there waits for approval."""
    lessons: AtHome = ""
    """A file of lessons (`guiagent practice lessons`) that models are shown."""
