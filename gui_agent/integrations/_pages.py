"""What all pages of the workbench share: their frame and language, and a person's choices for a run."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from gui_agent.integrations._messages import catalogue, language_of, say, say_count
from gui_agent.integrations.local import Body, Word, own_page
from gui_agent.trace.report import moment, resource, templates

if TYPE_CHECKING:
    from jinja2 import Environment

PACKAGE, STYLE = "gui_agent.integrations", "gui_agent.trace"


class RunChoices(Body):
    """What a person chooses for one run."""

    on: Word = ""
    """The kind of screen, if not that of the settings."""
    profile: Word = ""
    """The kept login to use."""
    model: Word = ""
    may_send: bool = False
    """Send and submit without asking, in this run only."""
    yes: bool = False
    """Allow everything that the guard asks about, in this run only."""

    def by_name(self) -> dict[str, Any]:
        """The choices by name, as `chosen_settings` takes them."""
        return {name: getattr(self, name) for name in RunChoices.model_fields}


def page_response(request: Request, page: str, **told: Any) -> Response:
    """A page in the language of the browser."""
    language = language_of(request.headers.get("accept-language", ""))
    return own_page(lambda nonce: render(page, nonce, language, **told))


def words_of(request: Request) -> dict[str, str]:
    """The words of the browser's language by the English ones, without counts."""
    known = catalogue(language_of(request.headers.get("accept-language", "")))
    return {text: said[0] for text, said in known.items()}


def render(page: str, nonce: str, language: str = "en", **told: Any) -> str:
    """A page of the workbench in a language; all texts are escaped."""
    style = resource(STYLE, "report.css") + resource(PACKAGE, "workbench.css")
    script = resource(PACKAGE, "workbench.js")
    common = {"page": page, "nonce": nonce, "language": language, "style": style, "script": script}
    return _environment(language).get_template(f"{page}.html.j2").render(**common, **told)


@cache
def _environment(language: str) -> Environment:
    environment = templates(PACKAGE)
    environment.filters["moment"] = moment
    environment.globals |= {"_": partial(say, language), "_n": partial(say_count, language)}
    return environment
