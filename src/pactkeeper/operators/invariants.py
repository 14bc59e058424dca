"""Verbs about invariants: list them, test whether they hold, and change how a project sets them.

Also the verb that replaces a declared invariant and collects what has to change into one change set.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal

from pactkeeper.advice import DISABLE, Advice
from pactkeeper.catalog.journal import FileEdit, WriteEntry
from pactkeeper.catalog.read import read_pact
from pactkeeper.catalog.schema import INVARIANTS_FILE, MOLECULES_FILE
from pactkeeper.catalog.transaction import WriteNote, apply
from pactkeeper.catalog.write import put_molecule, switch_invariant
from pactkeeper.errors import RefusedError, UsageError
from pactkeeper.intent.atoms import Atom, Molecule
from pactkeeper.intent.evidence_state import TestEvidenceState
from pactkeeper.intent.ids import hashed_id
from pactkeeper.intent.invariants import RULES, Checked, Facts, Seal, Setting, evaluate, setting_of
from pactkeeper.intent.invariants.declared import Impact, contexts_of, fix_of, impact_of, in_words
from pactkeeper.intent.pact import Invariant, Pact
from pactkeeper.intent.quality import AtomWords, Quality, QualityVocabulary, assess
from pactkeeper.ledger.finding import Severity
from pactkeeper.ledger.question import KINDS, RAISED
from pactkeeper.operators.proof import test_states
from pactkeeper.operators.signatures import known_commitments
from pactkeeper.operators.view import StateView
from pactkeeper.reconcile.check import check
from pactkeeper.reconcile.invariants import fresh_commitments
from pactkeeper.reconcile.world import World
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.workspace import Workspace

CLOSE_ENOUGH = 0.5


@dataclass(frozen=True, slots=True)
class RuleCard:
    """Everything there is to say about an invariant; `checked` says what is examined in which context.

    `entry` is what the project declares about it, None for a built-in invariant left alone.
    """

    id: str
    name: str
    text: str
    built_in: bool
    setting: Setting
    why: str
    fix: Advice
    checked: Mapping[str, str]
    overridable: bool
    entry: Invariant | None = None

    @property
    def written(self) -> Invariant:
        """The project's entry; an empty one if there is none."""
        return self.entry or Invariant(self.id)


@dataclass(frozen=True, slots=True)
class Tested:
    """The verdicts on invariants in one snapshot, built-in ones first, each with its card."""

    snapshot: str
    checked: tuple[Checked, ...]
    cards: Mapping[str, RuleCard] = field(repr=False)

    @property
    def holds(self) -> bool:
        """Whether no blocking violation was found."""
        return not any(one.blocking for one in self.checked)


def get_invariants(workspace: Workspace, view: StateView, names: Sequence[str] = ()) -> tuple[RuleCard, ...]:
    """Return every invariant of a view's pact, or the named ones: built-in ones in order, then declared ones by id."""
    workspace.ensure_settled()
    pact = workspace.pact(workspace.snapshot(view.at, staged=view.staged))
    cards = _cards(pact)
    _refuse_unknown(names, cards)
    return tuple(card for name, card in cards.items() if not names or name in names)


def test_invariants(workspace: Workspace, view: StateView, names: Sequence[str]) -> Tested:
    """Test invariants, by default all, against a view's files and the test outcomes known on this machine."""
    workspace.ensure_settled()
    snapshot = workspace.snapshot(view.at, staged=view.staged)
    world = workspace.world(snapshot)
    cards = _cards(world.pact)
    _refuse_unknown(names, cards)
    checked = evaluate(facts_of(workspace, snapshot, world), only=names or None)
    return Tested(snapshot.name, checked, cards)


test_invariants.__test__ = False  # type: ignore[attr-defined]  # keeps pytest from collecting it where a test imports it


@dataclass(frozen=True, slots=True)
class Switch:
    """What to set for an invariant: whether it is tested, or how severe a violation is."""

    rule: str
    key: Literal["enabled", "severity"]
    value: bool | Severity


def change_invariant(workspace: Workspace, switch: Switch) -> tuple[RuleCard, WriteEntry | None]:
    """Write one key of an invariant's entry; every other byte of `pact/invariants.toml` is kept.

    Raises `UsageError` for an unknown invariant and `CatalogError` for an invalid value.
    """
    workspace.settle()
    snapshot = workspace.snapshot()
    files, folder = workspace.pact_files(snapshot), snapshot.folder
    pact, place = read_pact(files, folder=folder), folder.path(INVARIANTS_FILE)
    _refuse_unknown((switch.rule,), _cards(pact))
    before = files.get(place)
    after = switch_invariant(before, switch.rule, switch.key, value=switch.value)
    changed = read_pact({**files, place: after}, folder=folder)
    note = WriteNote(
        workspace.now().isoformat(timespec="seconds"),
        {"verb": "invariant", "rule": switch.rule, switch.key: switch.value},
    )
    entry = apply(workspace.place, (FileEdit(place, before, after),), note)
    return _cards(changed)[switch.rule], entry


def facts_of(workspace: Workspace, snapshot: Snapshot, world: World) -> Facts:
    """Collect everything that invariants are tested against in a snapshot."""
    below = workspace.repository.head() if snapshot.commit is None else None
    known = known_commitments(workspace, snapshot, world.pact, below=below)
    today = workspace.now().date()
    verdict = check(world.linked, world.pact, world.scan.gaps, today=today, known=known)
    return Facts(
        world.pact,
        world.linked,
        evidence=evidence_of(workspace, snapshot, world),
        at=today.isoformat(),
        unseen=world.unseen,
        verified=known.signatures,
        fresh=fresh_commitments(world.pact, known),
        doubts=_doubts(workspace),
        sealed=_seals(workspace),
        unfinished=(),
        findings=tuple(one.finding for one in verdict.findings),
    )


def evidence_of(workspace: Workspace, snapshot: Snapshot, world: World) -> Mapping[str, TestEvidenceState] | None:
    """Return the test outcomes known on this machine; None without a history."""
    if not workspace.has_history:
        return None
    return test_states(workspace, snapshot, world)


def _doubts(workspace: Workspace) -> Mapping[str, str] | None:
    """Return the open questions about atoms, by atom; None without a history."""
    if not workspace.has_history:
        return None
    from pactkeeper.store.questions import open_questions  # noqa: PLC0415 - only with a history

    raised = (one for one in open_questions(workspace.history()) if one.kind in RAISED)
    return {atom: KINDS[one.kind].prompt for one in raised for atom in one.subject.split()}


def _seals(workspace: Workspace) -> Mapping[str, Seal] | None:
    """Return the attestations stored on this machine; None without a history."""
    if not workspace.has_history:
        return None
    from pactkeeper.store.attestations import attestation_seals  # noqa: PLC0415 - only with a history

    return attestation_seals(workspace.history())


def _cards(pact: Pact) -> dict[str, RuleCard]:
    declared = sorted(name for name in pact.invariants if name not in RULES)
    return {name: _card(pact, name) for name in (*RULES, *declared)}


def _card(pact: Pact, name: str) -> RuleCard:
    rule, entry = RULES.get(name), pact.invariants.get(name)
    setting = setting_of(pact, name)
    if rule is None:
        return _declared(pact.invariants[name], setting)
    return RuleCard(
        id=name,
        name=rule.name,
        text=rule.text,
        built_in=True,
        setting=setting,
        why=rule.why,
        fix=Advice(rule.fix),
        checked=rule.checked,
        overridable=rule.overridable,
        entry=entry,
    )


def _declared(entry: Invariant, setting: Setting) -> RuleCard:
    return RuleCard(
        id=entry.id,
        name=in_words(entry),
        text=in_words(entry),
        built_in=False,
        setting=setting,
        why="The project declares it.",
        fix=fix_of(entry),
        checked=contexts_of(entry),
        overridable=True,
        entry=entry,
    )


def _refuse_unknown(names: Sequence[str], known: Collection[str]) -> None:
    unknown = [name for name in names if name not in known]
    if unknown:
        close = get_close_matches(unknown[0].upper(), list(known), 3, CLOSE_ENOUGH)
        hint = f"did you mean {' or '.join(close)}?" if close else "pk invariant list shows all"
        raise UsageError(f"there is no invariant {', '.join(repr(name) for name in unknown)}; {hint}")


@dataclass(frozen=True, slots=True)
class Superseded:
    """A replaced invariant; `change_set` is None if everything already satisfies the new one."""

    old: str
    new: str
    impact: Impact
    change_set: Molecule | None
    entry: WriteEntry | None


def supersede_invariant(workspace: Workspace, old: str, new: str, *, dry_run: bool = False) -> Superseded:
    """Disable a declared invariant and enable its replacement, and collect the atoms and tests that violate it.

    Both remain in `pact/invariants.toml`. The change set is committed as one, once its atoms satisfy the new invariant.
    """
    workspace.settle(dry_run=dry_run)
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot, required=True)
    before, after = _rules(world.pact, old, new)
    vocabulary = QualityVocabulary.of(world.pact.settings)

    def judge(atom: Atom) -> Quality:
        return assess(AtomWords.of(atom), vocabulary)

    impact = impact_of(before, after, facts_of(workspace, snapshot, world), assess=judge)
    if impact.unknown:
        raise RefusedError(f"the effect of {new} is unknown: {impact.unknown}; nothing was written")
    change_set = _change_set(before, after, impact, world.pact)
    entry = None if dry_run else _write(workspace, before, after, change_set)
    return Superseded(before.id, after.id, impact, change_set, entry)


def _rules(pact: Pact, old: str, new: str) -> tuple[Invariant, Invariant]:
    for name in (old, new):
        if name in RULES:
            raise UsageError(f"{name} is built in and cannot be replaced; off with: " + DISABLE(name))
        if name not in pact.invariants:
            raise UsageError(f"{INVARIANTS_FILE} declares no {name!r}; declare the new rule there first, then replace")
    if old == new:
        raise UsageError(f"{old} cannot replace itself; declare the new rule under an id of its own")
    if not pact.invariants[old].enabled:
        raise UsageError(f"{old} is already off, so there is nothing to replace")
    return pact.invariants[old], pact.invariants[new]


def _change_set(old: Invariant, new: Invariant, impact: Impact, pact: Pact) -> Molecule | None:
    if not impact.atoms and not impact.tests:
        return None
    key = hashed_id("M", "change_set", old.id, new.id)
    if key in pact.molecules:
        raise RefusedError(f"{key} is the change set of this already; see: pk molecule show {key}")
    name = f"{new.id} takes the place of {old.id}"
    return Molecule(key, name, impact.atoms, new.rule, "change_set", tests=impact.tests)


def _write(workspace: Workspace, old: Invariant, new: Invariant, change_set: Molecule | None) -> WriteEntry | None:
    snapshot = workspace.snapshot()
    files, folder = workspace.pact_files(snapshot), snapshot.folder
    place = folder.path(INVARIANTS_FILE)
    rules = files.get(place)
    switched = switch_invariant(rules, old.id, "enabled", value=False)
    switched = switch_invariant(switched, new.id, "enabled", value=True)
    edits = [FileEdit(place, rules, switched)]
    if change_set is not None:
        stored = folder.path(MOLECULES_FILE)
        molecules = files.get(stored)
        edits.append(FileEdit(stored, molecules, put_molecule(molecules, change_set)))
    at = workspace.now().isoformat(timespec="seconds")
    facts = {"verb": "supersede invariant", "rule": f"{new.id} for {old.id}", "decided_by": [workspace.person()]}
    return apply(workspace.place, edits, WriteNote(at, facts))
