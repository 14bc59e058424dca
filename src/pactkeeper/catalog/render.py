"""Renders the pact's values as TOML, always on one line, so that a line-based merge never splits a value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Final

from pactkeeper.catalog import schema
from pactkeeper.errors import InputError
from pactkeeper.intent.atoms import Atom, Clarification, Commitment, Molecule
from pactkeeper.intent.pact import LinkRecord, Waiver

TomlValue = str | bool | int | float | date | Sequence["TomlValue"] | Mapping[str, "TomlValue"]
Fields = dict[str, TomlValue]

LONGEST_TEXT: Final = 100_000  # characters of one text in the pact, read or written

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
# control characters, and those that editors treat as line ends, hide, or use to reverse the reading direction
_UNSAFE = re.compile('[\\\\"\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]')


def render(value: TomlValue) -> str:
    """Render a value as TOML; raises `InputError` for text that UTF-8 can't encode."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return inline_table(value)
    return f"[{', '.join(render(item) for item in value)}]"


def inline_table(fields: Mapping[str, TomlValue]) -> str:
    """Render a table on one line."""
    inner = ", ".join(f"{key(name)} = {render(value)}" for name, value in fields.items())
    return f"{{ {inner} }}" if inner else "{}"


def key(name: str) -> str:
    """Render one part of a key, quoted if necessary."""
    return name if _BARE.match(name) else quoted(name)


def quoted(text: str) -> str:
    """Render text as a basic string on one line."""
    if len(text) > LONGEST_TEXT:
        raise InputError(f"the text {text[:40]!r}… has {len(text):,} characters; write at most {LONGEST_TEXT:,}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"the text {text[:60]!r} contains an invalid character and cannot be written; reword it"
        ) from error
    return f'"{_UNSAFE.sub(_escape, text)}"'


def _escape(found: re.Match[str]) -> str:
    return _ESCAPES.get(found[0]) or f"\\u{ord(found[0]):04X}"


def _filled(pairs: Iterable[tuple[str, TomlValue | None]]) -> Fields:
    """Leave out what a reader defaults: None, "" and empty collections."""
    return {name: value for name, value in pairs if value is not None and value != "" and value not in ((), {}, [])}


def atom_fields(atom: Atom) -> Fields:
    """Return the keys of an atom's table, in written order.

    The first and last key are the ones that hardly ever change: a changed line next to an added one is a conflict, so
    these fence off the others from neighbouring entries. The usual category is written only where no origin is first.
    """
    usual = atom.origin and atom.category == "functional"
    pairs = _filled((("origin", atom.origin), ("category", None if usual else atom.category)))
    pairs |= _filled((("intent", atom.intent), ("outcomes", atom.outcomes), ("falsified_by", atom.falsified_by)))
    pairs |= _filled((("tags", atom.tags), ("status", None if atom.status == "draft" else atom.status)))
    pairs |= _filled((("reason", atom.reason), ("supersedes", atom.supersedes)))
    return pairs | _filled((("recommendation", atom.recommendation), ("source", atom.source)))


def link_fields(record: LinkRecord) -> Fields:
    """Return what was reviewed about one test; the body hash, which changes most, sits between stable keys."""
    return _filled((key.name, getattr(record, key.name)) for key in schema.LINK)


def molecule_fields(molecule: Molecule) -> Fields:
    """Return the keys of a molecule's table."""
    rest = [(name, getattr(molecule, name)) for name in ("description", "lens", "molecules", "tests")]
    return {"name": molecule.name, "atoms": molecule.atoms} | _filled(rest)


def clarification_fields(clarification: Clarification) -> Fields:
    """Return the keys of a clarification's table."""
    return {key.name: getattr(clarification, key.name) for key in schema.CLARIFICATION}


def waiver_fields(waiver: Waiver) -> Fields:
    """Return the keys of a waiver."""
    fields: Fields = {"by": waiver.by, "why": waiver.why, "until": waiver.until}
    return fields | _filled([("evidence", waiver.evidence)])


def commitment_text(commitment: Commitment) -> str:
    """Render the whole file of a commitment, which is written once."""
    head = {name: getattr(commitment, name) for name in ("id", "by", "at", "assurance", "signature", "abandons")}
    lines = [f"{name} = {render(value)}" for name, value in _filled(head.items()).items()]
    for name, entries in (
        ("frozen", commitment.frozen),
        ("replaces", commitment.replaces),
        ("overrides", commitment.overrides or {}),
        ("after", commitment.after),
    ):
        lines += _table(name, dict(sorted(entries.items())))
    for atom, words in sorted(commitment.words.items()):
        lines += _table(f"words.{key(atom)}", _filled((one.name, getattr(words, one.name)) for one in schema.WORDS))
    return "\n".join(lines) + "\n"


def _table(name: str, fields: Mapping[str, TomlValue]) -> list[str]:
    entries = [f"{key(one)} = {render(value)}" for one, value in fields.items()]
    return ["", f"[{name}]", *entries] if entries else []
