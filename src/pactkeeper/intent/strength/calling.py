"""Symbolic execution of calls: those of the test side are run, all others are recorded."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pactkeeper.intent.claims import Argument, Attribute, Call, Collection, Expression, Name, Opaque, Operation, Value
from pactkeeper.intent.strength.decorating import rebinds
from pactkeeper.intent.strength.folding import is_nothing, written
from pactkeeper.intent.strength.frames import (
    SELF,
    Frame,
    Held,
    Place,
    ending,
    hands_function,
    own_places,
    parameters_of,
    runs_elsewhere,
    waited_for,
)
from pactkeeper.intent.strength.identity import without_identity
from pactkeeper.intent.strength.program import Act, Block, Program, Routine, asserts
from pactkeeper.intent.strength.record import Record
from pactkeeper.intent.strength.substitution import substitute
from pactkeeper.intent.strength.terms import (
    PARAMETER,
    has_call,
    operator_of,
    parameters_in,
    read_through,
    rebuilt,
    terms_of,
    with_parameters,
)
from pactkeeper.intent.strength.unfailing import ELSEWHERE

_OUTER: Final = "outer·"  # a parameter of a function around a call, while that is run
DEEPEST: Final = 5  # calls inside of one another that are followed


class Callee(NamedTuple):
    """A function of the test side, with the frame around it whose names it sees, and the object it is a method of."""

    routine: Routine
    home: Frame | None = None
    receiver: Expression | None = None


@dataclass(slots=True)
class Calling(ABC):
    """The calls of one test, which add to its `record`; `shared` is what all of its routines see."""

    program: Program
    record: Record
    shared: Held
    closures: dict[Expression, Callee] = field(default_factory=dict)
    tops: dict[int, Frame] = field(default_factory=dict)
    running: set[tuple[str, object]] = field(default_factory=set)

    @abstractmethod
    def block(self, block: Block, frame: Frame, place: Place) -> bool:
        """Run statements in order; True if the code after them is unreachable."""

    def given(self, term: Expression, frame: Frame, place: Place) -> Expression:
        """Replace every helper call in a term with its result; assertions made on the way count."""
        self._references(term, frame, place)
        return self.inlined(term, frame, place)

    def inlined(self, term: Expression, frame: Frame, place: Place, bound: int = 0) -> Expression:
        """Replace every helper call in a term with its result; functions that it hands on aren't run.

        So many parameters are `bound` by the functions that the term stands in; those of a result are numbered on.
        """
        if not has_call(term) or (isinstance(term, Operation) and term.operator == "each"):
            return term
        if not isinstance(term, Call):
            more = bound + parameters_in(term)
            return rebuilt(term, lambda part: self.inlined(part, frame, place, more))
        waited = waited_for(term, frame)
        made = rebuilt(frame.waiting.pop(waited, waited), lambda part: self.inlined(part, frame, place, bound))
        if not isinstance(made, Call):
            return made
        callee = self.callee(made, frame)
        if callee is None or place.depth >= DEEPEST:
            self.record.replacement(made, place)
            return self._mapped(made, frame, place)
        inside = place.inside(callee.routine.name)
        if not bound:
            return self._run(callee, made, inside, frame) or made
        result = self._run(callee, with_parameters(made, PARAMETER, _OUTER), inside, frame)
        on = None if result is None else with_parameters(result, PARAMETER, PARAMETER, bound)
        return made if on is None else with_parameters(on, _OUTER, PARAMETER)

    def _mapped(self, made: Call, frame: Frame, place: Place) -> Expression:
        """Return what a test-side function makes of each member of a literal list; any other call as it is."""
        match made:
            case (
                Call(function=Attribute(value=value, name="map"), arguments=(Argument(value=Name() as function),))
                | Call(function=Name(name="map"), arguments=(Argument(value=Name() as function), Argument(value=value)))
            ):
                members = written(substitute(value, frame.held))
                if isinstance(members, tuple) and self.callee(Call(function), frame) is not None:
                    rows = ((Argument(member), Argument(Value("number", str(at)))) for at, member in enumerate(members))
                    calls = (Call(function, row if isinstance(made.function, Attribute) else row[:1]) for row in rows)
                    return Collection("list", tuple(self.inlined(each, frame, place) for each in calls))
        return made

    def act(self, one: Act, frame: Frame, place: Place) -> Expression | None:
        """Run a call: a test-side helper is executed and its result returned, any other call is recorded."""
        if not isinstance(one.call, Call):
            self.record.act(substitute(self.given(one.call, frame, place), frame.held), place)
            return None
        waited = waited_for(one.call, frame)
        waited = frame.waiting.pop(waited, waited)
        callee = self.callee(waited, frame) if isinstance(waited, Call) else None
        waited = waited if isinstance(waited, Call) else one.call
        prepared = self._prepared(waited, callee, frame, place)
        made = substitute(prepared, frame.held)
        self.record.replacement(made, place)
        if callee is not None and place.depth < DEEPEST:
            if callee.routine.asynchronous and not one.awaited and waited is one.call:
                return None
            return self._run(callee, prepared, place.inside(callee.routine.name, one.line, one.quote), frame)
        if isinstance(made, Collection | Value):
            return made  # `dict(a=1)` is a literal and does nothing
        self.record.act(made, place)
        self.record.handing += [waited] if hands_function(waited, frame.inner) else []
        frame.touch(one.call, made)
        return made

    def _prepared(self, call: Call, callee: Callee | None, frame: Frame, place: Place) -> Expression:
        """Return a call with its arguments and receiver evaluated, where what it hands on runs."""
        if callee is not None:
            return rebuilt(call, lambda part: part if part is call.function else self.inlined(part, frame, place))
        inside = place.swallowing(ELSEWHERE) if self._runs_elsewhere(call, frame) else place
        return rebuilt(call, lambda part: self.given(part, frame, inside))

    def callee(self, call: Call, frame: Frame) -> Callee | None:
        """Return the test-side function that a call runs; None if it runs anything else."""
        name = call.function
        held = frame.held.get(name, name)
        if held in self.closures:
            return self.closures[held]
        if isinstance(name, Name) and name.name in frame.inner:
            return Callee(frame.inner[name.name], frame)
        own = isinstance(held, Attribute) and held.value in {SELF, Name("cls")}
        if not own and held not in {name, self.shared.get(name)}:
            return None  # a parameter or a local shadows the file's function of that name
        routine = frame.routine.lookup(held if own else name)
        if routine is not None:
            return Callee(routine, receiver=frame.held.get(SELF) if own else None)
        return self._judging(name, frame) if isinstance(name, Attribute) else None

    def _judging(self, method: Attribute, frame: Frame) -> Callee | None:
        """Return the method that asserts something of an object that a class of the test side made."""
        receiver = substitute(method.value, frame.held)
        made = without_identity(receiver)
        if not (isinstance(made, Call) and isinstance(made.function, Name)):
            return None
        routine = frame.routine.lookup(Attribute(made.function, method.name))
        return None if routine is None or not asserts(routine.body) else Callee(routine, receiver=receiver)

    def _run(self, callee: Callee, call: Expression, place: Place, caller: Frame) -> Expression | None:
        """Run a function, and return its result, or else the call if it asserts or calls anything."""
        routine, home, receiver = callee
        made = substitute(call, caller.held)
        own = routine.name, routine.lookup
        if own in self.running:
            return None  # running it again adds nothing, and mutual recursion multiplies
        self.running.add(own)
        outer = Frame(routine) if home is None else Frame(routine, dict(home.held), dict(home.inner))
        top = self.top(routine, place)
        selves = own_places(caller.held) if receiver is None else {SELF: receiver}
        held = outer.held | top.held | selves | parameters_of(routine, made)
        passed = parameters_of(routine, call)
        fresh = frozenset(name for name, value in passed.items() if isinstance(value, Collection))
        inner = Frame(routine, held, outer.inner | top.inner, fresh=fresh)
        before = len(self.record.facts) + len(self.record.acts)
        self.block(routine.body, inner, place)
        if receiver is None:
            caller.held.update(own_places(inner.held))
        for name, value in passed.items():
            given, after = caller.held.get(value), inner.held.get(name)
            filled = after is not None and given in terms_of(after) and not rebinds(routine.body, name)
            if filled and after is not None and any(operator_of(part) == "touched" for part in terms_of(after)):
                caller.held[value] = after  # the list that it was given, with more in it
        self.running.discard(own)
        idle = len(self.record.facts) + len(self.record.acts) == before
        result = None if _is_filled_in(inner.given) else self.escaped(inner.given, inner)
        return result or (None if idle else made)

    def top(self, routine: Routine, place: Place) -> Frame:
        """Return the values of top-level names in a routine's file, computed once because calls don't change them."""
        known = self.tops.get(id(routine.constants))
        if known is None:
            known = self.tops[id(routine.constants)] = Frame(routine)
            self.block(routine.constants, known, place)
        return known

    def unnamed(self, routine: Routine, value: Expression, frame: Frame) -> None:
        """Keep a function without a name for those who call it; one that asserts runs where a call is handed it."""
        known = substitute(value, frame.held)
        if not ending(routine.body):
            frame.inner[routine.name] = routine
            known = Opaque(f"lambda {', '.join(one.name for one in routine.parameters)}: None")
            frame.held[value] = known
        self.closures[known] = Callee(routine, frame)

    def escaped(self, given: Expression | None, frame: Frame) -> Expression | None:
        """Return a function's result; a nested function is recorded with the names that it sees."""
        if not isinstance(given, Name) or given.name not in frame.inner:
            return given
        escaped = Name(f"{frame.routine.name}.{given.name}")
        self.closures[escaped] = Callee(frame.inner[given.name], frame)
        return escaped

    def _references(self, term: Expression, frame: Frame, place: Place) -> None:
        """Run nested functions that are passed on or called inside a term at least once, and methods of its classes."""
        parts = terms_of(term) if frame.inner else frozenset()
        calls = [part for part in parts if isinstance(part, Call)]
        passed = parts - {call.function for call in calls}
        away = {each.value for call in calls if self._runs_elsewhere(call, frame) for each in call.arguments}
        for name in [name for name in frame.inner if not passed.isdisjoint(_named(name)) or _class_of(name) in parts]:
            routine = frame.inner.pop(name)
            if place.depth < DEEPEST:
                hushed = not away.isdisjoint(_named(name))
                self.handed_on(routine, frame, place.swallowing(ELSEWHERE) if hushed else place)
            frame.inner[name] = routine

    def _runs_elsewhere(self, call: Call, frame: Frame) -> bool:
        return not self.program.script and runs_elsewhere(call, frame.routine)

    def handed_on(self, routine: Routine, frame: Frame, place: Place) -> None:
        """Run a nested function that something else calls, an unknown number of times."""
        names = [Name(one.name) for one in routine.parameters]
        given: Held = {name: Operation("given", (Name(str(at)),)) for at, name in enumerate(names)}
        self.record.repeats += 1
        self.block(routine.body, Frame(routine, {**frame.held, **given}, dict(frame.inner)), place.inside())
        self.record.repeats -= 1


def _named(inner: str) -> tuple[Expression, ...]:
    return Name(inner), Opaque(inner)


def _class_of(inner: str) -> Name:
    """Return the class of a nested function that is a method; anything that makes or hands on the class may run it."""
    return Name(inner.rpartition(".")[0])


def _is_filled_in(given: Expression | None) -> bool:
    """Whether a result is read from what held nothing until something filled it in that isn't followed."""
    unknown = tuple(read_through(given))[-1] if given is not None else None
    return isinstance(unknown, Operation) and unknown.operator == "changed" and any(map(is_nothing, unknown.operands))
