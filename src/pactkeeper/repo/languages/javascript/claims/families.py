"""The assertion families in the order in which they are asked; a new family is one line here."""

from __future__ import annotations

from collections.abc import Mapping

from pactkeeper.repo.languages.javascript.claims.asserts import asserted
from pactkeeper.repo.languages.javascript.claims.chai import sentence, should_statics
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.jest import expect
from pactkeeper.repo.languages.javascript.claims.reading import Family, Reading
from pactkeeper.repo.languages.javascript.claims.responses import supertest
from pactkeeper.repo.languages.javascript.claims.screens import cypress
from pactkeeper.repo.languages.javascript.claims.spies import sinon
from pactkeeper.repo.languages.javascript.claims.syntax import Link
from pactkeeper.repo.languages.javascript.claims.types import typing

FAMILIES: tuple[Family, ...] = (sentence, should_statics, expect, typing, sinon, supertest, cypress)


def read_assertion(links: tuple[Link, ...], scope: Scope, known: Mapping[str, str]) -> Reading | None:
    """What an expression asserts; None where it is no assertion of any family."""
    for family in FAMILIES:
        reading = family(links, scope)
        if reading is not None:
            return reading
    return asserted(links, scope, known)
