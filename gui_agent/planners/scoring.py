"""A planner that scores each action on the screen by its probability under a local language model.

The idea is that of TWOSOME (Tan et al., "True Knowledge Comes from Practice", ICLR 2024): a model too small
to answer in a given form can still say which of several answers is likeliest. TWOSOME multiplies the
probabilities of all tokens and corrects for length. Here the probabilities at each token sum to one over the
listed answers, so length needs no correction, and the model is asked only where two answers diverge.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gui_agent.core import deadline
from gui_agent.core.actions import AnyAction, Check, Choose, Click, TypeText
from gui_agent.core.aiming import aim
from gui_agent.core.errors import BadReply, ConfigError
from gui_agent.core.observation import Element, Mark, Target
from gui_agent.core.protocols import Situation
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Decision, DemoStep, Finish, GiveUp, Planned, Screen
from gui_agent.elements.abstraction import CAP, relevant
from gui_agent.elements.roles import DROPDOWNS, ORIENTING, TICKABLE, TYPED_INTO
from gui_agent.memory.exemplars import FinishedTurn, action_text, place_and_lines
from gui_agent.models.remote import SdkTransport, openai
from gui_agent.models.spec import parse
from gui_agent.models.transport import ServiceFault
from gui_agent.scene.fingerprints import fingerprint

LISTED = 500
"""Number of tokens whose probabilities are requested at each place; others count like the last of them."""
TEXTS = 12
"""Maximum texts of the task to offer for typing."""
OPTIONS = 12
"""Maximum options of one list to offer, those that the task names first."""
BEST = 3
"""Number of actions that the thought of a decision names."""
END = '{"kind": "finish"}'
"""The text of the task's end."""
_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”|\'([^\']+)\'(?!\w)')

Tokens = tuple[int, ...]
Odds = Mapping[Tokens, Mapping[int, float]]
"""The log probability of each continuation, by its prefix."""


class ScoringPlanner:
    """Chooses, of the actions that the screen offers, the one that the model finds likeliest.

    Offered are a click on each relevant control, a check, an option, and for each field the quoted texts of
    the task, or its words if none is quoted. No action is done twice in a run. The end may be chosen once an
    action has visibly done something; criteria and verifier judge it as for any planner.
    """

    name = "scoring"

    def __init__(
        self,
        model: str,
        *,
        calibrated: bool = False,
        ends: bool = True,
        abstraction: bool = True,
        seconds: float = 180.0,
    ) -> None:
        """
        Args:
            model: llama.cpp's server with the model's name, `http://localhost:8080/v1#NAME`, as in `--model`.
            calibrated: subtract each action's score without the task, so that an action that is likely
                regardless of the task gains nothing.
            ends: let it choose the end; False if something else detects the end.
            abstraction: list only relevant elements, not everything on the screen.
            seconds: timeout of one request.
        """
        if not model.startswith("http"):
            raise ConfigError(
                f"--planner {self.name} needs llama.cpp's server: --model http://localhost:8080/v1#NAME"
            )
        self._spec = parse(model)
        self._transport = SdkTransport(openai, self._spec.url)
        self._calibrated, self._ends, self._seconds = calibrated, ends, seconds
        self._cap = CAP if abstraction else 10_000

    def decide(self, situation: Situation) -> Decision:
        """Score the offered actions and take the best."""
        listed = dict(self.choices(situation))
        if not listed:
            return Decision(
                end=GiveUp("every action that the screen lists has been tried"), planner=self.name
            )
        best, thought, calls = self.choose(situation, tuple(listed))
        chosen = listed[best]
        said = Decision(thought, planner=self.name, calls=calls, bookmark=best)
        if isinstance(chosen, Finish):
            return replace(said, end=chosen)
        return replace(said, planned=(Planned(chosen),))

    def choose(self, situation: Situation, texts: Sequence[str]) -> tuple[str, str, int]:
        """The best of these texts, the thought about the choice, and the number of requests."""
        scores = self._scores_that_fit(situation, texts)
        if self._calibrated:
            blank = replace(situation, task=replace(situation.task, text=""))
            usual = self._scores_that_fit(blank, texts)
            scores = {text: score - usual[text] for text, score in scores.items()}
        best = sorted(texts, key=lambda text: -scores[text])
        thought = "; ".join(f"{text} {scores[text]:.2f}" for text in best[:BEST])
        return best[0], thought, 1 + self._calibrated

    def choices(self, situation: Situation) -> Iterator[tuple[str, AnyAction[Target] | Finish]]:
        """Each possible action by its text, without those done before in this run."""
        screen, done = situation.observation, self._earlier_actions(situation)
        before = Screen(screen.size, screen.place, screen.elements)
        for element in relevant(screen, situation.task.text, cap=self._cap):
            for action in _possible_actions(element, situation.task.text):
                text = action_text(DemoStep(aim(action, {"at": fingerprint(element, screen)}), before))
                if text not in done:
                    yield text, action
        steps = situation.turns[-1].steps if situation.turns else ()
        if self._ends and steps and steps[-1].outcome.kind in ("confirmed", "changed"):
            yield END, Finish()

    def prompt(self, situation: Situation, exemplars: int) -> str:
        """The prompt before an action: exemplars, the nearest last, then task, screen and past steps."""
        task, screen = situation.task.text, situation.observation
        end = f"\n{END}" if self._ends else ""
        shown = [f"{one.trajectory}{end}\n\n" for one in reversed(situation.exemplars[:exemplars])]
        now = place_and_lines(screen.place, relevant(screen, task, cap=self._cap))
        turn = FinishedTurn(now, (*self._earlier_actions(situation), ""))
        return "".join([*shown, f"Task: {task}\n{turn}"])

    def tokens(self, text: str, *, begins: bool = False) -> Tokens:
        """The model's tokens of a text. Raises like `post`."""
        body = {"content": text, "add_special": begins, "parse_special": False}
        found = self.post(f"{self._spec.url.removesuffix('/v1')}/tokenize", body).get("tokens")
        if not isinstance(found, list) or not all(isinstance(one, int) for one in found):
            raise BadReply(f"{self._spec.host} returns no token numbers; llama.cpp's server is needed")
        return tuple(found)

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send one request to the server."""
        try:
            return self._transport.post(path, body, {}, deadline.remaining(self._seconds))
        except ServiceFault as fault:
            if fault.overflow:
                raise
            raise fault.error(self._spec.text, self._spec.host) from fault

    def _earlier_actions(self, situation: Situation) -> list[str]:
        own = [turn.decision for turn in situation.turns if turn.decision.planner == self.name]
        return [decision.bookmark for decision in own if decision.planned]

    def _scores_that_fit(self, situation: Situation, texts: Sequence[str]) -> dict[str, float]:
        kept = len(situation.exemplars)
        while True:
            try:
                return self._scores(self.prompt(situation, kept), texts)
            except ServiceFault as fault:
                if not kept:
                    raise fault.error(self._spec.text, self._spec.host) from fault
                kept -= 1

    def _scores(self, prompt: str, texts: Sequence[str]) -> dict[str, float]:
        """The log probability of each text after the prompt; the probabilities sum to one."""
        begun = self.tokens(prompt, begins=True)
        # The line break at the end keeps one text from being the prefix of another.
        written = {text: self.tokens(f"{text}\n") for text in texts}
        ways: dict[Tokens, set[int]] = {}
        for tokens in written.values():
            for place, token in enumerate(tokens):
                ways.setdefault(tokens[:place], set()).add(token)
        parting = {before: on for before, on in sorted(ways.items()) if len(on) > 1}
        odds = self._odds(begun, parting) if parting else {}
        return {
            text: sum(odds[tokens[:n]][tokens[n]] for n in range(len(tokens)) if tokens[:n] in odds)
            for text, tokens in written.items()
        }

    def _odds(self, begun: Tokens, parting: Mapping[Tokens, set[int]]) -> Odds:
        """The odds of each continuation where texts diverge, in the order that lets the server reuse most."""
        body = {
            "model": self._spec.model,
            "prompt": [[*begun, *before] for before in parting],
            "max_tokens": 1,
            "temperature": 0,
            "logprobs": LISTED,
        }
        answer = self.post("/completions", body)
        try:
            found = {
                int(one.get("index", place)): {
                    int(token["id"]): float(token["logprob"])
                    for token in one["logprobs"]["content"][0]["top_logprobs"]
                }
                for place, one in enumerate(answer["choices"])
            }
            likely = [found[place] for place in range(len(parting))]
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise BadReply(
                f"{self._spec.host} returns no token probabilities; llama.cpp's server is needed"
            ) from error
        return {
            before: _shares({token: seen.get(token, min(seen.values(), default=0.0)) for token in on})
            for (before, on), seen in zip(parting.items(), likely, strict=True)
        }


def _shares(logarithms: Mapping[int, float]) -> dict[int, float]:
    """Normalize log probabilities, so that the probabilities sum to one."""
    most = max(logarithms.values())
    whole = most + math.log(sum(math.exp(one - most) for one in logarithms.values()))
    return {token: one - whole for token, one in logarithms.items()}


def _possible_actions(element: Element, task: str) -> Iterator[AnyAction[Target]]:
    at = Mark(element.id)
    options = [option for option in element.attributes.get("options", "").split("\n") if option]
    if element.is_text or element.role in ORIENTING or "disabled" in element.states:
        return
    if element.role in DROPDOWNS and options:
        named = sorted(options, key=lambda option: normal(option) not in normal(task))
        yield from (Choose(at, option) for option in named[:OPTIONS])
    elif element.role in TICKABLE:
        yield Check(at, "checked" not in element.states)
    else:
        yield Click(at)
    if element.role in TYPED_INTO or (element.role == "combobox" and not options):
        yield from (TypeText(text, at) for text in typed_texts(task))


def typed_texts(task: str) -> tuple[str, ...]:
    """The texts of a task to offer for typing: the quoted ones, otherwise its words."""
    quoted = [next(filter(None, found)) for found in _QUOTED.findall(task)]
    bare = (word.strip(",.;:!?") for word in task.split())
    return tuple(dict.fromkeys(quoted or filter(None, bare)))[:TEXTS]
