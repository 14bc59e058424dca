"""The pact as one value: everything a repository declares, and the status that follows from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Final, Literal, get_args

from pactkeeper.intent.atoms import Atom, Clarification, Commitment, Molecule, Status, Succession, succession
from pactkeeper.intent.commitments import in_order
from pactkeeper.intent.folder import Folder, Merging
from pactkeeper.intent.health import HealthSettings
from pactkeeper.intent.tests import file_of
from pactkeeper.ledger.canonical import by_key
from pactkeeper.ledger.finding import Severity
from pactkeeper.ledger.policy import Rule

IdStyle = Literal["hash", "sequential"]
LinkCarrier = Literal["auto", "comment", "sidecar"]
Strictness = Literal["warn", "fail"]
Subject = Literal["atom", "test", "molecule", "commitment"]

ID_STYLES: tuple[str, ...] = get_args(IdStyle)
LINK_CARRIERS: tuple[str, ...] = get_args(LinkCarrier)
STRICTNESSES: tuple[str, ...] = get_args(Strictness)
SUBJECTS: tuple[str, ...] = get_args(Subject)


@dataclass(frozen=True, slots=True)
class Settings:
    """The contents of `pact/pact.toml`, with a default for every missing key.

    `include`, `classes`, `functions` and `runners` extend the test runners' own configuration; an empty `policy` means
    the ledger's default policy.
    """

    id_style: IdStyle = "hash"
    atom_prefix: str = "IA"
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    runners: tuple[str, ...] = ()
    link_carrier: LinkCarrier = "auto"
    require_committed: bool = False
    changed_debt: Strictness = "warn"
    suspect: Strictness = "warn"
    inherited: Strictness = "warn"
    inference_threshold: float = 0.7
    review_batch: int = 50
    policy: tuple[Rule, ...] = ()
    allowed_signers: str = "pact/allowed_signers"
    require_signed: bool = False
    quality_domain_terms: tuple[str, ...] = ()
    quality_vague_words: tuple[str, ...] = ()
    quality_clear_words: tuple[str, ...] = ()
    quality_threshold: int = 80
    coverage_reports: tuple[str, ...] = ()
    results_reports: tuple[str, ...] = ()
    quality_reports: tuple[str, ...] = ()
    build_reports: tuple[str, ...] = ()
    health: HealthSettings = field(default_factory=HealthSettings)


@dataclass(frozen=True, slots=True)
class LinkRecord:
    """What a person reviewed about one test.

    `atoms` are links that only this record carries; `annotated` are links in the code that were reviewed. `body` is the
    test's body hash at review, `helpers` the digest of the helpers in its file that asserted for it, None if there were
    none or they were not examined; `asserts` says what it proved then, in the lines of `intent.strength.review`, empty
    if it was not examined; `rests` names the reader and the files that this came from, each with its content's id, as
    `rests_on` writes them; `rejected` is the fingerprint of a recommendation that was turned down. `left` keeps what it
    proved of committed atoms before it was linked to others: lines of an atom's id, a space, and the reader or one of
    the assertions.
    """

    test: str
    atoms: tuple[str, ...] = ()
    annotated: tuple[str, ...] = ()
    body: str | None = None
    rejected: str | None = None
    by: str | None = None
    reason: str | None = None
    at: str | None = None
    helpers: str | None = None
    asserts: tuple[str, ...] = ()
    rests: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    path: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)

    @property
    def named(self) -> tuple[str, ...]:
        """All atoms that were reviewed."""
        return (*self.atoms, *self.annotated)

    def leaving(self, atoms: Iterable[str]) -> tuple[str, ...]:
        """Return `left` as it is once the test is no longer linked to these atoms."""
        kept = (*self.rests[:1], *self.asserts)
        return (*self.left, *(f"{atom} {line}" for atom in atoms if self.asserts for line in kept))

    def once(self, atom: str) -> LinkRecord | None:
        """Return what was reviewed of an atom before the test left it; None if it never did."""
        lines = [line.removeprefix(f"{atom} ") for line in self.left if line.startswith(f"{atom} ")]
        return replace(self, atoms=(atom,), body=None, rests=(lines[0],), asserts=tuple(lines[1:])) if lines else None


@dataclass(frozen=True, slots=True)
class Invariant:
    """A rule as the project declares it: every `subject` selected by `where` must meet `needs`.

    For a built-in rule (INV-001 to INV-009, R001 to R005) only `rule`, `severity`, `blocking` and `enabled` may be set.
    None means the default from `intent.invariants.setting_of`.
    """

    id: str
    rule: str = ""
    every: Subject | None = None
    where: Mapping[str, tuple[str, ...] | str] = field(default_factory=dict)
    needs: Mapping[str, int | bool | tuple[str, ...]] = field(default_factory=dict)
    code: str | None = None
    severity: Severity | None = None
    blocking: bool | None = None
    enabled: bool = True
    path: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Waiver:
    """A finding that somebody vouches for until a date, identified by its fingerprint, or by its code and subject.

    With `evidence`, the hash of the finding's evidence, it ends before that date if the evidence changes.
    """

    by: str
    why: str
    until: date
    evidence: str | None = None
    fingerprint: str | None = None
    code: str | None = None
    subject: str | None = None
    path: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)

    @property
    def key(self) -> str:
        """The key of its line in `pact/waivers.toml`."""
        return self.fingerprint if self.fingerprint is not None else f"{self.code} {self.subject}"


GROUND: Final = "f1:"  # starts a debt line about a file that tests rely on


@dataclass(frozen=True, slots=True)
class Debt:
    """The orphans that existed at adoption, with the hash of their bodies.

    `baselines` says how strong each was then, as `intent.strength.baseline` writes it; older lines have none. `readers`
    names the reader. `grounds` are the other files that the debt relied on then, mapping a path, escaped as in a test
    id, to digits of the content's id.
    """

    by_test: Mapping[str, str] = field(default_factory=dict)
    baselines: Mapping[str, str] = field(default_factory=dict)
    readers: Mapping[str, str] = field(default_factory=dict)
    grounds: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, lines: Mapping[str, str]) -> Debt:
        """Build from test id → body hash~baseline~reader, and from path → ground."""
        split = {name: (*said.split("~", 2), "", "") for name, said in lines.items() if not said.startswith(GROUND)}
        return cls(
            {test: body for test, (body, *_) in split.items()},
            {test: mark for test, (_, mark, *_) in split.items() if mark},
            {test: reader for test, (_, _, reader, *_) in split.items() if reader},
            {name: said.removeprefix(GROUND) for name, said in lines.items() if name not in split},
        )

    def line(self, test: str) -> str:
        """Return the text of a test's line."""
        return "~".join(
            one for one in (self.by_test[test], self.baselines.get(test, ""), self.readers.get(test, "")) if one
        )


def debt_line(body: str, baseline: str, reader: str) -> str:
    """Return the text of a debt line for a test: its body, its strength, and the reader."""
    return f"{body}~{baseline}~{reader}"


@dataclass(frozen=True, slots=True)
class _Index:
    committed: Mapping[str, str]
    abandoned: Mapping[str, str]
    succession: Succession


@dataclass(frozen=True, slots=True)
class Pact:
    """Everything declared; atoms, molecules, invariants, commitments and clarifications by id, `links` by test id.

    `merging` is what a merge of two branches left to resolve; `folder` is where all of it is, or would be.
    """

    settings: Settings = field(default_factory=Settings)
    atoms: Mapping[str, Atom] = field(default_factory=dict)
    links: Mapping[str, LinkRecord] = field(default_factory=dict)
    molecules: Mapping[str, Molecule] = field(default_factory=dict)
    invariants: Mapping[str, Invariant] = field(default_factory=dict)
    waivers: tuple[Waiver, ...] = ()
    commitments: Mapping[str, Commitment] = field(default_factory=dict)
    clarifications: Mapping[str, Clarification] = field(default_factory=dict)
    debt: Debt = field(default_factory=Debt)
    merging: Merging = field(default_factory=Merging)
    folder: Folder = field(default_factory=Folder, compare=False)
    _index: _Index = field(init=False, repr=False, compare=False)
    _tests: Mapping[str, tuple[str, ...]] | None = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        acts = in_order(self.commitments.values())
        committed = _first(one for one in acts if one.abandons is None)
        abandoned = _first(one for one in acts if one.abandons is not None)
        object.__setattr__(self, "_index", _Index(committed, abandoned, succession(self.atoms, committed)))

    def status_of(self, atom_id: str) -> Status | None:
        """Derive the status of an atom; None if the pact has no such atom.

        Superseded outweighs committed: an atom that a commitment froze may since have been replaced by another
        committed one. So does abandoned: a person may have given it up since.
        """
        atom = self.atoms.get(atom_id)
        if atom is None:
            return None
        if atom_id in self._index.succession.heirs:
            return "superseded"
        if atom_id in self._index.abandoned:
            return "abandoned"
        return "committed" if atom_id in self._index.committed else atom.status

    def is_live(self, atom_id: str) -> bool:
        """Whether the pact has the atom, and it is neither superseded nor abandoned."""
        return self.status_of(atom_id) not in {None, "superseded", "abandoned"}

    @property
    def live_atoms(self) -> tuple[Atom, ...]:
        """The atoms that are neither superseded nor abandoned, in the order declared."""
        return tuple(atom for atom in self.atoms.values() if self.is_live(atom.id))

    def successor_of(self, atom_id: str) -> str | None:
        """Return the atom in force at the end of this one's chain of replacements; None while this one is in force."""
        return self._index.succession.heirs.get(atom_id)

    def in_force(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return these atoms, each replaced one with its successor in its place, and each only once."""
        return tuple(dict.fromkeys(self.successor_of(name) or name for name in names))

    def claimants_of(self, atom_id: str) -> tuple[str, ...]:
        """Return every atom declared to replace this one, whether it has or is waiting, the strongest claim first."""
        return self._index.succession.claims.get(atom_id, ())

    def waiting_for(self, atom_id: str) -> str | None:
        """Return the atom that is declared to replace this one but is not yet as firm; None if there is none."""
        claimants, heirs = self.claimants_of(atom_id), self._index.succession.heirs
        return heirs.get(claimants[0], claimants[0]) if claimants and atom_id not in heirs else None

    def is_committed(self, atom_id: str) -> bool:
        """Whether a commitment froze the atom, even if it has been superseded or abandoned since."""
        return atom_id in self._index.committed

    def commitment_of(self, atom_id: str) -> str | None:
        """Return the commitment that froze the atom first."""
        return self._index.committed.get(atom_id)

    def abandonment_of(self, atom_id: str) -> Commitment | None:
        """Return the act by which a person gave up a committed atom."""
        name = self._index.abandoned.get(atom_id)
        return None if name is None else self.commitments[name]

    @property
    def promised_ids(self) -> frozenset[str]:
        """The ids of all committed atoms that are neither superseded nor abandoned."""
        return frozenset(name for name in self._index.committed if self.status_of(name) == "committed")

    @property
    def committed_ids(self) -> frozenset[str]:
        """The ids of all atoms that a commitment froze."""
        return frozenset(self._index.committed)

    def clarifications_of(self, atom_id: str) -> tuple[Clarification, ...]:
        """The questions about an atom with their answers, oldest first."""
        found = [one for one in self.clarifications.values() if one.atom == atom_id]
        return tuple(sorted(found, key=lambda one: (datetime.fromisoformat(one.at), one.id)))

    def tests_of(self, atom_id: str) -> tuple[str, ...]:
        """Return the tests whose reviewed links reach the atom, sorted; unreviewed annotations are not known here."""
        if self._tests is None:  # most commands never ask
            object.__setattr__(self, "_tests", _tests(self.links.values()))
        return (self._tests or {}).get(atom_id, ())


def _first(acts: Iterable[Commitment]) -> dict[str, str]:
    """Map each atom to the first of the acts that name it."""
    found: dict[str, str] = {}
    for commitment in acts:
        for atom_id in commitment.frozen:
            found.setdefault(atom_id, commitment.id)
    return found


def _tests(links: Iterable[LinkRecord]) -> dict[str, tuple[str, ...]]:
    found = by_key((atom_id, record.test) for record in links for atom_id in dict.fromkeys(record.named))
    return {atom_id: tuple(sorted(tests)) for atom_id, tests in found.items()}


_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Proved:
    """What a review records about a test: the lines it asserts, the files these were read from, and the reader."""

    asserts: tuple[str, ...] = ()
    rests: tuple[str, ...] = ()


def rests_on(reader: str, paths: Iterable[str], identity: Callable[[str], str]) -> tuple[str, ...]:
    """Return the reader, then each file with the first digits of its content's id, as a link stores them."""
    return (reader, *(f"{path} {digits_of(identity(path))}" for path in paths))


def digits_of(identity: str) -> str:
    """Return what a link stores of a content's id."""
    return identity[:_DIGITS]


def reader_of(rests: Sequence[str]) -> str:
    """Return the reader that a link names, or "" if it names none."""
    return rests[0] if rests and " " not in rests[0] else ""


def files_of(rests: Iterable[str]) -> Mapping[str, str]:
    """Return the files that a link names, mapped to the first digits of their content's id."""
    parts = (line.rpartition(" ") for line in rests)
    return {path: digits for path, space, digits in parts if space}


def is_same(path: str, digits: str, identity: Callable[[str], str]) -> bool:
    """Whether a file is unchanged since its digits were recorded."""
    return identity(path)[:_DIGITS] == digits


def ground_line(identity: str) -> str:
    """Return the text of a debt line for a file that tests rely on."""
    return f"{GROUND}{identity[:_DIGITS]}"


def shaken(grounds: Mapping[str, str], identity: Callable[[str], str]) -> tuple[str, ...]:
    """Return the files under the debt that have changed since it was recorded."""
    found = ((file_of(name), digits) for name, digits in grounds.items())
    return tuple(path for path, digits in found if not is_same(path, digits, identity))


def unnamed_conftests(record: LinkRecord) -> Iterator[str]:
    """Yield where pytest would read a conftest.py for a reviewed test that rested on none there."""
    known = files_of(record.rests)
    folder = file_of(record.test)
    while folder and known and file_of(record.test).endswith(".py"):
        folder = folder.rpartition("/")[0]
        path = f"{folder}/conftest.py" if folder else "conftest.py"
        if path not in known:
            yield path


def moved_ground(records: Iterable[LinkRecord], identity: Callable[[str], str]) -> frozenset[str]:
    """Return the tests whose record names a file that has changed since review, or above which a conftest.py is new."""
    known: dict[str, bool] = {}
    found = set()
    for record in records:
        fresh = (f"{path} {identity('')[:_DIGITS]}" for path in unnamed_conftests(record))
        for line in (*record.rests, *fresh) if record.asserts else ():
            if line not in known:
                path, space, digits = line.rpartition(" ")
                known[line] = not space or is_same(path, digits, identity)
            if not known[line]:
                found.add(record.test)
    return frozenset(found)
