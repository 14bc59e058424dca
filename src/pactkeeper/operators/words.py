"""Verbs about wording: what a sentence lacks, how to improve it, how atoms score; they only read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from textwrap import dedent
from typing import Any, Final

from pactkeeper.authoring.words import Open, Refinement, refine
from pactkeeper.errors import UsageError
from pactkeeper.flows.observing import tagged
from pactkeeper.intent.answers.names import invented, outdated
from pactkeeper.intent.atoms import Atom, Status
from pactkeeper.intent.gate import refused_words
from pactkeeper.intent.links import LinkedTest, TestState
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.quality import AtomWords, Deduction, Quality, QualityVocabulary, assess
from pactkeeper.intent.tests import leaf, under
from pactkeeper.intent.wording.tokens import tokens
from pactkeeper.ledger.answering import Asker, Budget, BudgetLimits, Exceeded, Prompt, Reply
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.patch import Patch, read_question
from pactkeeper.ledger.question import Answer, Question
from pactkeeper.operators.atoms import named_atom
from pactkeeper.operators.models import asker_with_budget
from pactkeeper.operators.questions import asked
from pactkeeper.operators.view import Form, kept, state_key
from pactkeeper.reconcile.answering import question_about
from pactkeeper.reconcile.asking import body_of, grounds_of, problems
from pactkeeper.reconcile.looking import infer_tests
from pactkeeper.reconcile.world import World
from pactkeeper.reconcile.worth import Inferred, told_apart
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Judged:
    """An atom with the quality of its wording; `refused` maps rules to why the gate would refuse it."""

    atom: Atom
    status: Status
    quality: Quality
    refused: Mapping[str, str] = field(default_factory=dict)


def analyze_intent(workspace: Workspace, intent: str, outcomes: Sequence[str] = ()) -> Refinement:
    """Analyse whether a sentence, with its outcomes, is one behaviour, what it leaves open, and how to improve it."""
    if not intent.strip():
        raise UsageError("nothing to analyse; give a sentence in quotes")
    pact = workspace.pact(workspace.snapshot())
    return refine(AtomWords(" ".join(intent.split()), tuple(outcomes)), QualityVocabulary.of(pact.settings))


def refine_atom(
    workspace: Workspace, name: str, *, feedback: str = "", outcomes: Sequence[str] = ()
) -> tuple[Atom, Refinement]:
    """Analyse an atom of the pact, with its outcomes and falsifiers; it is not changed.

    `feedback` is a sentence that somebody suggests instead, and is judged in its place, as are `outcomes`.
    """
    pact = workspace.pact(workspace.snapshot(), required=True)
    atom = named_atom(pact, name)
    words = replace(AtomWords.of(atom), intent=" ".join(feedback.split()) or atom.intent)
    words = replace(words, outcomes=tuple(outcomes) or words.outcomes)
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
    refused = refused_words(pact, waiting, lambda atom: quality[atom.id])
    judged = [Judged(one, statuses[one.id], quality[one.id], refused.get(one.id, {})) for one in named or live]
    return tuple(sorted(judged, key=lambda one: (one.quality.score, one.atom.id)))


def advise(workspace: Workspace, patch: Patch) -> Mapping[tuple[str, str], tuple[Deduction, ...]]:
    """Return what a commitment would refuse of the sentences that a patch gives to tests, by test and sentence.

    A sentence is judged with what its test shows: an outcome that is clear needs no number in the sentence, and where
    none was found, a person has to say one.
    """
    pact = workspace.pact(workspace.snapshot())
    vocabulary = QualityVocabulary.of(pact.settings)
    found: dict[tuple[str, str], tuple[Deduction, ...]] = {}
    for op in patch.ops:
        said, outcomes = op.payload.get("description"), op.payload.get("observableOutcomes")
        if isinstance(said, str) and isinstance(outcomes, list):
            quality = assess(AtomWords(said, tuple(map(str, outcomes)), name=leaf(op.group)), vocabulary)
            told = () if quality.verdict == "approve" else tuple(_of_sentence(quality))
            found[op.group, said] = told or (() if outcomes else _of_outcomes(str(op.payload["atomId"]), pact, quality))
    return {key: deductions for key, deductions in found.items() if deductions}


def _of_outcomes(name: str, pact: Pact, quality: Quality) -> tuple[Deduction, ...]:
    """Return why the gate would refuse an atom without outcomes."""
    refused = refused_words(pact, (name,), lambda _: quality).get(name, {})
    return tuple(Deduction(0, "", why, f"add one to {name}") for why in refused.values())[:1]


def _of_sentence(quality: Quality) -> Iterator[Deduction]:
    """Yield the deductions that concern the sentence, each phrase once."""
    cited: set[str] = set()
    for dimension in quality.dimensions if quality.judged else ():
        for one in dimension.deductions:
            if one.place == "intent" and one.words not in cited:
                cited.add(one.words)
                yield one


_COMMITTABLE: Final = frozenset({"draft", "proposed"})


BATCH: Final = 40
MOST_LINES: Final = 40
"""Longer tests are shown by their checks."""


@dataclass(frozen=True, slots=True)
class WordsWanted:
    """Tests that need words, each with the question that asks for them; `left` are beyond the limit.

    `settled` counts the other tests in the same place, which have words or a sentence proposed by `pk reconcile`.
    """

    rows: tuple[Open, ...]
    questions: tuple[Question, ...]
    left: int
    settled: int


@dataclass(frozen=True, slots=True)
class Drafted:
    """The rows with a model's drafts, the drafts refused by the checks, and why asking stopped."""

    rows: tuple[Open, ...]
    refused: tuple[str, ...]
    stopped: str = ""


_IN_TURN: Final[Sequence[TestState]] = ("orphan", "changed_debt", "debt")  # what `pk check` reports comes first


def wanting_words(workspace: Workspace, paths: Sequence[str] = (), *, limit: int = BATCH) -> WordsWanted:
    """Return the tests below the paths (from the root) that have neither an atom nor a sentence of their own.

    The result is cached while the files are unchanged: inferring two thousand tests takes a second.
    """
    snapshot = workspace.snapshot()
    key = state_key(workspace, snapshot, digest([*paths]), str(limit))
    return kept(workspace, _FORM, key, lambda: (_wanting(workspace, snapshot, paths, limit), True))


def _wanting(workspace: Workspace, snapshot: Snapshot, paths: Sequence[str], limit: int) -> WordsWanted:
    world = workspace.world(snapshot)
    inside = [one for one in world.linked if not paths or under(one.test.file, paths)]
    bare = [entry for state in _IN_TURN for entry in inside if entry.state == state]
    least = round(world.pact.settings.inference_threshold * 100)
    wanting = [one for one in told_apart(_inferred(workspace, snapshot, bare)) if one.inference.confidence < least]
    rows, asking = wanting[:limit], [question_about(one) for one in wanting[:limit]]
    names = {one.entry.test.file for one in rows}
    sources = {name: (snapshot.read(name) or b"").decode("utf-8", "replace") for name in names}
    shown = tuple(_row(one, sources[one.entry.test.file]) for one in rows)
    return WordsWanted(shown, tuple(asking), len(wanting) - len(rows), len(inside) - len(wanting))


def _inferred(workspace: Workspace, snapshot: Snapshot, entries: Sequence[LinkedTest]) -> list[Inferred]:
    """Infer these tests by rules; a server only repeats that for tests that changed."""
    said: dict[str, Inferred] = workspace.memory.recall("inferred", snapshot.listing_hash(pact=False), dict)
    new = [one for one in entries if one.test.id not in said or said[one.test.id].entry.test != one.test]
    said |= {one.entry.test.id: one for one in infer_tests(snapshot, new)}
    return [replace(said[one.test.id], entry=one) for one in entries]


def _kept_wanted(fields: dict[str, Any]) -> WordsWanted:
    rows = tuple(map(_kept_row, fields["rows"]))
    return WordsWanted(rows, tuple(map(read_question, fields["questions"])), fields["left"], fields["settled"])


def _kept_row(one: dict[str, Any]) -> Open:
    several = {name: tuple(one[name]) for name in ("checks", "drafts", "lines")}
    return Open(**{**one, **several})


_FORM: Final = Form("words-wanted/3", 12, _kept_wanted)


def _row(one: Inferred, source: str) -> Open:
    said, test = one.inference, one.entry.test
    lines = dedent(body_of(test, source)).splitlines()
    whole = tuple(lines) if len(lines) <= MOST_LINES else ()
    drafts = (said.intent,) if said.intent else ()
    return Open(test.id, said.reasoning, said.outcomes, drafts, f"{test.file}:{test.name_line}", whole)


def doubts_about(workspace: Workspace, sentences: Mapping[str, str]) -> Mapping[str, tuple[str, ...]]:
    """Return what contradicts sentences about tests, by test: values and events that the tests do not contain."""
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot)
    entries = [world.by_id[name] for name in sentences if name in world.by_id]
    doubts: dict[str, tuple[str, ...]] = {}
    for one in infer_tests(snapshot, entries):
        name = one.entry.test.id
        grounds = grounds_of(question_about(one), snapshot.read, world)
        doubts[name] = () if grounds is None else tuple(invented(tokens(sentences[name]), grounds.source))
    return {name: said for name, said in doubts.items() if said}


def outdated_sentences(
    inferred: Iterable[Inferred], read: Callable[[str], bytes | None], world: World
) -> Mapping[str, str]:
    """Return the atoms whose sentence holds a value that their test was reviewed with and doesn't hold any more."""
    found: dict[str, str] = {}
    for one in inferred:
        record = one.entry.record
        grounds = grounds_of(question_about(one), read, world)
        if record is None or grounds is None:
            continue
        for atom in (world.pact.atoms[name] for name in (*record.atoms, *record.annotated) if name in world.pact.atoms):
            values = list(outdated(atom.intent, grounds.source, " ".join(record.asserts)))
            if values:
                found[atom.id] = f"{atom.intent!r} holds {', '.join(values)}, which {one.entry.test.id} no longer does"
    return found


def draft_words(
    workspace: Workspace, wanted: WordsWanted, *, asker: Asker | None = None, budget: Budget | None = None
) -> Drafted:
    """Have the configured model draft a sentence for each test; drafts that fail the checks are refused.

    Raises ModelUnavailable if no model is configured.
    """
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot)
    by_id = {one.id: one for one in wanted.questions}
    asking, allowed = (asker, budget or Budget(BudgetLimits())) if asker is not None else asker_with_budget(workspace)
    drafts: dict[str, str] = {}
    refused: list[str] = []

    def check(prompt: Prompt, value: JsonValue) -> tuple[str, ...]:
        question = by_id[prompt.question]
        grounds = grounds_of(question, snapshot.read, world)
        answer = Answer(question.id, value, "model", asking.name, "")
        if grounds is None:
            return ("the source cannot be read any more",)
        return problems(question, answer, grounds)

    def keep(reply: Reply) -> None:
        subject = by_id[reply.prompt.question].subject
        if reply.state == "answered" and isinstance(reply.value, dict):
            drafts[subject] = str(reply.value["intent"])
        else:
            refused.append(f"{subject}: {'; '.join(reply.reasons) or reply.state}")

    with tagged(agent="words-agent", node="draft"):
        after = asyncio.run(asking.ask(asked(workspace, wanted.questions), check=check, keep=keep, budget=allowed))
    rows = (replace(row, drafts=(*row.drafts, *_one(drafts.get(row.test)))) for row in wanted.rows)
    return Drafted(tuple(rows), tuple(refused), str(after) if isinstance(after, Exceeded) else "")


def _one(text: str | None) -> tuple[str, ...]:
    return () if text is None else (" ".join(text.split()),)
