"""Where the skips of a test apply, judged on a table of platforms and versions."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pactkeeper.intent.claims import (
    Argument,
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
from pactkeeper.intent.strength.facts import Skipped, Strength
from pactkeeper.intent.strength.folding import COMPARISONS, joined_truth, truth_of, whole_of
from pactkeeper.intent.strength.program import Skip
from pactkeeper.intent.strength.substitution import substitute
from pactkeeper.intent.strength.terms import dotted, last_name, negated_term, rebuilt, terms_of

Row = dict[Expression, Expression]  # what the parameters of a test hold
_SYSTEMS: Final = {"linux": ("posix", "Linux"), "darwin": ("posix", "Darwin"), "win32": ("nt", "Windows")}
_VERSIONS: Final = tuple((3, minor) for minor in range(9, 16))
_THERE: Final = frozenset(
    {"sys.version_info", "sys.argv", "sys.path", "sys.modules", "sys.executable", "__file__", "__name__"}
)
_NOT_EMPTY: Final = frozenset({(">", "0"), (">=", "1"), ("!=", "0")})
_ENVIRONMENT: Final = frozenset({"os.environ", "environ", "os.getenv", "getenv", "process.env"})
_MARKING: Final = frozenset({"applymarker", "add_marker"})
_PAIR: Final = 2
_PARTS: Final = {"major": 0, "minor": 1}
_OF_CI: Final = frozenset({"ci", "isci", "is_ci", "in_ci", "on_ci"})
_JOINING: Final = frozenset({"not", "and", "or", "is", "is-not", "in", "not-in", *COMPARISONS})
_OF_MACHINE: Final = re.compile(r"process\.(?:versions?|platform|arch)\b|sys\.(?:version(?:_info)?|implementation)\b")
_OPPOSITE: Final = {"==": "!=", "===": "!==", "is": "is-not", "in": "not-in", "<": ">=", ">": "<="}


def settled(condition: Expression, skips: Iterable[Skip]) -> bool | None:
    """Whether a condition holds wherever a test with these skips runs; None if that varies or is unknown."""
    barred = [part for skip in skips if skip.kind == "skip" and skip.condition is not None
              for part in _either(skip.condition)]  # fmt: skip
    if condition in barred:
        return False
    if any(_opposed(condition, part) for part in barred):
        return True
    return _holds(condition, barred)


def _either(one: Expression) -> list[Expression]:
    """Return the conditions that are each sufficient alone."""
    either = isinstance(one, Operation) and one.operator == "or"
    return [part for each in children(one) for part in _either(each)] if either else [one]


def _opposed(one: Expression, other: Expression) -> bool:
    """Whether one of two conditions is syntactically the opposite of the other."""
    if one == negated_term(other) or other == negated_term(one):
        return True
    if not (isinstance(one, Operation) and isinstance(other, Operation) and one.operands == other.operands):
        return False
    return other.operator == _OPPOSITE.get(one.operator) or one.operator == _OPPOSITE.get(other.operator)


def _holds(condition: Expression | None, barred: Sequence[Expression] = ()) -> bool | None:
    """Whether a condition holds on all platforms where no `barred` one does; None if that varies or is unknown."""
    if condition is None:
        return True
    plain = truth_of(condition)
    if plain is not None:
        return plain
    rows = [row for row in _ROWS if not any(_value(part, row) for part in barred)] or _ROWS
    first = _value(condition, rows[0])
    return first if first is not None and all(_value(condition, row) is first for row in rows) else None


def covered(one: Expression, other: Expression) -> bool:
    """Whether a condition holds wherever `one` does: as a part of it, or on each platform where it may hold."""
    if other in _together(one) or any(covered(one, part) for part in _either(other) if part != other):
        return True
    rows = [row for row in _ROWS if _value(one, row) is not False]
    return bool(rows) and all(_value(other, row) for row in rows)


def _together(one: Expression) -> list[Expression]:
    """Return the conditions that each hold if this one does."""
    both = isinstance(one, Operation) and one.operator == "and"
    return [one, *(part for each in children(one) for part in _together(each))] if both else [one]


class _Row:
    def __init__(self, system: str, version: tuple[int, int]) -> None:
        self.version = version
        name, title = _SYSTEMS[system]
        self.words = {
            "sys.platform": system, "platform": system, "process.platform": system,
            "os.name": name, "platform.system": title, "system": title,
        }  # fmt: skip


_ROWS: Final = [_Row(system, version) for system in _SYSTEMS for version in _VERSIONS]


def _value(one: Expression, row: _Row) -> bool | None:
    plain = truth_of(one)
    if plain is not None:
        return plain
    if _word(one, row) is not None or dotted(one) in _THERE:
        return True
    if isinstance(one, Operation):
        return _operation(one, row)
    if isinstance(one, Call) and last_name(one.function) == "startswith" and one.arguments:
        word, start = _word(getattr(one.function, "value", one), row), one.arguments[0].value
        return word.startswith(start.text) if word is not None and isinstance(start, Value) else None
    return None


def _operation(one: Operation, row: _Row) -> bool | None:
    if one.operator in {"not", "and", "or"}:
        return joined_truth(one.operator, [_value(part, row) for part in one.operands])
    if len(one.operands) != _PAIR:
        return None
    left, right = one.operands
    match left, right:
        case Call(Name("len"), (Argument(whole),)), Value("number", number) if dotted(whole) in _THERE:
            return True if (one.operator, number) in _NOT_EMPTY else None
        case Name("__name__"), Value("string", "__main__") if one.operator in {"==", "!="}:
            return one.operator == "!="
    word = _word(left, row)
    if word is not None:
        return _words(one.operator, word, right)
    return _versions(one.operator, left, right, row)


def _word(one: Expression, row: _Row) -> str | None:
    name = dotted(one.function if isinstance(one, Call) else one)
    return row.words.get(name)


def _words(operator: str, word: str, right: Expression) -> bool | None:
    if operator in {"==", "===", "!=", "!=="} and isinstance(right, Value):
        return (word == right.text) is operator.startswith("=")
    if operator in {"in", "not-in"} and isinstance(right, Collection):
        found = any(isinstance(item, Value) and item.text == word for item in right.items)
        return found is (operator == "in")
    if operator in {">", ">=", "<", "<="} and isinstance(right, Value):
        return _ordered(operator, word, right.text)
    return None


def _ordered(operator: str, left: object, right: object) -> bool | None:
    comparison = COMPARISONS.get(operator)
    return None if comparison is None or type(left) is not type(right) else comparison(left, right)


def _versions(operator: str, left: Expression, right: Expression, row: _Row) -> bool | None:
    whole = left.value if isinstance(left, Subscript) or last_name(left) in _PARTS else left  # type: ignore[union-attr]  # an attribute has one
    if re.fullmatch(r"(?:sys\.)?version_info|PY\d+", dotted(whole) or last_name(whole)) is None:
        return None
    numbers = [whole_of(item) for item in (right.items if isinstance(right, Collection) else (right,))]
    wanted = tuple(number for number in numbers if number is not None)
    if len(wanted) < len(numbers) or not wanted:
        return None
    if isinstance(right, Collection):
        return _ordered(operator, (*row.version, 0) if left is whole else row.version[: len(wanted)], wanted)
    named = whole_of(left.key) if isinstance(left, Subscript) else _PARTS.get(last_name(left))
    at = next((at for at in _PARTS.values() if at == named), None)
    return None if at is None else _ordered(operator, row.version[at], wanted[0])


def settled_by_rows(skips: Iterable[Skip], rows: Sequence[Row]) -> Mapping[Skip, Sequence[bool]]:
    """Return the skips whose conditions are about rows, each with whether it holds in every row; others are left out.

    A key that a literal row doesn't have is undefined there.
    """
    names = {name for row in rows for name in row}
    found: dict[Skip, Sequence[bool]] = {}
    for skip in skips:
        asks = skip.condition if skip.kind == "skip" else None
        if asks is None or names.isdisjoint(terms_of(asks)):
            continue
        held = [truth_of(_without_missing(substitute(asks, row))) for row in rows]
        if None not in held:
            found[skip] = [one is True for one in held]
    return found


def left_by(barring: Mapping[Skip, Sequence[bool]], rows: Iterable[Row]) -> list[Row]:
    """Return the rows that none of these skips bars."""
    return [row for row, *held in zip(rows, *barring.values(), strict=True) if not any(held)]


def _without_missing(one: Expression) -> Expression:
    return Value("undefined", "undefined") if is_missing(one) else rebuilt(one, _without_missing)


def is_missing(one: Expression) -> bool:
    """Whether a term reads a key that a literal mapping doesn't have."""
    if not isinstance(one, Attribute) or not isinstance(one.value, Collection) or one.value.kind != "mapping":
        return False
    keys = one.value.items[::2]
    return all(isinstance(key, Value) and key.text != one.name for key in keys)


def reads_environment(condition: Expression) -> bool:
    """Whether a condition depends on variables of the environment, which whoever runs the tests sets."""
    return any(dotted(part) in _ENVIRONMENT for part in terms_of(condition))


def needs_package(condition: Expression) -> bool:
    """Whether a condition can only hold where a package is missing: a name that nothing is imported under."""
    return any(map(_is_missing_package, _together(condition)))


def _is_missing_package(one: Expression) -> bool:
    match one:
        case Operation("is", (Name(), Value(kind="none"))):
            return True
    return isinstance(one, Opaque) and one.text.startswith("import of ")


def asks_for_version(condition: Expression) -> bool:
    """Whether a condition only asks what is installed: its version, or what a module of the language has."""
    plain = condition.operands[0] if isinstance(condition, Operation) and condition.operator == "not" else condition
    match plain:
        case Call(Name("hasattr"), (Argument(Name(module)), Argument(Value()))):
            return module in sys.stdlib_module_names
        case Operation(operator, operands) if operator in COMPARISONS:
            return any(map(_is_version, terms_of(plain))) and all(map(_is_of_machine, operands))
        case Call(arguments=(Argument(first), Argument(Value()))):  # `semver.gte(process.version, "18.0.0")`
            return any(map(_is_version, terms_of(first))) and _is_of_machine(first)
    return False


def _is_version(one: Expression) -> bool:
    return (last_name(one) == "__version__" and not isinstance(one, Call)) or bool(_OF_MACHINE.match(dotted(one)))


def _is_of_machine(one: Expression) -> bool:
    """Whether a term is a version or a platform, or made of such and of literals alone."""
    if isinstance(one, Value) or _is_version(one):
        return True
    owner = one.function.value if isinstance(one, Call) and isinstance(one.function, Attribute) else None
    asked = () if owner is None or isinstance(owner, Name) else (owner,)
    parts = (*asked, *(each.value for each in one.arguments)) if isinstance(one, Call) else children(one)
    return bool(parts) and not isinstance(one, Operation) and all(map(_is_of_machine, parts))


def is_of_the_run(condition: Expression, known: frozenset[Expression]) -> bool:
    """Whether only settings of the run decide a condition: those `known`, the platform, what is installed.

    Variables of the environment are not settled by the run: whoever starts it, CI among them, sets them at will.
    """
    if condition in known or isinstance(condition, Value) or asks_for_version(condition):
        return True
    if _is_missing_package(condition) or all(_value(condition, row) is not None for row in _ROWS):
        return True
    joined = isinstance(condition, Operation) and condition.operator in _JOINING
    return joined and all(is_of_the_run(part, known) for part in children(condition))


def settings_of(old: Strength, now: Strength) -> frozenset[Expression]:
    """Return what a test has not computed itself, or allowed for before: imported values, and `y` in `x or not y`."""
    facts = (fact.claim for fact in old.facts if fact.claim.alternatives)
    allowed = (one.subject for claim in facts for one in (claim, *claim.alternatives) if one.relation == "truthy")
    return frozenset(allowed) | {Name(name) for name in now.imported if name.casefold() not in _OF_CI}


def from_version_on(condition: Expression | None) -> bool:
    """Whether a condition holds for every later version of Python or of something installed."""
    if not isinstance(condition, Operation) or condition.operator not in {">", ">="}:
        return False
    return dotted(condition.operands[0]) == "sys.version_info" or asks_for_version(condition)


def asks_for_option(condition: Expression) -> bool:
    """Whether a condition is an option of pytest's command, which is off unless a command names it."""
    return isinstance(condition, Call) and last_name(condition) == "getoption"


def marked(call: Expression) -> Skip | None:
    """Return the skip that a running test is marked with: `request.applymarker(pytest.mark.xfail)`; None for none."""
    if not isinstance(call, Call) or last_name(call) not in _MARKING or not call.arguments:
        return None
    return skip_of(call.arguments[0].value)


def skip_of(mark: Expression) -> Skip | None:
    """Return the skip that a mark says: `pytest.mark.skipif(...)`, or its name; None for any other mark."""
    name = mark.text if isinstance(mark, Value) else last_name(mark)
    given = mark.arguments if isinstance(mark, Call) else ()
    condition = next((one.value for one in given if one.name in {None, "condition"}), None)
    if name == "xfail":
        return Skip("xfail", condition)
    return Skip("skip", condition if name == "skipif" else None) if name in {"skip", "skipif"} else None


def as_skipped(skip: Skip) -> Skipped | None:
    """Return a skip that applies somewhere; None for one that applies nowhere."""
    holds = _holds(skip.condition)
    if holds is False:
        return None
    return Skipped(skip.kind, holds is True, None if holds else skip.condition, skip.origin, skip.line, skip.strict)
