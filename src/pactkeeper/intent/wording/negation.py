"""A statement and its exact opposite: made in one place, so that a falsifier never says more or less than `not`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pactkeeper.intent.wording.verbs import third


@dataclass(frozen=True, slots=True)
class Statement:
    """`subject verb complement`, negatable; `verb` is a base form, `be` included.

    `fixed` holds the two full sentences, without their stops, where the opposite is not made with `not`. `verbatim`
    means that the subject is a name from the code, which keeps its letters at the start of a sentence.
    """

    subject: str = ""
    verb: str = "be"
    complement: str = ""
    plural: bool = False
    negated: bool = False
    fixed: tuple[str, str] | None = None
    verbatim: bool = False

    def opposite(self) -> Statement:
        """The statement that holds exactly where this one does not."""
        return replace(self, negated=not self.negated)

    def text(self) -> str:
        """The clause, neither capitalised nor stopped."""
        if self.fixed is not None:
            return self.fixed[self.negated]
        words = [self.subject, _conjugated(self.verb, plural=self.plural, negated=self.negated), self.complement]
        return " ".join(word for word in words if word)


def _conjugated(verb: str, *, plural: bool, negated: bool) -> str:
    if verb == "be":
        return ("are" if plural else "is") + (" not" if negated else "")
    if negated:
        return f"{'do' if plural else 'does'} not {verb}"
    return verb if plural else third(verb)
