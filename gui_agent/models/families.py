"""Families of models: their picture size, their coordinates, and their action space.

One row per family; the first whose pattern matches the model's name applies. The last row matches every name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gui_agent.core.dialogue import Traits
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Size
from gui_agent.core.texts import suggestion
from gui_agent.models.dialects import Dialect, pointing, pyautogui, qwen, uitars
from gui_agent.models.pictures import PictureRule, Space
from gui_agent.models.spec import Wire

THOUSAND = (1000.0, 1000.0)
UNIT = (1.0, 1.0)
COLD: Mapping[str, Any] = {"temperature": 0}

ANY = PictureRule(most=2_100_000)
FULL = PictureRule(most=10_240_000)
CLAUDE = PictureRule(most=1_150_000, edge=1568)
CLAUDE_LARGE = PictureRule(most=3_750_000, edge=2576)
"""For newer models; if one takes less, the service says so, and its limit is kept (remote.py)."""
QWEN2 = PictureRule(most=2700 * 28 * 28, factor=28, least=4 * 28 * 28)
QWEN2_LARGE = PictureRule(most=16384 * 28 * 28, factor=28, least=4 * 28 * 28)
QWEN3 = PictureRule(most=4_000_000, factor=32, least=4 * 32 * 32)


@dataclass(frozen=True, slots=True)
class Family:
    """The picture rules, coordinates and actions of one kind of model."""

    name: str
    names: str
    """Pattern of the models' names, ignoring case."""
    rule: PictureRule = ANY
    grid: tuple[float, float] | None = None
    """Coordinates of the right and bottom edge; None for pixels of the sent picture."""
    tool: str = ""
    """The type of the provider's own computer tool."""
    tool_wire: Wire | None = None
    """The wire that supports that tool."""
    beta: str = ""
    """The beta header that the tool needs."""
    dialect: Dialect | None = None
    """The text dialect of actions that it was trained on."""
    tools: bool = True
    """Whether it was also trained to call function tools."""
    only_points: bool = False
    forced: bool = True
    """Whether it accepts a forced tool call."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further keys of every request."""

    def traits(self, wire: Wire) -> Traits:
        """What such a model can do over this wire."""
        own = bool(self.dialect) or (bool(self.tool) and self.tool_wire == wire)
        shots = 5 if self.dialect else 20
        return Traits(
            computer=own and not self.only_points,
            tools=self.tools and not self.only_points,
            pictures=shots,
            only_points=self.only_points,
            ends=self.dialect is not None,
        )

    def space(self, screen: Size, cap: Size | None = None) -> Space:
        """The coordinates of such a model over a screenshot of this size."""
        if self.grid is not None:
            return Space(screen, *self.grid, grid=True)
        sent = self.rule.size(screen, cap)
        return Space(screen, sent.width, sent.height)


def _claude(
    name: str, names: str, tool: str, beta: str = "", *, rule: PictureRule = CLAUDE, forced: bool = True
) -> Family:
    return Family(name, names, rule, tool=tool, tool_wire="messages", beta=beta, forced=forced)


FAMILIES: tuple[Family, ...] = (
    Family(
        "openai-computer",
        r"^gpt-(5\.([4-9]|\d\d)|[6-9]|\d\d)(?!.*(nano|instant|chat))",
        FULL,
        tool="computer",
        tool_wire="responses",
    ),
    Family("openai", r"^(gpt-|o\d|chatgpt)", PictureRule(most=2_100_000, edge=2048), THOUSAND),
    _claude(
        "claude-2025-01",
        r"^claude-(haiku-4-5|sonnet-4-5|opus-4-1|opus-4-2025|sonnet-4-2025|3-7)",
        "computer_20250124",
        "computer-use-2025-01-24",
    ),
    _claude(
        "claude-2025-11", r"^claude-(opus-4-[5-8]|sonnet-4-6)", "computer_20251124", "computer-use-2025-11-24"
    ),
    _claude("claude", r"^claude", "computer_toolset_20260801", rule=CLAUDE_LARGE, forced=False),
    Family("gta1", r"gta1", QWEN2, dialect=pointing.GTA1, only_points=True, extra=COLD),
    Family("jedi", r"jedi", QWEN2, dialect=pointing.JEDI, only_points=True, extra=COLD),
    Family("holo", r"holo-?1", QWEN2, dialect=pointing.HOLO, only_points=True, extra=COLD),
    Family("ui-ins", r"ui-ins|gelato", QWEN2, dialect=pointing.PAIR, only_points=True, extra=COLD),
    Family("os-atlas", r"os-atlas", ANY, THOUSAND, dialect=pointing.BOXES, only_points=True, extra=COLD),
    Family("internvl", r"internvl", ANY, THOUSAND, dialect=pointing.BOXES, extra=COLD),
    Family(
        "ui-tars-1.5",
        r"ui-?tars-?1\.5-?7b|ui-?tars-1\.5$",
        QWEN2_LARGE,
        dialect=uitars.LINES,
        tools=False,
        extra=COLD,
    ),
    Family(
        "ui-tars-2",
        r"ui-?tars-?2|seed-?1\.[68]|seed-?2",
        ANY,
        THOUSAND,
        dialect=uitars.TAGGED,
        tools=False,
        extra=COLD,
    ),
    Family(
        "ui-tars-1.0",
        r"ui-?tars|doubao.*(vision|1[-.]5)",
        ANY,
        THOUSAND,
        dialect=uitars.LINES,
        tools=False,
        extra=COLD,
    ),
    Family(
        "gui-owl-1.5",
        r"gui-?owl-?1\.5|mobile-?agent",
        QWEN3,
        THOUSAND,
        dialect=qwen.CALLS,
        tools=False,
        extra=COLD,
    ),
    Family("gui-owl", r"gui-?owl", QWEN2, dialect=qwen.CALLS, tools=False, extra=COLD),
    Family(
        "opencua-code", r"evocua.*s1|opencua", QWEN2_LARGE, dialect=pyautogui.CODE, tools=False, extra=COLD
    ),
    Family("kimi", r"kimi", ANY, UNIT, dialect=pyautogui.CODE),
    Family("aguvis", r"aguvis", ANY, UNIT, dialect=pyautogui.CODE, tools=False, extra=COLD),
    Family("fara", r"fara", QWEN2_LARGE, dialect=qwen.CALLS, tools=False, extra=COLD),
    Family("qwen2.5-vl", r"qwen-?2\.?5-?vl", QWEN2_LARGE, dialect=qwen.CALLS, extra=COLD),
    Family("qwen3-vl", r"qwen-?3(\.\d)?|evocua", QWEN3, THOUSAND, dialect=qwen.CALLS, extra=COLD),
    Family("general", r"", ANY, THOUSAND),
)


def family(model: str, named: str = "") -> Family:
    if named:
        found = next((row for row in FAMILIES if row.name == named), None)
        if found is None:
            raise ConfigError(
                f'there is no model family "{named}"{suggestion(named, [row.name for row in FAMILIES])}'
            )
        return found
    bare = model.rpartition("/")[2]
    return next(row for row in FAMILIES if re.search(row.names, bare, re.IGNORECASE))
