"""Sends requests to a service under our own deadline, and interprets the service's errors."""

from __future__ import annotations

import ipaddress
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

from gui_agent.core import deadline
from gui_agent.core.errors import BadReply, ConfigError, GuiAgentError, MissingKey, ModelUnavailable
from gui_agent.core.observation import Size
from gui_agent.core.texts import shorten

RETRIED = {408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529}
_CODES = {"rate_limit_exceeded": 429, "server_error": 500, "overloaded_error": 529, "api_error": 500}
_SPENT = ("insufficient_quota", "billing", "credit balance")
_OVERFLOW = re.compile(
    r"context[ _](length|window|size)|maximum context|(prompt|input) is too long|too many (input )?tokens",
    re.IGNORECASE,
)
_OVERSIZE = re.compile(
    r"image.{0,80}(too (large|big)|exceed|maximum|larger)|image_too_large|oversized", re.I | re.DOTALL
)
_NO_PICTURES = re.compile(
    r"image input is not supported|image_url is only supported|not a multimodal model"
    r"|missing data required for image"
    r"|(does not|doesn't|cannot|can't) (support|accept|take|process|read) (image|vision|picture)"
    r"|unknown variant `image_url`|no endpoints found that support image",
    re.IGNORECASE,
)
"""In the words of llama.cpp, OpenAI, vLLM, Ollama, LM Studio, DeepSeek and OpenRouter."""
REFUSED = "connection_refused"
"""The code of a fault by a refused connection: the machine exists, but no server listens."""
_SIZE = re.compile(r"(\d{2,5})\s*(?:px|pixels)?\s*(?:x|×|by)\s*(\d{2,5})", re.IGNORECASE)


@dataclass(eq=False)
class ServiceFault(Exception):
    """One failed attempt: `status` is the HTTP status, 0 without an answer."""

    message: str
    status: int = 0
    code: str = ""
    retry_after: float | None = None
    lasting: bool = False
    """Whether a retry is useless whatever the status says."""

    def __str__(self) -> str:
        return self.message

    @property
    def passing(self) -> bool:
        """Whether the same request may succeed a moment later."""
        if self.lasting or any(word in f"{self.code} {self.message}".lower() for word in _SPENT):
            return False
        return self.status == 0 or self.status in RETRIED

    @property
    def overflow(self) -> bool:
        """Whether the request exceeds the model's context."""
        return self.status in (400, 413, 422) and bool(_OVERFLOW.search(f"{self.code} {self.message}"))

    @property
    def oversize(self) -> bool:
        """Whether a picture is larger than the service accepts."""
        return self.status in (400, 413, 422) and bool(_OVERSIZE.search(f"{self.code} {self.message}"))

    @property
    def sightless(self) -> bool:
        """Whether the service reports that the model accepts no pictures; some use status 500."""
        return self.status >= 400 and bool(_NO_PICTURES.search(self.message))

    def largest(self, sent: Size) -> Size:
        """The maximum size of a picture: the largest in the message below `sent`, or half of it."""
        named = [Size(int(width), int(height)) for width, height in _SIZE.findall(self.message)]
        smaller = [size for size in named if size.width < sent.width or size.height < sent.height]
        best = max(smaller, key=lambda size: size.width * size.height, default=None)
        return best or Size(int(sent.width * 0.7), int(sent.height * 0.7))

    def error(self, model: str, host: str) -> GuiAgentError:
        """The error to raise after the last attempt."""
        said = shorten(self.message, 200)
        match self.status:
            case _ if self.overflow:
                return BadReply(f"{model}: the request is too long for the model; send less ({said})")
            case 401:
                return MissingKey(
                    f"{host} refused the key for {model}; set the right one and try again ({said})"
                )
            case 403:
                return ConfigError(f"{host} does not let this key use {model}; check its rights ({said})")
            case 404:
                return ConfigError(f"{host} does not know {model}; check the name and the address ({said})")
            case 400 | 413 | 422:
                return ConfigError(
                    f"{model}: {host} rejected the request ({said}); try another model or family"
                )
            case 0 if self.code == REFUSED:
                return ModelUnavailable(
                    f"{model}: no server listens at {host}; start it there, or correct the address"
                )
            case 0:
                return ModelUnavailable(f"{model}: {said}; check the network and that {host} is running")
            case status:
                return ModelUnavailable(f"{model}: {host} answered {status} ({said}); try again later")


def fault_without_answer(error: Exception, url: str) -> ServiceFault:
    """The fault of an attempt without an answer, by the root cause of `error`.

    A refusal by this very machine is final: no network is in between, and no model server starts within
    the seconds of further attempts. A refusal from elsewhere may come from a restarting service.
    """
    bottom: BaseException = error
    while (below := bottom.__cause__ or bottom.__context__) is not None:
        bottom = below
    why = getattr(bottom, "strerror", None)
    said = f"{type(error).__name__}: {error}" + (f" ({why})" if why else "")
    if isinstance(bottom, ConnectionRefusedError):
        return ServiceFault(said, code=REFUSED, lasting=_on_this_machine(url))
    return ServiceFault(said)


def _on_this_machine(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified


def in_body(answer: Mapping[str, Any]) -> ServiceFault | None:
    """The fault that a service reports inside an answer with status 200, if any."""
    error = answer.get("error")
    if not error:
        return None
    if not isinstance(error, Mapping):
        return ServiceFault(str(error), 500)
    code = str(error.get("code") or error.get("type") or "")
    status = int(code) if code.isdecimal() else _CODES.get(code, _CODES.get(str(error.get("type")), 400))
    return ServiceFault(str(error.get("message") or code or "an error without a message"), status, code)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a service asks to wait, from `retry-after-ms` or `retry-after`."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * unit)
        except (KeyError, ValueError):
            continue
    return None


T = TypeVar("T")
SENT = {
    "accept",
    "accept-encoding",
    "anthropic-beta",
    "anthropic-version",
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "host",
    "transfer-encoding",
    "user-agent",
    "x-api-key",
}
"""The only headers that leave this machine; those that an SDK adds from the environment are removed."""


class Transport(Protocol):
    """Sends one JSON body to a path of a service and returns the JSON answer."""

    def post(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str], seconds: float
    ) -> dict[str, Any]:
        """Send one request. Raises ServiceFault, also if the answer is not complete after `seconds`."""

    def close(self) -> None:
        """Close the connections."""


def answer_within(seconds: float, ask: Callable[[], T], give_up: Callable[[], None]) -> T:
    """The result of `ask`, or a ServiceFault if it takes longer; then `give_up` cuts its connection.

    An SDK's timeout restarts with every received piece, so a slow server could block a run indefinitely.
    """
    whose = "the run's limit of time" if deadline.remaining(seconds + 1) <= seconds else "model.seconds"
    box: list[T] = []
    errors: list[Exception] = []
    done = threading.Event()

    def work() -> None:
        try:
            box.append(ask())
        except ServiceFault as fault:
            errors.append(fault)
        finally:
            done.set()

    threading.Thread(target=work, name="model call", daemon=True).start()
    if not done.wait(seconds):
        give_up()
        raise ServiceFault(f"no complete answer within {seconds:.3g} s ({whose})")
    if errors:
        raise errors[0]
    if not box:
        raise ServiceFault("the call was interrupted", lasting=True)
    return box[0]


def clean(headers: Any, key: str) -> None:
    """Remove every header that is not meant for the service, and every key but its own."""
    for name in list(headers):
        if name.lower() not in SENT:
            del headers[name]
    for name in ("authorization", "x-api-key"):
        if name in headers and not (key and key in headers[name]):
            del headers[name]
