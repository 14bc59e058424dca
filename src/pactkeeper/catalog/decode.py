"""The single strict decoder of the pact's tables: it reports all unknown keys, wrong types and missing keys.

Also converts an atom's wording to text for the user's editor, and back with the same decoder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final, TypeVar

from pactkeeper.catalog.render import LONGEST_TEXT, TomlValue, quoted, render
from pactkeeper.catalog.schema import ATOM, FORMAT, NEEDS, ROOT, WHERE, WORDS, Key
from pactkeeper.catalog.toml_text import load
from pactkeeper.errors import InputError, Problem
from pactkeeper.intent.atoms import Atom, Frozen
from pactkeeper.intent.ids import COMMITMENT_PREFIX, MOLECULE_PREFIX, is_id, is_prefix
from pactkeeper.ledger.finding import PROJECT_CODE_PATTERN

_LONGEST_SHOWN = 60
_IN_ROOT: Final = 2  # parts of a path directly in the pact's folder
_TAKEN: Final = (".toml", ".txt", ".md", ".gitattributes", ".gitignore")
Path = tuple[str, ...]


class Wrong(Exception):
    """A value does not match its key; the message says what the key expects."""


@dataclass(slots=True)
class Findings:
    """The problems of one file, by key path; line numbers are looked up only if there are problems.

    `whole` is False if part of the text could not be read, so that no key can be reported as missing.
    """

    prefix: str = "IA"
    whole: bool = True
    found: list[tuple[Path, str]] = field(default_factory=list)

    def add(self, path: Path, message: str) -> None:
        """Record a problem."""
        self.found.append((path, message))


Checker = Callable[[object, Key, str], object]
_Value = TypeVar("_Value")


def _accepting(kind: type[_Value], message: str, fits: Callable[[_Value], object] = lambda _: True) -> Checker:
    """Return the checker of a value of one type that fits."""

    def check(value: object, _key: Key, _prefix: str) -> object:
        if not isinstance(value, kind) or not fits(value):
            raise Wrong(message)
        return value

    return check


def _tables(name: str) -> Checker:
    """Return the checker of an array of tables."""

    def check(value: object, _key: Key, _prefix: str) -> object:
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise Wrong(f"write [[{name}]] tables")
        return tuple(value)

    return check


def table(raw: object, keys: tuple[Key, ...], *, at: Path, findings: Findings) -> dict[str, object]:
    """Decode a table into the fields it fills; problems go to `findings`, and invalid values are left out."""
    if not isinstance(raw, dict):
        findings.add(at, f"{_name(at)} is {_shown(raw)}; write a table")
        return {}
    known = _known(keys)
    fields: dict[str, object] = {}
    for name, value in raw.items():
        entry = known.get(name)
        if entry is None:
            findings.add((*at, name), f"{name!r} is not a key of {_name(at)}; known are {', '.join(known)}")
            continue
        key, check, target = entry
        try:
            fields[target] = check(value, key, findings.prefix)
        except Wrong as wrong:
            findings.add((*at, name), f"{name} is {_shown(value)}; {wrong}")
    for key in keys:
        if key.required and key.name not in raw and findings.whole:
            findings.add(at, f"{_name(at)} has no {key.name!r}: {key.meaning}")
    return fields


_KNOWN: dict[int, dict[str, tuple[Key, Checker, str]]] = {}


def _known(keys: tuple[Key, ...]) -> Mapping[str, tuple[Key, Checker, str]]:
    known = _KNOWN.get(id(keys))
    if known is None:
        known = {key.name: (key, CHECKERS[key.kind], key.field or key.name) for key in keys}
        _KNOWN[id(keys)] = known
    return known


def _name(at: Path) -> str:
    return f"[{'.'.join(at)}]" if at else "the file"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."


def _text(value: object, _key: Key, _prefix: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise Wrong("write non-blank text")
    if len(value) > LONGEST_TEXT:
        raise Wrong(f"write at most {LONGEST_TEXT:,} characters, not {len(value):,}")
    return value


def _texts(value: object, _key: Key, _prefix: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise Wrong("write an array of strings")
    for item in value:
        if not isinstance(item, str) or not item.strip():
            raise Wrong("every item is text that is not blank")
        if len(item) > LONGEST_TEXT:
            raise Wrong(f"every item has at most {LONGEST_TEXT:,} characters; one has {len(item):,}")
    return tuple(value)


def _choice(value: object, key: Key, _prefix: str) -> str:
    if not isinstance(value, str) or value not in key.choices:
        raise Wrong(f"write one of {', '.join(key.choices)}")
    return value


def _choices(value: object, key: Key, prefix: str) -> tuple[str, ...]:
    return tuple(_choice(item, key, prefix) for item in _texts(value, key, prefix))


def _count(value: object, key: Key, _prefix: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise Wrong("write a whole number, 1 or more")
    if key.most and value > key.most:
        raise Wrong(f"write at most {key.most}")
    return value


def _share(value: object, _key: Key, _prefix: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise Wrong("write a number from 0 to 1")
    return float(value)


def _date(value: object, _key: Key, _prefix: str) -> date:
    if not isinstance(value, date) or isinstance(value, datetime):
        raise Wrong("write a date without quotes, such as 2030-12-31")
    return value


def _day(value: object, key: Key, prefix: str) -> str:
    return _date(value, key, prefix).isoformat()


def _moment(value: object, _key: Key, _prefix: str) -> str:
    try:
        if isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None:
            return value
    except ValueError:
        pass
    raise Wrong('write date, time and zone in quotes, such as "2030-12-31T09:00:00+00:00"')


def _atom(value: object, _key: Key, prefix: str) -> str:
    if not isinstance(value, str) or not is_id(value, prefix):
        raise Wrong(f"write the id of an atom, such as {prefix}-7F3KQ9T")
    return value


def _atoms(value: object, key: Key, prefix: str) -> tuple[str, ...]:
    ids = tuple(_atom(item, key, prefix) for item in _texts(value, key, prefix))
    if len(set(ids)) != len(ids):
        raise Wrong("list each atom once")
    return ids


def _molecules(value: object, key: Key, prefix: str) -> tuple[str, ...]:
    ids = _texts(value, key, prefix)
    if not all(is_id(item, MOLECULE_PREFIX) for item in ids):
        raise Wrong("every item is the id of a molecule, such as M-7F3KQ9T")
    if len(set(ids)) != len(ids):
        raise Wrong("list each molecule once")
    return ids


_hash = _accepting(str, "write a hash as Pactkeeper prints it", lambda text: text and not any(map(str.isspace, text)))


def _format(value: object, _key: Key, _prefix: str) -> int:
    if value != FORMAT or isinstance(value, bool):
        raise Wrong(f"this version of Pactkeeper reads format {FORMAT}")
    return FORMAT


_id = _accepting(
    str, "write the id of the commitment, such as COM-7F3KQ9T", lambda text: is_id(text, COMMITMENT_PREFIX)
)


def _mapping(name_of: Checker, item_of: Checker, what: str, *, filled: bool = False) -> Checker:
    """Return the checker of a table from names to items, which may be empty unless it is to be `filled`."""

    def check(value: object, key: Key, prefix: str) -> object:
        if not isinstance(value, dict) or (filled and not value):
            raise Wrong(f"write a table of {what}")
        return {name_of(name, key, prefix): item_of(item, key, prefix) for name, item in value.items()}

    return check


def _words(value: object, _key: Key, prefix: str) -> dict[str, Frozen]:
    if not isinstance(value, dict):
        raise Wrong("write a table of atom ids and what was frozen of them")
    found: dict[str, Frozen] = {}
    for name, item in value.items():
        fields: dict[str, Any] = _nested(item, WORDS, at=name, prefix=prefix)
        found[_atom(name, _key, prefix)] = Frozen(**fields)
    return found


def _signers(value: object, _key: Key, _prefix: str) -> str:
    parts = value.split("/") if isinstance(value, str) else [""]
    ours = isinstance(value, str) and value.startswith(ROOT) and (len(parts) > _IN_ROOT or value.endswith(_TAKEN))
    if ours or not isinstance(value, str) or any(part in {"", ".", ".."} for part in parts):
        raise Wrong("write a path in the repository, such as pact/allowed_signers")
    return value


def _command(value: object, _key: Key, _prefix: str) -> tuple[str, ...]:
    whole = isinstance(value, list) and all(isinstance(item, str) and "\0" not in item for item in value)
    if not isinstance(value, list) or not whole or not value or not value[0].strip():
        raise Wrong('write a program and its arguments as strings, such as ["npm", "test"]')
    return tuple(value)


def _places(value: object, key: Key, prefix: str) -> tuple[str, ...]:
    for one in _texts(value, key, prefix):
        if not one.startswith(("/", "~/")) or "\0" in one or ".." in one.split("/") or one.strip("/") in {"", "~"}:
            raise Wrong(f"{one!r}: write an absolute path, or one below ~/")
    return _texts(value, key, prefix)


def _folder(value: object, key: Key, prefix: str) -> str:
    text = _text(value, key, prefix)
    parts = text.removesuffix("/").split("/")
    if "\0" in text or (text != "." and any(part in {"", ".", ".."} for part in parts)):
        raise Wrong('write the path of a folder below the root, such as "packages/web"')
    return text.removesuffix("/")


def _variables(value: object, _key: Key, _prefix: str) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(item, str) and "\0" not in item for item in value.values()):
        raise Wrong('write a table of names and strings, such as { TZ = "UTC" }')
    if wrong := [name for name in value if not name or "=" in name or "\0" in name]:
        raise Wrong(f"{wrong[0]!r} is not the name of an environment variable")
    return dict(value)


def _regex(value: object, key: Key, prefix: str) -> str:
    text = _text(value, key, prefix)
    try:
        re.compile(text)
    except re.error as error:
        raise Wrong(f"write a regular expression; this one is broken: {error}") from error
    return text


def _nested(value: object, keys: tuple[Key, ...], *, at: str, prefix: str) -> dict[str, object]:
    inner = Findings(prefix=prefix)
    fields = table(value, keys, at=(at,), findings=inner)
    if inner.found:
        raise Wrong("; ".join(message for _, message in inner.found))
    return fields


CHECKERS: dict[str, Checker] = {
    "text": _text,
    "texts": _texts,
    "globs": _texts,
    "choice": _choice,
    "choices": _choices,
    "flag": _accepting(bool, "write true or false"),
    "code": _accepting(
        str,
        "write 2 to 8 capitals, then 3 or 4 digits, such as ACME101; PK is reserved",
        lambda value: re.fullmatch(PROJECT_CODE_PATTERN, value),
    ),
    "count": _count,
    "share": _share,
    "date": _date,
    "day": _day,
    "moment": _moment,
    "atom": _atom,
    "atoms": _atoms,
    "molecules": _molecules,
    "prefix": _accepting(str, "write capitals and digits, such as IA; M, INV, COM, REC and CLA are taken", is_prefix),
    "hash": _hash,
    "format": _format,
    "rules": _tables("policy.rule"),
    "checks": _tables("health.check"),
    "command": _command,
    "folder": _folder,
    "places": _places,
    "variables": _variables,
    "regex": _regex,
    "hashes": _mapping(_atom, _hash, "atom ids and hashes", filled=True),
    "reasons": _mapping(lambda name, _key, _prefix: name, _text, "invariant ids and reasons"),
    "words": _words,
    "successors": _mapping(_atom, _atom, "atom ids and atom ids"),
    "earlier": _mapping(_id, _hash, "commitment ids and hashes"),
    "signers": _signers,
    "id": _id,
    "selection": lambda value, key, prefix: _nested(value, WHERE, at=key.name, prefix=prefix),
    "needs": lambda value, key, prefix: _nested(value, NEEDS, at=key.name, prefix=prefix),
}


NAME: Final = "the edited text"
KEYS: Final = tuple(key for key in ATOM if key.name in {"intent", "category", "outcomes", "falsified_by", "tags"})


def editable(atom: Atom, *, note: str) -> str:
    """Render an atom's wording for an editor, below `note` as a comment, with one list item per line."""
    lines = [f"# {line}" for line in note.splitlines()]
    for key in KEYS:
        lines += ["", f"# {key.meaning}", f"{key.name} = {_value(getattr(atom, key.name))}"]
    return "\n".join(lines) + "\n"


def _value(value: TomlValue) -> str:
    if isinstance(value, str) or not isinstance(value, tuple):
        return render(value)
    return "".join(["[\n", *(f"    {quoted(item)},\n" for item in value), "]"])


def words_of(text: str) -> dict[str, Any]:
    """Parse an atom's edited wording; raises InputError with every problem and its line."""
    loaded = load(NAME, text.encode())
    findings = Findings(whole=not loaded.problems)
    fields = table(loaded.data, KEYS, at=(), findings=findings)
    problems = [*loaded.problems, *(Problem(NAME, loaded.line_of(at), said) for at, said in findings.found)]
    if problems:
        listed = "\n".join(f"  {problem}" for problem in sorted(problems))
        raise InputError(f"your edit cannot be read; nothing was changed\n{listed}")
    empty: dict[str, Any] = {"category": "functional", "outcomes": (), "falsified_by": (), "tags": ()}
    return {**empty, **fields}
