"""Everything there is to do, in one order, as ranked by seed 000 §12; the same input gives the same list.

1  something is unsafe: a broken rule, a broken link, a failing test, two contradictory atoms
2  the repository is ahead of the pact: tests without intent, code that no test reaches
3  something is unsure: wording that rules could not find, links to review again, stale evidence
4  grooming: groups that could have a name
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from shlex import quote
from typing import Final

from pactkeeper.advice import ANSWER, APPLY, CONFIRM, NOTHING, RECOMMENDED, Advice
from pactkeeper.intent.conflicts import Conflict
from pactkeeper.intent.coverage import Uncovered
from pactkeeper.intent.evidence_state import TestEvidenceState
from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.records import MoleculeRecommendation
from pactkeeper.ledger.canonical import by_key
from pactkeeper.ledger.finding import SEVERITIES, Severity
from pactkeeper.ledger.question import KINDS, Question
from pactkeeper.reconcile.codes import Located
from pactkeeper.reconcile.task import TASK_KINDS, Task, TaskKind

ORPHAN: Final = "PK101"


@dataclass(frozen=True, slots=True)
class Confirmable:
    """What an agent proposes about a patch: the patch, the proposal's name, who proposes, and how many ops."""

    patch: str
    name: str
    by: str
    ops: int


@dataclass(frozen=True, slots=True)
class Sources:
    """The inputs that tasks are derived from; None means unknown, which says nothing about what exists.

    `waiting` holds the ids of undecided ops by test, `evidence` the evidence about tests by id. `looked_at` are tests
    about which a run would report nothing new, `accepted` the ops by test that a person accepted and nobody applied.
    `proposed` is what an agent proposes.
    """

    findings: Sequence[Located]
    linked: Sequence[LinkedTest]
    pact: Pact
    waiting: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    questions: Sequence[Question] = ()
    molecules: Sequence[MoleculeRecommendation] = ()
    conflicts: Sequence[Conflict] | None = None
    evidence: Mapping[str, TestEvidenceState] | None = None
    coverage: Uncovered | None = None
    looked_at: frozenset[str] = frozenset()
    accepted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    proposed: Confirmable | None = None


def backlog(sources: Sources) -> tuple[Task, ...]:
    """Return everything to do, most urgent first."""
    severities = by_key((one.finding.subject, one.finding.severity) for one in sources.findings)
    asked = [one for one in sources.questions if one.subject not in sources.accepted]
    found = [
        *_of_accepted(sources, severities),
        *_of_proposed(sources.proposed),
        *_of_findings(sources),
        *_of_conflicts(sources.conflicts or ()),
        *_of_evidence(sources),
        *_of_coverage(sources.coverage),
        *_of_debt(sources),
        *(_of_question(one, _worst(severities.get(one.subject, ()), default="info")) for one in asked),
        *(_of_molecule(one) for one in sources.molecules if _is_news(one, sources.pact)),
    ]
    return tuple(sorted(found, key=_rank))


def _rank(task: Task) -> tuple[int, int, int, int, str, int, str, str]:
    """Sort by severity, then by priority, kind, whether an op closes the task, and location."""
    return (
        SEVERITIES.index(task.severity),
        task.priority,
        TASK_KINDS.index(task.kind),
        not task.ops,
        task.path,
        task.line,
        task.subject,
        task.message,
    )


def _of_accepted(sources: Sources, severities: Mapping[str, Sequence[Severity]]) -> Iterator[Task]:
    number = len(sources.accepted)
    if number:
        told = "1 accepted answer is" if number == 1 else f"{number} accepted answers are"
        found = [one for subject in sources.accepted for one in severities.get(subject, ())]
        severity = _worst(found, default="warning")
        ops = tuple(op for found in sources.accepted.values() for op in found)
        yield Task("orphan", "review", f"{told} not applied yet", APPLY(), severity, ops=ops)


def _worst(found: Iterable[Severity], *, default: Severity) -> Severity:
    return min(found, key=SEVERITIES.index, default=default)


def _of_proposed(one: Confirmable | None) -> Iterator[Task]:
    if one is not None:
        message = f"{one.by} proposes {'1 op' if one.ops == 1 else f'{one.ops} ops'}"
        yield Task("proposal", one.name, message, CONFIRM(one.patch, "--confirm", one.name), "info")


def _of_findings(sources: Sources) -> Iterator[Task]:
    asked = {one.subject for one in sources.questions}
    for entry in sources.findings:
        one = entry.finding
        if one.code == ORPHAN and (one.subject in asked or one.subject in sources.accepted):
            continue  # its question says more, or its answer is there
        ops = sources.waiting.get(one.subject, ())
        command = APPLY("--accept", quote(one.subject)) if ops else Advice(one.fix).first
        yield Task(
            _kind_of(entry),
            one.subject,
            f"{one.code} {one.message}",
            command,
            one.severity,
            entry.path,
            entry.line,
            one.fingerprint,
            ops,
        )


def _kind_of(entry: Located) -> TaskKind:
    if entry.finding.code == ORPHAN:
        return "orphan"
    return "violation" if entry.finding.severity == "error" else "look_again"


def _of_conflicts(conflicts: Iterable[Conflict]) -> Iterator[Task]:
    for one in conflicts:
        kind: TaskKind = "conflict" if one.kind == "contradiction" else "look_again"
        severity: Severity = "warning" if kind == "conflict" else "info"
        yield Task(kind, " ".join(one.atoms), one.message, Advice("pk atom conflicts"), severity)


def _of_evidence(sources: Sources) -> Iterator[Task]:
    """Yield a task per failing test, and one per file for tests whose evidence is stale."""
    stale: dict[str, list[tuple[LinkedTest, str]]] = {}
    for entry in sources.linked:
        known = (sources.evidence or {}).get(entry.test.id)
        if known is None or not entry.links:
            continue
        atoms = ", ".join(entry.atoms())
        if known.state == "failing":
            committed = any(map(sources.pact.is_committed, entry.atoms()))
            severity: Severity = "error" if committed else "warning"
            message = f"it fails, but should prove {atoms}: make it pass, or change the declared behaviour"
            command = Advice(f"pk explain {entry.links[0].atom}")
            yield Task("failing", entry.test.id, message, command, severity, entry.test.file, entry.test.line)
        elif known.state == "stale":
            stale.setdefault(entry.test.file, []).append((entry, known.reason))
    for file, found in sorted(stale.items()):
        of = "1 test" if len(found) == 1 else f"{len(found)} tests"
        message = f"the results of {of} are out of date: {found[0][1]}; run the tests and import their report"
        yield Task("stale", file, message, Advice("pk evidence import REPORT"), "info", file, found[0][0].test.line)


def _of_coverage(found: Uncovered | None) -> Iterator[Task]:
    if found is None:
        return
    for one in (*found.files, *found.functions):
        what = f"{one.path}::{one.name}" if one.name else one.path
        yield Task("uncovered", what, "no test reaches it; write one", NOTHING, "info", one.path, one.line)
    for one in found.unintended:
        message = "only tests without intent reach it; give them one"
        yield Task("uncovered", f"{one.path}::{one.name}", message, NOTHING, "info", one.path, one.line)


def _of_debt(sources: Sources) -> Iterator[Task]:
    """Yield one task per test for debt with a waiting op, and one per folder for the rest."""
    folders: Counter[str] = Counter()
    for entry in sources.linked:
        if entry.state not in {"debt", "changed_debt"}:
            continue
        ops = sources.waiting.get(entry.test.id, ())
        if ops:
            command = APPLY("--accept", quote(entry.test.id))
            message = "a run found words for this test"
            yield Task("debt", entry.test.id, message, command, "info", entry.test.file, entry.test.line, ops=ops)
        elif entry.test.id not in sources.looked_at:
            folders[entry.test.file.rpartition("/")[0] or "."] += 1
    for folder, number in sorted(folders.items()):
        message = f"{number} debt {'test' if number == 1 else 'tests'} that no run has looked at yet"
        yield Task("debt", folder, message, Advice(f"pk reconcile {quote(folder)}"), "info", folder)


def _of_question(one: Question, severity: Severity) -> Task:
    """Return the task of a question, which is as severe as what the check finds of its subject."""
    line = one.context.get("line")
    path = one.context.get("file")
    place = path if isinstance(path, str) else ""
    at = line if isinstance(line, int) else 0
    word = one.kind == "word_test"
    message = "rules cannot tell what it is for" if word else f"rules cannot tell: {KINDS[one.kind].prompt}"
    return Task("needs_words", one.subject, message, answer_command(one), severity, place, at)


def _is_news(one: MoleculeRecommendation, pact: Pact) -> bool:
    """Whether keeping the group would change anything: its atoms are in the pact, and no molecule contains them all."""
    atoms = {*pact.in_force(one.atom_ids)}
    if not atoms or one.molecule_id in pact.molecules or not atoms <= pact.atoms.keys():
        return False
    return not any(atoms <= {*pact.in_force(molecule.atoms)} for molecule in pact.molecules.values())


def _of_molecule(one: MoleculeRecommendation) -> Task:
    message = f"{len(one.atom_ids)} atoms could be one group: {one.reasoning}"
    return Task("molecule", one.name, message, RECOMMENDED(one.molecule_id or ""), "info")


_BY_HAND: Final[Mapping[str, str]] = {
    "word_test": "--intent '…'",
    "better_words": "--intent '…' --outcome '…'",
    "realises": "--yes   (or --no)",
    "confirm": "--yes   (or --no)",
    "choose": "--choose OPTION",
    "contradiction": "--choose contradict   (or repeat, compatible, unsure)",
}
_IN_JSON: Final = "--answer '{…}'"


def answer_command(one: Question) -> Advice:
    """Return the command that answers a question."""
    return ANSWER(quote(one.subject), _BY_HAND.get(one.kind, _IN_JSON))
