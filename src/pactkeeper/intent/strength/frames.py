"""The circumstances of a statement, and the values of names in a running function.

Also how a block of statements ends.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final, TypeGuard

from pactkeeper.intent.claims import (
    Attribute,
    Call,
    Collection,
    Expression,
    Name,
    Opaque,
    Operation,
    Subscript,
    Value,
    children,
)
from pactkeeper.intent.strength.folding import is_constant, truth_of, whole_of
from pactkeeper.intent.strength.literals import mapping_of
from pactkeeper.intent.strength.program import (
    Attempt,
    Bind,
    Block,
    Branch,
    Catch,
    Check,
    Leave,
    Loop,
    Routine,
    Statement,
)
from pactkeeper.intent.strength.substitution import substitute
from pactkeeper.intent.strength.terms import (
    TAKING,
    digest,
    dotted,
    last_name,
    negated_term,
    operator_of,
    parts_in,
    root,
    terms_of,
)

Held = dict[Expression, Expression]  # what names and places hold
_ENDING: Final = frozenset({"done", "cb", "next", "callback"})
PARAM: Final = Attribute(Name("request"), "param")  # the row that a fixture sees
SELF: Final = Name("self")
_SELVES: Final = frozenset({SELF, Name("cls"), Name("this")})
_FILLABLE: Final = frozenset({Collection("list", ()), Collection("set", ()), Collection("mapping", ())})


@dataclass(frozen=True, slots=True)
class Place:
    """The circumstances of a statement."""

    conditions: tuple[Expression, ...] = ()
    swallowed: str = ""
    via: str = ""
    line: int = 0
    quote: str = ""
    depth: int = 0
    fixture: str = ""
    heard_in_part: bool = False

    @property
    def is_caught(self) -> bool:
        """Whether an error raised here ends nothing but a `try`."""
        return self.swallowed != "" or self.heard_in_part

    def under(self, condition: Expression) -> Place:
        """Return the same place under one more condition."""
        return replace(self, conditions=(*self.conditions, condition))

    def catching(self, condition: Expression) -> Place:
        """Return the same place where some errors are caught: what is asserted there depends on none being raised."""
        return replace(self.under(condition), heard_in_part=True)

    def swallowing(self, why: str) -> Place:
        """Return the same place where failures are swallowed, with the reason."""
        return replace(self, swallowed=self.swallowed or why)

    def inside(self, name: str = "", line: int = 0, quote: str = "") -> Place:
        """Return a place in a function called here; the outermost call determines the line."""
        return replace(
            self, via=self.via or name, line=self.line or line, quote=self.quote or quote, depth=self.depth + 1
        )


@dataclass(slots=True)
class Frame:
    """The values of the names in one running function; `given` is what it last returned or yielded.

    `fresh` are parameters that hold what is written in the call itself, which nothing else can have filled before.
    """

    routine: Routine
    held: Held = field(default_factory=dict)
    inner: dict[str, Routine] = field(default_factory=dict)
    given: Expression | None = None
    aliases: dict[Expression, Expression] = field(default_factory=dict)
    waiting: dict[Expression, Call] = field(default_factory=dict)
    fresh: frozenset[Expression] = frozenset()

    def alias(self, target: Expression, value: Expression | None) -> None:
        """Record that two names are the same object, which a call may change under both."""
        self.aliases.pop(target, None)
        if isinstance(value, Name) and value in self.held:
            self.aliases[target] = self.aliases.get(value, value)

    def store(self, target: Expression, held: Expression) -> None:
        """Let a name or a place hold a value; nothing is known any more of what is read from it."""
        for key in [
            key for key in self.held if not isinstance(key, Name) and key != target and target in terms_of(key)
        ]:
            del self.held[key]
        self.held[target] = held

    def touch(self, call: Call, made: Expression) -> None:
        """Mark a list or mapping passed to a call as possibly changed by that call, or as surely by one of its own."""
        whole = root(call.function) if isinstance(call.function, Attribute) else call
        if last_name(call) in TAKING and isinstance(self.held.get(whole), Collection):
            self.held[whole] = Operation(f"{last_name(call)}=", (self.held[whole], digest(made)))
            return
        parts = [part for each in chain(call) for part in handed(each)]
        parts += [part.value for part in parts if isinstance(part, Attribute) and not self._is_entry(part)]
        for name in parts:
            held = self.held.get(name)
            if isinstance(held, Collection) or (isinstance(held, Operation) and held.operator == "touched"):
                first = self.aliases.get(name, name)
                after = Operation("touched", (held, digest(made)))
                for other in [other for other in self.held if self.aliases.get(other, other) == first]:
                    self.held[other] = after

    def filled(self) -> dict[Expression, Expression]:
        """What names hold once something was called: an empty list of a fixture or field may have been added to."""
        given = {Name(one.name) for one in self.routine.parameters} - self.fresh
        empty = [key for key, held in self.held.items() if isinstance(held, Collection) and held in _FILLABLE]
        shared = [key for key in empty if isinstance(key, Attribute) or key in given]
        return self.held | {key: Operation("touched", (self.held[key],)) for key in shared} if shared else self.held

    def _is_entry(self, one: Attribute) -> bool:
        """Whether it is a constant in a literal mapping, not a method such as `rows.append` that is passed on."""
        return is_constant(substitute(one, self.held))


def chain(call: Call) -> Iterator[Call]:
    """Yield a call and the calls whose results it is a method of: both of `stub(x).with_(y)`."""
    one: Expression = call
    while isinstance(one, Call):
        yield one
        one = one.function.value if isinstance(one.function, Attribute) else one.function


def handed(call: Call) -> list[Expression]:
    """Return what a call may change: its arguments and the object it belongs to; a text changes nothing."""
    if isinstance(call.function, Attribute) and isinstance(call.function.value, Value):
        return []
    parts = [argument.value for argument in call.arguments]
    return [*parts, call.function.value] if isinstance(call.function, Attribute) else parts


def ends_test(name: str) -> bool:
    """Whether a test calls a parameter of this name to say that it is done."""
    return name in _ENDING or name.endswith("Done")


def hands_function(call: Call, inner: Container[str]) -> bool:
    """Whether a call is handed a function written there, an `inner` one by its name, or what ends the test."""
    return any(
        operator_of(part) == "=>" or (isinstance(part, Name) and (part.name in inner or ends_test(part.name)))
        for each in call.arguments
        for part in (each.value, *children(each.value))
    )


def waited_for(call: Call, frame: Frame) -> Expression:
    """Unwrap a waiting call: `asyncio.run(main())` returns what `main()` does, as does `run(main)` for a parameter."""
    inner = call.arguments[0].value if call.arguments else None
    if isinstance(inner, Name) and inner.name in frame.inner and frame.held.get(call.function) == PARAM:
        return Call(inner, call.arguments[1:])
    return inner if _waits(call, inner, frame) and isinstance(inner, Call | Name) else call


_RUNNERS: Final = frozenset({"asyncio.run", "anyio.run", "trio.run", "curio.run", "asyncio.wait_for"})


def _waits(call: Call, inner: Expression | None, frame: Frame) -> bool:
    """Whether a call runs a coroutine to its end; another `run` must get a test-side function."""
    if dotted(call.function) in _RUNNERS or last_name(call.function) == "run_until_complete":
        return True
    made = inner.function if isinstance(inner, Call) else inner
    own = isinstance(made, Name) and (made.name in frame.inner or frame.routine.lookup(made) is not None)
    return own and last_name(call.function) in {"run", "wait_for"}


def runs_elsewhere(call: Call, routine: Routine) -> bool:
    """Whether a call hands functions to a thread, a process or a finalizer, where their failure fails no test.

    A process that fails has another exit code, which the function around may ask for.
    """
    name = last_name(call.function)
    if name != "Process":
        return name in {"Thread", "Timer", "finalize", "start_new_thread"}
    inner = (part for one in routine.body for part in (one.body if isinstance(one, Loop) else (one,)))
    claims = (claim for one in inner if isinstance(one, Check) for claim in one.claims)
    return not any(isinstance(part, Attribute) and part.name == "exitcode" for part in parts_in(*claims))


def is_foreign(target: Expression, frame: Frame) -> bool:
    """Whether an assignment sets an attribute of something imported, which replaces it for everyone."""
    one = root(target)
    return isinstance(target, Attribute) and dotted(target) != "" and one not in _SELVES and one not in frame.held


def is_declared(one: Expression, frame: Frame) -> bool:
    """Whether a name is that of a function which the running one declares and nothing takes the place of."""
    plain = isinstance(one, Name) and one.name in frame.inner and Name(f"decorated·{one.name}") not in frame.held
    return plain and frame.held.get(one) == one


def field_of(target: Expression, held: Held) -> Attribute | None:
    """Return `console.warn` for `console[level]` where the name holds "warn", as JavaScript reads it."""
    match target:
        case Subscript(value=owner, key=key):
            match substitute(key, held):
                case Value(kind="string", text=name) if name.isidentifier():
                    return Attribute(owner, name)
    return None


def overridden(one: Bind, frame: Frame) -> frozenset[str]:
    """Return the method of an object made before, `Cart().total`, that an assignment gives a function of its own."""
    owner = frame.held.get(one.target.value) if isinstance(one.target, Attribute) else None
    function = isinstance(one.value, Operation) and one.value.operator == "=>"
    if not (isinstance(one.target, Attribute) and isinstance(owner, Call) and function):
        return frozenset()
    return frozenset({f"{last_name(owner)}().{one.target.name}"})


def is_own(target: Expression, frame: Frame) -> bool:
    """Whether an assigned value is read back unchanged: no setter of the product or of a call's argument runs."""
    one = root(target)
    return one == target or one in _SELVES or isinstance(frame.held.get(one), Collection)


def own_places(held: Held) -> Held:
    """Return the attributes of `self`, which all methods of one test share."""
    return {key: value for key, value in held.items() if isinstance(key, Attribute) and key.value == SELF}


def only_names(held: Held) -> Held:
    """Return the names whose value is another name: aliases."""
    return {key: value for key, value in held.items() if isinstance(key, Name) and isinstance(value, Name)}


def parameters_of(routine: Routine, made: Expression) -> Held:
    """Return the parameter values of a called routine."""
    if not isinstance(made, Call):
        return {}
    parameters = list(routine.parameters)
    if parameters and parameters[0].name in {"self", "cls"} and isinstance(made.function, Attribute):
        del parameters[0]
    positional = list(_one_by_one(made, len(parameters)))
    named = {argument.name: argument.value for argument in made.arguments if argument.name}
    held: Held = {}
    for at, parameter in enumerate(parameters):
        own = Name(parameter.name)
        if parameter.rest == "mapping":
            held[own] = mapping_of({Value("string", name): value for name, value in named.items()})
        elif parameter.rest:
            held[own] = Collection(parameter.rest, tuple(positional[at:]))
            del positional[at:]
        elif parameter.name in named:
            held[own] = named.pop(parameter.name)
        elif at < len(positional):
            held[own] = positional[at]
        elif parameter.default is not None:
            held[own] = parameter.default
    return held | {Name(name): value for name, value in named.items()}


def _one_by_one(made: Call, most: int) -> Iterator[Expression]:
    """Yield the positional arguments of a call; each parameter that a spread one fills gets its member."""
    given = [argument.value for argument in made.arguments if argument.name is None]
    for at, one in enumerate(given):
        if isinstance(one, Operation) and one.operator == "spread" and at == len(given) - 1:
            yield from (Subscript(one.operands[0], Value("number", str(member))) for member in range(most - at))
        else:
            yield one


def either(condition: Expression, then: Held, otherwise: Held) -> Held:
    """Return the values of names after a branch of which both sides go on."""
    held = dict(otherwise)
    for key, value in then.items():
        other = otherwise.get(key)
        held[key] = value if other == value else Operation("if-else", (value, condition, other or Opaque("")))
    return held


def or_as_before(condition: Expression, after: Held, before: Held) -> Held:
    """Return what names hold after a body that may break off: those that the source gave a value may keep that one."""
    kept = [key for key, value in before.items() if isinstance(key, Name) and is_constant(value) and truth_of(value)]
    held = either(condition, after, before) if kept else {}
    return {**after, **{key: held[key] for key in kept}}


def resized(target: Expression, value: Expression | None, frame: Frame) -> None:
    """Keep what an assignment to the length of a literal list, or to how it is gone through, leaves of it."""
    if not isinstance(target, Attribute | Subscript):
        return
    held = frame.held.get(target.value)
    if not isinstance(held, Collection) or held.kind != "list":
        return
    number = whole_of(value)
    if isinstance(target, Attribute) and target.name == "length":
        cut = None if number is None else Collection("list", held.items[:number])
        frame.held[target.value] = cut or Operation("touched", (held,))
    elif isinstance(target, Subscript) and target.key == Attribute(Name("Symbol"), "iterator"):
        frame.held[target.value] = Operation("touched", (held,))


QUIETLY: Final = frozenset({"return", "leave", "break"})  # without an error
_ANYTHING: Final = Name("Exception")


def ending(block: Block) -> str:
    """Return the kind of the statement that leaves a block at its end; "" if the code after it is reached."""
    last = block[-1] if block else None
    return last.kind if isinstance(last, Leave) else ""


def only_skip(block: Block) -> Leave | None:
    """Return the skip that a block consists of; None if it does anything else."""
    match block:
        case (Leave(kind="skip" | "xfail") as leave,):
            return leave
    return None


def left_early(one: Statement) -> Expression | None:
    """Return the condition under which the rest of a block runs, if one side of a branch leaves silently."""
    match one:
        case Attempt(catches=catches):
            quiet = [catch for catch in catches if ending(catch.body) in QUIETLY]
            return unless_raised(kind for each in quiet for kind in each.types or (_ANYTHING,)) if quiet else None
        case Loop(over=over, body=body) if may_return(body):
            return Operation("no member of", (over or Opaque("the loop"),))
        case Branch(condition=condition, then=then) if ending(then) in QUIETLY:
            return negated_term(condition)
        case Branch(condition=condition, then=then, otherwise=otherwise) if ending(otherwise) in QUIETLY:
            return condition if only_skip(then) is None else None
    return None


def unless_raised(kinds: Iterable[Expression]) -> Operation:
    """Return the condition that none of these errors is raised."""
    return Operation("unless-raised", tuple(sorted(kinds, key=repr)))


def may_return(block: Block) -> bool:
    """Whether a loop's body can end the function that it stands in."""
    branches = (one for one in block if isinstance(one, Branch))
    return ending(block) == "return" or any(may_return(one.then) or may_return(one.otherwise) for one in branches)


def always_fails(block: Block) -> bool:
    """Whether a handler fails the test on every path through it."""
    return any(map(_fails, block))


def gives_up(body: Block) -> bool:
    """Whether a loop that waits under a condition fails at some point."""
    return any(isinstance(one, Check) or (isinstance(one, Branch) and always_fails(one.then)) for one in body)


def must_raise(one: Statement, after: Block) -> TypeGuard[Attempt]:
    """Whether a function fails unless a body raises, because it only returns where that error is handled."""
    match one:
        case Attempt(body, (Catch(body=caught),), (), ()):
            return ending(caught) == "return" and not may_return(body) and always_fails(after)
    return False


def _fails(one: Statement) -> bool:
    match one:
        case Leave(kind=kind):
            return kind in {"raise", "fail"}
        case Branch(then=then, otherwise=otherwise):
            return always_fails(then) and always_fails(otherwise)
        case Check(claims=claims):
            return any(truth_of(claim.subject) is False and not claim.negated for claim in claims)
    return False
