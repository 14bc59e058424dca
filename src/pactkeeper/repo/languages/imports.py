"""Encode and decode a file's imports for the cache."""

from __future__ import annotations

from functools import cache

import msgspec

from pactkeeper.repo.languages.adapter import FileImports, Import

_Row = tuple[str, int, tuple[str, ...], bool]
_Rows = tuple[list[_Row], tuple[int, ...], tuple[tuple[int, str], ...]]


def encode(imports: FileImports) -> bytes:
    """Encode imports for the cache."""
    rows = [(one.module, one.line, one.names, one.only_types) for one in imports.found]
    return _encoder().encode((rows, imports.computed, imports.problems))


def decode(data: bytes) -> FileImports:
    """Decode what `encode` returned."""
    rows, computed, problems = _decoder().decode(data)
    return FileImports(tuple(Import(*row) for row in rows), computed, problems)


@cache
def _encoder() -> msgspec.msgpack.Encoder:
    return msgspec.msgpack.Encoder()


@cache
def _decoder() -> msgspec.msgpack.Decoder[_Rows]:
    return msgspec.msgpack.Decoder(_Rows)
