"""Symbolic execution of statements: which assertions are reached, about what, and under which conditions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pactkeeper.intent.claims import Argument, Attribute, Call, Claim, Collection, Expression, Name, Operation, Value
from pactkeeper.intent.strength.calling import Calling
from pactkeeper.intent.strength.conditions import settled
from pactkeeper.intent.strength.errors import ANY_ERROR, expecting
from pactkeeper.intent.strength.faking import is_fake, makes_fake
from pactkeeper.intent.strength.folding import COMPARISONS, boolean, is_constant, is_empty, truth_of
from pactkeeper.intent.strength.frames import (
    QUIETLY,
    Frame,
    Place,
    always_fails,
    either,
    ending,
    field_of,
    is_declared,
    is_foreign,
    is_own,
    left_early,
    must_raise,
    only_names,
    only_skip,
    or_as_before,
    overridden,
    resized,
    unless_raised,
)
from pactkeeper.intent.strength.identity import is_made
from pactkeeper.intent.strength.loops import (
    after_the_last,
    bind_each,
    broken_off,
    fails_unless_left,
    flags,
    has_members,
    heard,
    in_any_order,
    members,
    members_of,
    turns_of,
    waited_for,
)
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
    Routine,
    Skip,
    Statement,
    Within,
)
from pactkeeper.intent.strength.relations import member_by_member
from pactkeeper.intent.strength.substitution import claim_with, substitute
from pactkeeper.intent.strength.terms import EARLIER, RAISE, RAISED, negated_term, operator_of
from pactkeeper.intent.strength.unfailing import THERE, evaluated, raised_anyway, read_too_early, swallows, unheard

_FAILURE: Final = Claim("satisfies", Value("boolean", "False"))


@dataclass(eq=False, slots=True)
class _Body:
    """The body of a `with`, to be run where the function of its helper yields; `running` is what it was found in."""

    block: Block
    routine: Routine | None
    frame: Frame
    place: Place
    running: frozenset[tuple[str, object]]


@dataclass(slots=True)
class Run(Calling):
    """The statements of a test's routines, run one after the other; `bodies` are those of `with` that still wait."""

    bodies: list[_Body] = field(default_factory=list)

    def block(self, block: Block, frame: Frame, place: Place) -> bool:
        """Run statements in order; True if the code after them is unreachable."""
        if self.record.is_full():
            return False
        for at, statement in enumerate(block):
            if must_raise(statement, block[at + 1 : at + 2]):
                return self._expected(statement, frame, place)
            if isinstance(statement, Loop) and self._waits(statement, block[at + 1 :], frame, place):
                if not always_fails(statement.otherwise):
                    return True
                continue
            if self._statement(statement, frame, place):
                self.record.unreached(block[at + 1 :])
                return True
            left = left_early(statement)
            left = None if left is None else substitute(left, frame.held)
            if left is not None and settled(left, self.program.skips) is None:
                place = place.under(left)
        return False

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
                self._define(one, frame)
        return False

    def _waits(self, loop: Loop, after: Block, frame: Frame, place: Place) -> bool:
        """Run a loop that waits for a condition, and assert that it came to hold, or return it; False for any other."""
        fails = fails_unless_left(loop, after)
        condition = waited_for(loop, after)
        if condition is None:
            return False
        counts = isinstance(loop.over, Call) and loop.over.function == Name("range")
        again = replace(heard(loop) if fails else loop, over=None if counts else loop.over, otherwise=())
        self._loop(again, frame, place)
        if fails:
            self._check(Check((Claim("truthy", condition, None),), place.line, place.quote), frame, place)
        else:
            frame.given = substitute(self.given(condition, frame, place), frame.held)
        return True

    def _define(self, one: Define, frame: Frame) -> None:
        if one.value is not None:
            self.unnamed(one.routine, one.value, frame)
            return
        frame.inner[one.routine.name] = one.routine
        frame.held[Name(one.routine.name)] = Name(one.routine.name)

    def _check(self, one: Check, frame: Frame, place: Place) -> None:
        if not one.understood:
            self.record.unread.append(f"line {one.line}: {one.quote}")
        held = frame.filled() if self.record.acts else frame.held
        for claim in one.claims:
            for stated in self._stated(self._at_its_time(claim, claim_with(self._claim(claim, frame, place), held))):
                for part in member_by_member(stated):
                    self.record.fact(part, one, place, frame.held)

    def _at_its_time(self, written: Claim, claim: Claim) -> Claim:
        """Return a claim that compares an answer with the one that was given before something was done, as of two."""
        same = claim.object is not None and claim.subject == claim.object
        before = same and any(self.record.asked_before(one, claim.subject) for one in (written.subject, written.object))
        return replace(claim, object=Operation(EARLIER, (claim.subject,))) if before else claim

    def _stated(self, claim: Claim) -> Sequence[Claim]:
        """Return what a claim states that a comparison holds, once the helper or function that makes it is followed."""
        plain = not (claim.qualifiers or claim.each or claim.alternatives)
        compared = claim.relation in {"equals", "same"} and operator_of(claim.subject) in COMPARISONS
        wanted = boolean(claim.object) if compared else True if claim.relation == "truthy" else None
        if not (plain and wanted is not None and isinstance(claim.subject, Operation | Call)):
            return (claim,)
        found = self.program.states(negated_term(claim.subject) if claim.negated is wanted else claim.subject)
        told = [claim_with(one, {}) for one in found if one.subject != claim.subject]
        return told if told and len(told) == len(found) else (claim,)

    def _claim(self, claim: Claim, frame: Frame, place: Place) -> Claim:
        """Return a claim with calls of test-side helpers replaced by their results."""
        looked_at = isinstance(claim.subject, Name) and claim.relation != "satisfies"  # a function that isn't called
        subject = (self.inlined if looked_at else self.given)(claim.subject, frame, place)
        if (claim.relation, claim.negated) in THERE and is_declared(claim.subject, frame):
            subject = Operation("=>", ())
        raised, acts = len(self.record.raised), len(self.record.acts)
        expected = claim.object and self.given(claim.object, frame, place)
        if claim.relation == "raises" and len(self.record.raised) > raised and len(self.record.acts) == acts:
            expected = self.record.raised[-1]  # a function of the test side that does nothing else
        return replace(claim, subject=subject, object=expected)

    def _bind(self, one: Bind, frame: Frame, place: Place) -> None:
        if one.value == one.target:
            frame.store(one.target, one.target)
            return
        resized(one.target, one.value, frame)
        if one.target == YIELDED and self.bodies and self.bodies[-1].routine is frame.routine:
            self._inside(self.bodies.pop(), one.value, frame, place)
            return
        if one.target == YIELDED and one.value is None:
            return
        held = self._bound(one, frame, place)
        field = field_of(one.target, frame.held) if self.record.script else None
        one = one if field is None else replace(one, target=field)
        target = one.target if isinstance(one.target, Name) else substitute(one.target, only_names(frame.held))
        frame.alias(target, one.value)
        self.record.mocks |= overridden(one, frame)
        stands_in = place.fixture != "" and one.value is not None and is_fake(one.value)
        if isinstance(target, Attribute) and one.value is not None and (stands_in or is_foreign(one.target, frame)):
            parts = (target.value, Value("string", target.name), one.value)
            self.record.replacement(Call(Name("setattr"), tuple(map(Argument, parts))), place)
        if not isinstance(target, Name):
            self.record.moment += 1
        if held is None:
            earlier = frame.held.get(target)
            held = Operation("changed", (earlier,) if earlier is not None else ())
        if is_constant(held) and not is_own(one.target, frame):
            held = Operation("stored", (held,))
        makes = not place.depth and is_made(one.value)
        around = place.fixture != ""
        stored = self.record.identities.of(target, held, around=around) if makes else held
        self.record.asked[target] = stored, len(self.record.acts)
        frame.store(target, stored)

    def _bound(self, one: Bind, frame: Frame, place: Place) -> Expression | None:
        """Return the value that an assignment stores, or the call that waits for it; None if it is unknown."""
        value = one.value
        if value is None:
            return None
        if not isinstance(value, Call):
            handed = isinstance(value, Name) or frame.held.get(value) not in self.closures  # or a name takes a lambda
            return substitute(self.given(value, frame, place) if handed else value, frame.held)
        callee = None if one.awaited else self.callee(value, frame)
        if callee is not None and callee.routine.asynchronous:
            frame.waiting[one.target] = value
            return value
        return self.act(Act(value, 0), frame, place) or substitute(value, frame.held)

    def _around(self, one: Act, frame: Frame, place: Place) -> bool:
        """Run a call, and its body where it yields; a body that it never runs follows it."""
        if not one.body:
            self.act(one, frame, place)
            return False
        expected = expecting(substitute(one.call, frame.held)) if isinstance(one.call, Name) else None
        if expected is not None:
            return self._within(Within((expected,), one.body, one.line, one.quote), frame, place)
        callee = self.callee(one.call, frame) if isinstance(one.call, Call) else None
        body = _Body(one.body, callee and callee.routine, frame, place, frozenset(self.running))
        self.bodies.append(body)
        self.act(replace(one, awaited=True), frame, place)
        if body not in self.bodies:
            return False
        self.bodies.remove(body)
        return self.block(one.body, frame, place)

    def _inside(self, body: _Body, given: Expression | None, frame: Frame, place: Place) -> None:
        """Run the body of a `with` where its helper yields, in the place of the `with` as the helper narrows it."""
        held = Value("none", "None") if given is None else self.given(given, frame, place)
        body.frame.held[YIELDED] = substitute(held, frame.held)
        running, self.running = self.running, set(body.running)
        narrowed = replace(body.place, conditions=place.conditions, swallowed=place.swallowed)
        self.block(body.block, body.frame, narrowed)
        self.running = running

    def _branch(self, one: Branch, frame: Frame, place: Place) -> bool:
        condition = substitute(one.condition, frame.held)
        known = settled(condition, self.program.skips)
        if known is not None:
            self.record.unreached(one.otherwise if known else one.then)
            return self.block(one.then if known else one.otherwise, frame, place)
        skipping = only_skip(one.then)
        if skipping is not None and not one.otherwise:
            self._skip(skipping, condition, frame, place)
            return False
        before, written_before = dict(frame.held), set(self.record.writing)
        first = self.block(one.then, frame, place.under(condition))
        if first:
            self.record.left(written_before)
        after, frame.held = frame.held, before
        second = self.block(one.otherwise, frame, place.under(negated_term(condition)))
        if second:
            frame.held = frame.held if first else after
        elif not first:
            frame.held = either(condition, after, frame.held)
        return first and second

    def _skip(self, leave: Leave, condition: Expression | None, frame: Frame, place: Place) -> None:
        """Record a skip, with its line or the function of another file that it stands in."""
        name, path = frame.routine.name, frame.routine.path
        where = f"fixture {name}" if place.fixture else name
        origin, line = (f"{where} of {path}", 0) if path else ("test", leave.line)
        self.record.skip(Skip("xfail" if leave.kind == "xfail" else "skip", condition, origin, line))

    def _loop(self, one: Loop, frame: Frame, place: Place) -> None:
        over = None if one.over is None else in_any_order(members_of(substitute(one.over, frame.held)))
        if over is not None and is_empty(over):
            self.record.unreached(one.body)
            self.block(one.otherwise, frame, place)
        elif isinstance(over, Collection) and over.kind != "mapping" and len(over.items) <= MOST_ROWS:
            self._each(one, over.items, frame, place)
        else:
            self._once_for_all(one, over, frame, place)

    def _each(self, one: Loop, items: Iterable[Expression], frame: Frame, place: Place) -> None:
        """Run a loop's body for every item, until a `break` surely ends it."""
        for item in items:
            bind_each(one.variable, item, frame)
            self.block(one.body, frame, place)
            on = broken_off(one.body, frame)
            goes_on = True if on is None else truth_of(on)
            if goes_on is False:
                return
            place = place if goes_on or on is None else place.under(on)

    def _once_for_all(self, one: Loop, over: Expression | None, frame: Frame, place: Place) -> None:
        """Run a loop's body once, for any of its members; what follows sees the last of them."""
        inner = place
        turned = flags(one, frame)
        if over is not None and one.variable is not None:
            frame.held.update(members(one.variable, over))
            inner = replace(place, conditions=tuple(each for each in place.conditions if not has_members(each, over)))
        if over is not None and broken_off(one.body, frame) is not None:
            inner = inner.under(Operation("before a break in", (over,)))
        around = self.record.turns
        self.record.repeats += 1
        self.record.turns *= turns_of(over, one.body)
        self.block(one.body, frame, inner)
        self.record.turns = around
        self.record.repeats -= 1
        if over is not None:
            after_the_last(over, frame)
        frame.held.update({flag: substitute(came, frame.held) for flag, came in turned.items()})
        self.block(one.otherwise, frame, place)

    def _attempt(self, one: Attempt, frame: Frame, place: Place) -> bool:
        heard = [catch.types for catch in one.catches if not always_fails(catch.body)]
        drops = ending(one.final) in QUIETLY
        outer = place.swallowing("the finally block leaves whatever was raised" if drops else "")
        why = outer.swallowed or next(filter(None, map(swallows, heard)), "")
        caught = [kind for types in heard for kind in types]
        inner = place.catching(unless_raised(caught)) if caught and not why else place.swallowing(why)
        before = dict(frame.held)
        ended = self.block(one.body, frame, inner) or self.block(one.otherwise, frame, outer)
        if any(not ending(catch.body) for catch in one.catches):
            frame.held = or_as_before(unless_raised(caught), frame.held, before)
        for catch in one.catches:
            if not (len(catch.body) == 1 and always_fails(catch.body)):
                self.block(catch.body, frame, outer.under(Operation(RAISED, catch.types)))
        return self.block(one.final, frame, place) or (ended and all(ending(catch.body) for catch in one.catches))

    def _expected(self, one: Attempt, frame: Frame, place: Place) -> bool:
        """Run a body that must raise, and then what handles the error."""
        (catch,) = one.catches
        kinds = catch.types or ((ANY_ERROR if self.program.script else Name("Exception")),)
        self._within(Within((Claim("raises", kinds[0], None),), one.body, place.line, place.quote), frame, place)
        return self.block(catch.body, frame, place)

    def _within(self, one: Within, frame: Frame, place: Place) -> bool:
        before, raised = len(self.record.acts), len(self.record.raised)
        body, early = read_too_early(one)
        self.record.unreached(early)
        ended = self.block(body, frame, place.swallowing(unheard(one)))
        bound = [substitute(each, frame.held) for each in map(evaluated, one.body) if each is not None]
        acts = tuple(dict.fromkeys([*self.record.acts[before:], *bound]))
        acts = tuple(act for act in acts if not makes_fake(act)) or acts  # that raises nothing
        if not acts or ending(body) == "raise":
            acts = (*acts, *dict.fromkeys(self.record.raised[raised:]))
        acts = acts[-1:] if raised_anyway(one, self.record.raised[raised:]) else acts
        made_by = acts[0] if len(acts) == 1 else Operation("watched", acts)
        for claim in one.claims:
            made = claim_with(claim, frame.held)
            if made.relation == "warns" and made.subject == Value("none", "None"):
                continue  # `pytest.warns(None)` accepts anything
            logged = made.relation == "logs" and made.object is not None
            if made.relation in {"raises", "warns", "logs", "completes"} and not logged:
                made = replace(made, object=made_by)
            self.record.fact(made, one, place, frame.held)
        return ended and not one.claims and not one.suppresses

    def _leave(self, one: Leave, frame: Frame, place: Place) -> bool:
        if one.kind in {"skip", "xfail"}:
            self._skip(one, place.conditions[-1] if place.conditions else None, frame, place)
        elif one.kind == "fail":
            self.record.fact(
                Claim("satisfies", Value("boolean", "False")), Check((), one.line, "fail"), place, frame.held
            )
        elif one.kind == "raise" and one.value is not None and not place.conditions:
            self.record.raised.append(Operation(RAISE, (substitute(one.value, frame.held),)))
        elif one.kind == "return" and one.value is not None:
            given = self.act(Act(one.value, one.line), frame, place) if isinstance(one.value, Call) else None
            frame.given = given or substitute(one.value, frame.held)
        return True
