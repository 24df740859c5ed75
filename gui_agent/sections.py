"""The sections of the settings: each a table of a file, with its keys, their defaults and what they do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from gui_agent.core.os_errors import user_path

AtHome = Annotated[str, AfterValidator(lambda path: path and str(user_path(path)))]


class Section(BaseModel):
    """A table of settings that cannot change and knows all its keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ComputerSettings(Section):
    """The screen to work on."""

    kind: str = "browser"
    """A name that `guiagent doctor` lists, or `package.module:Class`."""
    options: Mapping[str, Any] = Field(default_factory=dict)
    """Arguments of that class, such as headless, size, profile."""


class PlannerSettings(Section):
    """Who decides what to do."""

    kind: str = "auto"
    """auto reads plain commands, runs the demonstration that is given, and else what was learned; cascade
    asks several planners one after the other."""
    options: Mapping[str, Any] = Field(default_factory=dict)
    """Arguments of that class."""
    domains: tuple[str, ...] = ()
    """Domains whose constructs learned procedures may use besides the general ones."""


class GrounderSettings(Section):
    """Who finds on the screen what the planner means."""

    kind: str = "screen"
    """A name that `guiagent doctor` lists, or `package.module:Class`."""
    options: Mapping[str, Any] = Field(default_factory=dict)
    """Arguments of that class."""


class GuardSettings(Section):
    """What may be done without asking."""

    policy: str = ""
    """A TOML file of rules; empty means the person's own, or else the careful ones that are built in."""
    yes: bool = False
    """Allow everything the guard asks about, in this run only; what is forbidden stays forbidden."""
    grants: tuple[str, ...] = ()
    """Kinds of actions that need no question in this run: send, or send@example.org for one place."""


class ModelSettings(Section):
    """The language model, if one is to be asked."""

    name: str = ""
    """anthropic/..., openai/..., or http://host:8000/v1#NAME; empty takes the provider whose key is set, and
    `none` asks no model."""
    grounder: str = ""
    """A pointing model that is asked for places which the elements do not name."""
    cheaper: str = ""
    """A model that takes over when nine tenths of the budget are spent."""
    fallback: str = ""
    """A model that takes over when the service of the first is down or refuses for its load."""
    max_cost: float = Field(default=0.0, ge=0)
    """Dollars that one run may cost; it ends there and can be resumed. 0 sets no limit."""
    max_tokens: int = Field(default=0, ge=0)
    """Tokens that one run may use, input and output together; 0 sets no limit."""
    seconds: float = Field(default=180.0, gt=0)
    """Seconds that one question may take, attempts and pauses together."""
    batch: int = Field(default=5, ge=1)
    """Actions of one decision at most."""
    pictures: int = Field(default=6, ge=0)
    """Screens that a question shows as pictures at most; 0 for a model that only reads."""
    form: Literal["auto", "tools", "json"] = "auto"
    """How it answers: by calling a tool, or as JSON held to a schema; auto changes when no call comes."""
    answer_tokens: int = Field(default=4096, ge=64)
    """Length of one answer at most."""
    marks: bool = False
    """Draw the numbers of the elements on the picture."""
    native: Literal["auto", "always", "never"] = "auto"
    """Use the model's own computer tool; auto means only when it takes no other."""
    samples: int = Field(default=1, ge=1)
    """Answers that are compared after a step that went wrong."""
    judge: bool = True
    """Ask what an action did where code cannot tell."""
    verifier: bool = True
    """Ask whether the task is done where no criteria can be checked."""
    skills: bool = True
    """Show the model what the skill packs say about the programs on the screen."""
    subgoals: bool = False
    """Let a manager cut the task into subgoals first."""
    wire: Literal["", "responses", "chat", "messages"] = ""
    """How it is spoken to, when not in its usual way."""
    family: str = ""
    """The family that decides its picture size and coordinates, if its name does not; see guiagent models."""
    key: str = ""
    """The environment variable with the key of a server of one's own."""
    extra: Mapping[str, Any] = Field(default_factory=dict)
    """Further keys of every request."""
    tape: str = ""
    """A folder that records all traffic with models."""
    replay: bool = False
    """Answer from the tape and connect to nothing."""


class ToolSettings(Section):
    """What a model may call beside the screen."""

    folders: tuple[str, ...] = ()
    """Folders in which it may list, read and write files; what lies elsewhere is out of its reach."""
    mcp: Mapping[str, str] = Field(default_factory=dict)
    """Commands of MCP servers, by name; their tools are called NAME_TOOL."""
    reading: tuple[str, ...] = ()
    """Tools of MCP servers that only read, so that the guard lets them pass; all others are asked about."""


class LimitSettings(Section):
    """When a run ends in any case."""

    steps: int = Field(default=50, ge=1)
    """Actions."""
    seconds: float = Field(default=600.0, gt=0)
    """Seconds since the start; the run ends then whatever it waits for: a page, a model, a lock."""
    proof: Literal["strict", "lenient"] = "strict"
    """What "done" takes where no model decides: an effect of each action, or no objection of the screen."""
    held: float = Field(default=1800.0, gt=0)
    """Seconds that the person may hold a run, paused or taken over; they do not count as its time."""
    asked: float = Field(default=1800.0, gt=0)
    """Seconds that the person may take to answer a question; they do not count as the run's time."""


class PrivacySettings(Section):
    """What is hidden besides secrets."""

    patterns: tuple[str, ...] = ()
    """Personal data in texts: mail, phone, card (by Luhn's sum), iban (by its check digits), NAME=REGEX."""


class MemorySettings(Section):
    """What has been learned, and whether it is used."""

    enabled: bool = True
    """Look for a learned procedure when a task is not made of plain commands."""
    path: str = ""
    """The file; empty means the person's own, `~/.local/share/guiagent/memory.db`, or where XDG says."""
    embedder: str = "auto"
    """How tasks are compared: auto, lexical or sentence-transformers:MODEL."""
    learn: Literal["asked", "verified"] = "asked"
    """`verified` keeps every verified run that was no replay; `asked` only what `guiagent learn` is given."""
    untrusted: tuple[str, ...] = ()
    """Hosts whose content must not speak to later runs: what was learned there waits for approval."""
    lessons: AtHome = ""
    """A file of lessons (`guiagent practice lessons`) that models are shown."""
