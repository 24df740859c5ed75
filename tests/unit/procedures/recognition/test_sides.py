"""Whose something was and who is to have it is told by the words around a name."""

from __future__ import annotations

from gui_agent.procedures.recognition.paraphrase import side, side_of


def test_the_words_around_a_name_tell_its_side() -> None:
    assert side("by", "") == side("", "'s") == side("that", "wrote") == "origin"
    assert side("to", ".") == side("", "needs") == "goal"
    assert side("", "") == side("about", "and") == ""


def test_words_that_contradict_each_other_tell_nothing() -> None:
    assert side("to", "'s") == ""
    assert side_of([("to", ""), ("by", "")]) == ""
    assert side_of([("to", ""), ("about", "")]) == "goal"
