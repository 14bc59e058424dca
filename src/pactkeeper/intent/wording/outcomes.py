"""What a test checks, one outcome per assertion: plain words if a closed set of forms is certain, else its code.

Code appears between backticks, complete and as written. Expressions are turned back into code only if that is certain:
short calls, names and literal values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Captured,
    Claim,
    Collection,
    Expression,
    Name,
    Raised,
    Relation,
    Subscript,
    TestEvidence,
    Value,
    names_in,
)

MOST_CODE: Final = 500
"""Longer assertions are left to the test itself: code is shown whole or not at all."""
MOST_ROWS: Final = 12
_EACH_CASE: Final = "Each case that the test lists holds."
_COUNTED: Final = "It holds in each of the "  # and a number of cases: in pacts that were written before
_GENERIC: Final = {"Exception": "An exception", "BaseException": "An exception", "Error": "An error"}


def outcomes_of(evidence: TestEvidence) -> tuple[str, ...]:
    """Return the outcomes in test order, each once; assertions inside an expected failure are not outcomes."""
    return tuple(outcome_lines(evidence))


def outcome_lines(evidence: TestEvidence) -> dict[str, tuple[int, ...]]:
    """Return the same outcomes, each with the first lines of its assertions; a table of cases has none."""
    claims = [one for one in evidence.claims if not one.inverted]
    said = [_plain(one, evidence) for one in claims]
    unclear = _unclear(claims, said)
    found: dict[str, tuple[int, ...]] = dict.fromkeys(_table(evidence), ())
    for one, (about, text) in zip(claims, said, strict=True):
        outcome = text if text and about not in unclear else quoted(one.quote)
        found[outcome] = tuple(dict.fromkeys((*found.get(outcome, ()), one.line)))
    return {outcome: lines for outcome, lines in found.items() if outcome}


def is_code(outcome: str) -> bool:
    """Whether an outcome is shown as code."""
    return outcome.startswith("`") and outcome.endswith("`")


def is_of_cases(outcome: str) -> bool:
    """Whether an outcome says only that all cases of a table hold."""
    return outcome.startswith((_EACH_CASE, _COUNTED))


def is_read(outcome: str) -> bool:
    """Whether an outcome has one of the forms that are read from assertions, and is not a person's own sentence."""
    subjects = (
        "The response header '",
        f"{_MESSAGE} ",
        *(f"{one} " for one in (*_STREAMS.values(), *_FIELDS.values())),
    )
    return (
        is_code(outcome)
        or is_of_cases(outcome)
        or outcome.startswith(subjects)
        or _EVENT_FORM.search(outcome) is not None
    )


def quoted(source: str) -> str:
    """Format source text as a code outcome on one line; "" if it is too long to be shown whole."""
    line = _joined_lines(source).removesuffix(";")
    if not line or len(line) > MOST_CODE:
        return ""
    return f"`{line}`" if "`" not in line else f"`` {line} ``"


def _joined_lines(source: str) -> str:
    """Join the source on one line, with semicolons between statements in a `with`; "" if they contain blocks."""
    lines = [line for line in source.strip().splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if not source.startswith(("with ", "async with ")):
        return " ".join(line.strip() for line in lines)
    at = next((at for at, line in enumerate(lines) if line.rstrip().endswith(":")), len(lines)) + 1
    depth = min((len(line) - len(line.lstrip()) for line in lines[at:]), default=0)
    text = " ".join(line.strip() for line in lines[:at])
    for number, line in enumerate(lines[at:]):
        begins = line[depth : depth + 1] not in (" ", *")]}") and number
        text += f"{';' if begins else ''} {line.strip()}"
    return "" if any(line.rstrip().endswith(":") for line in lines[at:]) else text.strip()


def _unclear(claims: Sequence[Claim], said: Sequence[tuple[str, str]]) -> frozenset[str]:
    """Return subjects a test has several of: with two statuses, nobody could tell which is which."""
    found: set[str] = set()
    equal: dict[str, str] = {}
    for claim, (about, text) in zip(claims, said, strict=True):
        single = claim.relation in {"equals", "same"} and not claim.negated
        if claim.turns or (about and single and equal.setdefault(about, text) != text):
            found.add(about)
    return frozenset(found - {""})


def _plain(claim: Claim, evidence: TestEvidence) -> tuple[str, str]:
    """Return the subject and the sentence; both empty if no form is certain to be right."""
    filled = names_in([claim.subject, claim.object, *(one.value for one in claim.qualifiers)]) & {*evidence.parameters}
    if claim.condition is not None or claim.each is not None or claim.alternatives or claim.via or filled:
        return "", ""
    if claim.relation in _EVENTS:
        return "", _event(claim) if _known_cause(claim, evidence) else ""
    subject = _subject(claim.subject)
    verb = _VERBS.get(claim.relation)
    if subject is None or verb is None or not isinstance(claim.object, Value):
        return "", ""
    if subject == _MESSAGE and sum(one.relation == "raises" for one in evidence.claims) != 1:
        return "", ""
    value = literal(claim.object)
    return (subject, f"{subject} {verb[claim.negated]} {value}.") if value else ("", "")


_VERBS: Final[Mapping[Relation, tuple[str, str]]] = {
    "equals": ("is", "is not"),
    "same": ("is", "is not"),
    "contains": ("contains", "does not contain"),
    "starts_with": ("starts with", "does not start with"),
    "ends_with": ("ends with", "does not end with"),
}
_STREAMS: Final = {
    "output": "The output",
    "error_output": "The error output",
    "log": "The log",
    "warnings": "The warning",
}
_FIELDS: Final = {
    "status_code": "The response status",
    "statusCode": "The response status",
    "status": "The response status",
    "exit_code": "The exit code",
    "exitCode": "The exit code",
    "returncode": "The exit code",
    "stdout": "The output",
    "output": "The output",
    "stderr": "The error output",
    "text": "The response body",
    "content": "The response body",
}
_RESPONSES: Final = frozenset({"response", "resp", "res", "r", "rv"})
_RESULTS: Final = frozenset({"result", "proc", "process", "completed", "r", "res", "cli_result"})


def _subject(one: Expression) -> str | None:
    """Return one of the few subjects that read the same in every project."""
    match one:
        case Captured(stream=stream):
            return _STREAMS[stream]
        case Raised() | Attribute(value=Raised(), name="message"):
            return _MESSAGE if isinstance(one, Attribute) else None
        case Call(function=Name("str" | "String"), arguments=(only,)) if isinstance(only.value, Raised):
            return _MESSAGE
        case Attribute(value=Name(owner), name=field) if field in _FIELDS:
            fits = _RESPONSES if _FIELDS[field].startswith("The response") else _RESULTS
            return _FIELDS[field] if owner in fits else None
        case Subscript(value=Attribute(value=Name(owner), name="headers"), key=Value(kind="string", text=key)):
            return f"The response header '{key}'" if owner in _RESPONSES else None
    return None


_MESSAGE: Final = "The error message"


def _known_cause(claim: Claim, evidence: TestEvidence) -> bool:
    """Whether an error has its own name or message, and a single call, made once in the test, raises it."""
    by = code(claim.object)
    if not by or not isinstance(claim.object, Call) or not (claim.qualifiers or _error(claim.subject) not in _ANY):
        return False
    called = code(claim.object.function)
    written = called and _flat(by) in _flat(claim.quote) and f"new {called}(" not in claim.quote
    alike = [one for one in evidence.expressions() if isinstance(one, Call) and code(one.function) == called]
    once = max(evidence.actions.count(claim.object), sum(one.object == claim.object for one in evidence.claims)) == 1
    return bool(written) and once and all(one == claim.object for one in alike)


def _flat(text: str) -> str:
    """Strip the ways in which equal calls can differ: spaces, quotation marks, trailing commas."""
    return re.sub(r"[\s'\"`,]", "", text)


def _event(claim: Claim) -> str:
    """Return `ValueError is raised by parse('x') with a message matching 'y'`; "" if any part is uncertain."""
    kinds = claim.subject.items if isinstance(claim.subject, Collection) else (claim.subject,)
    names = [_error(one) for one in kinds]
    if claim.negated or not all(names):
        return ""
    tail = ""
    for one in claim.qualifiers:
        value = literal(one.value) if isinstance(one.value, Value) else ""
        if not value or one.name not in _QUALIFIED:
            return ""
        tail += f" {_QUALIFIED[one.name]} {value}"
    verb = "is emitted" if claim.relation == "warns" else "is raised"
    return f"{' or '.join(names)} {verb} by `{code(claim.object)}`{tail}."


_EVENT_FORM: Final = re.compile(r" is (?:emitted|raised) by `")
_QUALIFIED: Final = {
    "match": "with a message matching",
    "message": "with the message",
    "code": "with the code",
}


def _error(one: Expression) -> str:
    name = one.name if isinstance(one, Name | Attribute) else ""
    return _GENERIC.get(name) or (name if name[:1].isupper() else "")


_EVENTS: Final[frozenset[Relation]] = frozenset({"raises", "warns"})
_ANY: Final = frozenset(_GENERIC.values())


def _table(evidence: TestEvidence) -> Iterator[str]:
    """The cases of a parametrised test as one line of code."""
    if not evidence.rows or not evidence.parameters:
        return
    if len(evidence.rows) > MOST_ROWS:
        yield _EACH_CASE
        return
    rows = [", ".join(map(code, row)) for row in evidence.rows]
    if all(rows) and all(code(value) for row in evidence.rows for value in row):
        yield quoted(f"({', '.join(evidence.parameters)}) = {' | '.join(f'({row})' for row in rows)}")


MOST: Final = 120
_BRACKETS: Final = {"list": ("[", "]"), "tuple": ("(", ")"), "set": ("{", "}"), "mapping": ("{", "}")}


def code(one: Expression | None) -> str:
    """Return the expression as code; "" if any part is not known verbatim, or if it is long."""
    text = _written(one)
    return text if text is not None and len(text) <= MOST and "`" not in text and "\n" not in text else ""


def literal(one: Value) -> str:
    """Format a value for a sentence: text in quotes, complete; "" if it has several lines."""
    if "\n" in one.text or one.text != one.text.strip() or "`" in one.text:
        return ""
    if one.kind in {"string", "regex"}:
        return f"'{one.text}'" if "'" not in one.text else f'"{one.text}"' if '"' not in one.text else ""
    return one.text if one.kind in {"number", "boolean", "none"} else ""


def _written(one: Expression | None) -> str | None:
    match one:
        case Name(name=name):
            return name
        case Value():
            return literal(one) or None
        case Attribute(value=value, name=name):
            return _joined("{}." + name.replace("{", "{{").replace("}", "}}"), value)
        case Subscript(value=value, key=key):
            return _joined("{}[{}]", value, key)
        case Call(function=function, arguments=arguments):
            called, given = _written(function), [_argument(argument) for argument in arguments]
            return None if called is None or None in given else f"{called}({', '.join(map(str, given))})"
        case Collection(kind=kind, items=items):
            return _collection(kind, items)
    return None


def _argument(one: Argument) -> str | None:
    value = _written(one.value)
    return value if value is None or one.name is None else f"{one.name}={value}"


def _joined(form: str, *parts: Expression) -> str | None:
    texts = [_written(part) for part in parts]
    return None if None in texts else form.format(*texts)


def _collection(kind: str, items: tuple[Expression, ...]) -> str | None:
    texts = [_written(item) for item in items]
    if None in texts:
        return None
    known = [text for text in texts if text is not None]
    if kind == "mapping":
        known = [f"{known[at]}: {known[at + 1]}" for at in range(0, len(known) - 1, 2)]
    opening, closing = _BRACKETS[kind]
    return f"{opening}{', '.join(known)}{',' if kind == 'tuple' and len(known) == 1 else ''}{closing}"
