"""The paths of the API, read from the rows of the table of verbs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl

from pactkeeper.verbs.table import VERBS
from pactkeeper.verbs.verb import Verb

_NAME: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Route:
    """One path to a verb, such as `GET /atoms/{atom}`; `fixed` are arguments that the path itself implies."""

    method: str
    path: str
    verb: Verb
    operation: str
    fixed: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The arguments in the path."""
        return tuple(_NAME.findall(self.path))

    @property
    def decides(self) -> bool:
        """Whether the caller must name the version that the decision is based on."""
        return self.verb.version is not None and not self.verb.reads


def routes(verbs: Sequence[Verb] = VERBS) -> tuple[Route, ...]:
    """Every route; paths without parameters come before those that would match them too."""
    found = [route for verb in verbs for route in _of(verb)]
    return tuple(sorted(found, key=lambda one: len(one.names)))


def _of(verb: Verb) -> Iterator[Route]:
    for position, text in enumerate(verb.routes):
        method, _, rest = text.partition(" ")
        path, _, fixed = rest.partition("?")
        operation = verb.name if position == 0 else f"{verb.name}_{position + 1}"
        yield Route(method, path, verb, operation, dict(parse_qsl(fixed)))
