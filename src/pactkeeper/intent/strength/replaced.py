"""What may replace a lost assertion: no proof that as much is noticed, but no proof of less either.

An assertion of the same test, or one of a new test on much the same subject, can replace a lost one if it pins
something down. Code removed in the same change may have taken its assertions with it.
"""

from __future__ import annotations

import builtins
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, Protocol

from pactkeeper.intent.claims import Attribute, Call, Expression, Name, Opaque, Operation, Raised, Value
from pactkeeper.intent.strength.awaiting import is_plan
from pactkeeper.intent.strength.change import Severity
from pactkeeper.intent.strength.facts import WRITTEN_OUT, Fact, Strength, rank
from pactkeeper.intent.strength.terms import last_name, parts_in, root, terms_of
from pactkeeper.intent.tests import leaf

_PINS: Final = 5  # the lowest rank that pins a value down
_ALIKE: Final = 0.5
_SEVERAL: Final = re.compile(r"[a-z\d]_?[A-Z]|[^\W_]_+[^\W_]")
_COMPUTED: Final = "${"  # in the title of a test or suite that JavaScript declares in a loop
_TELLING: Final = 3  # letters of a word, at least
WORD: Final = re.compile(r"[A-Za-z_$][\w$]++|\d{3,}+")
_METHODS: Final = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "|": "or", "&": "and", "^": "xor", "%": "mod",
                   "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "in": "contains"}  # fmt: skip
BUILTIN: Final = frozenset(dir(builtins))
_ALSO_OF_PRODUCTS: Final = frozenset(
    {"compile", "eval", "exec", "format", "hash", "id", "input", "next", "open", "print", "round", "slice"}
)
_WORDY: Final = 10  # a shorter line is the first of several and not distinctive


@dataclass(slots=True)
class Offers:
    """New assertions that may replace lost ones: each for one line, or for everything said about one value."""

    facts: Sequence[Fact]
    _taken: defaultdict[int, set[Expression | str]] = field(default_factory=lambda: defaultdict(set))

    def stand_in(self, lost: Fact, *, alike: bool, called: bool = False) -> Fact | None:
        """Return an offered assertion that pins down something in place of a lost one.

        With `alike` it must also be about much the same thing or, with `called`, call everything that the lost one
        called.
        """
        for at, fact in enumerate(self.facts):
            near = not alike or _are_alike(fact, lost) or (called and _calls_as_much(fact, lost))
            if self._is_free(at, lost) and _pins(fact, lost) and near:
                self._take(at, lost)
                return fact
        return None

    def take(self, fact: Fact, lost: Fact) -> None:
        """Record that an offered assertion is what a lost one became."""
        self._take(next(at for at, one in enumerate(self.facts) if one is fact), lost)

    def _take(self, at: int, lost: Fact) -> None:
        self._taken[at] |= {_value(lost), lost.quote}

    def _is_free(self, at: int, lost: Fact) -> bool:
        taken = self._taken[at]
        return not taken or (self.facts[at].quote != lost.quote and (_value(lost) in taken or lost.quote in taken))


def _mostly(wanted: frozenset[str], found: frozenset[str]) -> bool:
    return bool(wanted) and len(wanted & found) >= _ALIKE * len(wanted)


def _name_words(name: str) -> frozenset[str]:
    """Return the meaningful words of a test's name: not `test`, `it` or `of`."""
    words = (word for word in re.split(r"[\W_]+", name.casefold()) if len(word) >= _TELLING)
    return frozenset(words) - {"test", "should"}


def _suite(test: str) -> str:
    """Return the suites or the class that a test stands in; one without any stands in its file."""
    return "::".join(test.split("::")[1:-1]) or test.partition("::")[0]


def _value(fact: Fact) -> Expression:
    """Return what an assertion is ultimately about: `x` for `str(x.name)`, and for an error its type."""
    value = root(fact.claim.subject)
    if isinstance(value, Raised):
        return value.error
    while isinstance(value, Call) and last_name(value) in WRITTEN_OUT and len(value.arguments) == 1:
        value = root(value.arguments[0].value)
    return value


def still_stand(old: Strength, new: Strength) -> frozenset[str]:
    """Return the source of assertions made as often as before, which have only changed their subject."""
    before, after = (Counter(fact.quote for fact in one.facts) for one in (old, new))
    return frozenset(quote for quote, times in before.items() if len(quote) >= _WORDY and after[quote] >= times)


def pins(one: Fact) -> bool:
    """Whether an assertion pins down its value or type, or that nothing is called, so that it may stand for another."""
    return rank(one.claim) >= _PINS or one.claim.relation == "has_type" or _is_never_called(one)


def _pins(one: Fact, lost: Fact) -> bool:
    is_as_firm = rank(one.claim) >= min(rank(lost.claim), _PINS) or _is_never_called(one)
    return is_as_firm or is_flag(one.claim.subject) or _compares(one, lost)


def _is_never_called(one: Fact) -> bool:
    return one.claim.relation == "called" and one.claim.negated


def _compares(one: Fact, lost: Fact) -> bool:
    """Whether an assertion waits for what a lost one expected: `wait(() => x.size === 0)` for `read(() => x.size)`."""
    if one.claim.relation != "truthy" or lost.claim.relation not in {"equals", "same"}:
        return False
    if one.claim.negated or lost.claim.negated:
        return False
    compared = (part for part in terms_of(one.claim.subject) if isinstance(part, Operation) and part.operator == "==")
    read = terms_of(lost.claim.subject)
    return any(lost.claim.object in part.operands and not read.isdisjoint(part.operands) for part in compared)


def is_flag(one: Expression) -> bool:
    """Whether it is a variable that something sets to true or false while the test runs."""
    held = one.operands[0] if isinstance(one, Operation) and one.operator == "changed" and one.operands else None
    return isinstance(held, Value) and held.kind == "boolean"


def _are_alike(one: Fact, other: Fact) -> bool:
    """Whether they name much the same things, are about one answer, or expect the same result of one function."""
    mine, theirs = _words(one), _words(other)
    if isinstance(_value(one), Call) and _value(one) == _value(other):
        return True
    asked = last_name(one.claim.subject)
    if asked == last_name(other.claim.subject) != "" and one.claim.object == other.claim.object is not None:
        return one.claim.relation == other.claim.relation and asked not in BUILTIN
    return len(mine & theirs) >= _ALIKE * len(mine | theirs)


def _calls_as_much(one: Fact, other: Fact) -> bool:
    mine, theirs = called(parts_in(one.claim)), called(parts_in(other.claim))
    return bool(theirs) and theirs <= mine


def called(parts: Iterable[Expression]) -> frozenset[str]:
    """Return the names of the callees in these terms, except those that are hardly more than the language's own."""
    return frozenset(last_name(part) for part in parts if isinstance(part, Call)) - (BUILTIN - _ALSO_OF_PRODUCTS)


def _calls(one: Strength) -> frozenset[str]:
    return called(all_parts(one.acts) | parts_in(*(fact.claim for fact in one.facts)))


def _words(fact: Fact) -> frozenset[str]:
    """Return an assertion's names, the literals in its subject, and its relation; the expected value may differ."""
    written = {part.text for part in terms_of(fact.claim.subject) if isinstance(part, Value)}
    return frozenset({fact.claim.relation}) | written | names_of(fact)


def names_of(fact: Fact) -> frozenset[str]:
    """Return every name in an assertion's subject and expected value."""
    return names(parts_in(fact.claim))


def names(parts: Iterable[Expression]) -> frozenset[str]:
    """Return every name in terms: variables, functions, attributes, operator methods, named arguments."""
    found: set[str] = set()
    for part in parts:
        if isinstance(part, Name | Attribute):
            found.add(part.name)
        elif isinstance(part, Call):
            found.update(argument.name for argument in part.arguments if argument.name)
        elif isinstance(part, Operation) and part.operator in _METHODS:
            found.add(f"__{_METHODS[part.operator]}__")
    return frozenset(found)


def written(parts: Iterable[Expression]) -> frozenset[str]:
    """Return every word of the literal text in terms, including expected values."""
    texts = (part.text for part in parts if isinstance(part, Value | Opaque))
    return frozenset(word for text in texts for word in WORD.findall(text))


def all_parts(terms: Iterable[Expression]) -> frozenset[Expression]:
    """The terms with all their parts."""
    return frozenset(part for term in terms for part in terms_of(term))


class Beside(Protocol):
    """What the files of both states say about tests that are not compared."""

    def asserts(self, fact: Fact) -> bool:
        """Whether a fixture makes this assertion for a test that is not among those compared."""

    def repeats(self, test: str, old: Strength) -> bool:
        """Whether another test does and asserts all that an earlier one did."""

    def words_of(self, test: str) -> frozenset[str]:
        """Return the words in an earlier test's source."""

    def stands(self, path: str) -> bool:
        """Whether a file exists in the later state."""

    def stores(self, test: str) -> bool:
        """Whether the change writes stored snapshots of a later test's file."""

    def lends(self, source: str, test: str) -> bool:
        """Whether test files that did not change rest on the file from which a later test takes something."""

    def moves(self, source: str, test: str) -> bool:
        """Whether the change is to product code beside what a test imports as `source`, or within that package."""

    def asks(self, name: str) -> bool:
        """Whether a test asserts of what a function of this name returns."""

    def stands_in(self, name: str, old: tuple[str, str], new: tuple[str, str]) -> Severity | None:
        """Return how bad it is that a name comes from another module, each given as a test and a source; None if not.

        It is not if the earlier module no longer has the name, or one of both passes on what the other one has.
        """


class _Nothing:
    def asserts(self, *_: object) -> bool:
        return False

    repeats = asks = stores = lends = moves = asserts

    def stands_in(self, *_: object) -> Severity | None:
        return None

    def words_of(self, _test: str) -> frozenset[str]:
        return frozenset()

    def stands(self, _path: str) -> bool:
        return True


NOTHING: Final[Beside] = _Nothing()


@dataclass(frozen=True, slots=True)
class Offered:
    """A new test or row: its id, what it calls, and what it replaces with `fakes`.

    A row that isn't the first of a new test has `literals`: it stands only for a test with its values. One that is
    `unread` may stand for any, and one declared under a computed title, in a loop, for several.
    """

    test: str
    calls: frozenset[str]
    fakes: frozenset[str]
    literals: frozenset[Value] | None = None
    unread: bool = False

    def holds(self, lost: Sequence[Fact]) -> bool:
        """Whether it asks what lost assertions asked, and has all values that they expect and most of the others."""
        if not self.fakes.isdisjoint(called(parts_in(*(fact.claim for fact in lost)))):
            return False
        facts = [] if self.literals is None else lost
        return all(self._stand(_literals([one])) >= _ALIKE and self._stand(_expected(one)) == 1 for one in facts)

    def _stand(self, values: frozenset[Value]) -> float:
        """Return which share of values are there, or are a part of a text that is."""
        texts = [each.text for each in self.literals or () if each.kind == "string"]
        there = [one in (self.literals or ()) or any(one.text in text for text in texts) for one in values]
        return sum(there) / len(there) if there else 1


def _expected(fact: Fact) -> frozenset[Value]:
    return (
        frozenset(part for part in terms_of(fact.claim.object) if isinstance(part, Value))
        if fact.claim.object
        else frozenset()
    )


def _literals(facts: Iterable[Fact]) -> frozenset[Value]:
    """Return the literals in assertions, except what there are only a few of: true, false and none."""
    parts = parts_in(*(fact.claim for fact in facts))
    return frozenset(
        part for part in parts if isinstance(part, Value) and part.kind not in {"boolean", "none", "undefined"}
    )


@dataclass(frozen=True, slots=True)
class Around:
    """The rest of a change: names the product no longer defines or newly mentions, and what new tests assert.

    `moving` holds all of these names in lower case: `Option` and its decorator `option` are one. `beside` holds the new
    tests and rows of every file that pin something down or cannot be read, by name and with their callees; each can
    replace one removed test.
    `about` are those of its names in lower case that the change is about, see `Spelling`.
    `fresh` are all tests with a new id, with what no earlier test asserted. `doubles` are names that the test side no
    longer defines.
    """

    gone: frozenset[str]
    moving: frozenset[str]
    elsewhere: Offers
    calls: frozenset[str]
    tests: frozenset[str]
    beside: Mapping[str, list[Offered]]
    fresh: Mapping[str, Strength]
    files: Beside
    doubles: frozenset[str]
    about: frozenset[str]

    @staticmethod
    def of(  # noqa: PLR0913 - a change in all its parts
        gone: frozenset[str], touched: frozenset[str], fresh: Mapping[str, Strength], files: Beside,
        *, doubles: frozenset[str], about: frozenset[str], grown: Mapping[str, Strength] = MappingProxyType({}),
        spare: Iterable[Fact] = (),
    ) -> Around:  # fmt: skip
        """Combine the names of a change with what `fresh` tests, by id, assert and call.

        Fresh tests are those with a new id, and of a renamed one only what is new counts; those `grown` have more rows,
        and only these count. `spare` is what tests assert newly that lost nothing.
        """
        beside: defaultdict[str, list[Offered]] = defaultdict(list)
        every = (*fresh.items(), *grown.items())
        firm = {test: one for test, one in every if any(map(pins, one.facts)) or (one.unread and not one.facts)}
        calls = {test: _calls(one) for test, one in every}
        for test, one in firm.items():
            fakes = frozenset(name.rpartition(".")[2] for name in one.mocks)
            offered = Offered(test, calls[test], fakes, unread=not one.facts)
            row = replace(offered, literals=_literals(one.facts))
            beside[test.partition("::")[0]] += [offered if test in fresh else row, *[row] * (one.rows - 1)]
        names = frozenset(name.casefold() for name in gone | touched)
        return Around(
            gone, names, Offers([*(fact for one in fresh.values() for fact in one.facts), *spare]),
            frozenset().union(*(calls[test] for test in fresh)),
            frozenset(leaf(test) for test in firm if test in fresh), beside, fresh, files,
            doubles, frozenset(name.casefold() for name in about),
        )  # fmt: skip

    def exchanged(self, lost: Fact, fact: Fact) -> bool:
        """Whether a lost assertion called nothing else that another one doesn't but a fake of the test side's own."""
        dropped = called(parts_in(lost.claim)) - called(parts_in(fact.claim))
        return bool(dropped) and dropped <= self.doubles

    def asserted_beside(self, test: str) -> list[Fact]:
        """Return what new tests of a test's file assert."""
        path = test.partition("::")[0]
        return [fact for name, one in self.fresh.items() if name.partition("::")[0] == path for fact in one.facts]

    def speaks_of_gone(self, test: str) -> bool:
        """Whether an earlier test names, as a fixture or in any line, something the product no longer defines.

        Only names of several words count: any test may mention `data`.
        """
        names = {name for name in self.gone if _SEVERAL.search(name)}
        return bool(names) and not names.isdisjoint(self.files.words_of(test))

    def rewritten(self, test: str, lost: Sequence[Fact]) -> bool:
        """Whether a new test of the same file has a similar name, or calls most of what `lost` is about.

        If the file itself is gone, the new test may be in any other file, else also in a suite of the same name there.
        """
        wanted, words = called(parts_in(*(fact.claim for fact in lost))), _name_words(leaf(test))
        path, suite = test.partition("::")[0], _suite(test)
        for place, offered in self.beside.items():
            near = place == path or not self.files.stands(path)
            for each in [one for one in offered if near or _suite(one.test) == suite]:
                alike = _mostly(wanted, each.calls) or _mostly(words, _name_words(leaf(each.test)))
                if (alike or each.unread) and each.holds(lost):
                    if _COMPUTED not in each.test:
                        offered.remove(each)
                    return True
        return False

    def is_named(self, test: str) -> bool:
        """Whether a test, or its file, is named for code that changed; a single word names too much to be a name."""
        file = re.sub(r"^test_|_test$", "", test.partition("::")[0].rpartition("/")[2].partition(".")[0])
        words = f"_{leaf(test)}_".casefold()
        return file.casefold() in self.moving or any(f"_{name}_" in words for name in self.moving if "_" in name)

    def took_along(self, lost: Iterable[Fact]) -> bool:
        """Whether the code that lost assertions are about has changed."""
        return self.stirred(parts_in(*(fact.claim for fact in lost)))

    def stirred(self, terms: Iterable[Expression]) -> bool:
        """Whether the code that terms mention has changed, by name or in their literal text."""
        return _mention(terms, self.moving)

    def is_about(self, lost: Iterable[Fact], old: Strength) -> bool:
        """Whether a function that changed is asked or called, or a word is mentioned that came or went with code."""
        return _mention((*parts_in(*(fact.claim for fact in lost)), *old.acts), self.about)

    def replaced(self, lost: Sequence[Fact], old: Strength) -> bool:
        """Whether new tests assert something like everything a test lost; mere calls only need to be made again."""
        said = [fact for fact in lost if not is_plan(fact)]
        if not said:
            return called(all_parts(old.acts)) <= self.calls
        return all(self.elsewhere.stand_in(fact, alike=True, called=True) is not None for fact in said)


def _mention(terms: Iterable[Expression], wanted: frozenset[str]) -> bool:
    """Whether terms mention a name, or have it as a word in their literal text."""
    parts = all_parts(terms) if wanted else frozenset()
    return not wanted.isdisjoint(word.casefold() for word in names(parts) | written(parts))
