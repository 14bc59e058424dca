"""The language model a person has set up in `models.toml`, and the variables that override it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import urlsplit

from pactkeeper.errors import Problem
from pactkeeper.ledger.model import ASKING, PROVIDERS, RUN_CAPS, STRUCTURED, Caps, ModelSetup, Price, Provider
from pactkeeper.ledger.question import KINDS
from pactkeeper.settings.file import Check, SettingsFile, matching, text, text_of, whole

FILE: Final = "models.toml"
MODEL, BASE_URL, KEY_ENV = "PACTKEEPER_MODEL", "PACTKEEPER_MODEL_BASE_URL", "PACTKEEPER_MODEL_KEY_ENV"
_BASE_URLS: Final[Mapping[Provider, str]] = {
    "openai-compatible": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "ollama": "http://127.0.0.1:11434/v1",
    "openrouter": "https://openrouter.ai/api/v1",
}
_KEYS: Final[Mapping[Provider, str]] = {
    "openai-compatible": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "ollama": "",
    "openrouter": "OPENROUTER_API_KEY",
}
_MICRO: Final = 1_000_000


def _url(value: object) -> str:
    parts = urlsplit(value) if isinstance(value, str) else None
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
        return "is not an address such as 'https://api.example.com/v1'"
    if parts.username or parts.password or parts.query:
        return "holds more than an address; the key belongs in the variable that key_env names"
    return ""


_variable: Final = matching(
    r"(?:[A-Za-z_][A-Za-z0-9_]*)?", "names no environment variable; never put the key itself here"
)


def _amount(value: object) -> str:
    number = isinstance(value, int | Decimal) and not isinstance(value, bool) and Decimal(value).is_finite()
    return "" if number and 0 <= cast("Decimal", value) <= _MICRO else "is not an amount in US dollars"


def _one_of(options: tuple[str, ...]) -> Check:
    return lambda value: "" if value in options else f"is not one of {', '.join(options)}"


def _kinds(value: object) -> str:
    known = isinstance(value, list) and all(one in KINDS for one in value)
    return "" if known else f"is not a list of question kinds; known are {', '.join(KINDS)}"


_CAPS: Final[Mapping[str, Check]] = {
    "max_calls": whole(0, 10**9),
    "max_tokens": whole(0, 10**12),
    "max_money": _amount,
}
_TOP: Final[Mapping[str, Check]] = {
    "provider": _one_of(PROVIDERS),
    "model": text,
    "base_url": _url,
    "key_env": _variable,
    "structured": _one_of(STRUCTURED),
    "ask": _one_of(ASKING),
    "kinds": _kinds,
    "concurrency": whole(1, 64),
    "timeout": whole(1, 3600),
    "retries": whole(0, 20),
    "max_output_tokens": whole(64, 1_000_000),
}
_TABLES: Final[Mapping[str, Mapping[str, Check]]] = {
    "prices": {"input": _amount, "output": _amount},
    "run": _CAPS,
    "day": _CAPS,
}


def model_setup(folder: Path | None, variables: Mapping[str, str] | None = None) -> ModelSetup | None:
    """The model set up in this folder's `models.toml` and the environment, or None.

    Raises SettingsError listing every problem of the file, with its line, and of the variables.
    """
    said = os.environ if variables is None else variables
    path = None if folder is None else folder / FILE
    file = SettingsFile(str(path), text_of(path) or "")
    data = file.read(parse_float=Decimal)
    _verify(file, data)
    found = _overridden(data, _overrides(said, file.problems))
    _verify_whole(file, found)
    file.refuse("the model's settings")
    if not found:
        return None
    return _setup(found, source=file.path if file.text else MODEL)


def model_key(setup: ModelSetup, variables: Mapping[str, str] | None = None) -> str:
    """The API key in the environment for a model; empty if it needs none or none is set."""
    said = os.environ if variables is None else variables
    return said.get(setup.key_env, "").strip() if setup.key_env else ""


def _verify(file: SettingsFile, data: Mapping[str, Any]) -> None:
    for name, value in data.items():
        if name not in _TABLES:
            _verify_key(file, ("", name), value)
        elif isinstance(value, dict):
            for key, member in value.items():
                _verify_key(file, (name, key), member)
        else:
            file.complain("", name, f"{name!r} is not a table: write [{name}]")


def _verify_key(file: SettingsFile, place: tuple[str, str], value: object) -> None:
    table, key = place
    known = _TABLES[table] if table else _TOP
    if key not in known:
        named = ", ".join((*known, *(() if table else _TABLES)))
        file.complain(table, key, f"unknown key {key!r}; known are {named}")
    elif wrong := known[key](value):
        file.complain(table, key, f"{key}: {_shown(key, value)} {wrong}")


def _shown(key: str, value: object) -> str:
    """A value as a message may show it: one given as an address or a variable's name may be a secret."""
    return "its value" if key in {"base_url", "key_env"} else repr(value)


def _overrides(variables: Mapping[str, str], problems: list[Problem]) -> dict[str, str]:
    found: dict[str, str] = {}
    if named := variables.get(MODEL, ""):
        provider, colon, model = named.partition(":")
        if not (colon and model and provider in PROVIDERS):
            problems.append(Problem(MODEL, 0, f"{named!r} is not PROVIDER:MODEL; providers are {', '.join(PROVIDERS)}"))
        found |= {"provider": provider, "model": model}
    for variable, key in ((BASE_URL, "base_url"), (KEY_ENV, "key_env")):
        if value := variables.get(variable, ""):
            wrong = _TOP[key](value)
            if wrong:
                problems.append(Problem(variable, 0, f"{_shown(key, value)} {wrong}"))
            found[key] = value
    return found


def _overridden(data: Mapping[str, Any], overrides: Mapping[str, str]) -> dict[str, Any]:
    """The file's settings with the variables' on top; prices belong to a model, addresses and keys to a provider."""
    moved = "provider" in overrides and overrides["provider"] != data.get("provider")
    renamed = moved or overrides.get("model", data.get("model")) != data.get("model")
    gone = {"base_url", "key_env", "structured"} if moved else set()
    gone |= {"prices"} if renamed else set()
    return {**{key: value for key, value in data.items() if key not in gone}, **overrides}


def _verify_whole(file: SettingsFile, found: Mapping[str, Any]) -> None:
    if file.problems or not found:
        return
    for key in ("provider", "model"):
        if key not in found:
            file.complain("", "", f"{key!r} is missing; set provider and model, or {MODEL}=PROVIDER:MODEL")
    prices = found.get("prices", {})
    if prices and set(prices) != {"input", "output"}:
        file.complain("", "", "[prices] needs both 'input' and 'output', in US dollars per million tokens")


def _setup(found: Mapping[str, Any], *, source: str) -> ModelSetup:
    provider = cast("Provider", found["provider"])
    plain = {name: value for name, value in found.items() if name not in _TABLES}
    asked = {
        "base_url": _BASE_URLS[provider],
        "key_env": _KEYS[provider],
        "structured": "tool" if provider == "anthropic" else "schema",
        **plain,
        "kinds": tuple(found.get("kinds", ())),
        "price": _price(found.get("prices")),
        "day": _caps(found.get("day", {})),
        "run": _caps(found["run"]) if "run" in found else RUN_CAPS,
        "source": source,
    }
    return ModelSetup(**asked)


def _price(prices: Mapping[str, int | Decimal] | None) -> Price | None:
    return Price(_micro(prices["input"]), _micro(prices["output"])) if prices else None


def _caps(table: Mapping[str, Any]) -> Caps:
    money = table.get("max_money")
    return Caps(table.get("max_calls"), table.get("max_tokens"), None if money is None else _micro(money))


def _micro(dollars: int | Decimal) -> int:
    return int((Decimal(dollars) * _MICRO).to_integral_value())
