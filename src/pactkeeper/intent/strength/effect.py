"""Running a program symbolically: which assertions are reached, about what, and under which circumstances."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Final

from pactkeeper.intent.claims import Attribute, Call, Claim, Collection, Expression, Name, Opaque, Operation, Value
from pactkeeper.intent.strength.facts import Dead, Fact, Skipped, Strength
from pactkeeper.intent.strength.platforms import holds
from pactkeeper.intent.strength.program import (
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
    SkipKind,
    Statement,
    Table,
    Within,
)
from pactkeeper.intent.strength.terms import (
    claim_with,
    digest,
    dotted,
    is_constant,
    last_name,
    negated_term,
    rebuilt,
    substitute,
    terms_of,
    truth_of,
)

_DEEPEST: Final = 5
_MOST_FACTS: Final = 2_000
_MOST_ROWS: Final = 120
_YIELDED: Final = Name("yield·")  # what a generator gives, as a name of its frame
_CATCHES_ALL: Final = frozenset({"AssertionError", "Exception", "BaseException", "Throwable", "Error"})
_MOCKING: Final = frozenset(
    {
        "patch",
        "object",
        "setattr",
        "__setattr__",
        "mock",
        "doMock",
        "setitem",
        "multiple",
        "unstable_mockModule",
        "module",
    }
)


def strength_of(program: Program) -> Strength:
    """The effective strength of one test."""
    run = _Run(program)
    skips = [_skipped(skip) for skip in program.skips]
    run.skips.extend(skip for skip in skips if skip is not None)
    run.prepare()
    rows = 0
    for held in _rows(program.tables):
        rows += 1
        run.once(held)
    if rows == 0:
        run.dead.append(Dead("the table has no rows", program.line, ""))
    return Strength(
        facts=tuple(run.facts),
        dead=tuple(run.dead),
        skips=tuple(dict.fromkeys(run.skips)),
        acts=tuple(dict.fromkeys(run.acts)),
        mocks=tuple(sorted(run.mocks)),
        rows=rows,
        tries=program.tries,
        unread=tuple(dict.fromkeys([*program.unread, *run.unread])),
    )


def _skipped(skip: Skip) -> Skipped | None:
    where = holds(skip.condition)
    if where == "never":
        return None
    condition = None if where == "always" else skip.condition
    return Skipped(skip.kind, where == "always", condition, skip.origin, skip.line, skip.strict)


def _rows(tables: Sequence[Table]) -> Iterator[dict[Expression, Expression]]:
    """What the parameters hold in each row of the product of all tables."""
    choices = [list(_table_rows(table)) for table in tables]
    for at, chosen in enumerate(product(*choices)):
        if at >= _MOST_ROWS:
            return
        held: dict[Expression, Expression] = {}
        for one in chosen:
            held.update(one)
        yield held


def _table_rows(table: Table) -> Iterator[dict[Expression, Expression]]:
    if table.rows is None:
        yield {Name(name): Operation("row", (Opaque(table.text), Name(str(at)))) for at, name in enumerate(table.names)}
        return
    for row in table.rows:
        yield dict(zip((Name(name) for name in table.names), row, strict=False))


@dataclass(frozen=True, slots=True)
class _Place:
    """The circumstances of a statement."""

    conditions: tuple[Expression, ...] = ()
    swallowed: str = ""
    via: str = ""
    line: int = 0
    quote: str = ""
    depth: int = 0

    def under(self, condition: Expression) -> _Place:
        return _Place((*self.conditions, condition), self.swallowed, self.via, self.line, self.quote, self.depth)

    def swallowing(self, why: str) -> _Place:
        return _Place(self.conditions, self.swallowed or why, self.via, self.line, self.quote, self.depth)

    def inside(self, name: str, line: int, quote: str) -> _Place:
        return _Place(
            self.conditions, self.swallowed, self.via or name, self.line or line, self.quote or quote, self.depth + 1
        )


@dataclass(slots=True)
class _Frame:
    """What the names of one running function hold; `given` is what it returned or yielded last."""

    routine: Routine
    held: dict[Expression, Expression] = field(default_factory=dict)
    inner: dict[str, Routine] = field(default_factory=dict)
    given: Expression | None = None
    aliases: dict[Expression, Expression] = field(default_factory=dict)
    waiting: dict[Expression, Call] = field(default_factory=dict)

    def alias(self, target: Expression, value: Expression | None) -> None:
        """Remember that two names mean one thing, which a call may change under both."""
        self.aliases.pop(target, None)
        if isinstance(value, Name) and value in self.held:
            self.aliases[target] = self.aliases.get(value, value)

    def touch(self, call: Call, made: Expression) -> None:
        """A list or mapping that is handed to a call is what the call made of it from here on."""
        parts = [argument.value for argument in call.arguments]
        if isinstance(call.function, Attribute):
            parts.append(call.function.value)
        parts += [part.value for part in parts if isinstance(part, Attribute)]  # `rows.append`, handed on
        for name in parts:
            held = self.held.get(name)
            if isinstance(held, Collection) or (isinstance(held, Operation) and held.operator == "touched"):
                root = self.aliases.get(name, name)
                after = Operation("touched", (held, digest(made)))
                for other in [other for other in self.held if self.aliases.get(other, other) == root]:
                    self.held[other] = after


@dataclass(slots=True)
class _Run:
    program: Program
    facts: list[Fact] = field(default_factory=list)
    dead: list[Dead] = field(default_factory=list)
    skips: list[Skipped] = field(default_factory=list)
    acts: list[Expression] = field(default_factory=list)
    mocks: set[str] = field(default_factory=set)
    unread: list[str] = field(default_factory=list)
    fixtures: dict[str, Expression] = field(default_factory=dict)
    closures: dict[Expression, tuple[Routine, _Frame]] = field(default_factory=dict)
    shared: dict[Expression, Expression] = field(default_factory=dict)

    def prepare(self) -> None:
        """Run what is set up before the test; rows do not change it."""
        self.shared.update(self.program.constants)
        for setup in self.program.setups:
            frame = _Frame(setup, self._filled(setup, self.shared, _Place()))
            self._block(setup.body, frame, _Place())
            self.shared.update({key: value for key, value in frame.held.items() if _is_shared(key, setup)})

    def once(self, row: dict[Expression, Expression]) -> None:
        """Run the test for one row of its tables."""
        filled = {key: substitute(value, self.shared) for key, value in row.items()}
        self.fixtures = {key.name: value for key, value in filled.items() if isinstance(key, Name)}
        for name in self.program.autouse:
            self._fixture(name, _Place())
        routine = self.program.routine
        frame = _Frame(routine, {**self._filled(routine, self.shared, _Place()), **filled})
        self._block(routine.body, frame, _Place())

    def _filled(
        self, routine: Routine, shared: dict[Expression, Expression], place: _Place
    ) -> dict[Expression, Expression]:
        held = dict(shared)
        for parameter in routine.parameters:
            held[Name(parameter.name)] = self._fixture(parameter.name, place)
        held.pop(Name("self"), None)
        return held

    def _fixture(self, name: str, place: _Place) -> Expression:
        """What a fixture gives; it runs once a test, and what it asserts or skips counts."""
        if name in self.fixtures:
            return self.fixtures[name]
        self.fixtures[name] = Name(name)
        routine = self.program.fixture(name)
        if routine is not None and place.depth < _DEEPEST:
            inner = place.inside("", 0, "")
            frame = _Frame(routine, self._filled(routine, {}, inner))
            self._block(routine.body, frame, inner)
            given = self._escaped(frame.held.get(_YIELDED, frame.given), frame)
            self.fixtures[name] = given if given is not None else Name(name)
        return self.fixtures[name]

    def _block(self, block: Block, frame: _Frame, place: _Place) -> bool:
        """Run statements in order; True where nothing behind them is reached."""
        for at, statement in enumerate(block):
            if self._statement(statement, frame, place):
                self._unreached(block[at + 1 :])
                return True
            left = _left_early(statement)
            if left is not None and truth_of(substitute(left, frame.held)) is None:
                place = place.under(substitute(left, frame.held))
        return False

    def _unreached(self, block: Block) -> None:
        for statement in block:
            if isinstance(statement, Check):
                self.dead.append(Dead("nothing reaches it", statement.line, statement.quote))

    def _statement(self, one: Statement, frame: _Frame, place: _Place) -> bool:
        match one:
            case Check():
                self._check(one, frame, place)
            case Bind():
                self._bind(one, frame, place)
            case Act():
                self._act(one.call, frame, place, line=one.line, quote=one.quote, awaited=one.awaited)
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

    def _check(self, one: Check, frame: _Frame, place: _Place) -> None:
        if not one.understood:
            self.unread.append(f"line {one.line}: {one.quote}")
        for claim in one.claims:
            self._fact(claim_with(self._claim(claim, frame, place), frame.held), one, place, frame)

    def _claim(self, claim: Claim, frame: _Frame, place: _Place) -> Claim:
        """A claim with what helpers of the test side give in place of their calls."""
        subject = self._given(claim.subject, frame, place)
        object_ = None if claim.object is None else self._given(claim.object, frame, place)
        same = subject is claim.subject and object_ is claim.object
        return claim if same else replace(claim, subject=subject, object=object_)

    def _given(self, term: Expression, frame: _Frame, place: _Place) -> Expression:
        """A term in which every call of a helper is what the helper gives; what it asserts on the way counts."""
        self._references(term, frame, place)
        return self._inlined(term, frame, place)

    def _inlined(self, term: Expression, frame: _Frame, place: _Place) -> Expression:
        if isinstance(term, Name | Value | Opaque) or (isinstance(term, Operation) and term.operator == "each"):
            return term
        if not isinstance(term, Call):
            return rebuilt(term, lambda part: self._inlined(part, frame, place))
        waited = _waited(term, frame)
        made = rebuilt(frame.waiting.pop(waited, waited), lambda part: self._inlined(part, frame, place))
        if not isinstance(made, Call):
            return made
        called = self._called(made, frame)
        if called is None or place.depth >= _DEEPEST:
            self._mocked(made)
            return made
        given = self._run(called, substitute(made, frame.held), place.inside(called[0].name, 0, ""))
        return given if given is not None else made

    def _fact(self, claim: Claim, one: Check | Within, place: _Place, frame: _Frame) -> None:
        line, quote = place.line or one.line, place.quote or one.quote
        conditions = place.conditions
        if claim.condition is not None:
            conditions = (*conditions, substitute(claim.condition, frame.held))
        dead = place.swallowed or _cannot_fail(claim)
        if dead:
            self.dead.append(Dead(dead, line, quote))
        elif len(self.facts) < _MOST_FACTS:
            awaited = one.awaited if isinstance(one, Check) else True
            self.facts.append(Fact(claim, conditions, awaited, line, quote, place.via))
        else:
            self.unread.append(f"more than {_MOST_FACTS} assertions")

    def _bind(self, one: Bind, frame: _Frame, place: _Place) -> None:
        value = one.value
        if isinstance(value, Call) and not one.awaited and self._is_asynchronous(value, frame):
            frame.waiting[one.target] = value
            held: Expression | None = value
        elif isinstance(value, Call):
            given = self._act(value, frame, place, line=0)
            held = given if given is not None else substitute(value, frame.held)
        elif value is None:
            held = None
        else:
            held = substitute(self._given(value, frame, place), frame.held)
        target = one.target if isinstance(one.target, Name) else substitute(one.target, _only_names(frame.held))
        frame.alias(target, value)
        if isinstance(one.target, Attribute) and value is not None and _is_foreign(one.target, frame):
            self.mocks.add(dotted(target))
        if held is None:
            earlier = frame.held.get(target)
            held = Operation("changed", (earlier,) if earlier is not None else ())
        stale = [key for key in frame.held if not isinstance(key, Name) and key != target and target in terms_of(key)]
        for key in stale:
            del frame.held[key]
        frame.held[target] = held

    def _act(  # noqa: PLR0913 - where it stands, and how
        self, call: Expression, frame: _Frame, place: _Place, *, line: int, quote: str = "", awaited: bool = True
    ) -> Expression | None:
        """A call: a helper of the test side runs, anything else is remembered. What a helper returns comes back."""
        if not isinstance(call, Call):
            self.acts.append(substitute(call, frame.held))
            return None
        waited = _waited(call, frame)
        waited = frame.waiting.pop(waited, waited)
        called = self._called(waited, frame) if isinstance(waited, Call) else None
        waited = waited if isinstance(waited, Call) else call
        inner = rebuilt(waited, lambda part: self._given(part, frame, place)) if called is None else waited
        made = substitute(inner, frame.held)
        self._mocked(made)
        if called is not None and place.depth < _DEEPEST:
            if called[0].asynchronous and not awaited and waited is call:
                return None
            return self._run(called, made, place.inside(called[0].name, line, quote))
        self.acts.append(made)
        frame.touch(call, made)
        return made

    def _is_asynchronous(self, call: Call, frame: _Frame) -> bool:
        called = self._called(call, frame)
        return called is not None and called[0].asynchronous

    def _called(self, call: Call, frame: _Frame) -> tuple[Routine, _Frame | None] | None:
        """The function of the test side that a call runs, and the frame whose names it sees."""
        name = call.function
        held = frame.held.get(name, name)
        if held in self.closures:
            return self.closures[held]
        if isinstance(name, Name) and name.name in frame.inner:
            return frame.inner[name.name], frame
        if held not in {name, self.shared.get(name)}:
            return None  # a parameter or a local hides the file's function of that name
        routine = frame.routine.lookup(name)
        return None if routine is None else (routine, None)

    def _run(self, called: tuple[Routine, _Frame | None], made: Expression, place: _Place) -> Expression | None:
        routine, home = called
        held = dict(home.held) if home is not None else {}
        held.update(_arguments(routine, made))
        inner = _Frame(routine, held, dict(home.inner) if home is not None else {})
        before = len(self.facts), len(self.acts)
        self._block(routine.body, inner, place)
        given = self._escaped(inner.given, inner)
        if (len(self.facts), len(self.acts)) == before and given is None:
            return None
        return given if given is not None else made

    def _escaped(self, given: Expression | None, frame: _Frame) -> Expression | None:
        """What a function gives; one of its own functions is remembered with the names that it sees."""
        if not isinstance(given, Name) or given.name not in frame.inner:
            return given
        escaped = Name(f"{frame.routine.name}.{given.name}")
        self.closures[escaped] = frame.inner[given.name], frame
        return escaped

    def _references(self, term: Expression, frame: _Frame, place: _Place) -> None:
        """Functions of this function that are handed on or called inside a term run at least once."""
        if not frame.inner:
            return
        parts = terms_of(term)
        called = {part.function for part in parts if isinstance(part, Call)}
        for part in parts:
            if isinstance(part, Name) and part.name in frame.inner and part not in called:
                routine = frame.inner.pop(part.name)
                if place.depth < _DEEPEST:
                    self._run_inner(routine, frame, place)
                frame.inner[part.name] = routine

    def _run_inner(self, routine: Routine, frame: _Frame, place: _Place) -> None:
        held: dict[Expression, Expression] = dict(frame.held)
        for at, parameter in enumerate(routine.parameters):
            held[Name(parameter.name)] = Operation("given", (Name(str(at)),))
        self._block(routine.body, _Frame(routine, held, dict(frame.inner)), place.inside("", 0, ""))

    def _mocked(self, made: Call | Expression) -> None:
        if not isinstance(made, Call) or last_name(made.function) not in _MOCKING:
            return
        if last_name(made.function) == "__setattr__" and made.arguments:
            self.mocks.add(_target(made.arguments[0].value))
            return
        words = [_target(argument.value) for argument in made.arguments[:2]]
        target = ".".join(word for word in words if word)
        if target:
            self.mocks.add(target)

    def _branch(self, one: Branch, frame: _Frame, place: _Place) -> bool:
        condition = substitute(one.condition, frame.held)
        known = {"always": True, "never": False}.get(holds(condition))
        if known is not None:
            for dead in one.otherwise if known else one.then:
                self._unreached((dead,))
            return self._block(one.then if known else one.otherwise, frame, place)
        skipping = _only_skip(one.then)
        if skipping is not None and not one.otherwise:
            self._skip(skipping, condition)
            return False
        before = dict(frame.held)
        first = self._block(one.then, frame, place.under(condition))
        after, frame.held = frame.held, dict(before)
        second = self._block(one.otherwise, frame, place.under(negated_term(condition)))
        frame.held = _joined(condition, after, frame.held, ends=(first, second))
        return first and second

    def _skip(self, leave: Leave, condition: Expression | None) -> None:
        kind: SkipKind = "xfail" if leave.kind == "xfail" else "skip"
        found = _skipped(Skip(kind, condition, line=leave.line))
        if found is not None:
            self.skips.append(found)

    def _loop(self, one: Loop, frame: _Frame, place: _Place) -> None:
        over = None if one.over is None else _members(substitute(one.over, frame.held))
        if isinstance(over, Collection) and over.kind != "mapping" and len(over.items) <= _MOST_ROWS:
            if not over.items:
                self._unreached(one.body)
            for item in over.items:
                _spread(one.variable, item, frame)
                self._block(one.body, frame, place)
            return
        if over is not None and one.variable is not None:
            for at, name in enumerate(_names(one.variable)):
                frame.held[name] = Operation("member", (over, Name(str(at))))
        self._block(one.body, frame, place)
        self._block(one.otherwise, frame, place)

    def _attempt(self, one: Attempt, frame: _Frame, place: _Place) -> bool:
        why = next(
            (_swallows(catch.types) for catch in one.catches if not _fails(catch.body) and _swallows(catch.types)), ""
        )
        caught = tuple(kind for catch in one.catches if not _fails(catch.body) for kind in catch.types)
        inner = place.swallowing(why) if why else place
        if caught and not why:
            inner = place.under(Operation("unless-raised", tuple(sorted(caught, key=repr))))
        ended = self._block(one.body, frame, inner)
        if not ended:
            ended = self._block(one.otherwise, frame, place)
        for catch in one.catches:
            if not _only_fails(catch.body):
                self._block(catch.body, frame, place.under(Operation("raised", catch.types)))
        return self._block(one.final, frame, place) or (ended and all(_leaves(catch.body) for catch in one.catches))

    def _within(self, one: Within, frame: _Frame, place: _Place) -> bool:
        why = next(
            (
                f"{dotted(kind) or 'every exception'} is suppressed around it"
                for kind in one.suppresses
                if last_name(kind) in _CATCHES_ALL
            ),
            "",
        )
        before = len(self.acts)
        ended = self._block(one.body, frame, place.swallowing(why) if why else place)
        watched = tuple(dict.fromkeys([*self.acts[before:], *_bound_calls(one.body, frame)]))
        for claim in one.claims:
            made = claim_with(claim, frame.held)
            if made.relation == "warns" and made.subject == Value("none", "None"):
                continue  # `pytest.warns(None)` takes whatever comes
            if made.relation in {"raises", "warns", "logs", "completes"}:
                body = watched[0] if len(watched) == 1 else Operation("watched", watched)
                made = _about(made, body)
            self._fact(made, one, place, frame)
        return ended and not one.claims and not one.suppresses

    def _leave(self, one: Leave, frame: _Frame, place: _Place) -> bool:
        if one.kind in {"skip", "xfail"}:
            condition = place.conditions[-1] if place.conditions else None
            self._skip(one, condition)
        elif one.kind == "fail":
            claim = Claim("satisfies", Value("boolean", "False"))
            self._fact(claim, Check((), one.line, "fail"), place, frame)
        elif one.kind == "return" and one.value is not None:
            given = self._act(one.value, frame, place, line=one.line) if isinstance(one.value, Call) else None
            frame.given = given if given is not None else substitute(one.value, frame.held)
        return True


def _waited(call: Call, frame: _Frame) -> Expression:
    """`asyncio.run(main())` gives what `main()` gives; so does `run(main)` with what a fixture's parameter holds."""
    inner = call.arguments[0].value if call.arguments else None
    if isinstance(inner, Name) and inner.name in frame.inner and _is_parameter(frame.held.get(call.function)):
        return Call(inner, call.arguments[1:])
    waits = last_name(call.function) in {"run", "run_until_complete", "wait_for"}
    return inner if waits and isinstance(inner, Call | Name) else call


def _is_parameter(one: Expression | None) -> bool:
    return isinstance(one, Attribute) and one.name == "param" and one.value == Name("request")


def _is_foreign(target: Attribute, frame: _Frame) -> bool:
    """Whether an attribute of something that the file imported is assigned, which replaces it for everybody."""
    one: Expression = target
    while isinstance(one, Attribute):
        one = one.value
    return isinstance(one, Name) and one not in frame.held and one.name not in {"self", "cls", "this"}


def _is_shared(key: Expression, setup: Routine) -> bool:
    parameters = {Name(each.name) for each in setup.parameters}
    return key not in parameters


def _only_names(held: dict[Expression, Expression]) -> dict[Expression, Expression]:
    return {key: value for key, value in held.items() if isinstance(key, Name) and isinstance(value, Name)}


def _target(one: Expression) -> str:
    if isinstance(one, Value) and one.kind == "string":
        return one.text
    return dotted(one)


def _arguments(routine: Routine, made: Expression) -> dict[Expression, Expression]:
    """What the parameters of a called routine hold."""
    if not isinstance(made, Call):
        return {}
    parameters = list(routine.parameters)
    if parameters and parameters[0].name in {"self", "cls"} and isinstance(made.function, Attribute):
        parameters = parameters[1:]
    positional = [argument.value for argument in made.arguments if argument.name is None]
    held: dict[Expression, Expression] = {}
    for at, parameter in enumerate(parameters):
        if parameter.rest:
            held[Name(parameter.name)] = Collection("tuple", tuple(positional[at:]))
            break
        if at < len(positional):
            held[Name(parameter.name)] = positional[at]
        elif parameter.default is not None:
            held[Name(parameter.name)] = parameter.default
    named = {argument.name: argument.value for argument in made.arguments if argument.name is not None}
    held.update({Name(name): value for name, value in named.items() if name})
    return held


def _cannot_fail(claim: Claim) -> str:
    """Why a claim holds whatever the product does; empty where it can fail."""
    if any(not _cannot_fail(other) for other in claim.alternatives) and _constant(claim) is None:
        return ""
    if any(_constant(other) is True for other in (claim, *claim.alternatives)):
        return "it holds whatever happens"
    if claim.relation in {"equals", "same", "approximately"} and not claim.negated and claim.subject == claim.object:
        return "both sides are the same"
    return ""


def _constant(claim: Claim) -> bool | None:
    """Whether the claim is about constants only and holds; None where it is about more."""
    if not is_constant(claim.subject) or (claim.object is not None and not is_constant(claim.object)):
        return None
    if claim.relation in {"truthy", "satisfies", "falsy"}:
        found = truth_of(claim.subject)
        return None if found is None else (found is not (claim.relation == "falsy")) is not claim.negated
    if claim.relation in {"equals", "same"}:
        return (claim.subject == claim.object) is not claim.negated
    return True if claim.relation != "raises" else None


def _only_skip(block: Block) -> Leave | None:
    last = block[-1] if block else None
    return last if isinstance(last, Leave) and last.kind in {"skip", "xfail"} and len(block) == 1 else None


def _left_early(one: Statement) -> Expression | None:
    """The condition under which a branch lets the rest of its block run, where one of its sides leaves in silence."""
    if isinstance(one, Loop) and one.body and isinstance(one.body[-1], Leave) and one.body[-1].kind == "return":
        return Operation("no member of", (one.over or Opaque("the loop"),))
    if not isinstance(one, Branch) or _only_skip(one.then) is not None:
        return None
    if _leaves_quietly(one.then):
        return negated_term(one.condition)
    return one.condition if _leaves_quietly(one.otherwise) else None


def _leaves_quietly(block: Block) -> bool:
    last = block[-1] if block else None
    return isinstance(last, Leave) and last.kind in {"return", "leave"}


def _joined(
    condition: Expression,
    then: dict[Expression, Expression],
    otherwise: dict[Expression, Expression],
    *,
    ends: tuple[bool, bool],
) -> dict[Expression, Expression]:
    """What names hold behind a branch: either value, unless one way ended."""
    if ends[0]:
        return otherwise
    if ends[1]:
        return then
    held = dict(otherwise)
    for key, value in then.items():
        other = otherwise.get(key)
        held[key] = value if other == value else Operation("if-else", (value, condition, other or Opaque("")))
    return held


def _members(over: Expression) -> Expression:
    """The keys, values or entries of a mapping that is written out, one by one."""
    if not isinstance(over, Attribute) or not isinstance(over.value, Collection) or over.value.kind != "mapping":
        return over
    pairs = list(zip(over.value.items[::2], over.value.items[1::2], strict=False))
    listed: dict[str, list[Expression]] = {
        "keys": [key for key, _ in pairs],
        "values": [value for _, value in pairs],
        "entries": [Collection("list", pair) for pair in pairs],
    }
    return Collection("list", tuple(listed[over.name])) if over.name in listed else over


def _spread(variable: Expression | None, item: Expression, frame: _Frame) -> None:
    if variable is None:
        return
    names = _names(variable)
    if len(names) == 1 and isinstance(variable, Name):
        frame.held[variable] = item
    elif isinstance(item, Collection) and len(item.items) == len(names):
        frame.held.update(zip(names, item.items, strict=True))
    else:
        for at, name in enumerate(names):
            frame.held[name] = Operation("member", (item, Name(str(at))))


def _names(one: Expression) -> list[Name]:
    if isinstance(one, Name):
        return [one]
    return [name for part in (one.items if isinstance(one, Collection) else ()) for name in _names(part)]


def _swallows(types: Iterable[Expression]) -> str:
    listed = [item for kind in types for item in (kind.items if isinstance(kind, Collection) else (kind,))]
    if not listed:
        return "every exception around it is caught"
    found = next((last_name(kind) for kind in listed if last_name(kind) in _CATCHES_ALL), "")
    return f"{found} around it is caught" if found else ""


def _fails(block: Block) -> bool:
    """Whether a handler ends the test as failed on every way through it."""
    return (
        any(isinstance(one, Leave) and one.kind in {"raise", "fail"} for one in block)
        or any(isinstance(one, Branch) and _fails(one.then) and _fails(one.otherwise) for one in block)
        or _checks_false(block)
    )


def _checks_false(block: Block) -> bool:
    return any(
        isinstance(one, Check) and any(truth_of(claim.subject) is False and not claim.negated for claim in one.claims)
        for one in block
    )


def _only_fails(block: Block) -> bool:
    return len(block) == 1 and _fails(block)


def _leaves(block: Block) -> bool:
    return bool(block) and isinstance(block[-1], Leave)


def _bound_calls(block: Block, frame: _Frame) -> list[Expression]:
    values = [one.value for one in block if isinstance(one, Bind) and isinstance(one.value, Call)]
    return [substitute(value, frame.held) for value in values]


def _about(claim: Claim, body: Expression) -> Claim:
    return Claim(
        claim.relation, claim.subject, claim.object if claim.object is not None and claim.relation == "logs" else body,
        negated=claim.negated, qualifiers=claim.qualifiers,
    )  # fmt: skip
