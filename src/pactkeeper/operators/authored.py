"""Verbs that write atoms: create, change and delete uncommitted ones, supersede any, and clarify.

Also takes in a text: a note, an issue or a feature file becomes a patch of proposed atoms.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pactkeeper.advice import ABANDON, EDIT, NEW, SUPERSEDE, joined
from pactkeeper.authoring.source import Intake, Shelf, Source, propose
from pactkeeper.authoring.taking import take_in
from pactkeeper.catalog.journal import FileEdit, WriteEntry
from pactkeeper.catalog.schema import ATTRIBUTES_FILE, CLARIFICATIONS_FILE
from pactkeeper.catalog.transaction import WriteNote, apply
from pactkeeper.catalog.write import put_attributes, put_clarification
from pactkeeper.errors import InputError, RefusedError, UsageError
from pactkeeper.intent.atoms import FIRMNESS, Atom, Clarification, Standing, Status
from pactkeeper.intent.ids import CLARIFICATION_PREFIX, Near, hashed_id, nearest, normalised_intent, same
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.quality import AtomWords, Quality, QualityVocabulary, assess
from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.op import PATH_PATTERN, Op
from pactkeeper.ledger.patch import Patch, encode_patch
from pactkeeper.operators.apply import apply_patch
from pactkeeper.operators.atoms import named_atom
from pactkeeper.reconcile.applying import Applied
from pactkeeper.reconcile.authored import AtomChange, NewAtom, change, creation, removal, replacement, successor
from pactkeeper.reconcile.sound import named_by
from pactkeeper.reconcile.world import World
from pactkeeper.workspace import Workspace

WORDS = frozenset({"description", "observableOutcomes", "falsifiedBy"})


@dataclass(frozen=True, slots=True)
class Written:
    """What a write did, or would do, to an atom; `applied` is None if nothing had to change.

    `near` are live atoms that say nearly the same, `linked` the tests that name an abandoned atom, `quality` is what a
    commitment will make of the words of a new one.
    """

    atom: str
    applied: Applied | None
    near: tuple[Near, ...] = ()
    linked: tuple[str, ...] = ()
    quality: Quality | None = None


@dataclass(frozen=True, slots=True)
class Replaced:
    """A declared succession; `status` is the resulting status of the old atom, unchanged while it is firmer.

    `dropped` are its outcomes and falsifiers that were not taken over, because they name numbers and the sentence has
    others.
    """

    old: str
    new: str
    status: Status
    applied: Applied
    near: tuple[Near, ...] = ()
    dropped: tuple[str, ...] = ()


def create_atom(workspace: Workspace, new: NewAtom, *, anyway: bool = False, dry_run: bool = False) -> Written:
    """Declare a draft or a proposal; refused if an atom already says the same, unless `anyway`."""
    workspace.settle(dry_run=dry_run)
    world = workspace.world(workspace.snapshot())
    near = checked(world.pact, new, anyway=anyway)
    op = creation(world, new, by=workspace.person())
    words = AtomWords(new.intent, tuple(new.outcomes), tuple(new.falsified_by), new.category)
    quality = assess(words, QualityVocabulary.of(world.pact.settings))
    return Written(str(op.payload["atomId"]), _write(workspace, [op], dry_run=dry_run), near, quality=quality)


def declare_atoms(
    workspace: Workspace, wanted: Sequence[NewAtom], replaced: Mapping[str, str], *, reason: str
) -> tuple[Mapping[str, str], Applied | None]:
    """Declare new atoms and successions in one write, which one undo takes back; return the new atoms by intent.

    `replaced` maps an old atom to its successor: an existing one by its id, or a new one by its intent.
    """
    world, by = workspace.world(workspace.snapshot(), required=True), workspace.person()
    made = {one.intent: creation(world, one, by=by) for one in wanted}
    names = {intent: str(op.payload["atomId"]) for intent, op in made.items()}
    for old, new in replaced.items():
        _refuse_succession(world.pact, world.pact.atoms[old], names.get(new, new))
    successions = [replacement(world, old, made.get(new, new), reason=reason, by=by) for old, new in replaced.items()]
    ops = [*made.values(), *successions]
    return names, _write(workspace, ops, dry_run=False) if ops else None


def update_atom(workspace: Workspace, name: str, wanted: AtomChange, *, dry_run: bool = False) -> Written:
    """Change an uncommitted atom; an abandoned one only by reviving it."""
    workspace.settle(dry_run=dry_run)
    world = workspace.world(workspace.snapshot(), required=True)
    atom = named_atom(world.pact, name)
    _refuse_settled(world.pact, atom, back=wanted.status in {"draft", "proposed"})
    if wanted.intent is not None:
        _refuse_no_sentence(wanted.intent)
    op = change(world, atom, wanted, by=workspace.person())
    if op is None:
        return Written(atom.id, None)
    linked = _linking(world, atom.id) if wanted.status == "abandoned" else ()
    near = () if wanted.intent is None else _near(world.pact, wanted.intent, atom.id)
    return Written(atom.id, _write(workspace, [op], dry_run=dry_run), near, linked)


def delete_atom(workspace: Workspace, name: str, *, reason: str = "", dry_run: bool = False) -> Written:
    """Delete a draft or proposal; refused while a test, a molecule or another atom names it."""
    workspace.settle(dry_run=dry_run)
    world = workspace.world(workspace.snapshot(), required=True)
    atom = named_atom(world.pact, name)
    _refuse_settled(world.pact, atom)
    reasons = list(named_by(atom.id, world))
    if reasons:
        why = f"{atom.id} cannot be removed while others refer to it; to keep but retire it: " + ABANDON(
            atom.id, "--reason 'Why.'"
        )
        raise RefusedError(joined("\n  ", (why, *reasons)))
    op = removal(world, atom.id, reason=reason, by=workspace.person())
    return Written(atom.id, _write(workspace, [op], dry_run=dry_run))


def supersede_atom(  # noqa: PLR0913 - the parts of one act, all named
    workspace: Workspace,
    name: str,
    new: str | AtomChange,
    *,
    reason: str | None = None,
    anyway: bool = False,
    dry_run: bool = False,
) -> Replaced:
    """Declare what replaces an atom: an existing draft by its id, or a new one that says something different.

    The old atom retires once the new one is as firm: immediately if it is uncommitted, else when the new one is
    committed.
    """
    workspace.settle(dry_run=dry_run)
    world = workspace.world(workspace.snapshot(), required=True)
    pact, by = world.pact, workspace.person()
    old = named_atom(pact, name)
    if isinstance(new, AtomChange):
        wanted = successor(old, new, pact.folder)
        _refuse_no_difference(old, wanted)
        near = checked(pact, wanted, anyway=anyway, beside=old.id)
        dropped = _dropped(old, new, wanted)
        made = creation(world, wanted, by=by)
        ops = [made, replacement(world, old.id, made, reason=reason or "", by=by)]
        name, status = str(made.payload["atomId"]), wanted.status
    else:
        known, near, dropped = named_atom(pact, new), (), ()
        ops = [replacement(world, old.id, known.id, reason=reason or "", by=by)]
        name, status = known.id, known.status
    _refuse_succession(pact, old, name)
    applied = _write(workspace, ops, dry_run=dry_run)
    standing: Standing = "committed" if pact.is_committed(old.id) else old.status
    retires = FIRMNESS[status] >= FIRMNESS[standing]
    return Replaced(old.id, name, "superseded" if retires else standing, applied, near, dropped)


def _dropped(old: Atom, said: AtomChange, new: NewAtom) -> tuple[str, ...]:
    lost = () if said.outcomes is not None else [one for one in old.outcomes if one not in new.outcomes]
    more = () if said.falsified_by is not None else [one for one in old.falsified_by if one not in new.falsified_by]
    return (*lost, *more)


def _refuse_no_difference(old: Atom, new: NewAtom) -> None:
    words = (new.intent, new.category, tuple(new.outcomes), tuple(new.falsified_by))
    if words == (old.intent, old.category, old.outcomes, old.falsified_by):
        raise UsageError(
            f"the new atom would say the same as {old.id}; give what differs, such as --intent 'One sentence.'"
        )


def checked(pact: Pact, new: NewAtom, *, anyway: bool, beside: str | None = None) -> tuple[Near, ...]:
    """Refuse what is not a sentence or already exists; return atoms that say nearly the same."""
    _refuse_no_sentence(new.intent)
    if not re.fullmatch(PATH_PATTERN, new.topic):
        raise UsageError(f"{new.topic!r} names no file below pact/atoms; write a topic such as billing or web/login")
    twins = [one for one in same(new.intent, pact.atoms.values()) if one.id != beside]
    if twins and not anyway:
        listed = ", ".join(f"{one.id} ({pact.status_of(one.id)})" for one in twins)
        better = (SUPERSEDE if pact.is_committed(twins[0].id) else EDIT)(twins[0].id, "--outcome '…'")
        told = f"the pact already says so: {listed}; to declare it anyway, use --anyway; to give it other outcomes: "
        raise RefusedError(told + better)
    return _near(pact, new.intent, beside or "")


def _near(pact: Pact, intent: str, itself: str = "") -> tuple[Near, ...]:
    live = [one for one in pact.atoms.values() if pact.status_of(one.id) not in {"superseded", "abandoned"}]
    return nearest(intent, [one for one in live if one.id != itself])


def _refuse_no_sentence(intent: str) -> None:
    if len(intent.split()) < 2 or "\n" in intent or "\r" in intent:  # noqa: PLR2004 - a single word is not a sentence
        raise UsageError(f"{intent!r} is not a sentence; say in one line what can be observed")


def _refuse_settled(pact: Pact, atom: Atom, *, back: bool = False) -> None:
    """Refuse to change anything but drafts and proposals, and say what to do instead."""
    status = pact.status_of(atom.id)
    if status in {"proposed", "draft"} or (status == "abandoned" and back and not pact.is_committed(atom.id)):
        return
    told = {
        "committed": f"{atom.id} is committed by {pact.commitment_of(atom.id)}, and a committed atom never changes; "
        "replace it: "
        + SUPERSEDE(atom.id, "--intent 'One sentence.'")
        + ", or give it up: "
        + ABANDON(atom.id, "--reason 'Why.'"),
        "superseded": (
            f"{atom.id} is superseded by {pact.successor_of(atom.id)}, and a superseded atom never "
            f"changes; see: pk atom history {atom.id}"
        ),
        "abandoned": f"{atom.id} is abandoned; revive it first: " + EDIT(atom.id, "--status draft"),
    }
    if pact.is_committed(atom.id) and status == "abandoned":
        raise RefusedError(f"{atom.id} was committed, so it never changes; declare it anew: " + NEW("--anyway '…'"))
    raise RefusedError(told[str(status)])


def _refuse_succession(pact: Pact, old: Atom, new: str) -> None:
    """Refuse an impossible succession and say what to do instead; apply would refuse it as well."""
    if pact.abandonment_of(old.id) is not None:
        raise RefusedError(f"{old.id} is abandoned, so nothing has to replace it; declare a new atom: " + NEW("'…'"))
    others = [one for one in pact.claimants_of(old.id) if one != new]
    if others:
        last = pact.successor_of(old.id) or pact.waiting_for(old.id) or others[0]
        raise RefusedError(f"{old.id} already has a successor, {last}; replace that one: " + SUPERSEDE(last, "…"))
    if pact.is_committed(new):
        raise RefusedError(
            f"{new} is committed, and a committed atom never changes; declare a new atom that replaces {old.id}, "
            "in the same words if they still apply: " + SUPERSEDE(old.id, "--intent '…' --anyway")
        )
    if old.id == new or pact.status_of(new) in {"superseded", "abandoned"}:
        raise RefusedError(f"{new} is {pact.status_of(new)}, so it cannot replace {old.id}")


def _linking(world: World, atom: str) -> tuple[str, ...]:
    return tuple(entry.test.id for entry in world.linked if atom in entry.atoms())


def _write(workspace: Workspace, ops: Sequence[Op], *, dry_run: bool) -> Applied:
    """Apply ops a person just entered, all or none; the words count as theirs."""
    patch = Patch(workspace.repository.head() or "no commit yet", tuple(ops))
    return apply_patch(workspace, patch, [_decision(workspace, op) for op in ops], dry_run=dry_run)


def _decision(workspace: Workspace, op: Op) -> Decision:
    by, at = workspace.person(), workspace.now().isoformat(timespec="seconds")
    reason = str(op.payload.get("reason", ""))
    if op.verb == "updateAtom" and not WORDS.isdisjoint(op.payload):
        return Decision(op.id, op.shown_hash, "edit", by, at, reason=reason, edited=op.payload)
    return Decision(op.id, op.shown_hash, "accept", by, at, reason=reason)


STDIN = "-"
FOLDER = "intake"


@dataclass(frozen=True, slots=True)
class Given:
    """A text to take in: its file name as typed, or `-` for standard input."""

    name: str
    data: bytes
    write: bool = False


@dataclass(frozen=True, slots=True)
class Intaken:
    """The outcome of taking in a text, and the file its patch was saved in; None if it was not saved."""

    intake: Intake
    source: str
    file: Path | None = None


def intake_text(workspace: Workspace, given: Given) -> Intaken:
    """Propose atoms from a text, each with its lines; nothing is declared until a person accepts it."""
    source = Source(_name(workspace, given.name), _decoded(given))
    world = workspace.world(workspace.snapshot())
    inside = given.name != STDIN and (workspace.repository.root / source.path).is_file()
    shelf = Shelf(
        world.pact,
        frozenset(world.ids_in_use()),
        topic=source.path if inside else FOLDER,
        base=workspace.repository.head() or "no commit yet",
        source=source.path,
    )
    found = propose(take_in(source, feature=_is_feature(source)), shelf)
    saved = _saved(workspace, found) if given.write and found.patch.ops else None
    return Intaken(found, source.path, saved)


def _name(workspace: Workspace, name: str) -> str:
    """Name the text for evidence: its path relative to the root, or its bare name if it is elsewhere."""
    if name == STDIN:
        return "stdin"
    place, root = Path(os.path.realpath(name)), os.path.realpath(workspace.repository.root)
    return place.relative_to(root).as_posix() if place.is_relative_to(root) else PurePosixPath(place.name).name


def _decoded(given: Given) -> str:
    try:
        return given.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{given.name!r} is not UTF-8 text: {error}; convert it first") from error


def _is_feature(source: Source) -> bool:
    """Whether a text is a feature file, by its name or, from standard input, by its first line."""
    if source.path.endswith(".feature"):
        return True
    opening = next((line.strip() for line in source.lines if line.strip() and line.strip()[0] not in "#@"), "")
    return opening.startswith(("Feature:", "Scenario:", "Scenario Outline:", "Background:"))


def _saved(workspace: Workspace, intake: Intake) -> Path:
    place = workspace.state / FOLDER / f"{intake.patch.id}.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(encode_patch(intake.patch), encoding="utf-8")
    return place


@dataclass(frozen=True, slots=True)
class Clarified:
    """A recorded clarification, with the answer it replaces; `entry` is None if nothing changed."""

    clarification: Clarification
    before: str | None
    entry: WriteEntry | None


def clarify_atom(workspace: Workspace, name: str, question: str, answer: str, *, replace: bool = False) -> Clarified:
    """Record a question about an atom with its answer; a different answer to the same question requires `replace`.

    The atom's table is not touched, so it may be committed.
    """
    workspace.settle()
    snapshot = workspace.snapshot()
    pact = workspace.pact(snapshot, required=True)
    atom = named_atom(pact, name)
    for what, text in (("question", question), ("answer", answer)):
        if not text.strip():
            raise UsageError(f"the {what} is empty; write it out")
    at = workspace.now().isoformat(timespec="seconds")
    key = hashed_id(CLARIFICATION_PREFIX, atom.id, normalised_intent(question))
    said = Clarification(key, atom.id, question, answer, workspace.person(), at)
    known = pact.clarifications.get(key)
    if known is not None and known.answer == answer:
        return Clarified(known, known.answer, None)
    if known is not None and not replace:
        raise RefusedError(
            f"{known.by} answered this on {known.at[:10]}: {known.answer!r} ({key}); to change the answer, use "
            "--replace"
        )
    files = workspace.pact_files(snapshot)
    place, attributes = pact.folder.path(CLARIFICATIONS_FILE), pact.folder.path(ATTRIBUTES_FILE)
    edits = [
        FileEdit(place, files.get(place), put_clarification(files.get(place), said)),
        FileEdit(attributes, files.get(attributes), put_attributes(files.get(attributes))),
    ]
    note = WriteNote(at, {"verb": "clarify", "clarification": key, "atom": atom.id, "decided_by": [said.by]})
    return Clarified(said, None if known is None else known.answer, apply(workspace.place, edits, note))
