"""The memory as procedures: each learned from the demonstrations of one kind of task."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path

import gui_agent.procedures
from gui_agent.core.codec import decode, encode
from gui_agent.core.errors import ConfigError, GuiAgentError, MissingExtra
from gui_agent.core.texts import normal, suggestion
from gui_agent.core.trajectory import Demonstration, Trajectory
from gui_agent.elements.words import words_alike
from gui_agent.memory.entry import Entry, now
from gui_agent.memory.exemplars import ExemplarMemory, entry_of
from gui_agent.memory.store import Store
from gui_agent.procedures.induction.learn import learn, learn_one
from gui_agent.procedures.induction.steps import Unexplained
from gui_agent.procedures.language.constructs import constructs, use
from gui_agent.procedures.language.program import Alternative, Program
from gui_agent.procedures.language.wording import sentences
from gui_agent.procedures.library.store import without_guesses
from gui_agent.sections import MemorySettings
from gui_agent.settings import Settings, memory_file

PROPOSAL = "proposal"
"""The kind of entries that need another success before use."""
WAITING = "proposed by a repaired run; one more verified run like it promotes it"
ANSWERED = "a user's choice between procedures, without a demonstration"
COMMANDS = "commands"
"""The kind of runs whose task is plain commands: exemplars for a model, but not a procedure."""
ANSWER = "answer"
"""The kind of entries that record which of several ways of a procedure the user chose."""
CORRECTION = "correction"
"""The kind of entries that hold a procedure's steps as the user corrected them."""
CORRECTED = "a user's correction of a procedure, without a demonstration"
_EXAMPLES = (PROPOSAL, COMMANDS, ANSWER, CORRECTION)
NEAREST = 6
"""Number of procedures compared with one instruction."""
TOGETHER = 8
"""Maximum demonstrations of one procedure that are learned together; the newest are used."""


@dataclass(frozen=True)
class Procedure:
    """A kind of task with its demonstrations, newest first."""

    name: str
    entries: tuple[Entry, ...] = field(repr=False)
    """Complete entries, none of them in quarantine."""
    kept_in: Store | None = field(default=None, repr=False, compare=False)
    """The store that caches learned programs; None to learn them at every use."""

    @property
    def demonstrations(self) -> tuple[Demonstration, ...]:
        return tuple(entry.demonstration for entry in self.entries if entry.demonstration is not None)

    @cached_property
    def programs(self) -> tuple[Program, ...]:
        """What the user corrected, else the programs learned: one, or one for each variant."""
        if self.corrections and (steps := self.corrections[0].procedure):
            source = f"correction {self.corrections[0].id}"
            return (replace(decode(Program, steps.encode(), source=source), name=self.name),)

        def learn_programs() -> tuple[Program, ...]:
            return learn(list(reversed(self.demonstrations)), name=self.name)

        if self.kept_in is None:
            return learn_programs()
        ids = [entry.id for entry in self.entries]
        return self._as_answered(load_programs(self.kept_in, self.name, ids, learn_programs))

    @cached_property
    def answers(self) -> tuple[Entry, ...]:
        """The user's choices among several ways, the newest first."""
        if self.kept_in is None:
            return ()
        return tuple(self.kept_in.readable(e.id for e in self.kept_in.entries(kind=ANSWER, family=self.name)))

    @cached_property
    def corrections(self) -> tuple[Entry, ...]:
        """The user's versions of its steps, the newest first; one without steps is what was learned."""
        if self.kept_in is None:
            return ()
        lean = self.kept_in.entries(kind=CORRECTION, family=self.name)
        return tuple(self.kept_in.readable(one.id for one in lean if one.quarantined == CORRECTED))

    def _as_answered(self, programs: tuple[Program, ...]) -> tuple[Program, ...]:
        if not self.answers or len(programs) < 2:
            return programs
        chosen = self.answers[0].outlines
        whole = sum(program.demonstrations for program in programs)
        return tuple(
            replace(one, demonstrations=one.demonstrations + 2 * whole, preferred=True)
            if tuple(sentences(one)) == chosen
            else one
            for one in programs
        )

    @property
    def app(self) -> str:
        """The program or host of the demonstrations; empty if unknown."""
        return next((entry.app for entry in self.entries if entry.app), "")

    @property
    def start(self) -> str:
        """The start address of the newest demonstration."""
        return next((demo.start for demo in self.demonstrations if demo.start), "")


class Memory:
    """The stored runs in one file, and the procedures learned from them."""

    def __init__(
        self, path: Path | str = "", *, embedder: str = "auto", untrusted: Sequence[str] = ()
    ) -> None:
        """Open and create nothing before it is needed.

        Args:
            path: the file; by default the user's own.
            embedder: how tasks are compared, see `docs/memory.md`.
            untrusted: hosts whose content needs approval before later runs may use it.
        """
        hosts = frozenset(untrusted)

        def saw_untrusted(trajectory: Trajectory) -> bool:
            return any(
                step.before.place.app in hosts or step.after.place.app in hosts for step in trajectory.steps
            )

        where = memory_file(MemorySettings(path=str(path)))
        self.exemplars = ExemplarMemory(where, embedder=embedder)
        self.untrusted = saw_untrusted

    @property
    def path(self) -> Path:
        return self.exemplars.store.path

    @property
    def exists(self) -> bool:
        """Whether the memory file exists."""
        return self.path.is_file()

    def procedures(self) -> list[Procedure]:
        """All procedures that can run, the newest first."""
        if not self.exists:
            return []
        found = [self.procedure_called(name) for name in self._families()]
        return [procedure for procedure in found if procedure is not None]

    def procedure(self, name: str) -> Procedure:
        """The procedure with this name, or the one with an entry of this id."""
        found = self.procedure_called(name) if self.exists else None
        if found is not None:
            return _with_programs(found)
        held = next((one for one in self.held_back() if one.name == name), None)
        if held is not None:
            raise ConfigError(in_quarantine(held))
        if self.exists and len(name) >= 4 and name.isalnum():
            entry = self.entry(name)
            if entry is not None and entry.quarantined:
                raise ConfigError(in_quarantine(Procedure(entry.family, (entry,))))
            if entry is not None and entry.demonstration is not None:
                return Procedure(entry.family, (entry,))
        known = list(self._families()) if self.exists else []
        hint = suggestion(name, known) or "; learn one with: guiagent learn RUN"
        raise ConfigError(f'the memory has no procedure "{name}"{hint}')

    def procedure_called(self, name: str) -> Procedure | None:
        """The procedure with exactly this name; None if there is none in use."""
        store = self.exemplars.store
        lean = [e for e in store.entries(family=name) if _usable(e)]
        whole = store.readable(entry.id for entry in lean[:TOGETHER])
        shown = tuple(entry for entry in whole if entry.demonstration is not None)
        return Procedure(name, shown, store) if shown else None

    def held_back(self, task: str = "") -> list[Procedure]:
        """Procedures entirely in quarantine: those similar to a task, in full; without one all, in short."""
        if not self.exists:
            return []
        store = self.exemplars.store
        entries = [entry for entry in store.entries() if entry.kind not in _EXAMPLES]
        usable = {entry.family for entry in entries if not entry.quarantined}
        families: dict[str, list[Entry]] = {}
        for entry in _by_likeness(task, entries) if task else entries:
            if entry.family not in usable:
                families.setdefault(entry.family, []).append(entry)
        if not task:
            return [Procedure(name, tuple(held)) for name, held in families.items()]
        found: list[Procedure] = []
        for name, held in list(families.items())[:NEAREST]:
            whole = tuple(store.readable(one.id for one in held[:TOGETHER]))
            found += [Procedure(name, whole)] * any(entry.demonstration for entry in whole)
        return found

    def entry(self, id: str) -> Entry | None:
        """The entry with this id or unique id prefix; None if there is none."""
        try:
            return self.exemplars.store.entry(id) if self.exists else None
        except ConfigError:
            return None

    def names(self) -> frozenset[str]:
        """The names in use, including those in quarantine."""
        return frozenset(e.family for e in self.exemplars.store.entries()) if self.exists else frozenset()

    def tasks(self, family: str) -> list[str]:
        """The tasks of all demonstrations of a procedure, including those no longer learned from."""
        return [e.task for e in self.exemplars.store.entries(family=family) if _usable(e)]

    def nearest(self, task: str, app: str = "") -> list[Procedure]:
        """The procedures with tasks similar to this one, best first."""
        if not self.exists:
            return []
        found = [self.procedure_called(name) for name in self._nearest_families(task, app)[:NEAREST]]
        return [procedure for procedure in found if procedure is not None]

    def proposals(self, family: str) -> list[Entry]:
        """The complete repairs of a procedure that need one more success."""
        store = self.exemplars.store
        lean = store.entries(kind=PROPOSAL, family=family)
        return store.readable(entry.id for entry in lean if entry.quarantined == WAITING)

    def alternatives(self, family: str) -> tuple[Alternative, ...]:
        """The proposed repairs of a procedure as alternatives for a step that fails."""
        proposed = [(entry.id, entry.procedure) for entry in self.proposals(family) if entry.procedure]
        return tuple(
            Alternative(without_guesses(decode(Program, text.encode(), source=f"proposal {id}")).steps, id)
            for id, text in proposed
        )

    def keep(
        self,
        demonstration: Demonstration,
        family: str,
        *,
        kind: str = "demonstration",
        reason: str = "",
        repaired: Program | None = None,
    ) -> tuple[str, bool]:
        """Store a demonstration, in quarantine if there is a `reason`. Returns its id and if it is new."""
        procedure = encode(repaired).decode() if repaired is not None else ""
        entry = entry_of(demonstration, kind=kind, family=family, procedure=procedure, reason=reason)
        added = self.exemplars.store.add([entry])[0]
        return added.id, added.new

    def answer(self, procedure: Procedure, chosen: Program) -> None:
        """Record the user's choice among several ways; it replaces an earlier one."""
        for older in procedure.answers:
            self.exemplars.store.forget(older.id)
        said = Entry(
            chosen.templates[0],
            kind=ANSWER,
            family=procedure.name,
            outlines=tuple(sentences(chosen)),
            origin="you",
            quarantined=ANSWERED,
        )
        self.exemplars.store.add([said])

    def correct(self, procedure: Procedure, program: Program | None) -> None:
        """Use these steps for a procedure from now on, or with None what was learned; older ones stay."""
        steps = encode(program).decode() if program is not None else ""
        for older in procedure.corrections:
            if older.procedure == steps:
                self.exemplars.store.forget(older.id)
        corrected = Entry(
            procedure.programs[0].templates[0],
            kind=CORRECTION,
            family=procedure.name,
            procedure=steps,
            outlines=tuple(sentences(program)) if program is not None else (),
            origin="you",
            quarantined=CORRECTED,
        )
        self.exemplars.store.add([corrected])

    def use_version(self, procedure: Procedure, id: str) -> None:
        """Use an earlier correction of a procedure again; with another id, what was learned."""
        kept = next((one.procedure for one in procedure.corrections if one.id == id), "")
        program = decode(Program, kept.encode(), source=f"correction {id}") if kept else None
        self.correct(procedure, program)

    def rename(self, procedure: Procedure, name: str) -> None:
        """Give a procedure another name. Raises ConfigError: the name is in use."""
        if name in self.names():
            raise ConfigError(f'the name "{name}" is in use; choose another')
        self.exemplars.store.rename(procedure.name, name)

    def count(self, procedure: Procedure, *, won: bool) -> None:
        """Count a verified or failed run for the demonstrations of a procedure."""
        ids = [entry.id for entry in procedure.entries]
        self.exemplars.store.note(ids, won=won, now=now())

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self.exemplars.close()

    def _families(self) -> Iterable[str]:
        entries = self.exemplars.store.entries()
        return dict.fromkeys(e.family for e in entries if _usable(e))

    def _nearest_families(self, task: str, app: str) -> list[str]:
        try:
            entries = [match.entry for match in self.exemplars.why(task, app=app)]
        except MissingExtra:
            # Without the memory's search, the newest entries are compared one by one.
            entries = _by_likeness(task, self.exemplars.store.entries(limit=2000))
        return list(dict.fromkeys(e.family for e in entries if _usable(e)))


def _with_programs(procedure: Procedure) -> Procedure:
    """A procedure that can run; raises if an earlier version learned it by a guess."""
    try:
        if not procedure.programs:
            learn_one(procedure.demonstrations)
    except Unexplained as reason:
        ids = " ".join(entry.id for entry in procedure.entries)
        raise ConfigError(
            f"{procedure.name} cannot be run: {reason}; teach it again, and: guiagent memory forget {ids}"
        ) from reason
    return procedure


def _by_likeness(task: str, entries: Iterable[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: -words_alike(normal(task), normal(entry.task)))


def in_quarantine(procedure: Procedure) -> str:
    """The reason why a procedure is in quarantine, and the command that approves it."""
    ids = " ".join(entry.id for entry in procedure.entries)
    return (
        f"{procedure.name} is in quarantine ({procedure.entries[0].quarantined}); "
        f"to use it again: guiagent memory approve {ids}"
    )


def _usable(entry: Entry) -> bool:
    return not entry.quarantined and entry.kind not in _EXAMPLES


def given_procedures(known: Sequence[Demonstration | Program]) -> list[Procedure]:
    demonstrations = [one for one in known if isinstance(one, Demonstration)]
    found = [Procedure("given", tuple(entry_of(one) for one in demonstrations))] if demonstrations else []
    for program in known:
        if isinstance(program, Program):
            procedure = Procedure(program.name, ())
            procedure.__dict__["programs"] = (program,)
            found.append(procedure)
    return found


def open_memory(settings: Settings) -> Memory:
    """The memory that the settings name; opens and creates nothing before it is needed."""
    use(settings.planner.domains)
    memory = settings.memory
    return Memory(memory.path, embedder=memory.embedder, untrusted=memory.untrusted)


def load_programs(
    store: Store, name: str, ids: Sequence[str], learn: Callable[[], tuple[Program, ...]]
) -> tuple[Program, ...]:
    """The cached programs of these entries, otherwise learned now and cached."""
    content = f"{learner()} {constructs().names} {store.content(ids)}"
    kept = store.compiled_form(name, content)
    if kept:
        # An unknown format is ignored and the programs are learned again.
        with suppress(ConfigError):
            return decode(tuple[Program, ...], kept.encode(), source=f"compiled {name}")
    programs = learn()
    # A read-only memory works too; it is only slower.
    with suppress(GuiAgentError):
        store.keep_compiled(name, content, encode(programs, tuple[Program, ...]).decode())
    return programs


@cache
def learner() -> str:
    """A digest of the learning code; programs learned by another version are not reused."""
    digest = hashlib.sha256()
    folder = Path(gui_agent.procedures.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
