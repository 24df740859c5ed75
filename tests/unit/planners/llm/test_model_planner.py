"""The model planner: batches, targets, repair, endings, looks, and what it asks."""

from __future__ import annotations

import json
from dataclasses import replace

import jsonschema
import pytest

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Click, TypeText, Wait
from gui_agent.core.conditions import TextGone
from gui_agent.core.dialogue import Asked, Call, Reply, Request, Results, Traits, pictures
from gui_agent.core.errors import BadReply, Unavailable
from gui_agent.core.observation import Box, Mark, Point, Words
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import Decision, GiveUp, Outcome, Step, Task, Trajectory, Turn
from gui_agent.planners.llm import ModelPlanner, Relay
from gui_agent.planners.llm.planner import cache_key
from gui_agent.testing import (
    ExactGrounder,
    FakeComputer,
    OpenGuard,
    ScriptedModel,
    acting,
    button,
    field,
    saying,
    screen,
    text,
    when,
    widget,
)
from gui_agent.testing.scripted import ModelLine

QUICK = Limits(patience=0.05)
NATIVE = Traits(computer=True, tools=False)


def contact() -> FakeComputer:
    fields = [field(name) for name in ("First", "Last", "Street", "Town", "Mail", "Phone")]
    return FakeComputer(
        {"form": screen(*fields, button("Send"), title="Contact"), "thanks": screen(text("Thank you"))},
        [when("click", "Send", go="thanks")],
    )


def run(
    *lines: ModelLine, traits: Traits | None = None, **options: object
) -> tuple[Trajectory, ScriptedModel]:
    model = ScriptedModel(lines, traits=traits)
    planner = ModelPlanner(model, **options)  # type: ignore[arg-type]
    agent = Agent(contact(), planner, grounder=ExactGrounder(), guard=OpenGuard(), limits=QUICK)
    return agent.run(Task("send the form", values={"First": "Ada"})).trajectory, model


def decide(
    *lines: ModelLine, traits: Traits | None = None, **options: object
) -> tuple[object, ScriptedModel]:
    model = ScriptedModel(lines, traits=traits)
    planner = ModelPlanner(model, **options)  # type: ignore[arg-type]
    return planner.decide(Situation(Task("t"), contact().observe())), model


def typed(mark: int, words: str) -> dict[str, object]:
    return {"action": {"kind": "type", "text": words, "at": {"mark": mark}}}


def all_text(request: Request) -> str:
    parts: list[object] = [request.system]
    for turn in request.turns:
        if isinstance(turn, Asked):
            parts += turn.parts
        elif isinstance(turn, Results):
            parts += [part for result in turn.results for part in result.parts]
        else:
            parts += [turn.text, *(json.dumps(dict(call.arguments)) for call in turn.calls)]
    return "\n".join(part for part in parts if isinstance(part, str))


def test_a_form_of_six_fields_takes_two_calls() -> None:
    first = saying(
        criteria=[{"kind": "text_shown", "text": "Thank you"}],
        actions=[typed(n, f"value {n}") for n in range(1, 6)],
    )
    second = saying(
        actions=[typed(6, "value 6"), {"action": {"kind": "click", "at": {"mark": 7}}}],
        end={"kind": "finish"},
    )
    trajectory, model = run(first, second)
    assert trajectory.ending and trajectory.ending.kind == "done"
    assert len(trajectory.steps) == 7
    assert len(model.requests) == trajectory.model_calls == 2


def test_each_decision_costs_one_call() -> None:
    lines = [saying(actions=[typed(n, "x")]) for n in (1, 2, 3)]
    trajectory, _ = run(*lines, saying(end={"kind": "finish"}))
    assert [turn.decision.calls for turn in trajectory.turns] == [1, 1, 1, 1]


def test_a_model_that_only_reads_is_sent_no_picture_and_no_way_to_look() -> None:
    seeing, _ = decide(saying(actions=[typed(1, "x")]))
    assert isinstance(seeing, Decision) and seeing.pictured
    for options in ({"pictures": 0}, {"traits": Traits(pictures=0)}):
        blind, model = decide(saying(actions=[typed(1, "x")]), **options)  # type: ignore[arg-type]
        assert isinstance(blind, Decision) and not blind.pictured
        (request,) = model.requests
        assert not [shot for turn in request.turns for shot in pictures(turn)]
        assert [tool.name for tool in request.tools] == ["decide", "read"]


def test_a_model_that_answers_without_a_call_is_held_to_a_schema_of_the_screen() -> None:
    prose = Reply(text="I would click the button.")
    decision, model = decide(prose, Reply(text='{"actions": [{"kind": "click", "at": {"mark": 7}}]}'))
    assert isinstance(decision, Decision)
    assert [planned.action for planned in decision.planned] == [Click(Mark(7))]
    first, second = model.requests
    assert first.schema is None and first.tools
    assert second.schema is not None and not second.tools
    assert '"actions"' in second.system, "its prompt shows what is meant"
    for answer, fits in (
        ({"actions": [{"kind": "click", "at": {"mark": 7}}]}, True),
        ({"actions": [], "end": {"kind": "finish"}}, True),
        ({"actions": [{"kind": "click", "at": {"mark": 99}}]}, False),
        ({"actions": [{"kind": "type", "text": "x", "keys": ["a"]}]}, False),
        ({"thought": "none"}, False),
    ):
        assert jsonschema.Draft202012Validator(dict(second.schema)).is_valid(answer) is fits, answer


def test_targets_are_marks_words_or_points() -> None:
    decision, _ = decide(
        saying(
            actions=[
                {"kind": "click", "at": 7},
                {"action": {"kind": "click", "at": {"text": "Send", "role": "button"}}},
                {"action": {"kind": "click", "at": {"x": 4, "y": 5}}},
                {"kind": "click", "at": "Send"},
            ]
        )
    )
    places = [planned.action.at for planned in decision.planned]  # type: ignore[attr-defined]
    assert places == [Mark(7), Words("Send", "button"), Point(4, 5), Words("Send")]


def test_more_actions_than_a_batch_holds_are_left_and_the_model_is_told() -> None:
    trajectory, model = run(
        saying(actions=[typed(n, "x") for n in (1, 2, 3)], end={"kind": "finish"}),
        saying(end={"kind": "finish"}),
        batch=2,
    )
    assert len(trajectory.steps) == 2
    assert "The rest (1) was not carried out: at most 2 are taken at once." in all_text(model.requests[1])


def test_what_a_run_scrolled_to_by_itself_takes_no_action_of_the_batch_out_of_what_is_told() -> None:
    form = screen(field("Text"), button("Save page"))
    hidden = replace(form.elements[1], id=0, box=Box(20, 900, 80, 30))
    short = replace(form, elements=form.elements[:1], beyond=(hidden,), more={"below": 400})
    screens = {"short": short, "form": form, "saved": screen(text("Saved"), button("Next"))}
    rules = [when("scroll", go="form", on="short"), when("click", "Save page", go="saved")]
    batch = [{"kind": "click", "at": {"text": "Save page"}}, {"kind": "click", "at": {"text": "Next"}}]
    model = ScriptedModel([saying(actions=batch), saying(end={"kind": "give_up", "reason": "enough"})])
    agent = Agent(FakeComputer(screens, rules), ModelPlanner(model, batch=2), guard=OpenGuard(), limits=QUICK)
    assert [step.number for step in agent.run(Task("t")).trajectory.steps] == [1, 2, 3]
    told = all_text(model.requests[1])
    assert '3. Click button "Next"' in told and "not carried out" not in told


def test_a_bad_reply_is_repaired_with_one_message_that_names_the_fault() -> None:
    decision, model = decide(
        saying(actions=[{"action": {"kind": "clik", "at": {"mark": 1}}}]), saying(actions=[typed(1, "x")])
    )
    assert decision.calls == 2 and len(decision.planned) == 1  # type: ignore[attr-defined]
    told = model.requests[1].turns[-1]
    assert isinstance(told, Results) and told.results[0].failed
    assert 'did you mean "click"' in str(told.results[0].parts[0])


@pytest.mark.parametrize(
    "bad",
    [
        saying(),
        saying(actions=[typed(1, "x")], end={"kind": "give_up", "reason": "no"}),
        saying(actions="click"),
        Reply("I would click on Send."),
        Reply("", stop="length"),
        Reply(calls=(Call("a", "decide", {}, error="(4000, 3) is outside the picture"),)),
        Reply(calls=(Call("a", "another_tool", {}),)),
        BadReply("the request is too long for the model"),
    ],
)
def test_what_stays_wrong_after_one_repair_is_a_bad_reply_that_counts_its_calls(bad: ModelLine) -> None:
    with pytest.raises(BadReply) as failed:
        decide(bad, bad)
    assert failed.value.calls == 2
    assert "\n" not in str(failed.value)


def test_the_loop_goes_on_after_a_bad_reply_and_counts_it() -> None:
    trajectory, model = run(saying(), saying(), saying(end={"kind": "finish"}))
    assert trajectory.ending and trajectory.ending.kind == "done"
    assert trajectory.model_calls == len(model.requests) == 3


def test_a_request_that_is_too_long_is_asked_again_shorter() -> None:
    _, model = decide(BadReply("the request is too long for the model"), saying(actions=[typed(1, "x")]))
    assert "too long" in all_text(model.requests[1])


def test_a_model_without_tools_answers_in_json() -> None:
    answer = '```json\n{"actions": [{"kind": "click", "at": 7}]}\n```'
    decision, model = decide(Reply(answer), traits=Traits(tools=False))
    assert decision.planned[0].action == Click(Mark(7))  # type: ignore[attr-defined]
    assert not model.requests[0].tools and '"criteria"' in model.requests[0].system


def test_a_refusal_ends_the_run_with_its_reason() -> None:
    decision, _ = decide(Reply(refusal="I cannot help with that"))
    assert decision.end == GiveUp("the model declined: I cannot help with that")  # type: ignore[attr-defined]


def test_notes_come_back_in_the_next_question_and_the_plan_once_newer_replies_lack_it() -> None:
    _, model = run(
        saying(actions=[typed(1, "x")], notes={"total": "42 EUR"}, plan="then the town"),
        saying(actions=[typed(2, "y")]),
        saying(end={"kind": "finish"}),
    )
    told = all_text(model.requests[1])
    assert "total: 42 EUR" in told and "Your plan:" not in told
    assert "Your plan:\nthen the town" in all_text(model.requests[2])


def test_a_note_can_be_changed_and_removed_and_the_plan_is_a_list() -> None:
    trajectory, model = run(
        saying(
            last="nothing yet",
            thought="fill in the name",
            actions=[typed(1, "x")],
            notes={"total": "42 EUR", "pressed twice": "perhaps"},
            plan=["[x] open the form", "[ ] send it"],
        ),
        saying(actions=[typed(2, "y")], notes={"total": "43 EUR", "pressed twice": None}),
        saying(end={"kind": "finish"}),
    )
    assert trajectory.notes == {"total": "43 EUR"}
    assert trajectory.turns[0].decision.thought == "nothing yet fill in the name"
    told = all_text(model.requests[2])
    assert "total: 43 EUR" in told and "pressed twice: perhaps" not in told
    assert "Your plan:\n[x] open the form\n[ ] send it" in told


def test_the_models_own_actions_are_grounded_and_answered_in_order() -> None:
    trajectory, model = run(
        acting(Click(Point(60, 34)), TypeText("Ada")),
        Reply("DONE: sent"),
        traits=NATIVE,
    )
    assert trajectory.ending and trajectory.ending.answer == "sent"
    replayed, results = model.requests[1].turns[1:3]
    assert isinstance(replayed, Reply) and isinstance(results, Results)
    assert [result.call for result in results.results] == [call.id for call in replayed.calls]
    assert model.requests[0].computer and not model.requests[0].tools


@pytest.mark.parametrize(
    ("said", "kind"), [("FAILED: no such order", "not_done"), ("ASK: which one?", "not_done")]
)
def test_the_models_own_words_end_the_run(said: str, kind: str) -> None:
    trajectory, _ = run(Reply(said), traits=NATIVE)
    assert trajectory.ending and trajectory.ending.kind == kind
    assert said.partition(": ")[2] in trajectory.ending.reason


def test_a_look_is_answered_at_once_and_points_stay_on_the_whole_picture() -> None:
    look = Reply(calls=(Call("a", look=True, region=Box(0, 0, 40, 30)),), stop="calls")
    decision, model = decide(look, acting(Click(Point(3, 3))), traits=NATIVE)
    assert decision.calls == 2  # type: ignore[attr-defined]
    assert [shot.size.width for shot in pictures(model.requests[1].turns[-1])] == [720, 800]
    assert model.requests[1].screen == contact().observe().size


def test_a_look_beside_an_action_shows_its_part_of_the_screen_that_came_of_it() -> None:
    look = Call("a", look=True, region=Box(0, 0, 40, 30))
    both = Reply(calls=(look, Call("b", proposals=(Click(Point(3, 3)),))), stop="calls")
    _, model = run(both, Reply(text="DONE: sent"), traits=NATIVE)
    answered = next(turn for turn in model.requests[1].turns if isinstance(turn, Results))
    assert [shot.size.width for shot in pictures(answered)][:1] == [720]
    assert "1. Click" in str(answered.results[1].parts[0])


def test_a_safety_question_of_the_provider_needs_a_persons_yes() -> None:
    asked = Reply(
        calls=(Call("a", proposals=(Click(Point(3, 3)),), checks=({"id": "1", "message": "a payment?"},)),)
    )
    refused, _ = decide(asked, traits=NATIVE)
    assert isinstance(refused.end, GiveUp) and "a payment?" in refused.end.reason  # type: ignore[attr-defined]
    allowed, _ = decide(asked, traits=NATIVE, approve=lambda question: "a payment?" in question)
    assert len(allowed.planned) == 1  # type: ignore[attr-defined]


def test_the_cheaper_model_takes_over_when_the_budget_is_nearly_spent() -> None:
    model = ScriptedModel([saying(actions=[typed(1, "x")])])
    cheap = ScriptedModel([saying(end={"kind": "finish"})])
    planner = ModelPlanner(model, cheaper=cheap, spent=lambda: 0.95 if model.requests else 0.2)
    agent = Agent(contact(), planner, grounder=ExactGrounder(), guard=OpenGuard(), limits=QUICK)
    trajectory = agent.run("send the form")
    assert trajectory.ending and trajectory.ending.kind == "done"
    assert len(cheap.requests) == 1 and len(model.requests) == 1
    assert sum(len(pictures(turn)) for turn in cheap.requests[0].turns) == 1


def test_the_questions_of_a_run_have_one_key_for_the_cache_and_other_tasks_another() -> None:
    first, second = (saying(actions=[typed(1, word)]) for word in ("Ada", "Eve"))
    _, model = run(first, second, saying(end={"kind": "finish"}))
    keys = {request.cache_key for request in model.requests}
    assert len(model.requests) >= 3 and len(keys) == 1 and "" not in keys
    assert cache_key(Task("send the form")) in keys and cache_key(Task("another")) not in keys


class Down(ScriptedModel):
    """A model whose service does not answer."""

    def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        raise Unavailable("the service is down")


def test_a_second_model_goes_on_in_its_own_way_when_the_first_is_down() -> None:
    first, second = Down([], traits=NATIVE), ScriptedModel([saying(actions=[{"kind": "click", "at": 7}])])
    planner = ModelPlanner(Relay(first, second))
    situation = Situation(Task("t"), contact().observe())
    for _ in range(2):
        assert planner.decide(situation).planned[0].action == Click(Mark(7))
    assert len(first.requests) == 1  # it is left alone for a while
    assert first.requests[0].computer and second.requests[0].tools and not second.requests[0].computer


def test_without_a_second_model_a_dead_service_is_told() -> None:
    with pytest.raises(Unavailable):
        ModelPlanner(Down([])).decide(Situation(Task("t"), contact().observe()))


@pytest.mark.parametrize(
    ("gone", "ends_as"),
    [(True, "done"), (False, "limit")],
    ids=["it ends", "it never ends, and the time of the run is over"],
)
def test_a_busy_screen_is_waited_for_before_the_model_is_asked(gone: bool, ends_as: str) -> None:
    loading = screen(widget("progressbar", "Connecting", states=["busy"]))
    computer = FakeComputer(
        {"loading": loading, "form": screen(button("Send"))}, after_looks={3: "form"} if gone else {}
    )
    model = ScriptedModel([saying(end={"kind": "finish"})])
    agent = Agent(computer, ModelPlanner(model), guard=OpenGuard(), limits=Limits(seconds=5 if gone else 0.4))
    trajectory = agent.run("send").trajectory
    assert trajectory.ending and trajectory.ending.kind == ends_as
    assert len(model.requests) == gone
    wait = trajectory.turns[0].steps[0]
    assert wait.planned.action.kind == "wait" and wait.planned.why == "the screen is busy"
    assert not gone or '"Send"' in all_text(model.requests[0])


def test_a_screen_that_only_says_that_it_loads_is_waited_for_once() -> None:
    loading = screen(widget("heading", "Printer"), text("Connecting to the printer..."))
    model = ScriptedModel([saying(end={"kind": "finish"})] * 2)
    planner = ModelPlanner(model)
    waiting = planner.decide(Situation(Task("t"), loading))
    assert waiting.planned[0].action == Wait(10.0) and waiting.calls == 0
    assert waiting.planned[0].expect == (TextGone("Connecting to the printer..."),)
    still = Step(1, waiting.planned[0], loading, loading, Outcome("failed", "still there"))
    turns = (Turn(waiting, loading, (still,)),)
    assert planner.decide(Situation(Task("t"), loading, turns)).calls == 1
    # Beside a control the same words are a text like any other.
    usable = screen(text("Connecting to the printer..."), button("Work offline"))
    assert planner.decide(Situation(Task("t"), usable)).calls == 1


def test_what_stays_busy_is_waited_for_once() -> None:
    page = screen(widget("button", "Load more", states=["busy"]), button("Send"))
    model = ScriptedModel([saying(actions=[{"kind": "click", "at": 2}]), saying(end={"kind": "give_up"})])
    planner = ModelPlanner(model)
    situation = Situation(Task("t"), page)
    waiting = planner.decide(situation)
    assert waiting.planned[0].action == Wait(10.0) and waiting.calls == 0
    failed = Step(1, waiting.planned[0], page, page, Outcome("failed", "still busy"))
    asked = planner.decide(replace(situation, turns=(Turn(waiting, page, (failed,)),)))
    assert asked.calls == 1 and asked.planned[0].action == Click(Mark(2))


def test_actions_are_repeated_for_each_record_with_its_values_as_data() -> None:
    fields = {"First": 1, "Last": 2}
    actions = [typed(mark, f"{{{name}}}") for name, mark in fields.items()]
    records = [{"First": "Ada {Last}", "Last": "Lovelace"}, {"First": "Bob", "Last": 7}]
    trajectory, _ = run(saying(actions=actions, records=records), saying(end={"kind": "finish"}))
    entered = [step.action.text for step in trajectory.steps if isinstance(step.action, TypeText)]
    assert entered == ["Ada {Last}", "Lovelace", "Bob", "7"]
    assert len(trajectory.turns) == 2


@pytest.mark.parametrize(
    ("records", "number", "fault"),
    [
        ([{"who": "Ada"}, {"name": "Bob"}], 1, "record 2 has no value for {who}"),
        ([{"who": "Ada\tBob"}], 1, "record 1 contains line breaks or tabs"),
        ([{"who": "Ada"}], 6, "at most 5 actions are done for each record"),
    ],
)
def test_records_that_cannot_be_carried_out_are_returned_to_the_model(
    records: list[dict[str, str]], number: int, fault: str
) -> None:
    good = saying(actions=[typed(1, "Ada")])
    _, model = decide(saying(actions=[typed(1, "{who}")] * number, records=records), good)
    assert fault in all_text(model.requests[1])
