"""Diagnostics, findings and tasks of health as JSON values and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, TypeVar

from pactkeeper.intent.health import Diagnostic, FixTask, HealthFinding, Output

if TYPE_CHECKING:
    from pactkeeper.ledger.canonical import JsonValue

Value = TypeVar("Value", Diagnostic, FixTask, HealthFinding, Output)


def encode(value: Diagnostic | FixTask | HealthFinding | Output) -> dict[str, JsonValue]:
    """A value as a mapping by the names of its fields; tuples become lists."""
    return {name: _plain(one) for name, one in asdict(value).items()}


def read_diagnostic(value: Mapping[str, Any]) -> Diagnostic:
    """Read what `encode` made; a field that is missing has its default."""
    return _read(Diagnostic, value)


def read_output(value: Mapping[str, Any]) -> Output:
    """Read what `encode` made; a field that is missing has its default."""
    return _read(Output, value)


def read_task(value: Mapping[str, Any]) -> FixTask:
    """Read what `encode` made; a field that is missing has its default."""
    return _read(FixTask, value)


def read_health_finding(value: Mapping[str, Any]) -> HealthFinding:
    """Read what `encode` made; a field that is missing has its default."""
    return _read(HealthFinding, {**value, "diagnostic": read_diagnostic(value["diagnostic"])})


def _read(kind: type[Value], value: Mapping[str, Any]) -> Value:
    known = {field.name for field in fields(kind)}
    found = {name: tuple(one) if isinstance(one, list) else one for name, one in value.items() if name in known}
    make: Callable[..., Value] = kind
    return make(**found)


def _plain(value: object) -> JsonValue:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(one) for one in value]
    return value  # type: ignore[return-value]  # the rest are texts, numbers and truths
