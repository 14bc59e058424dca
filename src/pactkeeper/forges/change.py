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
    """What lies between two commits.

    `promises` are new or reworded atoms with their intent, `proves` tests that realise an atom only now, `stronger`
    tests that got stronger, `weakens` what may have weakened, `approved` weakenings somebody answers for, `drift` what
    else disagrees with the pact only since, `without` new or changed tests without intent, `rules` files with which
    the change edits what it is judged by, `unseen` what could not be read. `agrees` says that `pk check` finds no error
    that it did not find before, `older` how many it did find. `broken` says why the pact cannot be read at all.
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
        """Everything that has a place."""
        return (*self.weakens, *self.drift)

    @property
    def holds(self) -> bool:
        """Whether nothing is proven weaker, nothing disagrees, and the pact can be read."""
        return self.agrees and not self.broken and not any(note.severity == "error" for note in self.notes)
