"""The connection to one model: the real client libraries, restricted to one address and to bounded responses.

Classifies the errors of those libraries by what to do next.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import httpx2
from pydantic_ai import exceptions as theirs
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from pactkeeper.ledger.model import ModelSetup
from pactkeeper.models.asking import on_loopback
from pactkeeper.models.pace import LONGEST, Pace, quiet_for
from pactkeeper.models.said import TOOL, Completion, Failed, Finish, Words, plain

if TYPE_CHECKING:
    from pydantic_ai.models import Model


MOST_BYTES: Final = 2_000_000  # of one response; no valid answer comes near
_CONNECT: Final = 10.0  # seconds
_ASKS: Final = "Give the answer. Call this once."
_FINISHES: Final[dict[str | None, Finish]] = {"length": "cut", "content_filter": "refused"}
# What the libraries raise for a response of unexpected form.
_TRIPPED: Final = (ValueError, TypeError, AttributeError, LookupError)
# The client library needs some key even if the server doesn't.
_NO_KEY: Final = "no-key"


@dataclass(frozen=True, slots=True)
class ModelLine:
    """A model that can be asked; only the client and the function that redacts messages know `key`."""

    setup: ModelSetup
    model: Model
    hide: Callable[[str], str]

    async def send(self, words: Words) -> Completion | Failed:
        """Ask once, within the configured timeout; any failure is returned as a value."""
        try:
            async with asyncio.timeout(self.setup.timeout):
                response = await model_request(
                    self.model,
                    [ModelRequest(parts=[UserPromptPart(words.material)], instructions=words.instructions)],
                    model_settings=ModelSettings(max_tokens=self.setup.max_output_tokens),
                    model_request_parameters=_parameters(self.setup, words),
                )
        except TimeoutError:
            return Failed(f"no answer within {self.setup.timeout} seconds", again=True, billed=True)
        except (AgentRunError, UserError, httpx2.HTTPError, *_TRIPPED) as error:
            return failed_of(error, self.hide)
        said = said_of(response)
        return replace(said, text=self.hide(said.text), refusal=self.hide(said.refusal))


@asynccontextmanager
async def open_line(setup: ModelSetup, key: str, pace: Pace) -> AsyncIterator[ModelLine]:
    """Open a connection to the configured address only; it is closed at the end."""
    async with _client(setup, pace) as client:
        yield ModelLine(setup, _model(setup, key, client), _hiding(key))


def said_of(response: ModelResponse) -> Completion:
    """Read a response of the library: one tool call, otherwise all its text."""
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    details = response.provider_details or {}
    usage = response.usage
    return Completion(
        _arguments(calls[0]) if calls else "".join(p.content for p in response.parts if isinstance(p, TextPart)),
        next((call.tool_name for call in calls if call.tool_name != TOOL), calls[0].tool_name if calls else ""),
        _FINISHES.get(response.finish_reason, "whole"),
        str(details.get("refusal", "")),
        usage.input_tokens or None,
        usage.output_tokens or None,
    )


def _arguments(call: ToolCallPart) -> str:
    return call.args if isinstance(call.args, str) else json.dumps(call.args or {})


def _parameters(setup: ModelSetup, words: Words) -> ModelRequestParameters:
    if setup.structured == "schema":
        wanted = OutputObjectDefinition(words.schema, name=TOOL)
        return ModelRequestParameters(output_mode="native", output_object=wanted)
    tool = ToolDefinition(name=TOOL, parameters_json_schema=words.schema, description=_ASKS, kind="output")
    return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)


def _model(setup: ModelSetup, key: str, client: httpx2.AsyncClient) -> Model:
    if setup.provider == "anthropic":
        from anthropic import AsyncAnthropic  # noqa: PLC0415 - only one of two large libraries is needed
        from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415 - likewise
        from pydantic_ai.profiles.anthropic import AnthropicModelProfile  # noqa: PLC0415 - likewise
        from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415 - likewise

        theirs = AsyncAnthropic(api_key=key or _NO_KEY, base_url=setup.base_url, http_client=client, max_retries=0)
        profile = AnthropicModelProfile(supports_json_schema_output=True) if setup.structured == "schema" else None
        return AnthropicModel(setup.model, provider=AnthropicProvider(anthropic_client=theirs), profile=profile)
    from openai import AsyncOpenAI  # noqa: PLC0415 - likewise
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415 - likewise
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415 - likewise

    ours = AsyncOpenAI(api_key=key or _NO_KEY, base_url=setup.base_url, http_client=client, max_retries=0)
    return OpenAIChatModel(setup.model, provider=OpenAIProvider(openai_client=ours), profile=_profile(setup))


def _profile(setup: ModelSetup) -> Any:  # noqa: ANN401 - the library's partial profile
    """The features assumed of an OpenAI-compatible server; OpenAI's own gets the library's profile."""
    from pydantic_ai.profiles.openai import OpenAIModelProfile  # noqa: PLC0415 - only needed to ask

    if urlsplit(setup.base_url).hostname == "api.openai.com":
        return None
    return OpenAIModelProfile(supports_json_schema_output=True, openai_chat_supports_max_completion_tokens=False)


def _client(setup: ModelSetup, pace: Pace) -> httpx2.AsyncClient:
    """An HTTP client for one address: no redirects, no proxy for loopback, no endless body.

    Certificates, which take long to load, are loaded unless it talks HTTP to loopback.
    """
    near = on_loopback(setup.base_url)
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(setup.timeout, connect=_CONNECT),
        follow_redirects=False,
        trust_env=not near,
        verify=not (near and setup.base_url.startswith("http:")),
        event_hooks={"request": [_only(setup.base_url)], "response": [_bounded(pace)]},
    )


def _only(url: str) -> Callable[[httpx2.Request], Awaitable[None]]:
    wanted = httpx2.URL(url)

    async def guard(request: httpx2.Request) -> None:
        if (request.url.scheme, request.url.host, request.url.port) != (wanted.scheme, wanted.host, wanted.port):
            raise Elsewhere(f"{request.url.host} is not the configured address")

    return guard


def _bounded(pace: Pace) -> Callable[[httpx2.Response], Awaitable[None]]:
    async def bound(response: httpx2.Response) -> None:
        pace.hush(quiet_for(response.headers))
        if response.is_redirect:
            raise Elsewhere("the server redirects to another address; set base_url to it")
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Bounded(response.stream)

    return bound


class _Bounded(httpx2.AsyncByteStream):
    """A body that raises an error once it exceeds the limit."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Pass on the chunks."""
        seen = 0
        async for chunk in self._stream:
            seen += len(chunk)
            if seen > MOST_BYTES:
                raise TooLong(f"the response is longer than {MOST_BYTES:,} bytes")
            yield chunk

    async def aclose(self) -> None:
        """Close the body itself."""
        await self._stream.aclose()


def _hiding(key: str) -> Callable[[str], str]:
    """A function that redacts the key in a text, in case a server repeats it."""
    return (lambda text: text.replace(key, "[the key]")) if key else (lambda text: text)


_SERVER: Final = 500
_BUSY: Final = frozenset({408, 409, 425, 429})
# No other question will fare better.
_FATAL: Final = (theirs.ModelAuthenticationError, theirs.ModelNotFoundError, theirs.ModelQuotaExceededError)


class Elsewhere(httpx2.RequestError):
    """A request was about to go to another address, or was redirected there."""


class TooLong(httpx2.RequestError):
    """A response exceeds the size limit."""


def failed_of(error: Exception, hide: Callable[[str], str]) -> Failed:
    """Translate an error of the client libraries; `hide` redacts secrets in what a server said."""
    for cause in _causes(error):
        if isinstance(cause, Elsewhere):
            return Failed(plain(hide(str(cause))), fatal=True)
        if isinstance(cause, TooLong):
            return Failed(plain(hide(str(cause))), billed=True)
    if isinstance(error, theirs.ModelHTTPError):
        return _by_status(error, hide)
    if isinstance(error, theirs.ModelConnectionError):
        return _unconnected(error, hide)
    if isinstance(error, theirs.ModelAPIError):
        return Failed(f"the response cannot be read: {plain(hide(error.message))}", again=True, billed=True)
    return Failed(f"the response is not from a model: {plain(hide(str(error)))}", billed=True)


def _by_status(error: theirs.ModelHTTPError, hide: Callable[[str], str]) -> Failed:
    said = plain(hide(_message(error.body)))
    reason = f"the server answered {error.status_code}{f': {said}' if said else ''}"
    if isinstance(error, _FATAL):
        return Failed(reason, fatal=True)
    again = error.status_code >= _SERVER or error.status_code in _BUSY
    if again and error.retry_after is not None and error.retry_after > LONGEST:
        return Failed(f"{reason}; it asks to wait {error.retry_after:.0f} seconds", fatal=True)
    return Failed(reason, again=again, wait=error.retry_after if again else None)


def _unconnected(error: theirs.ModelConnectionError, hide: Callable[[str], str]) -> Failed:
    """A server that was never reached costs nothing; one that broke off may already have done the work."""
    causes = list(_causes(error))
    never = any(isinstance(one, httpx2.ConnectError | httpx2.ConnectTimeout) for one in causes)
    reason = plain(hide(str(causes[-1]))) or type(causes[-1]).__name__
    verb = "cannot be reached" if never else "broke off"
    return Failed(f"the server {verb}: {reason}", again=True, billed=not never)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and the errors that caused it."""
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__ or found.__context__


def _message(body: object) -> str:
    """The message in an error's body, wherever common servers put it."""
    inner = body.get("error", body) if isinstance(body, Mapping) else body
    said = inner.get("message", "") if isinstance(inner, Mapping) else inner
    return said if isinstance(said, str) else ""
