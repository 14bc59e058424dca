"""Claims and terms of JavaScript tests in the language's own operators, to be shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pactkeeper.intent.claims import Argument, Claim, Expression, Name, Operation, Value
from pactkeeper.intent.strength.terms import rebuilt

_OPERATORS: Final = {"not": "!", "and": "&&", "or": "||", "==": "===", "!=": "!==", "if-else": "?:",
                     "spread": "...", "spread-mapping": "...", "text": "`"}  # fmt: skip


def script_term(one: Expression) -> Expression:
    """Return a term whose operations are named as JavaScript writes them."""
    made = rebuilt(one, script_term)
    if not isinstance(made, Operation) or made.operator not in _OPERATORS:
        return made
    parts = tuple(map(_piece, made.operands)) if made.operator == "text" else made.operands
    return Operation(_OPERATORS[made.operator], parts)


def _piece(one: Expression) -> Expression:
    return Name(one.text) if isinstance(one, Value) else Operation("${", (one,))


def in_script(claim: Claim) -> Claim:
    """Return a claim with the terms that JavaScript would be written with."""
    return replace(
        claim,
        subject=script_term(claim.subject),
        object=script_term(claim.object) if claim.object is not None else None,
        qualifiers=tuple(Argument(script_term(each.value), each.name) for each in claim.qualifiers),
        alternatives=tuple(map(in_script, claim.alternatives)),
    )
