"""The providers' own SDKs as transports: one way to post JSON, and what differs between their vendors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gui_agent.core.errors import MissingExtra
from gui_agent.models.service_errors import ServiceFault, retry_after, unanswered
from gui_agent.models.transport import clean, within

NO_KEY = "none"
"""Sent to servers that take no key; without it an SDK would look for one on this machine."""


@dataclass(frozen=True, slots=True)
class Vendor:
    """What one SDK calls the things that all of them have."""

    client: Callable[..., Any]
    refused: type[Exception]
    """Raised for an answer with an error status."""
    failed: type[Exception]
    """The root of everything that the SDK raises."""
    codes: tuple[str, ...]
    """Attributes of `refused` that name the kind of error, the most exact first."""


def openai() -> Vendor:
    """The SDK for OpenAI and every server that speaks like it."""
    import openai as sdk

    return Vendor(sdk.OpenAI, sdk.APIStatusError, sdk.OpenAIError, ("code", "type"))


def anthropic() -> Vendor:
    """The SDK for Anthropic and every server that speaks like it."""
    import anthropic as sdk

    return Vendor(sdk.Anthropic, sdk.APIStatusError, sdk.AnthropicError, ("type",))


class SdkTransport:
    """Posts JSON with a provider's official client: it knows the addresses, headers and errors."""

    def __init__(self, vendor: Callable[[], Vendor], url: str, key: str = "") -> None:
        """
        Args:
            vendor: loads the SDK.

        Raises:
            MissingExtra: it is not installed.
        """
        try:
            import httpx2

            self._vendor = vendor()
        except ImportError as error:
            raise MissingExtra("models", f"a model in the format of {vendor.__name__}") from error
        self._http = httpx2
        self._url, self._key = url, key or NO_KEY
        self._client = self._opened()

    def _opened(self) -> Any:
        strip = lambda request: clean(request.headers, self._key)  # noqa: E731
        http = self._http.Client(event_hooks={"request": [strip]}, follow_redirects=False)
        return self._vendor.client(api_key=self._key, base_url=self._url, max_retries=0, http_client=http)

    def post(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str], seconds: float
    ) -> dict[str, Any]:
        """Ask once. Raises ServiceFault."""
        client = self._client

        def ask() -> dict[str, Any]:
            options: Any = {"timeout": seconds, "headers": dict(headers)}
            try:
                answer = client.post(path, body=dict(body), cast_to=dict[str, Any], options=options)
            except self._vendor.refused as error:
                raise self._fault(error) from error
            except (self._vendor.failed, self._http.HTTPError, ValueError, RecursionError) as error:
                raise unanswered(error, self._url) from error
            if not isinstance(answer, dict):
                raise ServiceFault("the answer is no JSON object")
            return answer

        return within(seconds, ask, self._cut)

    def _fault(self, error: Any) -> ServiceFault:
        named = (getattr(error, name, None) for name in self._vendor.codes)
        code = next((str(value) for value in named if value), "")
        return ServiceFault(str(error.message), error.status_code, code, retry_after(error.response.headers))

    def _cut(self) -> None:
        old, self._client = self._client, self._opened()
        old.close()

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()
