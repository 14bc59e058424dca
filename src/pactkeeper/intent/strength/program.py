"""A test as a small program independent of its language: what runs, in which order, under which conditions.

A language adapter lowers its syntax tree into these statements; `effect` runs them symbolically. Values are the
expressions and claims of `intent.claims`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, product
from math import prod
from typing import Final, Literal

from pactkeeper.intent.claims import Claim, Expression, Name, Opaque, Operation

Ending = Literal["return", "raise", "fail", "skip", "xfail", "leave", "break"]
SkipKind = Literal["skip", "xfail", "todo", "generator", "coroutine"]
YIELDED: Final = Name("yield·")  # the value that a generator yields
AFTER_YIELD: Final = " after its yield"  # in the name of what a fixture does there
ANSWER: Final = " as it answers"  # in the name of what a predicate says
MOST_ROWS: Final = 120  # of the tables of one test together


@dataclass(frozen=True, slots=True)
class Check:
    """An assertion: all `claims` must hold.

    `awaited` is False if it yields a promise that nothing awaits; `understood` is False if no claim can express the
    assertion; then only its `quote` is known.
    """

    claims: tuple[Claim, ...]
    line: int
    quote: str
    awaited: bool = True
    understood: bool = True


@dataclass(frozen=True, slots=True)
class Bind:
    """An assignment to a name, an attribute or an item; `value` is None if it cannot be expressed.

    A name that is its own value is a parameter from here on: nothing is known of it, whatever it held outside.
    `awaited` is False if the value is a coroutine that only runs once something awaits the name.
    """

    target: Expression
    value: Expression | None
    awaited: bool = True


@dataclass(frozen=True, slots=True)
class Act:
    """A call made for its effect; `awaited` is False for a coroutine or promise that nothing awaits.

    The `body` runs where the called function yields, with what it yields as `YIELDED`.
    """

    call: Expression
    line: int
    quote: str = ""
    awaited: bool = True
    body: Block = ()


@dataclass(frozen=True, slots=True)
class Branch:
    """`then` if the condition holds, else `otherwise`."""

    condition: Expression
    then: Block
    otherwise: Block = ()


@dataclass(frozen=True, slots=True)
class Loop:
    """The body, once for each member of `over`; None if a condition controls the loop instead."""

    variable: Expression | None
    over: Expression | None
    body: Block
    otherwise: Block = ()


@dataclass(frozen=True, slots=True)
class Catch:
    """The handler for one of `types` raised in the body of an `Attempt`; no types catch everything."""

    types: tuple[Expression, ...]
    body: Block


@dataclass(frozen=True, slots=True)
class Attempt:
    """A body whose exceptions are caught."""

    body: Block
    catches: tuple[Catch, ...]
    otherwise: Block = ()
    final: Block = ()


@dataclass(frozen=True, slots=True)
class Within:
    """A body inside a context: `claims` are about what the body raises, warns or logs.

    `suppresses` are exception types that end the body silently.
    """

    claims: tuple[Claim, ...]
    body: Block
    line: int
    quote: str = ""
    suppresses: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Leave:
    """The end of a function (return, raise, fail, skip, xfail) of a loop iteration (leave), or of a loop (break)."""

    kind: Ending
    value: Expression | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Define:
    """A function defined inside a function; `value` is the term for one without a name."""

    routine: Routine
    value: Expression | None = None


Statement = Check | Bind | Act | Branch | Loop | Attempt | Within | Leave | Define
Block = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter with its default; `rest` takes all further arguments: as a list or a tuple, or by name."""

    name: str
    default: Expression | None = None
    rest: Literal["", "list", "tuple", "mapping"] = ""


@dataclass(frozen=True, slots=True)
class Routine:
    """A test-side function; `lookup` finds the functions that it may call, by the expression of the callee.

    `asynchronous` functions do nothing unless something awaits them, `lazy` ones unless it takes what they yield.
    `constants` are the top-level assignments of their file, as its body sees them; `path` is that file if it isn't the
    test's own.
    """

    name: str
    parameters: tuple[Parameter, ...] = ()
    body: Block = ()
    asynchronous: bool = False
    lookup: Callable[[Expression], Routine | None] = field(default=lambda _: None, compare=False, repr=False)
    constants: Block = field(default=(), compare=False, repr=False)
    lazy: bool = False
    path: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Skip:
    """A mark that keeps a test from running or from counting; `condition` is None for always.

    An `xfail` may fail silently; with `strict` it must fail. Nothing runs the body of a `generator` or `coroutine`.
    `origin` says what carries the mark.
    """

    kind: SkipKind
    condition: Expression | None = None
    origin: str = "test"
    line: int = 0
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A parametrisation: `rows` is None if they are not literal; then `text` represents them.

    `some` is what takes only some of these.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[Expression, ...], ...] | None
    text: str = ""
    some: Expression | None = None


def by_name(origin: str) -> str:
    """Return the name of the fixture or helper of another file that skips a test, by the origin of the skip."""
    return origin.partition(" of ")[0].removeprefix("fixture ")


def without_modules(sources: Iterable[str]) -> frozenset[str]:
    """Return the names of what a file imports without their modules: `total` of `shop.total`."""
    return frozenset(source.rpartition(".")[2] for source in sources)


def yields(block: Block) -> bool:
    """Whether a function of these statements yields, outside loops and branches."""
    inner = (one.body for one in block if isinstance(one, Within | Attempt))
    return any(isinstance(one, Bind) and one.target == YIELDED for one in block) or any(map(yields, inner))


def asserts(block: Block) -> bool:
    """Whether a function of these statements may make an assertion itself."""
    return any(isinstance(one, Check | Within) or any(map(asserts, _blocks(one))) for one in block)


def _blocks(one: Statement) -> tuple[Block, ...]:
    match one:
        case Branch(then=then, otherwise=otherwise):
            return then, otherwise
        case Loop(body=body, otherwise=otherwise):
            return body, otherwise
        case Attempt(body=body, catches=catches, otherwise=otherwise, final=final):
            return body, otherwise, final, *(catch.body for catch in catches)
        case Act(body=body):
            return (body,)
    return ()


def after_yield(block: Block) -> Block:
    """Return what a function does, without its assertions before it yields; nothing if it doesn't yield for sure."""
    at = next((at for at, one in enumerate(block) if isinstance(one, Bind) and one.target == YIELDED), None)
    return (*(one for one in block[:at] if not isinstance(one, Check)), *block[at:]) if at is not None else ()


def param_of(fixture: str) -> str:
    """Return the name of the column with a fixture's own rows, which it sees as `request.param`."""
    return f"{fixture}·param"


@dataclass(frozen=True, slots=True)
class Program:
    """Everything that determines what a test can notice.

    `constants` are names of the file with a single value, `setups` run before the test, outer ones first, and
    `teardowns` after it; `fixture` finds the fixture for a parameter of the test or of another fixture. `functions`
    are those that rows hold. `unread` are reasons why something may be missing. `judge` is what decides if that is no
    package's: `expect of test/own.js`; likewise `runner` declares it and may let it pass, and `relay` only hands it on
    to a package. `throughout` are claims about everything the test does, `marks` the calls
    that decorate it or its suites; `muted` is why one of them keeps the test from failing. `doubles` are names that
    belong to the test side. `replaced` are calls that replace something as its files are imported, `sources` the
    whole dotted names of what its file imports. `script` says that it is JavaScript, and `states` what a condition of
    its language states that is known only once helpers are followed; `decides` says of one whether files of the
    repository settle it. `others` are the same test as classes run it that
    inherit it. A compiler checks what is `typed` even where nothing runs it.
    """

    test_id: str
    routine: Routine
    constants: Mapping[Expression, Expression] = field(default_factory=dict, compare=False, repr=False)
    setups: tuple[Routine, ...] = ()
    teardowns: tuple[Routine, ...] = ()
    fixture: Callable[[str], Routine | None] = field(default=lambda _: None, compare=False, repr=False)
    autouse: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    functions: Mapping[Expression, Routine] = field(default_factory=dict, compare=False, repr=False)
    skips: tuple[Skip, ...] = ()
    throughout: tuple[Claim, ...] = ()
    marks: tuple[Expression, ...] = ()
    tries: int | None = None
    muted: str = ""
    doubles: tuple[str, ...] = ()
    replaced: tuple[Expression, ...] = ()
    sources: tuple[str, ...] = ()
    script: bool = False
    states: Callable[[Expression], Sequence[Claim]] = field(default=lambda _: (), compare=False, repr=False)
    decides: Callable[[Expression], bool] = field(default=lambda _: False, compare=False, repr=False)
    line: int = 0
    unread: Sequence[str] = ()
    judge: str = ""
    runner: str = ""
    relay: str = ""
    others: tuple[Program, ...] = ()
    typed: tuple[Check, ...] = ()


def rows_of(tables: Sequence[Table]) -> Iterator[dict[Expression, Expression]]:
    """Yield the parameters of each row in the product of all tables."""
    for chosen in islice(product(*map(_table_rows, tables)), MOST_ROWS):
        yield dict(chain.from_iterable(one.items() for one in chosen))


def distinct_rows(tables: Sequence[Table]) -> list[dict[Expression, Expression]]:
    """Return the parameters of each row; one that repeats another says nothing more."""
    return list({tuple(row.items()): row for row in rows_of(tables)}.values())


def has_more_rows(tables: Sequence[Table]) -> bool:
    """Whether the tables of a test have more rows together than `rows_of` yields."""
    return prod(1 if table.rows is None else len(table.rows) for table in tables) > MOST_ROWS


def _table_rows(table: Table) -> Iterator[dict[Expression, Expression]]:
    if table.rows is None:
        whole = Opaque(table.text)
        over = whole if table.some is None else Operation("some of", (whole, table.some))
        yield {Name(name): Operation("row", (over, Name(str(at)))) for at, name in enumerate(table.names)}
        return
    for row in table.rows:
        yield dict(zip((Name(name) for name in table.names), row, strict=False))
