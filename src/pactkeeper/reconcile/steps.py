"""The steps of one run, each called once by its graph node: they read and write rows, and the state gets counts.

A step asks the store what is already done, so that rerunning it after a crash does only what is missing. What the steps
share, the world and the proposals, is computed once per process and never part of the graph's state.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property

from pactkeeper.errors import PactkeeperError
from pactkeeper.flows.driving import fan_out
from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.quality import QualityVocabulary
from pactkeeper.intent.records import TestRecord
from pactkeeper.intent.structure import RepoStructure
from pactkeeper.ledger.answering import Asker, Budget, BudgetLimits
from pactkeeper.ledger.canonical import JsonValue, Run, digest
from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.patch import Patch
from pactkeeper.ledger.question import Question
from pactkeeper.reconcile import answering, looking, molecules
from pactkeeper.reconcile.applying import Applied, allowed_unasked, apply_patch, policy_of
from pactkeeper.reconcile.asking import Interview, Shown, known_tests, with_doubts
from pactkeeper.reconcile.journal import follow_journal
from pactkeeper.reconcile.looking import Looked, RepositoryGround, without_rejected
from pactkeeper.reconcile.molecules import AtomGroup
from pactkeeper.reconcile.propose import Inferred, Proposals, Proposer
from pactkeeper.reconcile.request import Request
from pactkeeper.reconcile.select import Memory, seen_as
from pactkeeper.reconcile.worth import Doubts, is_poor, objections, poor_ops
from pactkeeper.repo.context import Sources
from pactkeeper.store.decisions import decisions_of, load_patch, save_decisions, save_patch
from pactkeeper.store.findings import note_findings
from pactkeeper.store.history import History, chunks
from pactkeeper.store.questions import answered_questions, save_questions
from pactkeeper.store.recommendations import save_molecules
from pactkeeper.store.runs import records_of, save_records, update_run
from pactkeeper.store.waiting import atoms_created, proposed_by_waiting, undecided_together, waiting_ops

BATCH = 50  # tests inferred and stored together; at most this many are lost if the process is killed
AT_ONCE = 2  # one batch is worded in this thread while another's rows are written


@dataclass
class Steps:
    """One run in this process; `applied` and `failure` are the outcome of its last apply.

    `said` are decisions made together with this very apply: stored once it is done, and not at all otherwise.
    `ensure_alone` raises if another process may be running on the repository by now. Without an `asker`, questions are
    left to people; with one, `budget` limits the run.
    """

    ground: RepositoryGround
    history: History
    run: Run
    request: Request
    applied: Applied | None = None
    failure: PactkeeperError | None = None
    said: tuple[Decision, ...] = ()
    asker: Asker | None = None
    budget: Budget = field(default_factory=lambda: Budget(BudgetLimits()))
    ensure_alone: Callable[[], None] = lambda: None
    stop_if_cancelled: Callable[[], None] = lambda: None
    closing: ExitStack = field(default_factory=ExitStack, repr=False)
    _stale: frozenset[str] = frozenset()
    _rejected: int = 0

    def _forget(self, *names: str) -> None:
        """Have these properties computed anew."""
        for name in names:
            self.__dict__.pop(name, None)

    def structure(self) -> dict[str, int]:
        """Take the run's snapshot, and report it if the work tree changed since an interrupted start."""
        found = looking.content_of(self.looked.snapshot)
        if self.run.base not in {"", found}:
            self.ground.notice(
                f"{self.run.id}: files changed since it began; only results for unchanged tests are kept"
            )
        self.keep(replace(self.run, base=found, commit=self.ground.repository.head()))
        drawn = self.drawn
        return {"files": len(drawn.files), "imports": len(drawn.edges), "cycles": len(drawn.components)}

    @cached_property
    def drawn(self) -> RepoStructure:
        """Which files import each other."""
        return self.ground.structure(self.looked.snapshot, self.looked.world.pact)

    def discover(self) -> dict[str, int]:
        """Count what is to be done."""
        chosen = self.looked.selection
        return {
            "tests": len(self.looked.world.linked),
            "infer": len(chosen.infer),
            "confirm": len(chosen.confirm),
            "gone": len(chosen.gone),
            **dict(chosen.left_out),
        }

    def context(self, *, last: bool) -> dict[str, int]:
        """Index the documents for reading the tests, unless the run does without.

        If files changed since they were listed, the run has to look again; on its `last` attempt it skips their tests.
        """
        unread = looking.unread_files(self.looked)
        if unread and not last:
            self._forget("looked", "drawn", "sources")
            return {"tests": 0, "documents": 0, "unread": len(unread)}
        if unread:
            self.looked = self.looked.without(unread)
            self.request = replace(self.request, docs=False)  # an index of changing files would be stale
        documents = self.sources.documents if self.sources is not None else None
        return {"tests": len(self.wanted), "documents": 0 if documents is None else documents.files, "unread": 0}

    @cached_property
    def sources(self) -> Sources | None:
        """The sources of test contexts; None if the run uses no documents or has no tests to word."""
        if not (self.request.docs and self.wanted):
            return None
        return self.closing.enter_context(looking.sources_of(self.ground, self.looked, self.drawn))

    @cached_property
    def looked(self) -> Looked:
        """The world and the tests of this run."""
        follow_journal(self.history, self.ground.state)
        answered = answering.answered_tests(answered_questions(self.history))
        known, proposed = known_tests(self.history, self.asker), proposed_by_waiting(self.history)
        together = undecided_together(self.history)
        memory = Memory(known, frozenset(op.id for op in proposed), answered, proposed, together)
        base = self.run.baseline_commit
        found = looking.look(self.ground, self.request, base, memory=memory, snapshot=self.ground.snapshot())
        self._stale = memory.stale(found.world)
        return found

    @property
    def wanted(self) -> tuple[LinkedTest, ...]:
        """The tests that need wording."""
        return (*self.looked.selection.infer, *self.looked.selection.confirm)

    async def infer(self, tell: Callable[[int, int], None], *, again: bool = False) -> dict[str, int]:
        """Word every test without a stored inference, storing each batch at once; ask about the rest.

        `again` asks for better wording for what fell short of the quality threshold.
        """
        done = self._stored()
        missing = looking.lowest_first(self.drawn, [entry for entry in self.wanted if entry.test.id not in done])
        total = len(self.wanted)
        count = total - len(missing)
        tell(count, total)

        async def work(batch: Sequence[LinkedTest]) -> None:
            nonlocal count
            self.stop_if_cancelled()
            found = looking.infer_tests(self.looked.snapshot, batch, sources=self.sources)
            await asyncio.to_thread(self._store, found)
            count += len(batch)
            tell(count, total)

        await fan_out(chunks(missing, BATCH), work, at_once=AT_ONCE)
        self._forget("proposals", "groups")
        return {"worded": total, "taken_over": total - len(missing), **await self._ask_about_tests(again=again)}

    @cached_property
    def interview(self) -> Interview | None:
        """The questions of this run to a model; None if there is none to ask."""
        if self.asker is None:
            return None
        counts, budget = Interview.counted(self.run, self.budget)
        return Interview(
            self.asker, budget, self.history, self.run.id, self._now, self._tell_asked, self.ground.notice, counts
        )

    def _tell_asked(self, counts: Counter[str]) -> None:
        self.keep(replace(self.run, summary={**self.run.summary, **+counts}))

    async def _ask_about_tests(self, *, again: bool) -> Mapping[str, int]:
        """Ask for wording that rules did not find, and about what they leave to judgement."""
        if self.interview is None:
            return {}
        found = self.proposals
        words = (answering.question_about(one) for one in found.needs_words)
        better = self._better_words() if again else ()
        asked = await self.interview.ask((*words, *found.doubts, *found.compound, *better), self._shown())
        self._forget("proposals")
        return asked

    def _better_words(self) -> tuple[Question, ...]:
        """Ask for better wording for each new atom that is too poor, with the rules' objections."""
        settings = self.looked.world.pact.settings
        vocabulary = QualityVocabulary.of(settings)
        inferred = self._inferred()
        poor = {op.group for op in self.proposals.ops if is_poor(op, settings.quality_threshold)}
        found = (inferred[name] for name in sorted(poor & inferred.keys()))
        return tuple(answering.question_about(one, objections(one.inference, vocabulary)) for one in found)

    @property
    def proposed(self) -> str:
        """A digest of the proposals, which shows whether another round changed anything."""
        return digest([op.id for op in self.proposals.ops])

    def _shown(self) -> Shown:
        return Shown(self.looked.snapshot, self.looked.world, self.sources)

    def _store(self, found: Iterable[Inferred]) -> None:
        at = self._now()
        save_records(self.history, [looking.record_of(one, self.looked.world, run=self.run.id, at=at) for one in found])

    def _stored(self) -> frozenset[str]:
        """Return the tests that this run has words for that still apply."""
        nodes = {row.test_id: row.node for row in records_of(self.history, self.run.id)}
        world, found = self.looked.world, self._inferred()
        return frozenset(name for name, one in found.items() if nodes[name] == seen_as(one.entry, world))

    def _inferred(self) -> dict[str, Inferred]:
        """Return the stored words for the tests of this run, as far as they can be read."""
        rows = {row.test_id: row.inference for row in records_of(self.history, self.run.id)}
        entries = (entry for entry in self.wanted if entry.test.id in rows)
        found = ((entry.test.id, looking.decode(rows[entry.test.id], entry)) for entry in entries)
        return {name: one for name, one in found if one is not None}

    @cached_property
    def proposals(self) -> Proposals:
        """The ops that follow from the stored inferences, except what was rejected or waits in another run."""
        looked, world = self.looked, self.looked.world
        answered = answered_questions(self.history)
        linked = {entry.test.id for entry in looked.selection.confirm}
        worded = answering.worded(self._inferred(), answered, linked=linked)
        doubts = Doubts.of(world, answering.by_question(answered))
        proposer = Proposer.of(world, looking.carrier_for(world, looked.changed), doubts)
        found = proposer.propose(
            [worded[entry.test.id] for entry in looked.selection.infer],
            [worded[entry.test.id] for entry in looked.selection.confirm],
            looked.selection.gone,
        )
        found = replace(found, ops=with_doubts(found.ops, worded, looked.snapshot.read, world))
        kept, again = without_rejected(found, world)
        elsewhere = waiting_ops(self.history) - self._stale
        selection = looked.selection.leaving_out("rejected_before", again - self._rejected)
        self.looked, self._rejected = replace(looked, selection=selection), again
        return replace(kept, ops=tuple(op for op in kept.ops if op.id not in elsewhere))

    async def synthesize(self) -> dict[str, int]:
        """Group the new atoms by rules and store the groups as recommendations; grouping never blocks anything.

        A model may name the groups to be stored, and say once what they lack.
        """
        groups = molecules.grouped(self.proposals.ops, self.looked.world)
        asked: Mapping[str, int] = {}
        if self.interview is not None and groups and self.request.molecules:
            questions = [ask for one in groups for ask in (molecules.naming(one), molecules.completing(one))]
            asked = await self.interview.ask(questions, self._shown())
        self._forget("groups")  # named by the answers
        creators = self._creators()
        save_molecules(
            self.history, [molecules.recommendation(one, creators, self.run.id, self._now()) for one in self.groups]
        )
        return {"molecules": len(groups), **asked}

    @cached_property
    def groups(self) -> tuple[AtomGroup, ...]:
        """The groups of new atoms, with their given names."""
        answers = answering.by_question(answered_questions(self.history))
        found = molecules.grouped(self.proposals.ops, self.looked.world)
        return tuple(molecules.completed(one, answers, self.looked.world) for one in found)

    def _creators(self) -> dict[str, str]:
        return {str(op.payload["atomId"]): op.id for op in self.proposals.ops if op.verb == "createAtom"}

    def verify(self, state: Mapping[str, JsonValue]) -> dict[str, int]:
        """Check the pact's rules and the quality of wording, then store the patch with findings and questions.

        `state` is the state of the run's flow. `retry` counts the poor wordings that may be asked about once more.
        """
        proposals, looked = self.proposals, self.looked
        creators = self._creators()
        wanted = self.groups if self.request.molecules else ()
        patch = answering.assemble(
            looked.world,
            proposals,
            selection=looked.selection,
            extra=[molecules.molecule_op(one, creators) for one in wanted],
            base=self.run.commit or "no commit yet",
            today=self.ground.now().date(),
            state=state,
        )
        self._keep_patch(patch)
        health = answering.health_of_scan(looked.world)
        note_findings(self.history, self.run.id, patch.findings, at=self._now(), health=health)
        save_questions(self.history, self.run.id, patch.questions)
        retry = 0 if self.interview is None else self.interview.unasked(self._better_words())
        unasked = self._decide_unasked(patch) if self.request.auto_apply else 0
        return {
            "ops": len(patch.ops),
            "findings": len(patch.findings),
            "questions": len(patch.questions),
            "unasked": unasked,
            "below_quality": patch.summary["below_quality"],
            "retry": retry,
        }

    def _keep_patch(self, patch: Patch) -> None:
        before = self.run.patch
        save_patch(self.history, self.run.id, patch)
        self.patch = patch
        if before not in {None, patch.id}:
            shown = {(op.id, op.shown_hash) for op in patch.ops}
            taken = decisions_of(self.history, str(before))
            save_decisions(self.history, patch.id, [one for one in taken if (one.op, one.shown_hash) in shown])
        asked = {} if self.interview is None else +self.interview.counts
        counts = {**patch.summary, **asked, "molecules": len(self.groups)}
        self.keep(replace(self.run, patch=patch.id, summary=counts))
        self._settle_records(patch)

    def _decide_unasked(self, patch: Patch) -> int:
        """Accept what the policy allows without a person, in the name of the allowing rule."""
        world = self.looked.world
        poor = poor_ops(patch.ops, world.pact.settings.quality_threshold)
        rules = policy_of(self.ground, world.pact)
        allowed = [(op, rule) for op, rule in allowed_unasked(patch, world, rules) if op.id not in poor]
        at = self._now()
        made = [
            Decision(op.id, op.shown_hash, "accept", f"policy rule {rule}", at, actor="timer") for op, rule in allowed
        ]
        save_decisions(self.history, patch.id, made)
        return len(made)

    def _settle_records(self, patch: Patch) -> None:
        """Record the outcome for every test, for later runs."""
        first: dict[str, str] = {}
        for op in patch.ops:
            first.setdefault(op.group, op.id)
        asked = {question.subject for question in patch.questions}
        for batch in chunks(records_of(self.history, self.run.id)):
            save_records(self.history, [_settled(row, first, asked) for row in batch])

    @cached_property
    def patch(self) -> Patch:
        """The patch of this run; raises LookupError before `verify`."""
        found = None if self.run.patch is None else load_patch(self.history, self.run.patch)
        if found is None:
            raise LookupError(f"{self.run.id} has no patch yet")
        return found

    def persist(self, word: Mapping[str, JsonValue]) -> dict[str, int]:
        """Apply what was decided, all or none; an error that prevents it is kept for the caller.

        `word` is the review's reply: `apply` with `skip_stale`, and `only` if not all accepted ops are meant. Without a
        reply, only what the policy decided is applied.
        """
        self.applied = self.failure = None
        decisions = self._meant(word)
        try:
            if decisions:
                skip_stale = bool(word.get("skip_stale"))
                self.applied = apply_patch(self.ground, self.patch, decisions, skip_stale=skip_stale)
                save_decisions(self.history, self.patch.id, self.said)
        except PactkeeperError as reason:
            self.failure = reason
        follow_journal(self.history, self.ground.state)
        if decisions and self.failure is None:
            self.keep(
                replace(self.run, summary={**self.run.summary, "created": atoms_created(self.history, self.run.id)})
            )
        return self._left()

    def _meant(self, word: Mapping[str, JsonValue]) -> list[Decision]:
        taken = {one.op: one for one in (*decisions_of(self.history, self.patch.id), *self.said)}
        if not word.get("apply"):
            return [one for one in taken.values() if one.actor == "timer"]
        only = word.get("only")
        return [one for one in taken.values() if not isinstance(only, list) or one.op in only]

    def _left(self) -> dict[str, int]:
        """Count the patch's undecided ops, separating those whose target has changed meanwhile."""
        decided = {one.op for one in decisions_of(self.history, self.patch.id)}
        undecided = [op for op in self.patch.ops if op.id not in decided]
        world = self.ground.world(self.ground.snapshot()) if undecided else None
        stale = sum(1 for op in undecided if world is not None and not world.holds(op))
        return {"open": len(undecided) - stale, "stale": stale, "refused": int(self.failure is not None)}

    def keep(self, run: Run) -> None:
        """Store the run's new state."""
        self.run = replace(run, updated_at=self._now())
        update_run(self.history, self.run)

    def _now(self) -> str:
        return self.ground.now().isoformat(timespec="milliseconds")


def _settled(row: TestRecord, first: Mapping[str, str], asked: set[str]) -> TestRecord:
    if row.test_id in first:
        return replace(row, outcome="proposed", recommendation=first[row.test_id])
    return replace(row, outcome="needs_words" if row.test_id in asked else "settled", recommendation=None)
