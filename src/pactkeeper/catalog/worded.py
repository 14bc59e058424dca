"""An atom's words as text for a person's editor, and back; the same strict decoder reads it as reads the files."""

from __future__ import annotations

from typing import Any, Final

from pactkeeper.catalog.decode import Findings, table
from pactkeeper.catalog.render import TomlValue, quoted, render
from pactkeeper.catalog.schema import ATOM
from pactkeeper.catalog.toml_text import load
from pactkeeper.errors import InputError, Problem
from pactkeeper.intent.atoms import Atom

NAME: Final = "the edited text"
KEYS: Final = tuple(key for key in ATOM if key.name in {"intent", "category", "outcomes", "falsified_by", "tags"})


def editable(atom: Atom, *, note: str) -> str:
    """The words of an atom with a comment above them, one item of a list a line."""
    lines = [f"# {line}" for line in note.splitlines()]
    for key in KEYS:
        lines += ["", f"# {key.meaning}", f"{key.name} = {_value(getattr(atom, key.name))}"]
    return "\n".join(lines) + "\n"


def _value(value: TomlValue) -> str:
    if isinstance(value, str) or not isinstance(value, tuple):
        return render(value)
    return "".join(["[\n", *(f"    {quoted(item)},\n" for item in value), "]"])


def words_of(text: str) -> dict[str, Any]:
    """Every field of an atom's words, from an edited text; raises InputError with every problem and its line."""
    loaded = load(NAME, text.encode())
    findings = Findings(whole=not loaded.problems)
    fields = table(loaded.data, KEYS, at=(), findings=findings)
    problems = [*loaded.problems, *(Problem(NAME, loaded.line_of(at), said) for at, said in findings.found)]
    if problems:
        listed = "\n".join(f"  {problem}" for problem in sorted(problems))
        raise InputError(f"what you wrote cannot be read; nothing was changed\n{listed}")
    empty: dict[str, Any] = {"category": "functional", "outcomes": (), "falsified_by": (), "tags": ()}
    return {**empty, **fields}
