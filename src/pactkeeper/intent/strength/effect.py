"""Symbolic execution of a program: which assertions are reached, about what, and under which conditions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Name,
    Opaque,
    Operation,
    Value,
)
from pactkeeper.intent.strength.canonical import claim_with
from pactkeeper.intent.strength.conditions import as_skipped, marked, settled
from pactkeeper.intent.strength.facts import MORE_ROWS, MOST_FACTS, TOO_MANY, Dead, Fact, Skipped, Strength
from pactkeeper.intent.strength.faking import fixed_by, replaced_by
from pactkeeper.intent.strength.folding import is_constant, is_empty, truth_of, written
from pactkeeper.intent.strength.frames import (
    SELF,
    Frame,
    Place,
    always_fails,
    bind_each,
    broken_off,
    cannot_fail,
    either,
    ends,
    evaluated,
    is_foreign,
    is_of_the_language,
    is_own,
    leaves_quietly,
    left_early,
    members_of,
    names_in,
    only_fails,
    only_names,
    only_skip,
    own_places,
    parameters_of,
    read_too_early,
    resized,
    runs_elsewhere,
    swallows,
    throws,
    unheard,
    waited_for,
    writes_expected,
)
from pactkeeper.intent.strength.identity import Identities, without_identity
from pactkeeper.intent.strength.program import (
    MOST_ROWS,
    YIELDED,
    Act,
    Attempt,
    Bind,
    Block,
    Branch,
    Check,
    Define,
    Leave,
    Loop,
    Program,
    Routine,
    Skip,
    Statement,
    Within,
    has_more_rows,
    param_of,
    rows_of,
)
from pactkeeper.intent.strength.relations import member_by_member
from pactkeeper.intent.strength.substitution import filled_in, substitute
from pactkeeper.intent.strength.terms import RAISE, has_call, last_name, negated_term, rebuilt, terms_of

_DEEPEST: Final = 5
_OWN_ERROR: Final = "the test itself makes the error that it expects"
_ELSEWHERE: Final = "it runs in another thread or process, or when nothing waits for it"
_PARAM: Final = Attribute(Name("request"), "param")


def strength_of(program: Program) -> Strength:
    """The effective strength of one test."""
    run = _Run(program, mocks=set().union(*map(replaced_by, (*program.marks, *program.replaced))))
    run.fixed = set().union(*map(fixed_by, program.replaced))
    run.skips.extend(filter(None, map(as_skipped, program.skips)))
    run.prepare()
    rows = 0
    for held in rows_of(program.tables):
        rows += 1
        run.once(held)
    run.without_self_written()
    run.facts = run.identities.told_apart(run.facts)
    if rows == 0:
        run.dead.append(Dead("the table has no rows", program.line, ""))
    if has_more_rows(program.tables):
        run.unread.append(MORE_ROWS)
    for other in program.others:
        run.inherit(strength_of(other), other.test_id)
    return Strength(
        facts=tuple(run.facts),
        dead=tuple(run.dead),
        skips=tuple(dict.fromkeys(run.skips)),
        acts=() if program.muted else _each_once(run.acts),
        steps=_each_once(run.steps),
        setup=_each_once(run.setup),
        mocks=tuple(sorted(run.mocks)),
        doubles=program.doubles,
        fixed=tuple(sorted(run.fixed)),
        sources=program.sources,
        rows=rows,
        tries=program.tries,
        unread=tuple(dict.fromkeys([*program.unread, *run.unread])),
        judge=program.judge,
    )


def _each_once(acts: Iterable[Expression]) -> tuple[Expression, ...]:
    return tuple(dict.fromkeys(map(without_identity, acts)))


@dataclass(eq=False, slots=True)
class _Body:
    """The body of a `with`, to be run where the function of its helper yields; `running` is what it was found in."""

    block: Block
    routine: Routine | None
    frame: Frame
    place: Place
    running: frozenset[tuple[str, object]]


@dataclass(slots=True)
class _Run:
    program: Program
    facts: list[Fact] = field(default_factory=list)
    dead: list[Dead] = field(default_factory=list)
    skips: list[Skipped] = field(default_factory=list)
    acts: list[Expression] = field(default_factory=list)
    steps: list[Expression] = field(default_factory=list)
    setup: list[Expression] = field(default_factory=list)
    mocks: set[str] = field(default_factory=set)
    fixed: set[str] = field(default_factory=set)
    unread: list[str] = field(default_factory=list)
    fixtures: dict[str, Expression] = field(default_factory=dict)
    closures: dict[Expression, tuple[Routine, Frame | None]] = field(default_factory=dict)
    shared: dict[Expression, Expression] = field(default_factory=dict)
    tops: dict[int, Frame] = field(default_factory=dict)
    running: set[tuple[str, object]] = field(default_factory=set)
    moment: int = 1
    repeats: int = 0
    raised: list[Expression] = field(default_factory=list)
    writing: dict[Expression, tuple[tuple[Expression, ...], int]] = field(default_factory=dict)
    bodies: list[_Body] = field(default_factory=list)
    identities: Identities = field(default_factory=Identities)

    def prepare(self) -> None:
        """Run the setups that precede the test; they do not depend on its rows."""
        self.shared.update(self.program.constants)
        for setup in self.program.setups:
            frame = Frame(setup, self._filled(setup, self.shared, Place()))
            self._block(setup.body, frame, Place(fixture=setup.name))
            parameters = {Name(each.name) for each in setup.parameters}
            self.shared.update({key: value for key, value in frame.held.items() if key not in parameters})

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

    def once(self, row: dict[Expression, Expression]) -> None:
        """Run the test for one row of its tables."""
        top = Frame(self.program.routine, dict(self.shared))
        filled = {key: substitute(self._inlined(value, top, Place()), self.shared) for key, value in row.items()}
        rows = self.program.functions
        self.closures.update({filled[key]: (rows[one], None) for key, one in row.items() if one in rows})
        shared = filled_in(self.shared, filled) if filled else self.shared
        self.fixtures = {key.name: value for key, value in filled.items() if isinstance(key, Name)}
        for name in self.program.autouse:
            self._fixture(name, Place())
        routine = self.program.routine
        frame = Frame(routine, {**self._filled(routine, shared, Place()), **filled})
        self._block(routine.body, frame, Place().swallowing(self.program.muted))
        if isinstance(frame.given, Name) and frame.given.name in frame.inner:
            self._handed_on(frame.inner[frame.given.name], frame, Place().swallowing(self.program.muted))
        for claim in self.program.throughout if self.acts or self.facts else ():
            self._fact(claim, Check((), self.program.line, ""), Place(), frame)

    def _filled(
        self, routine: Routine, shared: dict[Expression, Expression], place: Place
    ) -> dict[Expression, Expression]:
        names = (one.name for one in routine.parameters if one.name not in {"self", "cls"})
        return {**shared, Name("cls"): SELF, **{Name(name): self._fixture(name, place) for name in names}}

    def _fixture(self, name: str, place: Place) -> Expression:
        """Return a fixture's value; it runs once per test, and its assertions and skips count."""
        if name in self.fixtures:
            return self.fixtures[name]
        self.fixtures[name] = Name(name)
        routine = self.program.fixture(name)
        if routine is not None and place.depth < _DEEPEST:
            inner = replace(place.inside("", 0, ""), fixture=name)
            held = self._filled(routine, own_places(self.shared), inner)
            frame = Frame(routine, self._top(routine, inner).held | held)
            if param_of(name) in self.fixtures:
                frame.held[_PARAM] = self.fixtures[param_of(name)]
            self._block(routine.body, frame, inner)
            self.shared.update(own_places(frame.held))
            given = self._escaped(frame.held.get(YIELDED, frame.given), frame)
            self.fixtures[name] = Name(name) if given is None else self.identities.of(Name(name), given)
        return self.fixtures[name]

    def _block(self, block: Block, frame: Frame, place: Place) -> bool:
        """Run statements in order; True if the code after them is unreachable."""
        for at, statement in enumerate(block):
            if self._statement(statement, frame, place):
                self._unreached(block[at + 1 :])
                return True
            left = left_early(statement)
            if left is not None and truth_of(substitute(left, frame.held)) is None:
                place = place.under(substitute(left, frame.held))
        return False

    def _unreached(self, block: Block) -> None:
        checks = (statement for statement in block if isinstance(statement, Check))
        self.dead.extend(Dead("nothing reaches it", one.line, one.quote) for one in checks)

    def _statement(self, one: Statement, frame: Frame, place: Place) -> bool:
        match one:
            case Check():
                self._check(one, frame, place)
            case Bind():
                self._bind(one, frame, place)
            case Act():
                return self._around(one, frame, place)
            case Branch():
                return self._branch(one, frame, place)
            case Loop():
                self._loop(one, frame, place)
            case Attempt():
                return self._attempt(one, frame, place)
            case Within():
                return self._within(one, frame, place)
            case Leave():
                return self._leave(one, frame, place)
            case Define():
                frame.inner[one.routine.name] = one.routine
                frame.held[Name(one.routine.name)] = Name(one.routine.name)
        return False

    def _check(self, one: Check, frame: Frame, place: Place) -> None:
        if not one.understood:
            self.unread.append(f"line {one.line}: {one.quote}")
        held = frame.filled() if self.acts else frame.held
        for claim in one.claims:
            for part in member_by_member(claim_with(self._claim(claim, frame, place), held)):
                self._fact(part, one, place, frame)

    def _claim(self, claim: Claim, frame: Frame, place: Place) -> Claim:
        """Return a claim with calls of test-side helpers replaced by their results."""
        subject = self._given(claim.subject, frame, place)
        return replace(claim, subject=subject, object=claim.object and self._given(claim.object, frame, place))

    def _given(self, term: Expression, frame: Frame, place: Place) -> Expression:
        """Replace every helper call in a term with its result; assertions made on the way count."""
        self._references(term, frame, place)
        return self._inlined(term, frame, place)

    def _inlined(self, term: Expression, frame: Frame, place: Place) -> Expression:
        if not has_call(term) or (isinstance(term, Operation) and term.operator == "each"):
            return term
        if not isinstance(term, Call):
            return rebuilt(term, lambda part: self._inlined(part, frame, place))
        waited = waited_for(term, frame)
        made = rebuilt(frame.waiting.pop(waited, waited), lambda part: self._inlined(part, frame, place))
        if not isinstance(made, Call):
            return made
        called = self._called(made, frame)
        if called is None or place.depth >= _DEEPEST:
            self._replaces(made, place)
            return self._mapped(made, frame, place)
        given = self._run(called, substitute(made, frame.held), place.inside(called[0].name, 0, ""), frame)
        return given if given is not None else made

    def _replaces(self, made: Expression, place: Place) -> None:
        self.mocks |= replaced_by(made)
        self.fixed |= fixed_by(made) if place.fixture else frozenset()

    def _mapped(self, made: Call, frame: Frame, place: Place) -> Expression:
        """Return what a test-side function makes of each member of a literal list; any other call as it is."""
        match made:
            case (
                Call(function=Attribute(value=value, name="map"), arguments=(Argument(value=Name() as function),))
                | Call(function=Name(name="map"), arguments=(Argument(value=Name() as function), Argument(value=value)))
            ):
                members = written(substitute(value, frame.held))
                if isinstance(members, tuple) and self._called(Call(function), frame) is not None:
                    calls = (Call(function, (Argument(member),)) for member in members)
                    return Collection("list", tuple(self._inlined(each, frame, place) for each in calls))
        return made

    def _fact(self, claim: Claim, one: Check | Within, place: Place, frame: Frame) -> None:
        line, quote = place.line or one.line, place.quote or one.quote
        own = (claim.condition,) if claim.condition is not None else ()
        conditions = (*place.conditions, *(substitute(each, frame.held) for each in own))
        dead = place.swallowed or cannot_fail(claim)
        if dead:
            self.dead.append(Dead(dead, line, quote))
        elif len(self.facts) < MOST_FACTS:
            awaited = one.awaited if isinstance(one, Check) else True
            script = self.program.script
            moment = 0 if self.repeats else self.moment
            self.facts.append(Fact(claim, conditions, awaited, line, quote, place.via, place.fixture, script, moment))
        else:
            self.unread.append(TOO_MANY)

    def _bind(self, one: Bind, frame: Frame, place: Place) -> None:
        value = one.value
        resized(one.target, value, frame)
        if one.target == YIELDED and self.bodies and self.bodies[-1].routine is frame.routine:
            self._inside(self.bodies.pop(), value, frame, place)
            return
        if one.target == YIELDED and value is None:
            return
        called = self._called(value, frame) if isinstance(value, Call) and not one.awaited else None
        if isinstance(value, Call) and called is not None and called[0].asynchronous:
            frame.waiting[one.target] = value
            held: Expression | None = value
        elif isinstance(value, Call):
            given = self._act(value, frame, place, line=0)
            held = given if given is not None else substitute(value, frame.held)
        else:
            held = None if value is None else substitute(self._given(value, frame, place), frame.held)
        target = one.target if isinstance(one.target, Name) else substitute(one.target, only_names(frame.held))
        frame.alias(target, value)
        if isinstance(target, Attribute) and value is not None and is_foreign(one.target, frame):
            parts = (target.value, Value("string", target.name), value)
            self._replaces(Call(Name("setattr"), tuple(map(Argument, parts))), place)
        if not isinstance(target, Name):
            self.moment += 1
        if held is None:
            earlier = frame.held.get(target)
            held = Operation("changed", (earlier,) if earlier is not None else ())
        if is_constant(held) and not is_own(one.target, frame):
            held = Operation("stored", (held,))
        stale = [key for key in frame.held if not isinstance(key, Name) and key != target and target in terms_of(key)]
        for key in stale:
            del frame.held[key]
        makes = not place.depth and isinstance(value, Call)
        frame.held[target] = self.identities.of(target, held) if makes else held

    def _act(  # noqa: PLR0913 - its position and form
        self, call: Expression, frame: Frame, place: Place, *, line: int, quote: str = "", awaited: bool = True
    ) -> Expression | None:
        """Run a call: a test-side helper is executed and its result returned, any other call is recorded."""
        if not isinstance(call, Call):
            self._acted(substitute(self._given(call, frame, place), frame.held), place)
            return None
        waited = waited_for(call, frame)
        waited = frame.waiting.pop(waited, waited)
        called = self._called(waited, frame) if isinstance(waited, Call) else None
        waited = waited if isinstance(waited, Call) else call
        reading = self._given if called is None else self._inlined
        name = None if called is None else waited.function
        away = called is None and self._runs_elsewhere(waited, frame)
        inside = place.swallowing(_ELSEWHERE) if away else place
        inner = rebuilt(waited, lambda part: part if part is name else reading(part, frame, inside))
        made = substitute(inner, frame.held)
        self._replaces(made, place)
        if called is not None and place.depth < _DEEPEST:
            if called[0].asynchronous and not awaited and waited is call:
                return None
            return self._run(called, made, place.inside(called[0].name, line, quote), frame)
        if isinstance(made, Collection | Value):
            return made  # `dict(a=1)` is a literal and does nothing
        self._acted(made, place)
        frame.touch(call, made)
        return made

    def _around(self, one: Act, frame: Frame, place: Place) -> bool:
        """Run a call, and its body where it yields; a body that it never runs follows it."""
        if not one.body:
            self._act(one.call, frame, place, line=one.line, quote=one.quote, awaited=one.awaited)
            return False
        called = self._called(one.call, frame) if isinstance(one.call, Call) else None
        body = _Body(one.body, called[0] if called is not None else None, frame, place, frozenset(self.running))
        self.bodies.append(body)
        self._act(one.call, frame, place, line=one.line, quote=one.quote)
        if body not in self.bodies:
            return False
        self.bodies.remove(body)
        return self._block(one.body, frame, place)

    def _inside(self, body: _Body, given: Expression | None, frame: Frame, place: Place) -> None:
        """Run the body of a `with` where its helper yields, in the place of the `with` as the helper narrows it."""
        held = Value("none", "None") if given is None else self._given(given, frame, place)
        body.frame.held[YIELDED] = substitute(held, frame.held)
        running, self.running = self.running, set(body.running)
        narrowed = replace(body.place, conditions=place.conditions, swallowed=place.swallowed)
        self._block(body.block, body.frame, narrowed)
        self.running = running

    def _acted(self, call: Expression, place: Place) -> None:
        mark = marked(call)
        if mark is not None:
            stated = [mark.condition] if mark.condition is not None else []
            where = (*place.conditions, *stated)
            condition = None if not where else where[0] if len(where) == 1 else Operation("and", where)
            self.skips.extend(filter(None, [as_skipped(replace(mark, condition=condition, line=place.line))]))
        self.acts.append(call)
        self.moment += 1
        if last_name(call).casefold().startswith("write"):
            self.writing[call] = place.conditions, MOST_FACTS
        if place.fixture:
            self.setup.append(call)
        elif not place.depth:
            self.steps.append(call)

    def _called(self, call: Call, frame: Frame) -> tuple[Routine, Frame | None] | None:
        """Return the test-side function that a call runs, and the frame whose names it sees."""
        name = call.function
        held = frame.held.get(name, name)
        if held in self.closures:
            return self.closures[held]
        if isinstance(name, Name) and name.name in frame.inner:
            return frame.inner[name.name], frame
        if held not in {name, self.shared.get(name)}:
            return None  # a parameter or a local shadows the file's function of that name
        routine = frame.routine.lookup(name)
        return None if routine is None else (routine, None)

    def _run(
        self, called: tuple[Routine, Frame | None], made: Expression, place: Place, caller: Frame
    ) -> Expression | None:
        routine, home = called
        own = routine.name, routine.lookup
        if own in self.running:
            return None  # running it again adds nothing, and mutual recursion multiplies
        self.running.add(own)
        seen = (dict(home.held), dict(home.inner)) if home is not None else ({}, {})
        top = self._top(routine, place)
        held = seen[0] | top.held | own_places(caller.held) | parameters_of(routine, made)
        inner = Frame(routine, held, seen[1] | top.inner)
        before = len(self.facts), len(self.acts)
        self._block(routine.body, inner, place)
        caller.held.update(own_places(inner.held))
        self.running.discard(own)
        given = self._escaped(inner.given, inner)
        idle = (len(self.facts), len(self.acts)) == before
        return given if given is not None or idle else made

    def _top(self, routine: Routine, place: Place) -> Frame:
        """Return the values of top-level names in a routine's file, computed once because calls don't change them."""
        known = self.tops.get(id(routine.constants))
        if known is None:
            known = self.tops[id(routine.constants)] = Frame(routine)
            self._block(routine.constants, known, place)
        return known

    def _escaped(self, given: Expression | None, frame: Frame) -> Expression | None:
        """Return a function's result; a nested function is recorded with the names that it sees."""
        if not isinstance(given, Name) or given.name not in frame.inner:
            return given
        escaped = Name(f"{frame.routine.name}.{given.name}")
        self.closures[escaped] = frame.inner[given.name], frame
        return escaped

    def _references(self, term: Expression, frame: Frame, place: Place) -> None:
        """Run nested functions that are passed on or called inside a term at least once."""
        parts = terms_of(term) if frame.inner else frozenset()
        calls = [part for part in parts if isinstance(part, Call)]
        passed = parts - {call.function for call in calls}
        away = {each.value for call in calls if self._runs_elsewhere(call, frame) for each in call.arguments}
        for name in [name for name in frame.inner if Name(name) in passed]:
            routine = frame.inner.pop(name)
            if place.depth < _DEEPEST:
                self._handed_on(routine, frame, place.swallowing(_ELSEWHERE) if Name(name) in away else place)
            frame.inner[name] = routine

    def _runs_elsewhere(self, call: Call, frame: Frame) -> bool:
        return not self.program.script and runs_elsewhere(call, frame.routine)

    def _handed_on(self, routine: Routine, frame: Frame, place: Place) -> None:
        given: dict[Expression, Expression] = {
            Name(one.name): Operation("given", (Name(str(at)),)) for at, one in enumerate(routine.parameters)
        }
        self.repeats += 1
        self._block(routine.body, Frame(routine, {**frame.held, **given}, dict(frame.inner)), place.inside("", 0, ""))
        self.repeats -= 1

    def _branch(self, one: Branch, frame: Frame, place: Place) -> bool:
        condition = substitute(one.condition, frame.held)
        known = settled(condition, self.program.skips)
        if known is not None:
            self._unreached(one.otherwise if known else one.then)
            return self._block(one.then if known else one.otherwise, frame, place)
        skipping = only_skip(one.then)
        if skipping is not None and not one.otherwise:
            self._skip(skipping, condition)
            return False
        before, written_before = dict(frame.held), set(self.writing)
        first = self._block(one.then, frame, place.under(condition))
        if first:
            over = {one: (self.writing[one][0], len(self.facts)) for one in self.writing.keys() - written_before}
            self.writing.update(over)
        after, frame.held = frame.held, before
        second = self._block(one.otherwise, frame, place.under(negated_term(condition)))
        frame.held = either(condition, after, frame.held, ends=(first, second))
        return first and second

    def _skip(self, leave: Leave, condition: Expression | None) -> None:
        skip = Skip("xfail" if leave.kind == "xfail" else "skip", condition, line=leave.line)
        self.skips.extend(filter(None, [as_skipped(skip)]))

    def _loop(self, one: Loop, frame: Frame, place: Place) -> None:
        over = None if one.over is None else members_of(substitute(one.over, frame.held))
        if over is not None and is_empty(over):
            self._unreached(one.body)
            self._block(one.otherwise, frame, place)
            return
        if isinstance(over, Collection) and over.kind != "mapping" and len(over.items) <= MOST_ROWS:
            for item in over.items:
                bind_each(one.variable, item, frame)
                self._block(one.body, frame, place)
                on = broken_off(one.body, frame)
                if on is not None and truth_of(on) is False:
                    return
                place = place if on is None or truth_of(on) else place.under(on)
            return
        if over is not None and one.variable is not None:
            frame.held.update(
                {name: Operation("member", (over, Name(str(at)))) for at, name in enumerate(names_in(one.variable))}
            )
        on = broken_off(one.body, frame)
        inner = place if on is None or over is None else place.under(Operation("before a break in", (over,)))
        self.repeats += 1
        self._block(one.body, frame, inner)
        self.repeats -= 1
        self._block(one.otherwise, frame, place)

    def _attempt(self, one: Attempt, frame: Frame, place: Place) -> bool:
        heard = [catch.types for catch in one.catches if not always_fails(catch.body)]
        drops = leaves_quietly(one.final)
        outer = place.swallowing("the finally block leaves whatever was raised") if drops else place
        why = outer.swallowed or next(filter(None, map(swallows, heard)), "")
        caught = tuple(kind for types in heard for kind in types)
        inner = place.swallowing(why) if why else place
        if caught and not why:
            inner = place.under(Operation("unless-raised", tuple(sorted(caught, key=repr))))
        ended = self._block(one.body, frame, inner)
        if not ended:
            ended = self._block(one.otherwise, frame, outer)
        for catch in one.catches:
            if not only_fails(catch.body):
                self._block(catch.body, frame, outer.under(Operation("raised", catch.types)))
        return self._block(one.final, frame, place) or (ended and all(ends(catch.body) for catch in one.catches))

    def _within(self, one: Within, frame: Frame, place: Place) -> bool:
        why = unheard(one)
        before, raised = len(self.acts), len(self.raised)
        body, early = read_too_early(one)
        self._unreached(early)
        ended = self._block(body, frame, place.swallowing(why) if why else place)
        bound = [substitute(each, frame.held) for each in map(evaluated, one.body) if each is not None]
        acts = tuple(dict.fromkeys([*self.acts[before:], *bound]))
        if not acts or throws(body):
            acts = (*acts, *dict.fromkeys(self.raised[raised:]))
        made_by = acts[0] if len(acts) == 1 else Operation("watched", acts)
        for claim in one.claims:
            made = claim_with(claim, frame.held)
            if made.relation == "warns" and made.subject == Value("none", "None"):
                continue  # `pytest.warns(None)` accepts anything
            kept = made.object is not None and made.relation == "logs"
            if made.relation in {"raises", "warns", "logs", "completes"} and not kept:
                made = replace(made, object=made_by)
            certain = made.relation == "raises" and acts and all(map(is_of_the_language, acts))
            self._fact(made, one, place.swallowing(_OWN_ERROR) if certain else place, frame)
        return ended and not one.claims and not one.suppresses

    def _leave(self, one: Leave, frame: Frame, place: Place) -> bool:
        if one.kind in {"skip", "xfail"}:
            self._skip(one, place.conditions[-1] if place.conditions else None)
        elif one.kind == "fail":
            self._fact(Claim("satisfies", Value("boolean", "False")), Check((), one.line, "fail"), place, frame)
        elif one.kind == "raise" and one.value is not None and not place.conditions:
            self.raised.append(Operation(RAISE, (substitute(one.value, frame.held),)))
        elif one.kind == "return" and one.value is not None:
            given = self._act(one.value, frame, place, line=one.line) if isinstance(one.value, Call) else None
            frame.given = given if given is not None else substitute(one.value, frame.held)
        return True
