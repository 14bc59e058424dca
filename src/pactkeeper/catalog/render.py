"""Values of the pact → TOML text, always on one line, so that a merge by lines never tears a value apart."""

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

LONGEST_TEXT: Final = 100_000  # characters of one text of the pact, written or read

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
# control characters, and what editors take for a line end, hide, or use to turn the reading direction around
_UNSAFE = re.compile('[\\\\"\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]')


def render(value: TomlValue) -> str:
    """Write a value as TOML; raises `InputError` for text that UTF-8 cannot hold."""
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
    """Write a table on one line."""
    inner = ", ".join(f"{key(name)} = {render(value)}" for name, value in fields.items())
    return f"{{ {inner} }}" if inner else "{}"


def key(name: str) -> str:
    """Write one part of a key, quoted where it must be."""
    return name if _BARE.match(name) else quoted(name)


def quoted(text: str) -> str:
    """Write text as a basic string on one line."""
    if len(text) > LONGEST_TEXT:
        raise InputError(f"the text {text[:40]!r}… has {len(text):,} characters; write at most {LONGEST_TEXT:,}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"the text {text[:60]!r} holds half a character and cannot be written; reword it") from error
    return f'"{_UNSAFE.sub(_escape, text)}"'


def _escape(found: re.Match[str]) -> str:
    return _ESCAPES.get(found[0]) or f"\\u{ord(found[0]):04X}"


def _filled(pairs: Iterable[tuple[str, TomlValue | None]]) -> Fields:
    """Leave out what a reader fills in by itself: None, "" and empty collections."""
    return {name: value for name, value in pairs if value is not None and value != "" and value not in ((), {}, [])}


def atom_fields(atom: Atom) -> Fields:
    """The keys of an atom's table, in the order they are written.

    The first and the last key are those that hardly ever change: a line that changes next to a line that is added is a
    conflict, so they fence off what may change from the neighbours.
    """
    pairs: Fields = {"category": atom.category, "intent": atom.intent}
    pairs |= _filled((("outcomes", atom.outcomes), ("falsified_by", atom.falsified_by), ("tags", atom.tags)))
    pairs |= _filled((("status", None if atom.status == "draft" else atom.status), ("reason", atom.reason)))
    pairs |= _filled([("supersedes", atom.supersedes)])
    pairs |= _filled((("origin", atom.origin), ("recommendation", atom.recommendation), ("source", atom.source)))
    return pairs


def link_fields(record: LinkRecord) -> Fields:
    """What was reviewed about one test; the body hash, which changes most, stands between keys that rarely do."""
    return _filled((key.name, getattr(record, key.name)) for key in schema.LINK)


def molecule_fields(molecule: Molecule) -> Fields:
    """The keys of a molecule's table."""
    rest = [(name, getattr(molecule, name)) for name in ("description", "lens", "molecules", "tests")]
    return {"name": molecule.name, "atoms": molecule.atoms} | _filled(rest)


def clarification_fields(clarification: Clarification) -> Fields:
    """The keys of a clarification's table."""
    return {key.name: getattr(clarification, key.name) for key in schema.CLARIFICATION}


def waiver_fields(waiver: Waiver) -> Fields:
    """The keys of a waiver."""
    fields: Fields = {"by": waiver.by, "why": waiver.why, "until": waiver.until}
    return fields | _filled([("evidence", waiver.evidence)])


def commitment_text(commitment: Commitment) -> str:
    """The whole file of a commitment, which is written once."""
    head = {name: getattr(commitment, name) for name in ("id", "by", "at", "assurance", "signature")}
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
