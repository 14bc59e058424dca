"""What a model's tokens cost: as the person says, or as the list says that comes with the client library."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from typing import Final
from urllib.parse import urlsplit

from pactkeeper.ledger.model import ModelSetup, Price, Provider

_LISTED: Final[dict[Provider, str]] = {"anthropic": "anthropic", "openrouter": "openrouter"}
_SAMPLE: Final = 1_000  # tokens priced to learn the price of one, few enough for the lowest step of a price list
_SCALE: Final = 1_000_000 * 1_000_000 // _SAMPLE
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


def price_of(setup: ModelSetup) -> Price | None:
    """The price of a model's tokens; None where neither the person nor the list knows it.

    The list is data of the installed library and nothing is fetched. A model that Ollama runs on this machine is free.
    """
    if setup.price is not None:
        return setup.price
    if setup.provider == "ollama":
        return Price(0, 0) if on_loopback(setup.base_url) and not setup.model.endswith("-cloud") else None
    try:
        from genai_prices import Usage, calc_price  # noqa: PLC0415 - an extra
    except ImportError:
        return None
    sample = Usage(input_tokens=_SAMPLE, output_tokens=_SAMPLE)
    try:
        if listed := _LISTED.get(setup.provider):
            found = calc_price(sample, setup.model, provider_id=listed)
        else:
            found = calc_price(sample, setup.model, provider_api_url=setup.base_url)
    except (LookupError, ValueError):
        return None
    return Price(_micro(found.input_price), _micro(found.output_price))


def on_loopback(url: str) -> bool:
    """Whether an address is on this machine."""
    return (urlsplit(url).hostname or "") in _LOOPBACK


def _micro(dollars: Decimal) -> int:
    return int((Decimal(dollars) * _SCALE).to_integral_value(ROUND_CEILING))
