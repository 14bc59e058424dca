"""Whether files of the repository decide a condition: what they define, or whether they are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pactkeeper.intent.claims import Argument, Attribute, Call, Expression, Name, Opaque, Value
from pactkeeper.intent.strength.terms import last_name, root, terms_of
from pactkeeper.repo.languages.python.claims.helpers import Module, module_candidates
from pactkeeper.repo.languages.python.strength.side import Side
from pactkeeper.repo.languages.python.strength.values import sources

_ASKING: Final = frozenset({"hasattr", "getattr", "dir", "vars"})
_EXISTING: Final = frozenset({"exists", "isfile", "is_file"})
_IMPORTED: Final = re.compile(r"import of \(\s*+['\"]([\w.]++)")


def decides(condition: Expression, module: Module, side: Side) -> bool:
    """Whether a condition asks what a file of the repository defines, needs such a file, or only asks for one."""
    match condition:
        case Call(Name(name) | Attribute(name=name), (Argument(Value("string", path)),)) if name in _EXISTING:
            return side.read(path.removeprefix("./")) is not None
    return any(_is_own(name, module, side) for name in _asked(condition, module))


def _asked(condition: Expression, module: Module) -> Iterator[str]:
    """Yield the dotted names of the modules whose contents or whose presence a condition asks for."""
    for part in terms_of(condition):
        found = _IMPORTED.match(part.text) if isinstance(part, Opaque) else None
        held = root(part.arguments[0].value) if isinstance(part, Call) and part.arguments else None
        if found is not None:
            yield found[1]
        elif isinstance(held, Name) and last_name(part) in _ASKING:
            named = (one for one in sources(module) if held.name in {one.partition(".")[0], one.rpartition(".")[2]})
            yield from [] if held.name in module.imports else [held.name]
            yield from (name for one in named for name in (one, one.rpartition(".")[0]) if name.strip("."))


def _is_own(name: str, module: Module, side: Side) -> bool:
    """Whether a module, or the package that it would be in, is a file of the repository."""
    places = (one for whole in (name, name.partition(".")[0]) for one in module_candidates(module.path, whole))
    return any(side.read(path) is not None for path in places)
