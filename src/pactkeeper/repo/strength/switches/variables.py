"""Variables of the environment that tests ask for, where tox, workflows and scripts no longer set them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pactkeeper.intent.strength.change import Change, Severity
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.switches.commands import VARIABLES
from pactkeeper.repo.strength.switches.pipelines import family_of
from pactkeeper.repo.test_side import is_test_side

_SET: Final = re.compile(
    r"(?<![\w$-])['\"]?([A-Z][A-Z0-9_]{2,60})['\"]?[ \t]{0,20}[:=](?!=)[ \t]{0,20}"
    r"(\$\{\{[^}\n]{0,200}\}\}|\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|[^\s#]{1,200})?"
)
_NAME: Final = re.compile(rb"\b[A-Z][A-Z0-9_]{2,60}\b")
_ASKS: Final = re.compile(rb"\benviron\b|\bgetenv\b|\bprocess\.env\b|\bimport\.meta\.env\b")
_TOX: Final = ("tox.ini", "tox.toml")
_CODE: Final = (".py", ".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs", ".mts", ".cts")


def variable_changes(before: Snapshot, after: Snapshot, changed: Iterable[str]) -> Iterator[Change]:
    """Yield variables that no changed file sets to their value any more: a warning if a test file asks for them.

    Of others, only those of tox are worth a note.
    """
    paths = [path for path in changed if family_of(path)]
    old = {one: path for path in paths for one in _set_in(before, path)}
    new = {one for path in paths for one in _set_in(after, path)}
    gone = [(name, value, path) for (name, value), path in old.items() if (name, value) not in new]
    asked = _named_by_tests(after, [name for name, _, _ in gone])
    for name, value, path in gone:
        later = next((other for known, other in sorted(new) if known == name), "")
        severity: Severity = "warning" if name in asked else "note"
        if name in asked or posixpath.basename(path) in _TOX:
            yield Change("switched_off", f"{path} {name}", "tests run without a variable, or with another value",
                         f"{name} = {value}", f"{name} = {later}" if later else "", 0, severity, path)  # fmt: skip


def _set_in(snapshot: Snapshot, path: str) -> set[tuple[str, str]]:
    """Return what a file sets, as far as it isn't read as options of commands."""
    source = snapshot.read(path) if path in snapshot else None
    text = source.decode("utf-8", "replace") if source is not None else ""
    found = ((match[1], (match[2] or "").strip(" \t\r'\",}")) for match in _SET.finditer(text))
    return {(name, value) for name, value in found if name not in VARIABLES}


def _named_by_tests(snapshot: Snapshot, names: Sequence[str]) -> set[str]:
    """Return those of the names that a test file which reads its environment names."""
    paths = [path for path in snapshot.paths if is_test_side(path) and path.endswith(_CODE)] if names else []
    sources = (snapshot.read(path) or b"" for path in paths)
    named = {word for source in sources if _ASKS.search(source) for word in _NAME.findall(source)}
    return {name for name in names if name.encode() in named}
