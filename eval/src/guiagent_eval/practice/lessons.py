"""Lessons drawn from good and bad runs of one task (Training-Free GRPO: no weights are changed).

Later runs see this model's text, so a lesson is quarantined if a screen may have influenced it.
"""

from __future__ import annotations

import json
import tomllib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gui_agent.core.dialogue import Model
from gui_agent.core.parsing import parse_json
from gui_agent.core.texts import shorten
from gui_agent.elements.describe import printable
from gui_agent.memory.entry import UNTRUSTED, family_of, is_failing, now
from gui_agent.memory.exemplars import ALIKE, COMMANDING, Lesson
from gui_agent.planners.llm.rendering import fence
from guiagent_eval.practice.judging import MARKED, ask_once, run_text
from guiagent_eval.practice.kept import KeptRun

EACH = 2
"""Maximum number of compared runs of each outcome."""
MOST = 2
"""Maximum number of lessons from one comparison."""
LONGEST = 300
"""Maximum characters of a lesson."""
RULES = f"""You compare runs of an agent on a computer that did the same kind of task well and badly.
Write at most {MOST} lessons that would have made the bad ones go well: what to do or to avoid, in one or two
sentences each, for all tasks of this kind and not for the names and values of one. Change or drop a lesson
that is known already where these runs show that it is wrong; write none where they teach nothing."""
FORM = """Answer with JSON and nothing else: {"lessons": [{"text": "a new one"}, {"id": "of a known one",
"text": "what it says now; empty drops it"}]}"""


def contrasts(runs: Iterable[KeptRun]) -> dict[str, list[KeptRun]]:
    """The runs by task, for tasks with good and bad runs."""
    groups: dict[str, list[KeptRun]] = defaultdict(list)
    for kept in runs:
        groups[kept.record.task if kept.record else family_of(kept.trajectory.task.text)].append(kept)
    return {name: group for name, group in groups.items() if len({kept.is_won for kept in group}) == 2}


def learn_from(
    group: Sequence[KeptRun], known: Sequence[Lesson], model: Model, hosts: Sequence[str] = ()
) -> tuple[Lesson, ...]:
    """The lessons after one comparison.

    Args:
        hosts: hosts whose content must not influence later runs.

    Raises:
        Unavailable: the model's service is down.
    """
    shown = [kept for won in (True, False) for kept in [one for one in group if one.is_won == won][:EACH]]
    app = next((step.before.place.app for kept in shown for step in kept.trajectory.steps), "")
    task = shown[0].trajectory.task.text
    near = {one.id: one for one in known if one.likeness(task, app) >= ALIKE}
    told = "\n".join(f"{one.id}: {one.text}" for one in near.values())
    runs = "\n\n".join(f"A run that went {'well' if it.is_won else 'BADLY'}.\n{run_text(it)}" for it in shown)
    about = f"\n\nLessons that are known:\n{fence(told, 'lessons')}" if told else ""
    said = _ask(model, f"{RULES}\n\n{MARKED}\n\n{runs}{about}\n\n{FORM}")
    suspicion = _suspicion(shown, hosts)
    lessons = {one.id: one for one in known}
    for item in said[:MOST]:
        text = shorten(printable(str(item.get("text") or "")).strip(), LONGEST)
        reason = suspicion or ("it gives instructions to its reader" if COMMANDING.search(text) else "")
        old = near.get(str(item.get("id") or ""))
        if old is not None and not text:
            del lessons[old.id]
        elif text:
            base = old or Lesson(_fresh(lessons), "", task, app, created=now().isoformat(timespec="seconds"))
            evidence = tuple(dict.fromkeys((*base.evidence, *map(run_mark, shown))))
            # A quarantined lesson stays so until a person releases it, also with other words.
            held = base.quarantined or reason
            lessons[base.id] = replace(base, text=text, evidence=evidence, quarantined=held)
    return tuple(lessons.values())


def count_uses(
    lessons: Sequence[Lesson], runs: Iterable[KeptRun], path: Path, before: Collection[str] = ()
) -> tuple[Lesson, ...]:
    """The lessons with the outcomes of the runs that used them; those that failed too often are retired.

    Args:
        before: marks of the runs that have been counted.
    """
    counted = {one.id: one for one in lessons}
    for kept in runs:
        shown = str(kept.run.meta.settings.get("memory", {}).get("lessons", ""))
        if not shown or Path(shown).resolve() != path.resolve() or run_mark(kept) in before:
            continue
        first = kept.trajectory.turns[0].observation if kept.trajectory.turns else None
        app = first.place.app if first else ""
        for one in counted.values():
            if one.quarantined or one.likeness(kept.trajectory.task.text, app) < ALIKE:
                continue
            wins, losses = one.wins + kept.is_won, one.losses + (not kept.is_won)
            reason = f"retired after {losses} failed and {wins} good uses"
            held = reason if is_failing(wins, losses) else ""
            counted[one.id] = replace(one, wins=wins, losses=losses, quarantined=held)
    return tuple(counted.values())


def run_mark(kept: KeptRun) -> str:
    """A mark that distinguishes a run from all others, even of the same episode in another benchmark run."""
    return str(kept.folder.resolve())


def counted_runs(path: Path) -> tuple[str, ...]:
    """The marks of the runs that a file of lessons has counted."""
    return tuple(tomllib.loads(path.read_text(encoding="utf-8")).get("counted", ())) if path.exists() else ()


def write_lessons(path: Path, lessons: Sequence[Lesson], counted: Iterable[str] = ()) -> None:
    """Write the lessons as TOML, which a person can read and change."""
    head = "# A lesson with a line `quarantined` is shown to no model until you remove that line.\n"
    marks = f"counted = {json.dumps(list(dict.fromkeys(counted)))}\n"
    path.write_text(head + marks + "".join(map(_table, lessons)), encoding="utf-8")


def _table(one: Lesson) -> str:
    rows: Mapping[str, Any] = {name: getattr(one, name) for name in Lesson.__slots__}
    lines = [f"{name} = {json.dumps(value)}" for name, value in rows.items() if value not in ("", ())]
    return "\n[[lesson]]\n" + "\n".join(lines) + "\n"


def _fresh(known: Mapping[str, Lesson]) -> str:
    return next(name for number in range(1, len(known) + 2) if (name := f"lesson-{number}") not in known)


def _suspicion(runs: Sequence[KeptRun], hosts: Sequence[str]) -> str:
    """Why the screens of these runs may have influenced a lesson; empty if there is no sign of it."""
    screens = [seen for one in runs for step in one.trajectory.steps for seen in (step.before, step.after)]
    if any(screen.place.app in hosts for screen in screens):
        return UNTRUSTED
    for line in _lines(runs):
        if COMMANDING.search(line):
            return f"a screen gives instructions to its reader: {shorten(printable(line), 80)}"
    return ""


def _lines(runs: Sequence[KeptRun]) -> Iterator[str]:
    for kept in runs:
        for step in kept.trajectory.steps:
            for screen in (step.before, step.after):
                for element in screen.elements:
                    yield from f"{element.name}\n{element.value}\n{element.description}".splitlines()


def _ask(model: Model, text: str) -> list[Mapping[str, Any]]:
    said = ask_once(model, text).text
    try:
        found = parse_json(said[said.find("{") : said.rfind("}") + 1])
    except ValueError:
        return []
    items = found.get("lessons", []) if isinstance(found, dict) else []
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
