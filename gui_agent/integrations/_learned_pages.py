"""The pages of what was learned: run, correct, try, rename, promote, approve and forget it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from gui_agent.api.row_list import RowTask, row_task
from gui_agent.core.errors import ConfigError
from gui_agent.integrations._pages import RunChoices, page_response, words_of
from gui_agent.integrations.choices import choices_here, chosen_settings
from gui_agent.integrations.corrections import EditedLine, corrected_program
from gui_agent.integrations.local import Body, Text, Word, read_body
from gui_agent.integrations.recordings import teach
from gui_agent.integrations.session_registry import SessionRegistry
from gui_agent.procedures.language.program import Program
from gui_agent.procedures.language.wording import sentences, sources, step_in_words
from gui_agent.procedures.library.learning import promote
from gui_agent.procedures.library.memory import Memory, Procedure, open_memory
from gui_agent.settings import Settings
from gui_agent.skills import list_skills, skill_folders
from gui_agent.skills.pack import is_name


def learned_names(settings: Settings) -> list[dict[str, Any]]:
    """What was learned: name, wordings, place, whether it is a skill, and why it waits for approval."""
    memory, packs = _memory(settings), {one.name: one for one in list_skills()}
    known = memory.procedures() if memory is not None else []
    held = memory.held_back() if memory is not None else []
    told = [
        _line_of(one.name, [one.entries[0].task], one.app, held=one.entries[0].quarantined) for one in held
    ]
    for one in known:
        said = [program.templates[0] for program in one.programs]
        told.append(_line_of(one.name, said, one.app, is_skill=packs.pop(one.name, None) is not None))
    return [*told, *(_line_of(one.name, [one.description], one.app, is_skill=True) for one in packs.values())]


def _line_of(
    name: str, said: Sequence[str], app: str, *, is_skill: bool = False, held: str = ""
) -> dict[str, Any]:
    told = {"name": name, "said": list(dict.fromkeys(said)), "app": app}
    return {**told, "is_skill": is_skill, "held": held}


def _memory(settings: Settings) -> Memory | None:
    memory = open_memory(settings) if settings.memory.enabled else None
    return memory if memory is not None and memory.exists else None


def learned_work(name: str, settings: Settings) -> RowTask:
    """The work for a name. Raises ConfigError if no such name was learned."""
    work = row_task(name, settings)
    if not work.programs:
        raise ConfigError(f'nothing is learned as "{name}"; list what is: guiagent memory list')
    return work


def _own_pack(name: str) -> Path | None:
    """The folder of the user's own skill pack of this name."""
    found = next((one for one in list_skills() if one.name == name), None)
    mine = [folder.resolve() for folder in skill_folders()]
    return found.folder if found is not None and found.folder.resolve().parent in mine else None


class Edited(RunChoices):
    """The sentences of a procedure as the person left them."""

    lines: list[Text] = Field(max_length=500)
    was: list[Word] = Field(max_length=500)
    """By line the index of the step that it stood for; empty for a new one."""
    values: dict[Word, Text] = Field(default_factory=dict, max_length=100)
    url: Text = ""

    def as_lines(self) -> list[EditedLine]:
        pairs = zip(self.lines, self.was, strict=False)
        return [EditedLine(text, int(was) if was.isdecimal() else -1) for text, was in pairs]


class NewLesson(Body):
    """A task that the person shows."""

    task: Text = Field(min_length=1)
    url: Text = ""
    name: Word = ""
    on: Word = ""
    profile: Word = ""


class NewName(Body):
    """A name to give, or the id of a version."""

    to: Word = ""


class LearnedPages:
    """The pages of the procedures and skills of a registry."""

    def __init__(self, registry: SessionRegistry) -> None:
        self._registry = registry
        self._drafts: dict[str, tuple[list[EditedLine], str]] = {}
        """By procedure: the lines that were tried, and the run that did it."""

    def routes(self) -> list[Route]:
        at = "/learned/{name}"
        return [
            Route("/learned", self.learned_page, methods=["GET", "POST"]),
            Route(f"{at}/correct", self.correct, methods=["GET", "POST"]),
            Route(f"{at}/try", self.try_draft, methods=["POST"]),
            *(
                Route(f"{at}/{done}", act, methods=["POST"])
                for done, act in {
                    "version": self.use_version, "approve": self.approve, "promote": self.promote,
                    "rename": self.rename, "forget": self.forget, "discard": self.discard,
                }.items()
            ),
        ]  # fmt: skip

    async def learned_page(self, request: Request) -> Response:
        """The page of learned procedures, with a form for the values of one; begins a lesson."""
        name, settings = request.query_params.get("name", ""), self._registry.settings
        if request.method == "POST":
            wanted, words = await read_body(request, NewLesson), words_of(request)
            chosen = chosen_settings(settings, on=wanted.on, profile=wanted.profile)
            lesson = partial(teach, settings=chosen, url=wanted.url, name=wanted.name, words=words)
            begun = self._registry.begin(wanted.task.strip(), lesson, recorded=True)
            return JSONResponse(begun.as_dict(), 201)
        known = await run_in_threadpool(learned_names, settings)
        work = await run_in_threadpool(learned_work, name, settings) if name else None
        steps = sentences(work.programs[0]) if work else []
        told = sources(work.programs[0]) if work else []
        memory = _memory(settings)
        is_procedure = bool(name and memory and memory.procedure_called(name))
        return page_response(
            request, "learned", name=name, work=work, steps=steps, sources=told, learned=known,
            is_procedure=is_procedure, is_mine=bool(name and _own_pack(name)), offer=choices_here(settings),
        )  # fmt: skip

    async def correct(self, request: Request) -> Response:
        """The page with the sentences of a procedure; keeps them as its newest version."""
        procedure, memory = await run_in_threadpool(self._procedure, request)
        program = _only(procedure)
        if request.method == "POST":
            wanted = (await read_body(request, Edited)).as_lines()
            await run_in_threadpool(memory.correct, procedure, corrected_program(program, wanted))
            self._write_skill(memory, procedure.name)
            self._drafts.pop(procedure.name, None)
            return JSONResponse({"name": procedure.name})
        draft, tried = self._drafts.get(procedure.name, ([], ""))
        run = next((one for one in self._registry.runs if one.id == tried), None)
        lines = draft or [EditedLine(step_in_words(one), n) for n, one in enumerate(program.steps)]
        inner = [sentences(replace(program, steps=(one,)))[1:] for one in program.steps]
        work = await run_in_threadpool(learned_work, procedure.name, self._registry.settings)
        return page_response(
            request, "correct", name=procedure.name, lines=lines, inner=inner, run=run, work=work,
            versions=procedure.corrections, offer=choices_here(self._registry.settings), program=program,
        )  # fmt: skip

    async def try_draft(self, request: Request) -> Response:
        """Runs the sentences as they are in the form, without keeping them."""
        procedure, _ = await run_in_threadpool(self._procedure, request)
        wanted, name = await read_body(request, Edited), procedure.name
        draft = corrected_program(_only(procedure), wanted.as_lines())
        told = {"skill": name, "values": wanted.values, "url": wanted.url, "choices": wanted.by_name()}
        start: Any = self._registry.start
        begun = await run_in_threadpool(start, "", **told, draft=draft)
        self._drafts[name] = (wanted.as_lines(), begun.id)
        return JSONResponse(begun.as_dict(), 201)

    async def discard(self, request: Request) -> Response:
        self._drafts.pop(request.path_params["name"], None)
        return JSONResponse({})

    async def use_version(self, request: Request) -> Response:
        """Uses an earlier version of the steps again; without an id, what was learned."""
        wanted, (procedure, memory) = await read_body(request, NewName), self._procedure(request)
        await run_in_threadpool(memory.use_version, procedure, wanted.to)
        self._write_skill(memory, procedure.name)
        return JSONResponse({"name": procedure.name})

    async def approve(self, request: Request) -> Response:
        """Lifts the quarantine of a procedure."""
        name, memory = request.path_params["name"], open_memory(self._registry.settings)
        held = (one.entries for one in memory.held_back() if one.name == name)
        for entry in chain.from_iterable(held):
            memory.exemplars.store.quarantine(entry.id, "")
        return JSONResponse({"name": name})

    async def promote(self, request: Request) -> Response:
        """Makes a skill of a procedure."""
        wanted, (procedure, _) = await read_body(request, NewName), self._procedure(request)
        await run_in_threadpool(promote, procedure, wanted.to)
        return JSONResponse({"name": wanted.to or procedure.name})

    async def rename(self, request: Request) -> Response:
        wanted, (procedure, memory) = await read_body(request, NewName), self._procedure(request)
        if not is_name(wanted.to) or any(one.name == wanted.to for one in list_skills()):
            raise ConfigError(
                f'"{wanted.to}" is in use, or no name; use lower-case letters, digits and hyphens'
            )
        await run_in_threadpool(memory.rename, procedure, wanted.to)
        return JSONResponse({"name": wanted.to})

    async def forget(self, request: Request) -> Response:
        """Removes a procedure with its versions, and the user's own skill of this name."""
        name, memory = request.path_params["name"], _memory(self._registry.settings)
        pack, count = _own_pack(name), memory.exemplars.store.forget_matching(family=name) if memory else 0
        if pack is not None:
            shutil.rmtree(pack)
        if not count and pack is None:
            raise ConfigError(f'"{name}" comes with guiagent or a project, and is not yours to forget')
        return JSONResponse({})

    def _procedure(self, request: Request) -> tuple[Procedure, Memory]:
        memory = open_memory(self._registry.settings)
        return memory.procedure(request.path_params["name"]), memory

    def _write_skill(self, memory: Memory, name: str) -> None:
        """Write the user's own skill of this name anew, which would run instead."""
        if _own_pack(name) is not None:
            promote(memory.procedure(name))


def _only(procedure: Procedure) -> Program:
    if len(procedure.programs) != 1:
        raise ConfigError(
            f"{procedure.name} has several ways, and only one can be corrected; choose one: guiagent learn"
        )
    return procedure.programs[0]
