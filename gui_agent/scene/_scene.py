"""One screen, analysed once: its structure, records, layers and labels."""

from __future__ import annotations

from functools import cached_property, partial

from gui_agent.core.observation import Element, Observation
from gui_agent.core.texts import normal
from gui_agent.elements import tuning
from gui_agent.elements.text import likeness
from gui_agent.scene._labels import Labels
from gui_agent.scene._layers import ScreenLayers
from gui_agent.scene._records import ScreenRecords
from gui_agent.scene.structure import Structure


class Scene:
    """The analysis of an observation, computed on demand and stored with the observation."""

    def __init__(self, screen: Observation) -> None:
        self.screen = screen
        self._matches: dict[str, list[Element]] = {}

    @classmethod
    def from_screen(cls, screen: Observation) -> Scene:
        """The scene of an observation, the same object each time."""
        found = screen.kept.get(cls)
        if not isinstance(found, cls):
            found = screen.kept[cls] = cls(screen)
        return found

    @cached_property
    def tree(self) -> Structure:
        """The containment of the screen's parts."""
        return Structure(self.screen.elements)

    @cached_property
    def records(self) -> ScreenRecords:
        """The screen's rows, list items and cards."""
        return ScreenRecords(self.screen, self.tree, self.matches)

    @cached_property
    def layers(self) -> ScreenLayers:
        """The screen's front and back elements."""
        return ScreenLayers(self.screen)

    @cached_property
    def _labels(self) -> Labels:
        return Labels(self.screen.elements, self.tree)

    def label_of(self, element: Element) -> str:
        """The text that labels an element without a name of its own; or empty."""
        return self._labels.label_of(element)

    def matches(self, phrase: str) -> list[Element]:
        """The elements that contain the words of a phrase, only the best ones."""
        if phrase not in self._matches:
            self._matches[phrase] = self._best_matches(phrase)
        return self._matches[phrase]

    def _best_matches(self, phrase: str) -> list[Element]:
        fits = [(_fit(phrase, one), one) for one in self.screen.elements]
        least = max((fit for fit, _ in fits), default=0.0) - tuning.ORDINAL_BAND
        return [one for fit, one in fits if fit >= tuning.ANCHOR and fit > least]


def _fit(phrase: str, element: Element) -> float:
    """How well a phrase fits; a name may hold the names of buttons inside that are not in sight."""
    if normal(phrase) in map(normal, element.does.said):
        return 1.0
    return max(map(partial(likeness, phrase), element.texts))
