"""A model behind a service: fits pictures, keeps the deadline, retries, and parses the answer."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gui_agent.core import deadline
from gui_agent.core.dialogue import Reply, Request, Traits
from gui_agent.core.errors import BadReply, ConfigError, MissingExtra
from gui_agent.core.observation import Point, Size
from gui_agent.models.cassette import Tape
from gui_agent.models.chat import Chat
from gui_agent.models.codec import Codec, ModelView, as_single_click, prepare, without_pictures
from gui_agent.models.families import Family
from gui_agent.models.families import family as family_of
from gui_agent.models.messages import Messages
from gui_agent.models.pictures import Space
from gui_agent.models.responses import Responses
from gui_agent.models.spec import Spec, Wire, parse
from gui_agent.models.transport import (
    ServiceFault,
    Transport,
    answer_within,
    clean,
    fault_without_answer,
    retry_after,
)

NO_KEY = "none"
"""Key for servers that need none; otherwise the SDK would look for one on this machine."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Vendor:
    """One SDK's names for the objects that all SDKs have."""

    client: Callable[..., Any]
    refused: type[Exception]
    """Raised for an answer with an error status."""
    failed: type[Exception]
    """The base class of the SDK's exceptions."""
    codes: tuple[str, ...]
    """Attributes of `refused` with the kind of error, the most specific first."""


def openai() -> Vendor:
    """The SDK for OpenAI and every compatible server."""
    import openai as sdk

    return Vendor(sdk.OpenAI, sdk.APIStatusError, sdk.OpenAIError, ("code", "type"))


def anthropic() -> Vendor:
    """The SDK for Anthropic and every compatible server."""
    import anthropic as sdk

    return Vendor(sdk.Anthropic, sdk.APIStatusError, sdk.AnthropicError, ("type",))


class SdkTransport:
    """Posts JSON with a provider's official client, which knows the addresses, headers and errors."""

    def __init__(self, vendor: Callable[[], Vendor], url: str, key: str = "") -> None:
        try:
            import httpx2

            self._vendor = vendor()
        except ImportError as error:
            raise MissingExtra("models", f"a model in the format of {vendor.__name__}") from error
        self._http = httpx2
        self._url, self._key = url, key or NO_KEY
        self._client = self._open_client()

    def _open_client(self) -> Any:
        strip = lambda request: clean(request.headers, self._key)  # noqa: E731
        http = self._http.Client(event_hooks={"request": [strip]}, follow_redirects=False)
        return self._vendor.client(api_key=self._key, base_url=self._url, max_retries=0, http_client=http)

    def post(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str], seconds: float
    ) -> dict[str, Any]:
        client = self._client

        def ask() -> dict[str, Any]:
            options: Any = {"timeout": seconds, "headers": dict(headers)}
            try:
                answer = client.post(path, body=dict(body), cast_to=dict[str, Any], options=options)
            except self._vendor.refused as error:
                raise self._fault(error) from error
            except (self._vendor.failed, self._http.HTTPError, ValueError, RecursionError) as error:
                raise fault_without_answer(error, self._url) from error
            if not isinstance(answer, dict):
                raise ServiceFault("the answer is not a JSON object")
            return answer

        return answer_within(seconds, ask, self._cut)

    def _fault(self, error: Any) -> ServiceFault:
        named = (getattr(error, name, None) for name in self._vendor.codes)
        code = next((str(value) for value in named if value), "")
        return ServiceFault(str(error.message), error.status_code, code, retry_after(error.response.headers))

    def _cut(self) -> None:
        old, self._client = self._client, self._open_client()
        old.close()

    def close(self) -> None:
        self._client.close()


PAUSES = 5
"""Maximum continuations of one paused reply."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long and how often to try a service."""

    seconds: float = 180.0
    """Total seconds for one request, including attempts and pauses."""
    tries: int = 5
    first: float = 0.5
    """Seconds of the first pause if the service does not suggest one; each further pause doubles."""
    longest: float = 30.0

    def pause(self, attempt: int, asked: float | None) -> float:
        """Seconds before the next attempt; the service's suggestion takes precedence."""
        if asked is not None:
            return asked
        return min(self.longest, self.first * 2.0**attempt) * random.uniform(0.75, 1.0)


class RemoteModel:
    """Communicates with one model of a service in its own wire format."""

    def __init__(
        self,
        spec: Spec,
        family: Family,
        codec: Codec,
        transport: Transport,
        *,
        patience: RetryPolicy = RetryPolicy(),
        extra: Mapping[str, Any] | None = None,
        pictures: bool = True,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.spec, self.family = spec, family
        self._codec, self._transport = codec, transport
        self._patience, self._sleep = patience, sleep
        self._extra = dict(extra or {})
        self._cap: Size | None = None
        self._pictures = pictures
        """Whether to send pictures: not if the settings or the service exclude them."""

    @property
    def name(self) -> str:
        return self.spec.text

    @property
    def traits(self) -> Traits:
        traits = self.family.traits(self.spec.wire)
        return traits if self._pictures else replace(traits, pictures=0)

    def complete(self, request: Request) -> Reply:
        reply = self._to_its_end(request)
        return as_single_click(reply) if request.purpose == "point" else reply

    def _to_its_end(self, request: Request) -> Reply:
        """The complete reply; if the provider paused, its partial reply is sent back and continued."""
        end = time.monotonic() + deadline.remaining(request.seconds or self._patience.seconds)
        reply = self._ask(request, self.view)
        for _ in range(PAUSES):
            if reply.stop != "paused":
                return reply
            left = max(0.01, end - time.monotonic())
            more = replace(request, turns=(*request.turns, reply), seconds=left)
            reply = join_replies(reply, self._ask(more, self.view))
        if reply.stop == "paused":
            raise BadReply(f"{self.name} paused {PAUSES} times without finishing; answer shorter")
        return reply

    @property
    def view(self) -> ModelView:
        return ModelView(self.spec.model, self.family, self.spec.wire, self.spec.home, self._cap)

    def numbers(self, request: Request) -> tuple[tuple[float, float], ...]:
        """The coordinates as the model wrote them, for determining their convention."""
        seen = self.view.for_request(request).space
        if seen is None:
            return ()
        raw = _Written(seen.screen, seen.width, seen.height, seen.grid, heard=[])
        self._ask(request, self.view, raw)
        return tuple(raw.heard)

    def close(self) -> None:
        self._transport.close()

    def _ask(self, request: Request, view: ModelView, raw: Space | None = None) -> Reply:
        began = time.monotonic()
        end = began + deadline.remaining(request.seconds or self._patience.seconds)
        attempt = fits = 0
        while True:
            request = request if self._pictures else without_pictures(request)
            view = replace(view, cap=self._cap).for_request(request)
            told = prepare(request, view)
            seen = replace(view, space=raw) if raw is not None else view
            body = {**self._codec.body(told, view), **self._extra}
            headers = view.headers(told)
            try:
                left = max(0.01, end - time.monotonic())
                answer = self._transport.post(self._codec.path, body, headers, left)
                reply = self._codec.parse(answer, told, seen)
            except ServiceFault as fault:
                if fault.oversize and fits < 3 and request.screen is not None:
                    fits += 1
                    self._cap = fault.largest(self.family.rule.size(request.screen, self._cap))
                    continue
                if fault.sightless and self._pictures and request.screen is not None:
                    _LOG.warning("%s accepts no pictures; continuing with the texts of the screen", self.name)
                    self._pictures = False
                    continue
                attempt += 1
                pause = self._patience.pause(attempt - 1, fault.retry_after)
                late = time.monotonic() + pause >= end
                if not fault.passing or attempt >= self._patience.tries or late:
                    raise fault.error(self.name, self.spec.host) from fault
                self._sleep(pause)
                continue
            return replace(reply, seconds=time.monotonic() - began)


def join_replies(begun: Reply, rest: Reply) -> Reply:
    """One reply from two parts, the second of which continues the paused first one."""
    return replace(
        rest,
        text="\n".join(part for part in (begun.text, rest.text) if part),
        thought="\n".join(part for part in (begun.thought, rest.thought) if part),
        raw=(*begun.raw, *rest.raw) if rest.raw else (),
        usage=begun.usage + rest.usage,
        seconds=begun.seconds + rest.seconds,
    )


@dataclass(frozen=True)
class _Written(Space):
    heard: list[tuple[float, float]] = None  # type: ignore[assignment]

    def point(self, x: float, y: float) -> Point:
        self.heard.append((x, y))
        return Point(0, 0)


EFFORT: Mapping[Wire, str] = {"responses": "reasoning", "chat": "", "messages": "output_config"}
"""The object of a request that holds the effort; empty for chat, where it has a key of its own."""
CODECS: Mapping[Wire, Callable[[], Codec]] = {"responses": Responses, "chat": Chat, "messages": Messages}


def open_model(
    text: str,
    *,
    key: Callable[[str], str],
    wire: Wire | None = None,
    family: str = "",
    key_variable: str = "",
    effort: str = "",
    extra: Mapping[str, Any] | None = None,
    pictures: bool = True,
    patience: RetryPolicy = RetryPolicy(),
    tape: Tape | None = None,
) -> RemoteModel:
    """Open a model by its name; makes no connection yet.

    Args:
        text: `openai/gpt-...`, `anthropic/claude-...`, `gemini/...`, `azure/DEPLOYMENT`, `openrouter/...`,
            `ollama/...`, or the address of an OpenAI-compatible server with the model's name, `http://host:8000/v1#Qwen3-VL-8B`.
        key: returns the value of an environment variable, or raises MissingKey; only `settings` reads it.
        wire: responses, chat or messages, if it is not the usual one.
        family: a row of the table of families, if the model's name does not determine it.
        key_variable: the variable with the key of the user's own server; without it, no key is sent there.
        effort: how much the model thinks: low, medium or high; empty for its own measure.
        extra: further keys of every request, such as `{"top_p": 0.9}`.
        pictures: False for a text-only model; if a service refuses pictures, none are sent anyway.
        tape: records all traffic, or replays it without a connection.

    Raises:
        ConfigError: the name, the family or the wire is wrong, or a key would go to a foreign host.
        MissingKey: the provider's key is not set.
        MissingExtra: the provider's SDK is not installed.
    """
    spec, row = describe_model(text, wire=wire, family=family, key_variable=key_variable)
    transport = tape.playing(spec.host) if tape is not None and tape.replays else _transport(spec, key)
    if tape is not None and not tape.replays:
        transport = tape.recording(transport, spec.host)
    codec = CODECS[spec.wire]()
    holder = EFFORT[spec.wire]
    thinking = {holder: {"effort": effort}} if holder else {"reasoning_effort": effort}
    extra = {**(thinking if effort else {}), **(extra or {})}
    return RemoteModel(spec, row, codec, transport, patience=patience, extra=extra, pictures=pictures)


def describe_model(
    text: str, *, wire: Wire | None = None, family: str = "", key_variable: str = ""
) -> tuple[Spec, Family]:
    """The connection to a model: its address, and its family with picture size and coordinates."""
    if wire is not None and wire not in CODECS:
        raise ConfigError(f'there is no wire format "{wire}"; use responses, chat or messages')
    spec = parse(text, wire=wire, key=key_variable)
    return spec, family_of(spec.model, family)


def _transport(spec: Spec, key: Callable[[str], str]) -> Transport:
    secret = key(spec.key) if spec.key else ""
    vendor = anthropic if spec.wire == "messages" else openai
    url = spec.url if "://" in spec.url else f"{key(spec.url).rstrip('/')}/openai/v1"
    return SdkTransport(vendor, url, secret)
