"""Verbs about wording: what a sentence lacks, how to improve it, how atoms score; they only read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pactkeeper.authoring.refining import Refinement, refine
from pactkeeper.errors import UsageError
from pactkeeper.intent.atoms import Atom, Status
from pactkeeper.intent.gate import RULE_OF
from pactkeeper.intent.invariants import CommitRequest, Facts, evaluate
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.quality import AtomWords, Deduction, Quality, QualityVocabulary, assess
from pactkeeper.operators.atoms import named_atom
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Judged:
    """An atom with the quality of its wording; `refused` maps rules to why the gate would refuse it."""

    atom: Atom
    status: Status
    quality: Quality
    refused: Mapping[str, str] = field(default_factory=dict)


def analyze_intent(workspace: Workspace, intent: str) -> Refinement:
    """Analyse whether a sentence is one behaviour, what it leaves open, and how to improve it."""
    if not intent.strip():
        raise UsageError("there are no words to analyse; give a sentence in quotes")
    pact = workspace.pact(workspace.snapshot())
    return refine(AtomWords(" ".join(intent.split())), QualityVocabulary.of(pact.settings))


def refine_atom(workspace: Workspace, name: str, *, feedback: str = "") -> tuple[Atom, Refinement]:
    """Analyse an atom of the pact, with its outcomes and falsifiers; it is not changed.

    `feedback` is a sentence that somebody suggests instead, and is judged in its place.
    """
    pact = workspace.pact(workspace.snapshot(), required=True)
    atom = named_atom(pact, name)
    words = replace(AtomWords.of(atom), intent=" ".join(feedback.split()) or atom.intent)
    return atom, refine(words, QualityVocabulary.of(pact.settings))


def validate_words(workspace: Workspace, words: AtomWords) -> Quality:
    """Score wording that no atom has yet."""
    return assess(words, QualityVocabulary.of(workspace.pact(workspace.snapshot()).settings))


def validate_atom_quality(workspace: Workspace, names: Sequence[str] = ()) -> tuple[Judged, ...]:
    """Score the wording of the named atoms, or of all in force; lowest score first."""
    pact = workspace.pact(workspace.snapshot(), required=True)
    vocabulary = QualityVocabulary.of(pact.settings)
    statuses = {name: pact.status_of(name) or atom.status for name, atom in pact.atoms.items()}
    named = [named_atom(pact, name) for name in dict.fromkeys(names)]
    live = [one for one in pact.atoms.values() if statuses[one.id] not in {"abandoned", "superseded"}]
    quality = {one.id: assess(AtomWords.of(one), vocabulary) for one in named or live}
    waiting = tuple(name for name in quality if statuses[name] in _COMMITTABLE)
    refused = _refused(pact, waiting, quality)
    judged = [Judged(one, statuses[one.id], quality[one.id], refused.get(one.id, {})) for one in named or live]
    return tuple(sorted(judged, key=lambda one: (one.quality.score, one.atom.id)))


def advise(workspace: Workspace, sentences: Mapping[str, str]) -> Mapping[str, tuple[Deduction, ...]]:
    """Return what could be improved in a person's sentences, by test; good enough ones are left out."""
    vocabulary = QualityVocabulary.of(workspace.pact(workspace.snapshot()).settings)
    judged = {name: assess(AtomWords(text), vocabulary) for name, text in sentences.items()}
    found = {name: tuple(_of_sentence(one)) for name, one in judged.items() if one.verdict != "approve" and one.judged}
    return {name: said for name, said in found.items() if said}


def _of_sentence(quality: Quality) -> Iterator[Deduction]:
    """Yield the deductions that concern the sentence, each phrase once."""
    cited: set[str] = set()
    for dimension in quality.dimensions:
        for one in dimension.deductions:
            if one.place == "intent" and one.words not in cited:
                cited.add(one.words)
                yield one


_COMMITTABLE: Final = frozenset({"draft", "proposed"})


def _refused(pact: Pact, names: tuple[str, ...], quality: Mapping[str, Quality]) -> dict[str, dict[str, str]]:
    """Map atoms and rules to why the wording would fail the rules that block a commitment here."""
    request = CommitRequest(names, by="", actor="person", assurance=None)
    checks = evaluate(
        Facts(pact, commit=request), only=frozenset(RULE_OF.values()), assess=lambda atom: quality[atom.id]
    )
    found: dict[str, dict[str, str]] = {}
    for check in checks if names else ():
        for one in check.findings if check.blocking else ():
            found.setdefault(one.subject, {})[check.invariant] = one.message
    return found
