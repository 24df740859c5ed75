"""The planner that scores listed actions, against a service in the format of llama.cpp's server."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.conditions import TextShown
from gui_agent.core.errors import BadReply, ConfigError
from gui_agent.core.protocols import Exemplar, Situation
from gui_agent.core.trajectory import Decision, Finish, GiveUp, Task, Trajectory
from gui_agent.planners.scoring import ScoringPlanner
from gui_agent.testing import ExactGrounder, FakeComputer, OpenGuard, button, field, screen, text, when
from tests.contract.models.conftest import Answer, Service

CANCEL = '{"kind": "click", "at": {"text": "Cancel", "role": "button"}}'
SEND = '{"kind": "click", "at": {"text": "Send", "role": "button"}}'
ADA = '{"kind": "type", "text": "Ada", "at": {"text": "Name", "role": "textbox"}}'
END = '{"kind": "finish"}'
FORM = screen(field("Name"), button("Cancel"), button("Send"), title="Contact")

Likes = Callable[[str], dict[str, float]]
"""How likely a model finds which lines behind a prompt."""


class LettersModel:
    """Answers as llama.cpp's server does, for a model whose tokens are letters and that likes some lines."""

    def __init__(self, service: Service, likes: Likes) -> None:
        self.prompts: list[str] = []
        self.asked: list[dict[str, Any]] = []
        self._service, self._likes = service, likes
        service.script = [self.answer]

    def answer(self, body: dict[str, Any]) -> Any:
        if self._service.asked[-1].path == "/tokenize":
            return {"tokens": [1] * body["add_special"] + [ord(letter) for letter in body["content"]]}
        assert self._service.asked[-1].path == "/v1/completions"
        self.asked.append(body)
        texts = ["".join(chr(token) for token in tokens[1:]) for tokens in body["prompt"]]
        self.prompts.append(texts[0].rpartition("\n")[0])
        return {"choices": [{"index": n, "logprobs": self._next(one)} for n, one in enumerate(texts)][::-1]}

    def _next(self, written: str) -> dict[str, Any]:
        prompt, _, begun = written.rpartition("\n")
        weights: dict[str, float] = {}
        for line, weight in self._likes(prompt).items():
            if f"{line}\n".startswith(begun) and len(begun) <= len(line):
                letter = f"{line}\n"[len(begun)]
                weights[letter] = weights.get(letter, 0.0) + weight
        listed = [{"id": ord(one), "logprob": math.log(weight)} for one, weight in weights.items()]
        return {"content": [{"top_logprobs": [*listed, {"id": 7, "logprob": -20.0}]}]}


def planner_for(service: Service, **options: Any) -> ScoringPlanner:
    return ScoringPlanner(f"{service.url}/v1#letters", **options)


def decision(service: Service, task: str = "press Send", **options: Any) -> Decision:
    exemplars = options.pop("exemplars", ())
    return planner_for(service, **options).decide(Situation(Task(task), FORM, exemplars=exemplars))


def contact(planner: ScoringPlanner, task: Task) -> Trajectory:
    computer = FakeComputer(
        {"form": FORM, "thanks": screen(text("Thank you"), button("Again"))},
        [when("click", "Send", go="thanks")],
    )
    limits = Limits(steps=4, patience=0.05)
    return (
        Agent(computer, planner, grounder=ExactGrounder(), guard=OpenGuard(), limits=limits)
        .run(task)
        .trajectory
    )


def test_the_likeliest_of_the_listed_actions_is_taken_with_its_share(service: Service) -> None:
    model = LettersModel(service, lambda prompt: {CANCEL: 0.1, SEND: 0.3, "Sorry, I cannot": 0.6})
    decided = decision(service)
    assert decided.bookmark == SEND
    # What it would have said besides counts for nothing: the shares of what is listed add up to one.
    assert decided.thought.startswith(f"{SEND} {math.log(0.75):.2f}; {CANCEL} {math.log(0.25):.2f}")
    (body,) = model.asked
    assert body["model"] == "letters" and body["max_tokens"] == 1 and body["logprobs"] >= 100
    assert model.prompts[0].endswith(
        'Task: press Send\nScreen:\nContact\ntextbox "Name"\nbutton "Cancel"\nbutton "Send"\nActions:'
    )


def test_texts_of_the_task_are_typed_and_nothing_is_done_twice(service: Service) -> None:
    LettersModel(service, lambda prompt: {ADA: 0.9, SEND: 0.08} if "Ada" in prompt else {SEND: 1.0})
    trajectory = contact(planner_for(service), Task('enter "Ada" as the name and send'))
    assert [step.planned.action.kind for step in trajectory.steps][:2] == ["type", "click"]
    assert trajectory.steps[1].after.elements[0].name == "Thank you"


def test_exemplars_stand_before_the_task_the_nearest_last(service: Service) -> None:
    model = LettersModel(service, lambda prompt: {SEND: 1.0})
    decision(service, exemplars=(Exemplar("1", "near", "Task: near"), Exemplar("2", "far", "Task: far")))
    asked = model.prompts[0]
    assert asked.index("Task: far") < asked.index("Task: near") < asked.index("Task: press Send")


def test_calibrated_scores_take_off_what_is_likely_whatever_the_task_says(service: Service) -> None:
    def likes(prompt: str) -> dict[str, float]:
        return {CANCEL: 0.7, SEND: 0.3} if "press Send" in prompt else {CANCEL: 0.9, SEND: 0.1}

    LettersModel(service, likes)
    assert decision(service).bookmark == CANCEL
    calibrated = decision(service, calibrated=True)
    assert calibrated.bookmark == SEND and calibrated.calls == 2


def test_the_end_is_offered_only_behind_an_action_that_did_something(service: Service) -> None:
    LettersModel(service, lambda prompt: {END: 0.8, SEND: 0.1, CANCEL: 0.1})
    assert not isinstance(decision(service).end, Finish)
    trajectory = contact(planner_for(service), Task("press Send"))
    assert len(trajectory.steps) == 1 and trajectory.ending and trajectory.ending.kind == "done"


def test_an_end_that_the_criteria_do_not_bear_out_is_refused(service: Service) -> None:
    LettersModel(service, lambda prompt: {END: 0.8, SEND: 0.1, CANCEL: 0.05})
    trajectory = contact(planner_for(service), Task("press Send", criteria=(TextShown("Order 17"),)))
    assert trajectory.ending and trajectory.ending.kind != "done"


def test_a_prompt_without_room_loses_its_farthest_exemplars(service: Service) -> None:
    model = LettersModel(service, lambda prompt: {SEND: 1.0})

    def narrow(body: dict[str, Any]) -> Any:
        given = model.answer(body)
        if "prompt" not in body or len(body["prompt"][0]) < 300:
            return given
        error = {"message": "request (900 tokens) exceeds the available context size (512 tokens)"}
        return Answer({"error": {**error, "code": 400, "type": "exceed_context_size_error"}}, status=400)

    service.script = [narrow]
    exemplars = (Exemplar("1", "near", "Task: near"), Exemplar("2", "far", "Task: far" + " on" * 300))
    assert decision(service, exemplars=exemplars).bookmark == SEND
    assert "Task: near" in model.prompts[-1] and "Task: far" not in model.prompts[-1]


def test_a_server_without_probabilities_is_named(service: Service) -> None:
    service.script = [lambda body: {"tokens": [1, len(body.get("content", ""))], "choices": [{"text": "ok"}]}]
    with pytest.raises(BadReply, match=r"returns no token probabilities; llama\.cpp's server is needed"):
        decision(service)


def test_without_the_address_of_a_server_it_says_what_to_give() -> None:
    with pytest.raises(ConfigError, match=r"--model http://localhost:8080/v1#NAME"):
        ScoringPlanner("openai/gpt-5.4")


def test_a_screen_that_lists_nothing_more_ends_the_run(service: Service) -> None:
    situation = Situation(Task("press Send"), screen(text("Nothing here")))
    assert isinstance(planner_for(service).decide(situation).end, GiveUp)
