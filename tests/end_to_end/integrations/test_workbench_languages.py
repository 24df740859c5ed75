"""The languages of the workbench: what its templates say has a translation each."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest
from jinja2 import Environment, nodes

from gui_agent.integrations._messages import LANGUAGES, catalogue, say_count
from gui_agent.integrations.workbench import WORKING

TEMPLATES = files("gui_agent.integrations") / "templates"


BAR = files("gui_agent.computers.browser.recording") / "bar.js"
VIEW = files("gui_agent.server") / "live.html"


def messages() -> set[str]:
    """What the pages, the bar and the live view say in English; of a count, the form for one."""
    found = {wording.label for wording in WORKING.values()}
    bar, view = BAR.read_text("utf-8"), VIEW.read_text("utf-8")
    found |= {*re.findall(r'say\("([^"]+)"\)', bar), *re.findall(r'(?:\w+: |\["\w+", )"([A-Z][^"]+)"', bar)}
    found |= {*re.findall(r'word\("([^"]+)"\)', view), *re.findall(r">([A-Z][A-Za-z ]+)<", view)}
    found |= set(re.findall(r'(?:aria-label|placeholder|alt)="([A-Z][^"]+)"', view))
    found |= set(re.findall(r'(?:running|paused|waiting|yours|taught): "([^"]+)"', view))
    for template in TEMPLATES.iterdir():
        if not template.name.endswith(".j2"):
            continue
        for call in Environment().parse(template.read_text("utf-8")).find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name in ("_", "_n"):
                found |= {one.value for one in call.args[:1] if isinstance(one, nodes.Const)}
    return found


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_message_has_a_translation_with_the_same_places(language: str) -> None:
    known = catalogue(language)
    assert messages() - known.keys() == set()
    for english, translated in known.items():
        assert all(translated)
        for one in translated:
            assert re.findall(r"%[sd]", one) == re.findall(r"%[sd]", english), english


def test_a_count_takes_the_form_of_its_language() -> None:
    said = [say_count("de", "%d row to look at", "%d rows to look at", count) for count in (0, 1, 2)]
    assert said[0] == said[2] != said[1]
