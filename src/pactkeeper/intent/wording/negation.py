"""A statement and its exact opposite: made in one place, so that a falsifier never says more or less than `not`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pactkeeper.intent.wording.verbs import third


@dataclass(frozen=True, slots=True)
class Statement:
    """`subject verb complement tail`, negatable; `verb` is a base form, `be` included.

    `otherwise` is the complement of the opposite where that is not made with `not` (truthy, falsy). `fixed` holds the
    two full clauses where the form does not fit at all. `verbatim` means that the subject is a name from the code,
    which keeps its letters at the start of a sentence.
    """

    subject: str = ""
    verb: str = "be"
    complement: str = ""
    plural: bool = False
    negated: bool = False
    tail: str = ""
    otherwise: str = ""
    fixed: tuple[str, str] | None = None
    verbatim: bool = False

    def opposite(self) -> Statement:
        """The statement that holds exactly where this one does not."""
        return replace(self, negated=not self.negated)

    def text(self) -> str:
        """The clause, neither capitalised nor stopped."""
        if self.fixed is not None:
            return self.fixed[self.negated]
        swapped = self.negated and bool(self.otherwise)
        verb = _conjugated(self.verb, plural=self.plural, negated=self.negated and not swapped)
        words = [self.subject, verb, self.otherwise if swapped else self.complement, self.tail]
        return " ".join(word for word in words if word)

    def then(self, later: Statement) -> Statement | None:
        """This and a later statement about the same thing as one sequence; None where they do not join."""
        first, second = self._plain(), later._plain()
        same = (first.subject, first.verb, first.tail) == (second.subject, second.verb, second.tail)
        if not same or first.fixed or second.fixed or first.negated or second.negated:
            return None
        return replace(first, complement=f"{first.complement}, then {second.complement}", otherwise="")

    def _plain(self) -> Statement:
        if self.negated and self.otherwise:
            return replace(self, negated=False, complement=self.otherwise, otherwise=self.complement)
        return self


def _conjugated(verb: str, *, plural: bool, negated: bool) -> str:
    if verb == "be":
        return ("are" if plural else "is") + (" not" if negated else "")
    if negated:
        return f"{'do' if plural else 'does'} not {verb}"
    return verb if plural else third(verb)
