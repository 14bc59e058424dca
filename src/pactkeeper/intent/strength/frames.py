"""The circumstances of a statement, and the values of names in a running function.

Also what cannot make a test fail: claims that always hold, handlers that swallow, blocks that leave.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pactkeeper.intent.claims import (
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Name,
    Opaque,
    Operation,
    Raised,
    Subscript,
    Value,
)
from pactkeeper.intent.strength.folding import is_constant, is_empty, truth_of, whole_of
from pactkeeper.intent.strength.program import (
    Attempt,
    Bind,
    Block,
    Branch,
    Check,
    Leave,
    Loop,
    Routine,
    Statement,
    Within,
)
from pactkeeper.intent.strength.replaced import BUILTIN
from pactkeeper.intent.strength.substitution import simplified, substitute
from pactkeeper.intent.strength.terms import (
    RAISE,
    digest,
    dotted,
    is_part,
    last_name,
    negated_term,
    parts_in,
    terms_of,
)

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

    def under(self, condition: Expression) -> Place:
        """Return the same place under one more condition."""
        return replace(self, conditions=(*self.conditions, condition))

    def swallowing(self, why: str) -> Place:
        """Return the same place where failures are swallowed, with the reason."""
        return replace(self, swallowed=self.swallowed or why)

    def inside(self, name: str, line: int, quote: str) -> Place:
        """Return a place in a function called here; the outermost call determines the line."""
        return replace(
            self, via=self.via or name, line=self.line or line, quote=self.quote or quote, depth=self.depth + 1
        )


@dataclass(slots=True)
class Frame:
    """The values of the names in one running function; `given` is what it last returned or yielded."""

    routine: Routine
    held: dict[Expression, Expression] = field(default_factory=dict)
    inner: dict[str, Routine] = field(default_factory=dict)
    given: Expression | None = None
    aliases: dict[Expression, Expression] = field(default_factory=dict)
    waiting: dict[Expression, Call] = field(default_factory=dict)

    def alias(self, target: Expression, value: Expression | None) -> None:
        """Record that two names are the same object, which a call may change under both."""
        self.aliases.pop(target, None)
        if isinstance(value, Name) and value in self.held:
            self.aliases[target] = self.aliases.get(value, value)

    def touch(self, call: Call, made: Expression) -> None:
        """Mark a list or mapping passed to a call as possibly changed by that call."""
        parts = [part for each in chain(call) for part in _handed(each)]
        parts += [part.value for part in parts if isinstance(part, Attribute) and not self._is_entry(part)]
        for name in parts:
            held = self.held.get(name)
            if isinstance(held, Collection) or (isinstance(held, Operation) and held.operator == "touched"):
                root = self.aliases.get(name, name)
                after = Operation("touched", (held, digest(made)))
                for other in [other for other in self.held if self.aliases.get(other, other) == root]:
                    self.held[other] = after

    def filled(self) -> dict[Expression, Expression]:
        """What names hold once something was called: an empty list of a fixture or field may have been added to."""
        given = {Name(one.name) for one in self.routine.parameters}
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


def _handed(call: Call) -> list[Expression]:
    """Return what a call may change: its arguments and the object it belongs to; a text changes nothing."""
    if isinstance(call.function, Attribute) and isinstance(call.function.value, Value):
        return []
    parts = [argument.value for argument in call.arguments]
    return [*parts, call.function.value] if isinstance(call.function, Attribute) else parts


def waited_for(call: Call, frame: Frame) -> Expression:
    """Unwrap a waiting call: `asyncio.run(main())` returns what `main()` does, as does `run(main)` for a parameter."""
    inner = call.arguments[0].value if call.arguments else None
    if isinstance(inner, Name) and inner.name in frame.inner and _is_parameter(frame.held.get(call.function)):
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


def _is_parameter(one: Expression | None) -> bool:
    return isinstance(one, Attribute) and one.name == "param" and one.value == Name("request")


def is_foreign(target: Expression, frame: Frame) -> bool:
    """Whether an assignment sets an attribute of something imported, which replaces it for everyone."""
    one = target
    while isinstance(one, Attribute):
        one = one.value
    return one != target and isinstance(one, Name) and one not in frame.held and one.name not in {"self", "cls", "this"}


def is_own(target: Expression, frame: Frame) -> bool:
    """Whether an assigned value is read back unchanged: no setter of the product or of a call's argument runs."""
    one = target
    while isinstance(one, Attribute | Subscript):
        one = one.value
    return (
        one == target or one in {Name("self"), Name("cls"), Name("this")} or isinstance(frame.held.get(one), Collection)
    )


def own_places(held: dict[Expression, Expression]) -> dict[Expression, Expression]:
    """Return the attributes of `self`, which all methods of one test share."""
    return {key: value for key, value in held.items() if isinstance(key, Attribute) and key.value == SELF}


def only_names(held: dict[Expression, Expression]) -> dict[Expression, Expression]:
    """Return the names whose value is another name: aliases."""
    return {key: value for key, value in held.items() if isinstance(key, Name) and isinstance(value, Name)}


def parameters_of(routine: Routine, made: Expression) -> dict[Expression, Expression]:
    """Return the parameter values of a called routine."""
    if not isinstance(made, Call):
        return {}
    parameters = list(routine.parameters)
    if parameters and parameters[0].name in {"self", "cls"} and isinstance(made.function, Attribute):
        parameters = parameters[1:]
    positional = list(_one_by_one(made, len(parameters)))
    named = {argument.name: argument.value for argument in made.arguments if argument.name}
    held: dict[Expression, Expression] = {}
    for at, parameter in enumerate(parameters):
        own = Name(parameter.name)
        if parameter.rest == "mapping":
            pairs = ((Value("string", name), value) for name, value in named.items())
            held[own] = Collection("mapping", tuple(part for pair in pairs for part in pair))
        elif parameter.rest:
            held[own] = Collection(parameter.rest, tuple(positional[at:]))
            positional = positional[:at]
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


def either(
    condition: Expression,
    then: dict[Expression, Expression],
    otherwise: dict[Expression, Expression],
    *,
    ends: tuple[bool, bool],
) -> dict[Expression, Expression]:
    """Return the values of names after a branch: either value, unless one side left."""
    if ends[0]:
        return otherwise
    if ends[1]:
        return then
    held = dict(otherwise)
    for key, value in then.items():
        other = otherwise.get(key)
        held[key] = value if other == value else Operation("if-else", (value, condition, other or Opaque("")))
    return held


def members_of(over: Expression) -> Expression:
    """Return the keys, values or entries of a literal mapping, one by one."""
    if not isinstance(over, Attribute) or not isinstance(over.value, Collection) or over.value.kind != "mapping":
        return over
    pairs = list(zip(over.value.items[::2], over.value.items[1::2], strict=False))
    listed: dict[str, list[Expression]] = {
        "keys": [key for key, _ in pairs],
        "values": [value for _, value in pairs],
        "entries": [Collection("list", pair) for pair in pairs],
    }
    return Collection("list", tuple(listed[over.name])) if over.name in listed else over


def bind_each(variable: Expression | None, item: Expression, frame: Frame) -> None:
    """Bind the variable of a loop to one item, or to its parts."""
    if variable is None:
        return
    if isinstance(variable, Name):
        frame.held[variable] = item
        return
    for at, name in enumerate(names_in(variable)):
        frame.held[name] = simplified(Operation("member", (item, Name(str(at)))))


def names_in(one: Expression) -> list[Name]:
    """The names in a target, in order."""
    if isinstance(one, Name):
        return [one]
    return [name for part in (one.items if isinstance(one, Collection) else ()) for name in names_in(part)]


_ANYTHING: Final = Name("Exception")
SELF: Final = Name("self")
_PLAIN: Final = frozenset({RAISE, "+", "-", "*", "/", "//", "%", "**", "==", "<", "<=", ">", ">=", "not"})
CATCHES_ALL: Final = frozenset({"AssertionError", "Exception", "BaseException", "Throwable", "Error"})


def cannot_fail(claim: Claim) -> str:
    """Return why a claim, or one of its alternatives, holds whatever the product does; "" if it can fail."""
    every = (claim, *claim.alternatives)
    if any(_constant(one) is True or _of_none(one) for one in every):
        return "it holds whatever happens"
    return "both sides are the same" if any(map(_is_of_itself, every)) else ""


def writes_expected(claim: Claim, acts: Iterable[Expression]) -> bool:
    """Whether one of a test's calls writes what a claim is about into the file that it is compared with."""
    sides = (claim.subject, claim.object)
    for one, other in (sides, sides[::-1]):
        read = _touched_file(other, "read")
        if one is not None and read and any(_touched_file(act, "write") & read and is_part(one, act) for act in acts):
            return claim.relation in {"equals", "same", "contains"} and not claim.negated
    return False


def _touched_file(one: Expression | None, verb: str) -> frozenset[Expression]:
    """Return the arguments and the receiver of calls that read or write a file, by the first word of their name."""
    calls = (part for part in terms_of(one) if isinstance(part, Call)) if one is not None else ()
    named = (call for call in calls if last_name(call.function).casefold().startswith(verb))
    return frozenset(part for call in named for part in _handed(call) if not isinstance(part, Value))


def _of_none(claim: Claim) -> bool:
    """Whether it is about every member of something empty."""
    return claim.each is not None and claim.each.kind == "every" and is_empty(claim.each.over)


def _is_of_itself(claim: Claim) -> bool:
    compares = claim.relation in {"equals", "same", "approximately"}
    return compares and not claim.negated and claim.subject == claim.object


def _constant(claim: Claim) -> bool | None:
    """Whether a claim about constants holds; None if it is about more than constants."""
    if not is_constant(claim.subject) or (claim.object is not None and not is_constant(claim.object)):
        return None
    if claim.relation in {"truthy", "satisfies", "falsy"}:
        found = truth_of(claim.subject)
        return None if found is None else (found is not (claim.relation == "falsy")) is not claim.negated
    if claim.relation in {"equals", "same"}:
        return (claim.subject == claim.object) is not claim.negated
    return True if claim.relation != "raises" else None


def evaluated(one: Statement) -> Expression | None:
    """What an assignment evaluates and may raise: its value, and setting the field or item that it is assigned to."""
    if not isinstance(one, Bind) or one.value is None:
        return None
    if isinstance(one.target, Attribute | Subscript):
        return Operation("set", (one.target, one.value))
    return one.value if isinstance(one.value, Attribute | Call | Operation | Subscript) else None


def only_skip(block: Block) -> Leave | None:
    """Return the skip that a block consists of; None if it does anything else."""
    last = block[-1] if block else None
    return last if isinstance(last, Leave) and last.kind in {"skip", "xfail"} and len(block) == 1 else None


def left_early(one: Statement) -> Expression | None:
    """Return the condition under which the rest of a block runs, if one side of a branch leaves silently."""
    if isinstance(one, Attempt):
        caught = [kind for catch in one.catches if leaves_quietly(catch.body) for kind in catch.types or (_ANYTHING,)]
        return Operation("unless-raised", tuple(sorted(caught, key=repr))) if caught else None
    if isinstance(one, Loop) and _may_return(one.body):
        return Operation("no member of", (one.over or Opaque("the loop"),))
    if not isinstance(one, Branch) or only_skip(one.then) is not None:
        return None
    if leaves_quietly(one.then):
        return negated_term(one.condition)
    return one.condition if leaves_quietly(one.otherwise) else None


def _may_return(block: Block) -> bool:
    """Whether a loop's body can end the function that it stands in."""
    last = block[-1] if block else None
    returns = isinstance(last, Leave) and last.kind == "return"
    return returns or any(
        isinstance(one, Branch) and (_may_return(one.then) or _may_return(one.otherwise)) for one in block
    )


def leaves_quietly(block: Block) -> bool:
    """Whether a block ends by leaving without an error."""
    last = block[-1] if block else None
    return isinstance(last, Leave) and last.kind in {"return", "leave", "break"}


def broken_off(block: Block, frame: Frame) -> Expression | None:
    """Return the condition under which a loop goes on after its body, if a `break` may end it; None if nothing does."""
    for one in block:
        if isinstance(one, Leave) and one.kind == "break":
            return _NEVER
        if isinstance(one, Branch) and broken_off(one.then, frame) == _NEVER:
            return negated_term(substitute(one.condition, frame.held))
    return None


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


_NEVER: Final = Value("boolean", "false")


def swallows(types: Iterable[Expression]) -> str:
    """Return why a handler of these types hides a failure; "" if it hides none."""
    listed = [item for kind in types for item in (kind.items if isinstance(kind, Collection) else (kind,))]
    if not listed:
        return "every exception around it is caught"
    found = next((last_name(kind) for kind in listed if last_name(kind) in CATCHES_ALL), "")
    return f"{found} around it is caught" if found else ""


def unheard(one: Within) -> str:
    """Return why a failure inside the enclosing block goes unnoticed; "" if it does not."""
    if one.suppresses:
        return swallows(one.suppresses)
    expected = any(claim.relation == "raises" and last_name(claim.subject) == "AssertionError" for claim in one.claims)
    return "its failure is expected" if expected else ""


def read_too_early(one: Within) -> tuple[Block, Block]:
    """Separate the body from assertions about the very error that it has to raise first."""
    expected = [claim.subject for claim in one.claims if claim.relation == "raises"]
    early = tuple(each for each in one.body if isinstance(each, Check) and _reads_error(each, expected))
    return tuple(each for each in one.body if each not in early), early


def _reads_error(one: Check, errors: Sequence[Expression]) -> bool:
    return any(isinstance(part, Raised) and part.error in errors for part in parts_in(*one.claims))


def always_fails(block: Block) -> bool:
    """Whether a handler fails the test on every path through it."""
    return (
        any(isinstance(one, Leave) and one.kind in {"raise", "fail"} for one in block)
        or any(isinstance(one, Branch) and always_fails(one.then) and always_fails(one.otherwise) for one in block)
        or _checks_false(block)
    )


def _checks_false(block: Block) -> bool:
    return any(
        isinstance(one, Check) and any(truth_of(claim.subject) is False and not claim.negated for claim in one.claims)
        for one in block
    )


def only_fails(block: Block) -> bool:
    """Whether a block does nothing but fail the test."""
    return len(block) == 1 and always_fails(block)


def throws(block: Block) -> bool:
    """Whether a block ends by raising an error."""
    return ends(block) and isinstance(block[-1], Leave) and block[-1].kind == "raise"


def is_of_the_language(act: Expression) -> bool:
    """Whether only literals and the language's own names determine what an act does: `{}["a"]`, `raise KeyError()`."""
    return all(
        part.name in BUILTIN
        if isinstance(part, Name)
        else part.operator in _PLAIN
        if isinstance(part, Operation)
        else isinstance(part, Value | Collection | Call | Attribute | Subscript)
        for part in terms_of(act)
    )


def ends(block: Block) -> bool:
    """Whether the code after a block is unreachable."""
    return bool(block) and isinstance(block[-1], Leave)
