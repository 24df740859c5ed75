"""Asks the person in the middle of a run what a step means, and reads the answer."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import takewhile, zip_longest
from typing import Literal

from gui_agent.agent.grounder._aliases import alias_of
from gui_agent.agent.grounder.candidates import suitability
from gui_agent.agent.pictures import number_boxes
from gui_agent.core.aiming import sole
from gui_agent.core.clarification import (
    DID,
    SHOW,
    SKIP,
    STOP,
    AskPerson,
    Choice,
    Clarification,
    Resolution,
)
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import (
    Box,
    Element,
    Observation,
    Point,
    Screenshot,
    Target,
    Words,
    on_one_line,
)
from gui_agent.core.protocols import Grounder, PlannerCapabilities
from gui_agent.core.texts import normal, shorten
from gui_agent.core.trajectory import GiveUp
from gui_agent.elements.describe import printable
from gui_agent.elements.roles import BUTTONS, COLOURS, GRAPHIC, TEXTLESS
from gui_agent.elements.text import likeness
from gui_agent.scene import Scene
from gui_agent.scene.fingerprints import fingerprint, same_element

UNSETTLED = "Unsettled"
"""Error of a plan that is over while the screen contradicts its end, or nothing proves it."""
MOST_CHOICES = 9
"""Choices of one question: a digit each."""
MOST_UNREADABLE = 2
"""Times that an answer which is none is asked for again."""
MOST_ROUNDS = 3
"""Questions about one step; a step that fails after three answers ends the run."""
MOST_QUESTIONS = 20
"""Questions of one run."""
_LONGEST = 60
"""Characters of a name in a list of choices."""
_UNCLEAR = ("NotFound", "Ambiguous", "Stale", "ActionFailed", UNSETTLED, "")
"""What stands in the way of a run that a person can help with; a check that does not hold is an answer."""
_FIRST = re.compile(r"first[ ,:]+(.+)", re.IGNORECASE | re.DOTALL)
"""How an answer begins that says what to do before the step is tried again."""
_IN_CHOICES = re.compile(r"; for example:| \(answers: ")
"""Where a reason goes on with what the choices say."""
_SUITED = 0.88
"""How well a kind of element has to suit the action to be offered beside the nearest names."""
_OVERLAP = 2
"""Pixels by which a line may overlap the one below."""
_ROWS, _COLUMNS = ("top", "middle", "bottom"), ("left", "centre", "right")
_POINT = re.compile(r"\(?(\d+)\s*,\s*(\d+)\)?")
Meaning = Literal["skip", "did", "show", "stop"]
_WORDS: Mapping[str, Meaning] = {
    "skip": "skip", "skip it": "skip", "leave it out": "skip",
    "did it": "did", "i did it": "did", "done": "did", "i did": "did",
    "show": "show", "show it": "show", "i do it myself": "show", "i'll do it myself": "show",
    "stop": "stop", "cancel": "stop", "quit": "stop", "end": "stop",
}  # fmt: skip
_YES_OR_NO: Mapping[str, Literal["did", "stop"]] = {"yes": "did", "y": "did", "no": "stop", "n": "stop"}


class Clarifier:
    """Asks what the steps of one run mean."""

    def __init__(
        self,
        ask: AskPerson,
        look: Callable[..., Observation],
        planner: PlannerCapabilities,
        grounder: Grounder,
        seconds: float,
        *,
        obeys: bool = False,
    ) -> None:
        """
        Args:
            look: takes a look at the screen, with its picture on request.
            planner: reads answers in words.
            seconds: how long one answer may take.
            obeys: whether the planner carries out commands that are no part of its plan.
        """
        self._ask, self._look, self._planner, self._grounder = ask, look, planner, grounder
        self._seconds, self._obeys = seconds, obeys
        self._asked: Counter[tuple[str, Words | None]] = Counter()

    def resolve(self, end: GiveUp, screen: Observation) -> tuple[Resolution, str, Observation] | None:
        """Ask the person how to go on where the plan cannot, or where its end is contradicted or unproven.

        Returns:
            What the answer means, the answer itself, and the screen afterwards; None if there is no answer,
            the person stops the run, or the question has been asked too often.
        """
        if not self._may_ask(end):
            return None
        self._asked[_topic(end)] += 1
        shown = likely_choices(end, screen)
        complaint = ""
        for _ in range(1 + MOST_UNREADABLE):
            answer = self._ask(self._question(end, shown, screen, complaint))
            if answer is None or _meaning(answer, end, shown) == "stop":
                return None
            now = self._look()
            read = self._read(answer, end, shown, screen, now)
            if isinstance(read, Resolution):
                return read, answer, now
            complaint = read
            if now is not screen and shown and not all(_later(one, screen, now) for one in shown):
                shown = likely_choices(end, now)
            screen = now
        return None

    def _may_ask(self, end: GiveUp) -> bool:
        """Whether a person may help, and was not asked about this too often."""
        often = self._asked[_topic(end)] >= MOST_ROUNDS or self._asked.total() >= MOST_QUESTIONS
        may_help = bool(end.step) or self._obeys or end.error == UNSETTLED
        return end.error in _UNCLEAR and may_help and not often

    def _question(
        self, end: GiveUp, shown: Sequence[Element], screen: Observation, complaint: str
    ) -> Clarification:
        reason = _IN_CHOICES.split(end.reason)[0]
        if end.error == UNSETTLED and not shown:
            reason += ". Is it done?"
        texts = describe_choices(shown, screen)
        choices = [Choice(text, one.box) for text, one in zip(texts, shown, strict=True)]
        options = ["a number"] * bool(choices) + self._options(end)
        question = printable("\n".join(filter(None, (complaint, reason))))
        draw = partial(draw_choices, screen, self._look)
        return Clarification(question, choices, options, seconds=self._seconds, draw=draw)

    def _options(self, end: GiveUp) -> list[str]:
        first = ['"first" and commands to do before it'] * self._obeys
        if end.step:
            return ["other words for it", "a command to do instead", *first, SKIP, SHOW, DID, STOP]
        now = ["commands to do now"] * self._obeys
        return [*now, DID, STOP] if end.error == UNSETTLED else [*now, *first, SKIP, SHOW, DID, STOP]

    def _read(
        self,
        answer: str,
        end: GiveUp,
        shown: Sequence[Element],
        before: Observation,
        now: Observation,
    ) -> Resolution | str:
        """The meaning of an answer that goes on, or why it is none."""
        said = answer.strip().strip(".")
        match _meaning(said, end, shown):
            case "did":
                return Resolution("did", end.step or end.reason)
            case "skip" | "show" as meaning if end.error != UNSETTLED:
                return Resolution("skip" if meaning == "skip" else "shown", end.step or end.reason)
        number = str(_button_number(said, end, shown) or said)
        if number.isdigit() and shown:
            return self._read_number(int(number), end, shown, before, now)
        if not said:
            return "That is no answer."
        if (spot := _POINT.fullmatch(said)) is not None:
            hit = now.smallest_at(Point(int(spot[1]), int(spot[2])))
            return self._as_alias(hit, end, now) if hit is not None else f"There is nothing at {said}."
        return self._read_words(said, end, now)

    def _read_number(
        self, number: int, end: GiveUp, shown: Sequence[Element], before: Observation, now: Observation
    ) -> Resolution | str:
        if not 1 <= number <= len(shown):
            return f"There is no number {number}."
        chosen = _later(shown[number - 1], before, now)
        if chosen is None:
            return f"The screen has changed, and number {number} is gone."
        return self._as_alias(chosen, end, now)

    def _read_words(self, said: str, end: GiveUp, now: Observation) -> Resolution | str:
        first = _FIRST.fullmatch(said) if self._obeys else None
        commands = self._planner.count_commands(first[1] if first else said)
        # Other words such as `Archive in the small menu` are a command of everyday language too.
        if not first and _begins_with(said, end.sought):
            commands = 0
        if first and commands:
            return Resolution("now", end.step, command=first[1])
        if commands == 1 or (not end.step and (commands or self._planner.reads_messages)):
            return Resolution("command", end.step, command=said)
        target: Target | None = self._planner.read_target(said)
        if not isinstance(target, Words):
            return f'"{shorten(said, _LONGEST)}" names nothing here.'
        try:
            found = self._grounder.locate(target, now, verb=end.verb or "click").element
        except (NotFound, Ambiguous) as error:
            return str(error).partition("; for example:")[0]
        return self._as_alias(found, end, now) if found is not None else f"{target} is no element."

    def _as_alias(self, element: Element, end: GiveUp, now: Observation) -> Resolution | str:
        if end.verb == "type" and element.role in TEXTLESS and "editable" not in element.states:
            return f"{element} takes no text."
        if end.sought is not None:
            return Resolution("alias", end.step, alias_of(end.sought, end.verb, element, now))
        if end.step:
            return "Nothing is to be chosen for this step; say what to do instead."
        name = (element.name or describe_choices([element], now)[0]).replace('"', "'")
        alias = alias_of(Words(name), "click", element, now)
        return Resolution("command", alias=alias, command=f'click "{name}"')


def _topic(end: GiveUp) -> tuple[str, Words | None]:
    """What a question is about: a step and its target, or the reason where no step is at fault."""
    return end.step or end.reason, end.sought


def _begins_with(said: str, sought: Words | None) -> bool:
    """Whether the first words of an answer are the name that was looked for."""
    name = normal(sought.text) if sought is not None else ""
    return bool(name) and f"{normal(said)} ".startswith(f"{name} ")


def _meaning(answer: str, end: GiveUp, shown: Sequence[Element]) -> Meaning | Literal[""]:
    """What an answer to this question means that needs no screen.

    The name of a button in front means that button, and "yes" may be an answer to its dialog.
    """
    if end.error == UNSETTLED and not shown:
        return _YES_OR_NO.get(normal(answer.strip(" .")), meaning_of(answer))
    return "" if _button_number(answer, end, shown) else meaning_of(answer)


def _button_number(answer: str, end: GiveUp, shown: Sequence[Element]) -> int:
    """The number of the button in an open dialog that an answer calls by its name; 0 for none."""
    said = normal(answer.strip(" ."))
    names = [normal(one.name) for one in shown] if end.error == UNSETTLED else []
    return names.index(said) + 1 if said in names else 0


def draw_choices(
    screen: Observation, look: Callable[..., Observation], boxes: Sequence[Box | None]
) -> Screenshot | None:
    """The picture of a screen, taken now if it has none, with these boxes numbered."""
    picture = screen.screenshot or look(picture=True).screenshot
    return number_boxes(picture, dict(enumerate(boxes, 1))) if picture is not None else None


def meaning_of(answer: str) -> Meaning | Literal[""]:
    """What an answer means that needs no screen; empty for any other."""
    return _WORDS.get(answer.strip().strip('."').casefold(), "")


def _later(element: Element, before: Observation, now: Observation) -> Element | None:
    """The same element on a later look at the screen; None where it is gone."""
    if before is now:
        return element
    mark = fingerprint(element, before)
    same = now.by_id(element.id)
    if same is not None and same_element(same, mark, now):
        return same
    alike = [one for one in now.elements if same_element(one, mark, now)]
    return sole(alike)


def likely_choices(end: GiveUp, screen: Observation) -> list[Element]:
    """What may be meant by what a step names, the likeliest first; at most nine.

    First what the grounder has named, alone where several have exactly that name; then controls that suit the
    action, those most like the words first, those without a name before those that are called otherwise, and
    those near the field with the keyboard before the others.
    """
    if end.sought is None:
        return _answers_in_front(screen) if end.error == UNSETTLED else []
    known = {one.id for one in screen.elements}
    named = [one for one in end.candidates if one.id in known]
    words, verb = end.sought, end.verb or "click"
    usable = [one for one in _suitable_ones(named, verb) if not one.is_text]
    if end.error == "Ambiguous":
        if not words.text or any(_fit(words, one) == 1 for one in named):
            return named[:MOST_CHOICES]
        usable = named
    found = {one.id: one for one in (*usable, *_controls_by_likeness(words, verb, screen), *named)}
    return list(found.values())[:MOST_CHOICES]


def _answers_in_front(screen: Observation) -> list[Element]:
    """The buttons of the dialog in front, if there is one."""
    from gui_agent.agent.questions import dialog_parts

    return [one for one in dialog_parts(screen) if one.role in BUTTONS][:MOST_CHOICES]


def _controls_by_likeness(words: Words, verb: str, screen: Observation) -> list[Element]:
    front = Scene.from_screen(screen).layers.entries
    at = [one.box for one in screen.elements if "focused" in one.states]
    return sorted(
        _suitable_ones(front, verb) or _suitable_ones(screen.controls, verb),
        key=lambda one: (
            one.role in GRAPHIC and not one.name,  # A part of a drawing is hardly ever meant.
            -_fit(words, one),
            bool(one.name),
            min(map(one.box.gap, at), default=0),
        ),
    )


def _suitable_ones(elements: Sequence[Element], verb: str) -> list[Element]:
    return [one for one in elements if suitability(one, verb) >= _SUITED]


def _fit(words: Words, element: Element) -> float:
    """How much of the words a control carries in its texts and attributes, 0 to 1 in tenths."""
    texts = (*element.texts, *element.attributes.values())
    return round(max((_likeness(words.text, text) for text in texts if text), default=0.0), 1)


def _likeness(wanted: str, text: str) -> float:
    """How well a text matches; half the share of the words that it has where it does not have all."""
    asked = set(normal(wanted).split())
    return max(likeness(wanted, text), len(asked & set(normal(text).split())) / max(1, 2 * len(asked)))


def describe_choices(elements: Sequence[Element], screen: Observation) -> list[str]:
    """What each element is and where it stands, in words that tell it apart from the others."""
    details = [list(_details(one, screen)) for one in elements]
    made = [_noun(one) for one in elements]
    for at, where in enumerate(details):
        if not elements[at].name:  # It is always said to be somewhere.
            first = next(filter(None, where))
            made[at] += f", {first}"
            where.remove(first)
    # The same kind of detail for all that are alike, if each has one.
    for enough in (all, any):
        for column in zip_longest(*details, fillvalue=""):
            made = _tell_apart(made, column, enough)
    return [printable(text) for text in _number_twins(made)]


def _tell_apart(
    texts: Sequence[str], details: Sequence[str], enough: Callable[[Iterable[str]], bool]
) -> list[str]:
    """The texts, those that are the same with a detail that differs between them."""
    variants: defaultdict[str, set[str]] = defaultdict(set)
    for text, detail in zip(texts, details, strict=True):
        variants[_without_role(text)].add(detail)
    alike = [variants[_without_role(text)] for text in texts]
    return [
        f"{text}, {detail}" if detail and len(those) > 1 and enough(those) else text
        for text, detail, those in zip(texts, details, alike, strict=True)
    ]


def _without_role(text: str) -> str:
    """A picture seldom shows whether something is a button or a link."""
    return text.partition(" ")[2]


def _number_twins(texts: Sequence[str]) -> list[str]:
    times, seen = Counter(texts), Counter[str]()
    made = []
    for text in texts:
        seen[text] += 1
        made.append(f"{text}, number {seen[text]} of these" if times[text] > 1 else text)
    return made


def _noun(element: Element) -> str:
    name = element.name or element.value or element.description
    return f'{element.role} "{shorten(name, _LONGEST)}"' if name else element.role


def _details(element: Element, screen: Observation) -> Iterator[str]:
    """Where an element stands, a text for each way to say it, the most telling first; some empty."""
    scene = Scene.from_screen(screen)
    label = "" if element.name else scene.label_of(element)
    yield _say('labelled "{}"', label)
    record = scene.records.record_of(element)
    keys = record.keys if record is not None and element not in record.keys else ()
    yield _say('in the row of "{}"', next((one.name for one in keys[:1] if one.name != label), ""))
    beside = _nearest_on_line(element, screen)
    is_right = beside is not None and beside.box.center.x < element.box.center.x
    yield _say(f'to the {"right" if is_right else "left"} of "{{}}"', beside.name if beside else "")
    yield _say('under "{}"', _heading(element, screen))
    yield _say('below "{}"', _text_above(element, screen))
    yield _say("in {}", COLOURS.get(element.attributes.get("color", ""), ""))
    center, size = element.box.center, screen.size
    row, column = _third(center.y, size.height), _third(center.x, size.width)
    yield f"at the {_ROWS[row]} {_COLUMNS[column]} of the screen"


def _say(where: str, name: str) -> str:
    return where.format(shorten(name, _LONGEST)) if name else ""


def _third(at: int, length: int) -> int:
    return min(2, max(0, 3 * at // max(1, length)))


def _nearest_on_line(element: Element, screen: Observation) -> Element | None:
    """The nearest text on the line of an element; beside one without a name, else the nearest control."""
    line = [one for one in _others_with_name(element, screen) if on_one_line(one.box, element.box)]
    texts = [one for one in line if one.is_text]
    pool = texts if element.name else texts or line
    return min(pool, key=lambda one: one.box.gap(element.box), default=None)


def _text_above(element: Element, screen: Observation) -> str:
    """The nearest text above an element."""
    above = [
        one
        for one in _others_with_name(element, screen)
        if one.is_text and one.box.is_above(element.box, _OVERLAP)
    ]
    return min(above, key=lambda one: one.box.gap(element.box)).name if above else ""


def _others_with_name(element: Element, screen: Observation) -> list[Element]:
    return [one for one in screen.elements if normal(one.name) not in ("", normal(element.name))]


def _heading(element: Element, screen: Observation) -> str:
    """The last heading before an element in reading order."""
    before = takewhile(lambda one: one.id != element.id, screen.elements)
    return next(reversed([one.name for one in before if one.role == "heading" and one.name]), "")
