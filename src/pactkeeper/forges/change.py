"""What a pull request does to the tests and to the pact, as one value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Annotation:
    """An error, warning or info at a place; `line` 0 means the whole file, `detail` quotes before and after."""

    severity: str
    code: str
    path: str
    line: int
    subject: str
    message: str
    detail: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """The difference between two commits.

    `promises` are new or reworded atoms with their intent, `proves` tests that newly realise an atom, `stronger` tests
    that got stronger, `weakens` possible weakenings, `approved` weakenings that somebody approved, `drift` other
    disagreements with the pact that are new, `without` new or changed tests without intent, `rules` files that the
    change edits and is judged by, `unseen` what could not be read. `agrees` means that `pk check` finds no error it did
    not find before, `older` counts the errors it did find before. `broken` says why the pact can't be read at all.
    """

    base: str
    head: str
    compared: int = 0
    promises: tuple[tuple[str, str], ...] = ()
    proves: tuple[tuple[str, str], ...] = ()
    stronger: tuple[str, ...] = ()
    weakens: tuple[Annotation, ...] = ()
    approved: tuple[tuple[str, str], ...] = ()
    drift: tuple[Annotation, ...] = ()
    without: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    agrees: bool = True
    older: int = 0
    broken: str = ""

    @property
    def notes(self) -> tuple[Annotation, ...]:
        """Every annotation that has a location."""
        return (*self.weakens, *self.drift)

    @property
    def holds(self) -> bool:
        """Whether nothing is proven weaker, nothing disagrees, and the pact can be read."""
        return self.agrees and not self.broken and not any(note.severity == "error" for note in self.notes)
