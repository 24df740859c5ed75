"""The `anthropic` SDK as transport."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gui_agent.core.errors import MissingExtra
from gui_agent.models.faults import Fault, retry_after
from gui_agent.models.transport import clean, within

NO_KEY = "none"
"""Sent to servers that take no key; without it the SDK would look for one on this machine."""


class AnthropicTransport:
    """Posts JSON with the official client."""

    def __init__(self, url: str, key: str = "") -> None:
        try:
            import anthropic
            import httpx2
        except ImportError as error:
            raise MissingExtra("models", "a model over the Anthropic format") from error
        self._sdk, self._http = anthropic, httpx2
        self._url, self._key = url, key or NO_KEY
        self._client = self._opened()

    def _opened(self) -> Any:
        strip = lambda request: clean(request.headers, self._key)  # noqa: E731
        http = self._http.Client(event_hooks={"request": [strip]}, follow_redirects=False)
        return self._sdk.Anthropic(api_key=self._key, base_url=self._url, max_retries=0, http_client=http)

    def post(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str], seconds: float
    ) -> dict[str, Any]:
        """Ask once. Raises Fault."""
        client = self._client

        def ask() -> dict[str, Any]:
            options: Any = {"timeout": seconds, "headers": dict(headers)}
            try:
                answer = client.post(path, body=dict(body), cast_to=dict[str, Any], options=options)
            except self._sdk.APIStatusError as error:
                raise Fault(
                    str(error.message),
                    error.status_code,
                    str(error.type or ""),
                    retry_after(error.response.headers),
                ) from error
            except (self._sdk.AnthropicError, self._http.HTTPError, ValueError) as error:
                raise Fault(f"{type(error).__name__}: {error}") from error
            if not isinstance(answer, dict):
                raise Fault("the answer is no JSON object")
            return answer

        return within(seconds, ask, self._cut)

    def _cut(self) -> None:
        old, self._client = self._client, self._opened()
        old.close()

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()
