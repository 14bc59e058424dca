"""The shortcut for single tests: propose, accept and apply in one step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from pactkeeper.advice import ACCEPT, EDIT, UNLIKE, WEAKER, WORDS, Advice, joined
from pactkeeper.errors import InputError, UsageError
from pactkeeper.intent.links import LinkedTest
from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch, in_order
from pactkeeper.operators.apply import apply_patch
from pactkeeper.operators.named import named_tests
from pactkeeper.operators.words import doubts_about, outdated_sentences
from pactkeeper.reconcile.applying import Applied
from pactkeeper.reconcile.asking import contradicted
from pactkeeper.reconcile.codes import quoted
from pactkeeper.reconcile.links import facets, in_place_of, replacing
from pactkeeper.reconcile.looking import atoms_saying, carrier_for, changed_tests, infer_tests
from pactkeeper.reconcile.propose import Inferred, Proposer
from pactkeeper.reconcile.select import TO_CONFIRM, WITHOUT_INTENT, moves
from pactkeeper.reconcile.world import World
from pactkeeper.workspace import Workspace

_LACKING: Final = WITHOUT_INTENT | TO_CONFIRM | {"rejected", "abandoned"}


@dataclass(frozen=True, slots=True)
class AcceptedWords:
    """What a person provides in place of the rules: an existing atom, or an intent in their own words.

    With both, the intent is that of an atom which replaces the existing one, a committed one.
    `moved` only takes tests that moved, so that they keep what was reviewed. `weaker` confirms tests although they
    prove less than was reviewed. `by` says whose words they are; unless `confirmed`, an intent that the test
    contradicts is refused, and so is a link to another atom whose values the test doesn't hold.
    """

    atom: str | None = None
    intent: str | None = None
    moved: bool = False
    weaker: bool = False
    by: Literal["person", "agent"] = "person"
    confirmed: bool = True


def accept_tests(workspace: Workspace, names: Sequence[str], words: AcceptedWords, *, dry_run: bool = False) -> Applied:
    """Give the named tests what they lack: an atom, a confirmation, or the atom in `words`.

    Tests that lack nothing are recorded anew if they changed since they were reviewed, and prove no less.
    """
    workspace.settle(dry_run=dry_run)
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot)
    entries = named_tests(world, names, folder=workspace.folder)
    if words.moved:
        entries = _moved(world, entries if names else world.linked)
    if words.intent is not None:
        _refuse_words(workspace, world, entries, words)
    wanted, renewing = _wanted(world, entries, names, words)
    if not words.weaker:
        _refuse_weaker([_beside_vanished(entry, words.atom, world) for entry in wanted], world, words.atom)
    inferred = {one.entry.test.id: one for one in infer_tests(snapshot, wanted)}
    _refuse_outdated(inferred.values(), snapshot.read, world, words)
    changed = changed_tests(workspace, snapshot, world, base=None)
    proposer = Proposer.of(world, carrier_for(world, changed))
    ops = _renewed(proposer, inferred) if renewing else _proposed(proposer, wanted, inferred, words)
    if not words.confirmed:
        _refuse_contradicted(contradicted(ops, inferred, snapshot.read, world), words)
    patch = Patch(workspace.repository.head() or "no commit yet", in_order(ops))
    decisions = _accepted(workspace, patch, worded=words.intent is not None)
    return apply_patch(workspace, patch, decisions, dry_run=dry_run)


def _refuse_words(workspace: Workspace, world: World, entries: Sequence[LinkedTest], words: AcceptedWords) -> None:
    """Raise UsageError or InputError if the sentence is none, is not for one test, or is not the test's."""
    sentence = words.intent or ""
    if not _is_sentence(sentence):
        raise UsageError(f"--intent {words.intent!r} is not a sentence; say in one line what the test is for")
    if len(entries) != 1:
        raise UsageError(f"--intent is for one test, not for {len(entries)}; name one of them: {entries[0].test.id}")
    if words.atom is None:
        _refuse_committed(world, {entries[0].test.id: sentence})
    if not words.confirmed:
        _refuse_doubted(workspace, entries[0], sentence, words.atom)


def _wanted(
    world: World, entries: Sequence[LinkedTest], names: Sequence[str], words: AcceptedWords
) -> tuple[list[LinkedTest], bool]:
    """Return the tests that lack something, or those to record anew if none does; and whether they are recorded anew.

    Whoever names each test, and no file of them, may give it a second atom.
    """
    each = len(entries) <= len(names)
    if words.moved or (words.atom and each):
        wanted = list(entries)
    else:
        wanted = [entry for entry in entries if entry.state in _LACKING]
    renewing = not wanted and words.intent is None
    wanted = list(world.outdated(entries)) if renewing else wanted
    if not wanted:
        raise UsageError(_lacks_nothing(entries, names, words, world))
    return wanted, renewing


def _lacks_nothing(entries: Sequence[LinkedTest], names: Sequence[str], words: AcceptedWords, world: World) -> Advice:
    """Say that tests lack nothing, and how their atoms get the sentence that was given."""
    said = Advice(f"nothing to accept: {', '.join(names)} lacks nothing")
    if words.intent is None:
        return said
    sentence = ("--intent", quoted(words.intent))
    test = quoted(entries[0].test.id)
    reword = [
        ACCEPT(test, "--atom", link.atom, *sentence)
        if world.pact.is_committed(link.atom)
        else EDIT(link.atom, *sentence)
        for link in entries[0].links
        if link.atom in world.pact.atoms
    ]
    return said + "; for its atom to say this: " + joined(", or ", reword) if reword else said


def _renewed(proposer: Proposer, inferred: Mapping[str, Inferred]) -> Sequence[Op]:
    return [op for one in inferred.values() for op in proposer.renew(one)]


def _refuse_doubted(workspace: Workspace, entry: LinkedTest, sentence: str, atom: str | None) -> None:
    """Raise InputError if the test contradicts the sentence, as for an agent's answer to a question."""
    doubts = doubts_about(workspace, {entry.test.id: sentence}).get(entry.test.id, ())
    if doubts:
        named = [quoted(entry.test.id), *(("--atom", atom) if atom else ())]
        keep = "; if it holds as it is: " + UNLIKE(*named, "--intent", quoted(sentence), "--confirm")
        raise InputError(f"the sentence for {entry.test.id!r} is not taken: {'; '.join(doubts)}" + keep)


def _refuse_outdated(
    inferred: Iterable[Inferred], read: Callable[[str], bytes | None], world: World, words: AcceptedWords
) -> None:
    """Raise InputError if a sentence would stay that holds a value of before."""
    if words.confirmed or words.moved or words.intent or words.atom:
        return
    confirmed = [one for one in inferred if one.entry.state in TO_CONFIRM]
    found = outdated_sentences(confirmed, read, world)
    if found:
        lines = [f"  {atom}: {said}" for atom, said in found.items()]
        edit = "Say what holds now: " + EDIT(next(iter(found)), "--intent", quoted("One sentence."))
        keep = "Or, if the sentence holds as it is: " + UNLIKE(
            *(quoted(one.entry.test.id) for one in inferred), "--confirm"
        )
        raise InputError(joined("\n", ("nothing was written; the words would be wrong:", *lines, edit, keep)))


def _refuse_contradicted(found: Iterable[tuple[Op, Sequence[str]]], words: AcceptedWords) -> None:
    """Raise InputError if tests would be linked to another atom whose values they don't hold."""
    doubted = {op.group: f"  {op.group} to {op.payload['atomId']}: {'; '.join(doubts)}" for op, doubts in found}
    if doubted:
        named = [*map(quoted, doubted), *(("--atom", words.atom) if words.atom else ())]
        end = "Change the tests, or, if they prove it as they are: " + UNLIKE(*named, "--confirm")
        head = "nothing was written; these tests don't hold what the atom says:"
        raise InputError(joined("\n", (head, *doubted.values(), end)))


def _proposed(
    proposer: Proposer, wanted: Sequence[LinkedTest], inferred: Mapping[str, Inferred], words: AcceptedWords
) -> Sequence[Op]:
    if words.atom is not None and words.intent is not None:
        return list(proposer.succeed_named(_worded(inferred[wanted[0].test.id], words), words.atom))
    if words.atom is not None:
        return list(proposer.attach_named([inferred[one.test.id] for one in wanted], words.atom))
    confirmed = frozenset() if words.moved else TO_CONFIRM
    worded = [_worded(inferred[entry.test.id], words) for entry in wanted if entry.state not in confirmed]
    confirm = [_worded(inferred[entry.test.id], words) for entry in wanted if entry.state in confirmed]
    found = proposer.propose(worded, confirm, ())
    if found.needs_words:
        raise UsageError(_unworded(found.needs_words, proposer.world))
    if not found.ops:
        lesser = [entry for entry in wanted if entry.weaker]
        if lesser:
            atom = lesser[0].atoms({"suspect"})[0]
            instead = replacing(atom, proposer.world.pact, lesser[0])
            raise UsageError(_proves_less("of a committed atom than was reviewed", instead, lesser))
        raise UsageError(
            "nothing was written: the links of these tests are in an annotation that they share, or in a form "
            "that only people may change; to see where: pk check"
        )
    return found.ops


def _beside_vanished(entry: LinkedTest, atom: str | None, world: World) -> LinkedTest:
    """Return a test that shall be linked to an atom with what it proves less than the atom's vanished test did."""
    return replace(entry, weaker=world.lesser(entry.test, atom)) if atom and not entry.links else entry


def _refuse_weaker(entries: Sequence[LinkedTest], world: World, atom: str | None) -> None:
    """Raise UsageError if a plain yes would confirm a proven weakening; committed atoms are refused elsewhere."""
    lesser = [entry for entry in entries if entry.lost_proof and _of_drafts(entry, world, atom)]
    if lesser:
        named = [*(quoted(entry.test.id) for entry in lesser), *(("--atom", atom) if atom else ())]
        instead = "confirm that this is intended: " + WEAKER(*named, "--weaker")
        raise UsageError(_proves_less("than was reviewed", instead, lesser))


def _of_drafts(entry: LinkedTest, world: World, atom: str | None) -> bool:
    """Whether a weakening is one that a person's word can confirm: of an atom that nobody committed."""
    suspect = entry.atoms({"suspect"})
    atoms = (atom,) if atom and not suspect else suspect
    return any(not world.pact.is_committed(one) for one in atoms)


def _proves_less(what: str, instead: str, entries: Sequence[LinkedTest]) -> Advice:
    lines: list[str] = []
    for one in entries:
        lines += [f"  {one.test.id}", *(f"    {facet}" for facet in facets(one.weaker))]
    proven = "something else" if all(one.proves_otherwise for one in entries) else "less"
    head, end = f"these tests prove {proven} {what}; nothing was written:", "Restore what they asserted, or " + instead
    return joined("\n", (head, *lines, end))


def _moved(world: World, entries: Sequence[LinkedTest]) -> tuple[LinkedTest, ...]:
    """Return the tests that continue the record of a deleted one; raises UsageError if there are none."""
    found = moves(world.linked, world.pact, world.gone)
    moved = tuple(entry for entry in entries if entry.test.id in found)
    unlike = [entry for entry in entries if entry.unlike and entry.weaker]
    lesser = [one for one in unlike if one.test.body_hash == world.pact.links[one.unlike].body]
    if lesser and not moved:
        meant = "say what holds now: " + in_place_of(lesser[0], world.pact)
        raise UsageError(_proves_less("than before they moved", meant, lesser))
    if not moved:
        raise UsageError("none of these tests moved; pk check lists those that did")
    return moved


def _is_sentence(text: str) -> bool:
    return len(text.split()) > 1 and "\n" not in text and "\r" not in text


def _worded(one: Inferred, words: AcceptedWords) -> Inferred:
    if words.intent is None:
        return one
    if words.atom is None and one.entry.state in TO_CONFIRM and [link.state for link in one.entry.links] != ["suspect"]:
        raise UsageError(
            f"{one.entry.test.id!r} has several links to confirm, and --intent rewords one atom; confirm them "
            "first: " + ACCEPT("TEST")
        )
    whose = {"person": "a person", "agent": "an agent"}[words.by]
    said = replace(one.inference, intent=words.intent, confidence=100, reasoning=f"worded by {whose}")
    return replace(one, inference=said, worded=True, by=words.by)


def give_words(workspace: Workspace, sentences: Mapping[str, str], *, dry_run: bool = False) -> Applied:
    """Create an atom for each test, with the sentence a person gave it, all in one write.

    A test that has its sentence already is left out, so that a corrected sheet can be given back whole. Raises
    UsageError naming every test that does not exist or lacks nothing.
    """
    workspace.settle(dry_run=dry_run)
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot)
    sentences = {test: said for test, said in sentences.items() if said not in _said_of(test, world)}
    wrong = [
        f"{name!r} is {world.by_id[name].state if name in world.by_id else 'no test of this repository'}"
        for name in sentences
        if name not in world.by_id or world.by_id[name].state not in WITHOUT_INTENT
    ]
    if wrong or not sentences:
        raise UsageError(
            "\n".join(("nothing was written; these need no words:", *wrong)) if wrong else "no sentence is new"
        )
    _refuse_committed(world, sentences)
    entries = [entry for entry in world.linked if entry.test.id in sentences]
    changed = changed_tests(workspace, snapshot, world, base=None)
    proposer = Proposer.of(world, carrier_for(world, changed))
    said = [_worded(one, AcceptedWords(intent=sentences[one.entry.test.id])) for one in infer_tests(snapshot, entries)]
    patch = Patch(workspace.repository.head() or "no commit yet", in_order(proposer.propose(said, (), ()).ops))
    return apply_patch(workspace, patch, _accepted(workspace, patch, worded=True), dry_run=dry_run)


def _refuse_committed(world: World, sentences: Mapping[str, str]) -> None:
    """Raise UsageError if a sentence is that of a committed atom: the test is to be linked to it, not worded anew."""
    unlinked = {test: said for test, said in sentences.items() if said not in _said_of(test, world)}
    found = atoms_saying(unlinked, world.pact, lambda status: status == "committed")
    if found:
        raise UsageError(_link_instead("committed atoms say this already. Link the tests:", found))


def _link_instead(why: str, atoms: Mapping[str, str]) -> Advice:
    lines = ("  " + ACCEPT(quoted(test), "--atom", atom) for test, atom in atoms.items())
    return joined("\n", (f"nothing was written; {why}", *lines))


def _said_of(test: str, world: World) -> set[str]:
    """Return the sentences of the atoms that a test is linked to."""
    atoms = world.by_id[test].atoms() if test in world.by_id else ()
    return {world.pact.atoms[atom].intent for atom in atoms if atom in world.pact.atoms}


def _unworded(unclear: Sequence[Inferred], world: World) -> Advice:
    """Say which tests to link to the atom that has their very sentence, and which ones need words."""
    sentences = {one.entry.test.id: one.inference.intent for one in unclear if one.inference.intent}
    said = atoms_saying(sentences, world.pact)
    rest = [one for one in unclear if one.entry.test.id not in said]
    why = "atoms have exactly these sentences. Link the tests, or give them words of their own with --intent:"
    found = (_link_instead(why, said) if said else "", _needs_words(rest) if rest else "")
    return joined("\n", (one for one in found if one))


def _needs_words(unclear: Sequence[Inferred]) -> Advice:
    lines = [f"  {one.entry.test.id}: {one.inference.reasoning}" for one in unclear]
    return (
        "these tests need words; nothing was written. Say what they are for: "
        + Advice(WORDS() + ", or ", "")
        + ACCEPT("TEST", "--intent 'One sentence.'")
        + "\n"
        + "\n".join(lines)
    )


def _accepted(workspace: Workspace, patch: Patch, *, worded: bool) -> tuple[Decision, ...]:
    """Accept every op; a person's own words are recorded as their edit."""
    by, at = workspace.person(), workspace.now().isoformat(timespec="seconds")
    return tuple(
        Decision(op.id, op.shown_hash, "edit", by, at, edited=op.payload)
        if worded and op.verb in {"createAtom", "updateAtom"}
        else Decision(op.id, op.shown_hash, "accept", by, at)
        for op in patch.ops
    )
