"""Values that an instruction names and its recording does not show: other values would change nothing."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from gui_agent.core.codec import plain
from gui_agent.core.demonstration import Demonstration
from gui_agent.core.texts import normal
from gui_agent.procedures.language.tokens import QUOTE, plain_quotes

_QUOTED = re.compile(f"{QUOTE}([^{QUOTE}]+){QUOTE}")


def unshown(demonstration: Demonstration) -> tuple[str, ...]:
    """What the task has in quotes and neither an action nor a screen of the recording, as it is written.

    Case and spacing do not matter. Words without quotes are not looked at: few of them are values.
    """
    recorded = plain(replace(demonstration, task="", slots={}, origin=""))
    shown = normal(json.dumps(recorded, ensure_ascii=False))
    quoted = dict.fromkeys(_QUOTED.findall(plain_quotes(demonstration.task)))
    return tuple(
        value for value in quoted if normal(json.dumps(value, ensure_ascii=False)[1:-1]) not in shown
    )
