"""The checks of `guiagent doctor --device`: what a real screen does, in a file that a person can send back.

The file holds numbers, times and versions. Texts of the screen are left out of errors, too.
"""

from __future__ import annotations

import json
import platform
import re
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gui_agent.cli.doctor import Finding
from gui_agent.core.errors import ConfigError, GuiAgentError
from gui_agent.core.os_errors import replace_file, why
from gui_agent.core.protocols import Computer
from gui_agent.core.texts import shorten
from gui_agent.elements.roles import TEXT_FIELDS
from gui_agent.testing import contract

ROUNDS = 3
"""How often a look is repeated; its time is the median."""
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
"""What an error quotes from the screen."""


def examine_device(kind: str, out: Path) -> Iterator[Finding]:
    """Try a screen in twenty ways, and write what came of them to a file.

    Types into a plain text field if there is one, scrolls, and presses Escape; nothing is sent.

    Args:
        kind: of the screen, as for `--on`.

    Raises:
        ConfigError: there is no such kind, or the file cannot be written.
    """
    from gui_agent.settings import load, override
    from gui_agent.wiring.parts import make_computer

    settings = override(load(), {"computer": {"kind": kind}})
    found = []
    computer: Computer | None = None
    try:
        for what, check in _checks(lambda: make_computer(settings)):
            began = time.monotonic()
            computer, finding = _outcome_of(what, check, computer)
            found.append({**asdict(finding), "seconds": round(time.monotonic() - began, 3)})
            yield finding
            if computer is None:
                break
    finally:
        if computer is not None:
            computer.close()
        told: dict[str, object] = {
            "kind": kind.partition(":")[0],
            "guiagent": version("guiagent"),
            "python": platform.python_version(),
            "system": platform.platform(),
            "checks": found,
        }
        try:
            replace_file(out, json.dumps(told, indent=1).encode())
        except OSError as error:
            raise ConfigError(f"cannot write {out}: {why(error)}; give another file with --out") from error


Check = Callable[[Any], Any]


def _outcome_of(what: str, check: Check, computer: Computer | None) -> tuple[Computer | None, Finding]:
    try:
        done = check(computer)
    except (GuiAgentError, AssertionError, OSError, RuntimeError) as error:
        said = shorten(_QUOTED.sub('"..."', str(error)) or type(error).__name__, 200)
        return computer, Finding(what, "missing", said)
    opened = done if computer is None else computer
    return opened, Finding(what, "ok", done if isinstance(done, str) else "")


def _checks(make: Callable[[], Computer]) -> list[tuple[str, Check]]:
    """Each check with its name; it returns a detail, or nothing, and raises what is wrong."""
    return [
        ("opens", lambda _: make()),
        ("picture", _picture),
        ("picture is not blank", _not_blank),
        ("elements", _elements),
        ("names of controls", _names),
        ("text fields", _fields),
        ("place", _place),
        ("scrolling parts", _scrolling),
        ("windows", lambda computer: f"{len(computer.observe(picture=False).windows)}"),
        ("comes to rest", lambda computer: f"{computer.settle().seconds:.2f} s"),
        ("ids are stable", contract.ids_are_stable),
        ("elements lie in the picture", contract.elements_lie_inside_the_picture),
        ("pictures on demand", contract.pictures_are_taken_on_demand),
        ("a point outside is refused", contract.a_point_outside_the_picture_is_an_error),
        ("another element is noticed", contract.another_element_than_expected_is_noticed),
        ("harmless input", contract.harmless_actions_are_done_or_refused_properly),
        ("another thread", contract.it_works_from_another_thread),
        ("a place that does not exist", contract.a_lost_place_to_start_is_an_error),
        ("typed text is read back", contract.what_is_typed_is_read_back),
        ("ends", contract.closing_twice_is_fine_and_then_it_is_lost),
    ]


def _milliseconds(look: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        began = time.monotonic()
        look()
        times.append(time.monotonic() - began)
    return 1000 * statistics.median(times)


def _picture(computer: Computer) -> str:
    took, size = _milliseconds(computer.observe), computer.observe().size
    return f"{size.width} x {size.height}, {took:.0f} ms"


def _not_blank(computer: Computer) -> None:
    import io

    from PIL import Image

    shot = computer.observe().screenshot
    assert shot is not None, "no picture came"
    low, high = Image.open(io.BytesIO(shot.data)).convert("L").getextrema()
    assert low != high, "the whole picture has one colour"


def _elements(computer: Computer) -> str:
    took = _milliseconds(lambda: computer.observe(picture=False))
    seen = computer.observe(picture=False)
    assert seen.elements, "no element was reported"
    return f"{len(seen.elements)}, of them {len(seen.controls)} controls, {took:.0f} ms"


def _names(computer: Computer) -> str:
    controls = computer.observe(picture=False).controls
    return f"{sum(bool(one.name) for one in controls)} of {len(controls)}"


def _fields(computer: Computer) -> str:
    fields = [one for one in computer.observe(picture=False).controls if one.role in TEXT_FIELDS]
    return f"{len(fields)}, of them {sum(bool(one.value) for one in fields)} with a value"


def _place(computer: Computer) -> str:
    place = computer.observe(picture=False).place
    known = [name for name in ("app", "title", "url") if getattr(place, name)]
    assert known, "neither app, title nor address is known"
    return ", ".join(known)


def _scrolling(computer: Computer) -> str:
    seen = computer.observe(picture=False)
    parts = sum("scrollable" in one.states for one in seen.elements)
    return f"{parts}; the page itself: {sum(seen.more.values())} px"
