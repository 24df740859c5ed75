"""Contract checks for computers, planners, grounders and guards of any author.

A plug-in's own test calls them with a function that makes the object; a violated contract is an
AssertionError that names it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from gui_agent.core import codec
from gui_agent.core.actions import Action, Click, Drag, Hold, LongPress, Move, Press, Scroll, Swipe, TypeText
from gui_agent.core.dialogue import Model, Reply, Request, Traits
from gui_agent.core.errors import ActionFailed, Ambiguous, ComputerLost, Forbidden, NotFound, Stale
from gui_agent.core.observation import Element, Mark, Observation, Point, Target, Words
from gui_agent.core.protocols import Computer, Grounder, Guard, Planner, Settled, Situation
from gui_agent.core.trajectory import EVENTS, Decision, Found, Trajectory

Make = Callable[[], Computer]


def check_computer(make: Make) -> None:
    """Check every promise of `core.protocols.Computer` on fresh computers that show at least one control.

    Checks share a computer if the previous ones leave it unchanged.
    """
    for promises in (
        (ids_are_stable, elements_lie_inside_the_picture, pictures_are_taken_on_demand),
        (a_point_outside_the_picture_is_an_error, another_element_than_expected_is_noticed),
        (settling_returns, it_works_from_another_thread, a_lost_place_to_start_is_an_error),
        (harmless_actions_are_done_or_refused_properly,),
        (what_is_typed_is_read_back, it_is_a_context_manager),
        (closing_twice_is_fine_and_then_it_is_lost,),
    ):
        with make() as computer:
            for promise in promises:
                promise(computer)


def ids_are_stable(computer: Computer) -> None:
    """Two looks at an unchanged screen give the same elements the same ids."""
    computer.settle()
    first, second = computer.observe(picture=False), computer.observe(picture=False)
    assert _ids(first) == _ids(second), "two looks at the same screen gave different ids"
    assert len({element.id for element in first.elements}) == len(first.elements), "an id is used twice"


def elements_lie_inside_the_picture(computer: Computer) -> None:
    """Boxes are the visible parts, in screenshot pixels."""
    observation = computer.observe(picture=False)
    whole = observation.size.box
    for element in observation.elements:
        assert whole.encloses(element.box), f"{element} at {element.box} sticks out of {observation.size}"
        assert element.role == element.role.lower() != "", f"{element} has no role in lower case"


def pictures_are_taken_on_demand(computer: Computer) -> None:
    """`picture=False` omits the screenshot; otherwise it has the size of the observation."""
    assert computer.observe(picture=False).screenshot is None, "a picture although `picture` was false"
    observation = computer.observe()
    shot = observation.screenshot
    assert shot is not None, "observe() gave no picture"
    assert shot.size == observation.size, f"the picture is {shot.size}, the screen {observation.size}"

    import io

    from PIL import Image

    with Image.open(io.BytesIO(shot.data)) as picture:
        assert picture.size == (shot.size.width, shot.size.height), f"the file is {picture.size}"
        assert Image.MIME.get(picture.format or "") == shot.media_type, f"the file is {picture.format}"


def a_point_outside_the_picture_is_an_error(computer: Computer) -> None:
    """A point outside is an error and never clamped."""
    size = computer.observe(picture=False).size
    for x, y in ((-1, 5), (5, -1), (size.width, 5), (5, size.height), (size.width + 1000, 5)):
        _must_fail(computer, Click(Point(x, y)), f"a click at ({x}, {y}) outside {size} was done")
    inside = size.box.center
    _must_fail(computer, Drag(inside, Point(-5, -5)), "a drag to a point outside was done")


def harmless_actions_are_done_or_refused_properly(computer: Computer) -> None:
    """An unsupported action is an ActionFailed and never a crash."""
    size = computer.observe(picture=False).size
    middle, corner = size.box.center, Point(1, 1)
    actions: Sequence[Action] = (
        Move(corner),
        Move(middle),
        Scroll(middle, down=1),
        Scroll(middle, down=-1),
        Scroll(middle, right=1),
        Swipe(middle, Point(middle.x, middle.y - 5), seconds=0.01),
        LongPress(corner, seconds=0.01),
        Hold(("shift",), 0.01),
        Press(("escape",)),
        TypeText(""),
    )
    for action in actions:
        try:
            computer.perform(action)
        except (ActionFailed, Stale) as refusal:
            assert str(refusal).strip(), f"{action.kind} was refused without a word"
            assert "\n" not in str(refusal), f"the refusal of {action.kind} is longer than a line"
    _must_fail(computer, Press(("no-such-key",)), "a key that does not exist was pressed")


def another_element_than_expected_is_noticed(computer: Computer) -> None:
    """The device hit-tests the point: the element of the decision must still be there."""
    observation = computer.observe(picture=False)
    assert observation.controls, "the contract needs a screen with a control"
    control = observation.controls[0]
    other = replace(control, id=10**9, role="button", name="No such element", path="body/nowhere[9]")
    try:
        computer.perform(Click(control.box.center), other)
    except Stale as stale:
        assert str(stale).strip() and "\n" not in str(stale), "Stale must say in one line what is there"
    else:
        raise AssertionError("a click went through although another element was expected there")


def what_is_typed_is_read_back(computer: Computer) -> None:
    """A plain field's value is exactly the typed text, if the screen has such a field.

    A computer that cannot type all characters says so, and types nothing.
    """
    fields = [one for one in computer.observe(picture=False).controls if _plain_field(one)]
    if not fields:
        return
    text = "Grüße 42, ok"
    try:
        computer.perform(TypeText(text, fields[0].box.center, replace=True), fields[0])
    except ActionFailed as refused:
        assert "'ü'" in str(refused), f"it does not say which letter it cannot type: {refused}"
        text = "Greetings 42, ok"
        computer.perform(TypeText(text, fields[0].box.center, replace=True), fields[0])
    computer.settle()
    now = computer.observe(picture=False).by_id(fields[0].id)
    assert now is not None, f"{fields[0]} has another id after typing into it"
    assert now.value == text, f'"{text}" was typed into {now}, its value is "{now.value}"'


def _plain_field(element: Element) -> bool:
    plain = element.attributes.get("type", "text") in ("", "text", "search")
    return element.role == "textbox" and plain and not element.states & {"disabled", "readonly", "password"}


def settling_returns(computer: Computer) -> None:
    """Waiting for rest ends, even without an earlier action."""
    settled = computer.settle()
    assert isinstance(settled, Settled) and settled.seconds >= 0, f"settle() gave {settled}"


def a_lost_place_to_start_is_an_error(computer: Computer) -> None:
    """`start` fails for a place that does not exist."""
    try:
        computer.start("no-such-scheme-or-place://nowhere.invalid/")
    except ActionFailed as error:
        assert str(error).strip() and "\n" not in str(error), "ActionFailed must say why in one line"
    else:
        raise AssertionError("start() accepted a place that does not exist")


def it_works_from_another_thread(computer: Computer) -> None:
    """A computer made in one thread can be used from another."""
    seen: list[Observation | BaseException] = []

    def look() -> None:
        try:
            seen.append(computer.observe(picture=False))
        except (RuntimeError, ComputerLost) as error:
            seen.append(error)

    worker = threading.Thread(target=look)
    worker.start()
    worker.join(60)
    assert seen and isinstance(seen[0], Observation), f"observing from another thread gave {seen}"


def it_is_a_context_manager(computer: Computer) -> None:
    """`with` closes it."""
    with computer as same:
        assert same is computer, "__enter__ must return the computer itself"
        assert isinstance(computer.platform, str) and computer.platform, "platform must be named"
    _must_be_lost(computer)


def closing_twice_is_fine_and_then_it_is_lost(computer: Computer) -> None:
    """After `close`, every use reports that the computer is gone."""
    computer.close()
    worker = threading.Thread(target=computer.close)
    worker.start()
    worker.join(60)
    assert not worker.is_alive(), "closing from another thread hangs"
    _must_be_lost(computer)


def check_planner(planner: Planner, situation: Situation) -> Decision:
    """A planner decides, mutates nothing, decides the same in the same situation; its decision is data."""
    decision = planner.decide(situation)
    assert planner.name, "a planner has a name"
    assert isinstance(decision, Decision), f"decide() gave {type(decision).__name__}"
    assert decision.planned or decision.end is not None or decision.thought, "a decision that says nothing"
    assert planner.decide(situation) == decision, "the same situation was decided otherwise the second time"
    again: Decision = codec.decode(Decision, codec.encode(decision))
    assert again == decision, "the decision does not survive being written and read"
    return decision


def check_grounder(grounder: Grounder, observation: Observation) -> None:
    """A grounder finds each control by its mark, keeps points, and reports if nothing matches."""
    for element in observation.controls:
        found = grounder.locate(Mark(element.id), observation)
        assert found.element == element, f"mark {element.id} is {element}, found {found.element}"
        assert element.box.contains(found.point), f"{found.point} is outside {element} at {element.box}"
        assert 0 <= found.score <= 1, f"a score of {found.score}"
    inside = observation.size.box.center
    assert grounder.locate(inside, observation).point == inside, "a point must be kept as it is"
    nothing: tuple[Target, ...] = (Words("zzqx wvvk qqjz", role="button"), Mark(10**9))
    for target in nothing:
        try:
            found = grounder.locate(target, observation)
        except (NotFound, Ambiguous, Stale) as miss:
            assert "\n" not in str(miss), "an error is one line"
        else:
            raise AssertionError(f"{target} was found: {found.element}")


def check_guard(guard: Guard, risky: Element, harmless: Element, observation: Observation) -> None:
    """A guard without a user to ask refuses a click on the risky element and lets the other one pass."""
    found = {"at": Found(harmless.box.center, harmless, harmless.box)}
    guard.check(Click(harmless.box.center), found, observation)
    found = {"at": Found(risky.box.center, risky, risky.box)}
    try:
        guard.check(Click(risky.box.center), found, observation)
    except Forbidden as refusal:
        assert str(refusal).strip() and "\n" not in str(refusal), "a refusal says why in one line"
    else:
        raise AssertionError(f"a click on {risky} was let pass")


def _ids(observation: Observation) -> list[tuple[int, str, str]]:
    return [(element.id, element.role, element.name) for element in observation.elements]


def _must_fail(computer: Computer, action: Action, otherwise: str) -> None:
    try:
        computer.perform(action)
    except ActionFailed as error:
        assert str(error).strip() and "\n" not in str(error), "ActionFailed must say why in one line"
    else:
        raise AssertionError(otherwise)


def _must_be_lost(computer: Computer) -> None:
    for use in (computer.observe, computer.settle, lambda: computer.perform(Press(("escape",)))):
        try:
            use()
        except ComputerLost as error:
            assert str(error).strip(), "ComputerLost must say what to do"
        else:
            raise AssertionError(f"a closed computer still answers {use}")


def check_model(model: Model, request: Request) -> Reply:
    """A model has a name, answers with texts or calls of offered tools, and counts its usage."""
    assert model.name and isinstance(model.traits, Traits), "a model has a name and traits"
    reply = model.complete(request)
    assert isinstance(reply, Reply), f"complete() gave {type(reply).__name__}"
    assert reply.text or reply.calls or reply.refusal, "an answer that says nothing"
    known = {tool.name for tool in request.tools}
    for call in reply.calls:
        assert call.proposals or call.error or call.end or call.look or call.name in known, (
            f"the tool {call.name!r} was not offered"
        )
    assert reply.usage.read >= 0 and reply.usage.wrote >= 0, "tokens are counted from 0"
    return reply


def check_observer(observer: object, trajectory: Trajectory) -> None:
    """An observer accepts every event of a run, twice in a row, and does not hide events from others."""
    assert any(hasattr(observer, event) for event in EVENTS), f"none of the methods {', '.join(EVENTS)}"
    events: list[tuple[str, object]] = [("started", trajectory.task)]
    for turn in trajectory.turns:
        events += [("decided", replace(turn, steps=())), *(("stepped", step) for step in turn.steps)]
    for event, value in 2 * [*events, ("ended", trajectory)]:
        getattr(observer, event, lambda _: None)(value)
