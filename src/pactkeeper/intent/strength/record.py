"""What a test was seen to do while it was run symbolically."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pactkeeper.intent.claims import Call, Claim, Collection, Expression, Opaque, Operation
from pactkeeper.intent.strength.conditions import as_skipped, asks_for_option, marked
from pactkeeper.intent.strength.facts import MORE_ROWS, MOST_ACTS, MOST_FACTS, TOO_MANY, Dead, Fact, Skipped, Strength
from pactkeeper.intent.strength.faking import fixed_by, replaced_by
from pactkeeper.intent.strength.folding import is_constant
from pactkeeper.intent.strength.frames import Place, handed
from pactkeeper.intent.strength.identity import Identities, without_identity
from pactkeeper.intent.strength.pacing import Pacing
from pactkeeper.intent.strength.program import Block, Check, Program, Skip, Within, has_more_rows
from pactkeeper.intent.strength.replaced import called
from pactkeeper.intent.strength.substitution import Environment, substitute
from pactkeeper.intent.strength.terms import CAUGHT, last_name, negated_term, root, terms_of
from pactkeeper.intent.strength.unfailing import cannot_fail, writes_expected


@dataclass(slots=True)
class Record:
    """What one test does, in order; `Strength` says what most of it is.

    `known` are the names of the language that its file sees. `moment` numbers what was done, `repeats` counts the loops
    and callbacks around what runs now, which is done `turns` times as far as is known. `caught` are the calls whose
    failure nothing hears, `handing` those that are handed a function, as they are written. `writing` are calls that
    write a file, each with its conditions and the number of the assertion at which their branch was left. `ran` are
    the assertions that count because the test makes them. `asked` are names with the answer that they were given,
    and how many acts came before.
    """

    script: bool
    known: frozenset[str] = frozenset()
    facts: list[Fact] = field(default_factory=list)
    dead: list[Dead] = field(default_factory=list)
    skips: list[Skipped] = field(default_factory=list)
    acts: list[Expression] = field(default_factory=list)
    caught: list[Expression] = field(default_factory=list)
    handing: list[Call] = field(default_factory=list)
    steps: Counter[Expression] = field(default_factory=Counter)
    setup: list[Expression] = field(default_factory=list)
    mocks: set[str] = field(default_factory=set)
    fixed: set[str] = field(default_factory=set)
    unread: list[str] = field(default_factory=list)
    raised: list[Expression] = field(default_factory=list)
    writing: dict[Expression, tuple[tuple[Expression, ...], int]] = field(default_factory=dict)
    ran: set[tuple[int, str]] = field(default_factory=set)
    identities: Identities = field(default_factory=Identities)
    pacing: Pacing = field(default_factory=Pacing)
    moment: int = 1
    repeats: int = 0
    turns: int = 1
    asked: dict[Expression, tuple[Expression, int]] = field(default_factory=dict)

    def is_full(self) -> bool:
        """Whether so much was done that the rest is left unread."""
        if len(self.facts) < MOST_FACTS and len(self.acts) < MOST_ACTS:
            return False
        self.unread.append(TOO_MANY)
        return True

    def fact(self, claim: Claim, one: Check | Within, place: Place, held: Environment) -> None:
        """Record a claim that a statement makes, as an assertion or as one that cannot fail."""
        line, quote = place.line or one.line, place.quote or one.quote
        own = () if claim.condition is None else (substitute(claim.condition, held),)
        if not place.swallowed:
            self.ran.add((one.line, one.quote))
        dead = place.swallowed or cannot_fail(claim, self.known)
        if dead:
            self.dead.append(Dead(dead, line, quote))
        elif not self.is_full():
            awaited = one.awaited if isinstance(one, Check) else True
            moment = 0 if self.repeats else self.moment
            conditions = (*place.conditions, *own)
            self.facts.append(
                Fact(claim, conditions, awaited, line, quote, place.via, place.fixture, self.script, moment)
            )
            self.pacing.asserted(claim, place.fixture)

    def asked_before(self, name: Expression | None, answer: Expression) -> bool:
        """Whether a name was given an answer before something else was done with what was asked, or it was handed."""
        then, at = (None, 0) if name is None else self.asked.get(name, (None, 0))
        if then != answer or not isinstance(answer, Call):
            return False
        about = {root(part) for part in handed(answer) if not is_constant(part)}
        later = (act for act in self.acts[at:] if act != answer)
        return any(about & terms_of(act) if about else called([act]) for act in later)

    def compiled(self, typed: Iterable[Check]) -> None:
        """Record the assertions of types that nothing runs: a compiler checks them all the same."""
        for one in typed:
            for claim in one.claims if (one.line, one.quote) not in self.ran else ():
                self.fact(claim, one, Place(), {})

    def act(self, call: Expression, place: Place) -> None:
        """Record a call of something else than the test side, and what it marks the test with."""
        mark = marked(call)
        if mark is not None:
            where = place.conditions if mark.condition is None else (*place.conditions, mark.condition)
            condition = None if not where else where[0] if len(where) == 1 else Operation("and", where)
            self.skip(replace(mark, condition=condition, line=place.line))
        self.acts.append(call)
        self.pacing.did(call, place.fixture, self.turns)
        self.moment += 1
        is_caught = place.is_caught
        if is_caught:
            self.caught.append(call)
        if last_name(call).casefold().startswith("write") and not any(map(asks_for_option, place.conditions)):
            self.writing[call] = place.conditions, MOST_FACTS
        if place.fixture:
            self.setup.append(call)
        elif not place.depth:
            step = without_identity(call)
            self.steps[Operation(CAUGHT, (step,)) if is_caught else step] += self.turns

    def skip(self, skip: Skip) -> None:
        """Record a skip, unless it applies nowhere."""
        self.skips += filter(None, [as_skipped(skip)])

    def replacement(self, made: Expression, place: Place) -> None:
        """Record what a call replaces with a fake; in a fixture also the constant that it sets."""
        self.mocks |= replaced_by(made)
        self.fixed |= fixed_by(made) if place.fixture else frozenset()

    def unreached(self, block: Block) -> None:
        """Record the assertions of a block that nothing reaches."""
        checks = (statement for statement in block if isinstance(statement, Check))
        self.dead.extend(Dead("nothing reaches it", one.line, one.quote) for one in checks)

    def left(self, earlier: set[Expression]) -> None:
        """Record that what was written since then was written in a branch that ends here."""
        for one in self.writing.keys() - earlier:
            self.writing[one] = self.writing[one][0], len(self.facts)

    def without_self_written(self) -> None:
        """Move assertions that compare what the test itself writes into a file with that file to what can't fail."""
        kept: list[Fact] = []
        for at, fact in enumerate(self.facts):
            against = {negated_term(one) for one in fact.conditions}
            writing = [one for one, (under, end) in self.writing.items() if at < end and against.isdisjoint(under)]
            if writing and writes_expected(fact.claim, writing):
                self.dead.append(Dead("the test writes the file that it compares with", fact.line, fact.quote))
            else:
                kept.append(fact)
        self.facts = kept

    def inherit(self, other: Strength, place: str) -> None:
        """Add what the test notices only where another class runs it, and what keeps it from running there."""
        known, skipped = set(self.facts), set(self.skips)
        self.facts += dict.fromkeys(fact for fact in other.facts if fact not in known) if other.runs else ()
        self.acts += other.acts if other.runs else ()
        for skip in other.skips:
            if skip not in skipped and (skip.kind == "xfail" or not skip.always):
                where = Operation("and", (Opaque(place), skip.condition)) if skip.condition else Opaque(place)
                self.skips.append(replace(skip, always=False, condition=where))

    def strength(self, program: Program, rows: Sequence[Mapping[Expression, Expression]]) -> Strength:
        """Return the strength of the test that was seen to do this in these rows."""
        more = [MORE_ROWS] if has_more_rows(program.tables) else []
        return Strength(
            facts=tuple(self.identities.told_apart(self.facts)),
            dead=tuple(self.dead),
            skips=tuple(replace(one, own=_is_own(one, program)) for one in dict.fromkeys(self.skips)),
            acts=() if program.muted else _each_once((Counter(self.acts) - Counter(self.caught)).elements()),
            steps=tuple(self.steps),
            times=tuple(self.steps.values()),
            setup=_each_once(self.setup),
            handing=tuple(dict.fromkeys(self.handing)),
            mocks=tuple(sorted(self.mocks)),
            doubles=program.doubles,
            fixed=tuple(sorted(self.fixed)),
            sources=program.sources,
            rows=len(rows),
            table=tuple(Collection("tuple", tuple(row.values())) for row in rows if row),
            tries=program.tries,
            unread=tuple(dict.fromkeys([*program.unread, *self.unread, *more])),
            judge=program.judge,
            runner=program.runner,
            relay=program.relay,
            paces=tuple(self.pacing.paces),
        )


def _is_own(one: Skipped, program: Program) -> bool:
    return one.condition is not None and program.decides(one.condition)


def _each_once(acts: Iterable[Expression]) -> tuple[Expression, ...]:
    return tuple(dict.fromkeys(map(without_identity, acts)))
