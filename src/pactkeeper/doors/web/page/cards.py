"""One item of a review as a card: what would be declared, why, and the source behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import dedent
from typing import Final, Literal

from markupsafe import Markup, escape
from tree_sitter import Node

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.wording.outcomes import is_code
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.finding import Finding
from pactkeeper.ledger.op import Op, op_id
from pactkeeper.operators.decide import ReviewItem, TestSource, suite_of
from pactkeeper.operators.sitting import WORDED
from pactkeeper.published.ops import describe, texts_of
from pactkeeper.published.plain import printable
from pactkeeper.repo.languages.javascript import grammar
from pactkeeper.repo.languages.python import syntax

Standing = Literal["open", "accepted", "edited", "rejected", "applied"]
MOST_LINES: Final = 400  # of one test
_CERTAIN: Final = 100  # percent


@dataclass(frozen=True, slots=True)
class CardOutcome:
    """One outcome with its number on the card; `gone` is one that the atom has now and would lose."""

    number: int
    text: str
    code: bool
    tied: bool
    gone: bool = False
    new: bool = False


@dataclass(frozen=True, slots=True)
class CardWords:
    """What an atom would say; `was` is the sentence it replaces, empty if there is none."""

    atom: str
    intent: str
    was: str
    category: str
    outcomes: tuple[CardOutcome, ...]
    falsified_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of source; `numbers` are those of the outcomes it asserts."""

    line: int
    text: Markup
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ShownCard:
    """The data for making cards: sources, outcomes with their lines, current atoms, and findings."""

    source: TestSource | None
    lines: Mapping[str, tuple[int, ...]]
    atoms: Mapping[str, Atom]
    findings: tuple[Finding, ...]
    applied: frozenset[str]
    poor: frozenset[str]


@dataclass(frozen=True, slots=True)
class Card:
    """An item as it is shown; `id` is its first op's, `seen` a digest of everything that a verdict is based on.

    `linked` are the declared atoms of an item that has no words itself.
    """

    id: str
    item: ReviewItem
    seen: str
    standing: Standing
    said: Decision | None
    words: CardWords | None
    linked: tuple[Atom, ...]
    besides: tuple[str, ...]
    needs: tuple[str, ...]
    findings: tuple[Finding, ...]
    path: str
    rows: tuple[Row, ...]
    cut: int
    poor: bool

    @property
    def name(self) -> str:
        """The test without its file and suites."""
        return self.item.group.rpartition("::")[2]

    @property
    def suite(self) -> str:
        """The screen it is on."""
        return suite_of(self.item.group)

    @property
    def percent(self) -> int:
        """The confidence as a percentage."""
        return round(float(self.item.confidence) * 100)

    @property
    def by_readers(self) -> bool:
        """Whether the confidence is that of readers in a sentence that rules took; a person's word is certain."""
        return bool(self.item.reasoning) and self.percent < _CERTAIN

    @property
    def unsure(self) -> tuple[str, ...]:
        """The reasons why the rules are unsure, in words."""
        found = [one for op in self.item.ops for one in texts_of(op.payload.get("ambiguityReasons"))]
        return tuple(dict.fromkeys(one.replace("_", " ") for one in found))


def card_of(item: ReviewItem, shown: ShownCard) -> Card:
    """Make the card of an item."""
    said = next((one for one in item.decisions if one.verdict == "edit"), next(iter(item.decisions), None))
    worded = next((op for op in item.ops if op.verb in WORDED), None)
    words = None if worded is None else _words(worded, said, shown)
    rows, cut = _rows(shown.source, words, shown.lines)
    plain = [op for op in item.ops if op is not worded]
    return Card(
        id=item.ops[0].id,
        item=item,
        seen=seen(item),
        standing=standing(item, shown.applied),
        said=said,
        words=words,
        linked=() if words else _declared(plain, shown.atoms),
        besides=tuple(line for op in plain for line in describe(op)),
        needs=tuple(line for op in item.needs for line in describe(op)),
        findings=shown.findings,
        path=shown.source.path if shown.source else item.group.partition("::")[0],
        rows=rows,
        cut=cut,
        poor=not shown.poor.isdisjoint(item.ids),
    )


def _declared(ops: Sequence[Op], atoms: Mapping[str, Atom]) -> tuple[Atom, ...]:
    """The atoms these ops are about that the pact already declares."""
    names = dict.fromkeys(str(op.payload.get("atomId", "")) for op in ops)
    return tuple(atoms[name] for name in names if name in atoms)


def seen(item: ReviewItem) -> str:
    """A digest of what a verdict is based on: the ops as shown, and all decisions on them so far."""
    ops = [op.shown_hash for op in (*item.needs, *item.ops)]
    return digest([ops, [[one.op, one.verdict, one.by, one.at, one.edited] for one in item.decisions]])


def standing(item: ReviewItem, applied: frozenset[str]) -> Standing:
    """The state of an item: open until every op is decided, applied once everything accepted is."""
    if not item.decided:
        return "open"
    said = {one.op: one for one in item.decisions}
    if any(one.verdict == "reject" for one in item.decisions):
        return "rejected"
    if all(_effective(op, said[op.id]) in applied for op in item.ops):
        return "applied"
    return "edited" if any(one.verdict == "edit" for one in item.decisions) else "accepted"


def _effective(op: Op, said: Decision) -> str:
    """The id under which an op is applied: ids depend on content, so an edited op has another."""
    return op.id if said.edited is None else op_id(op.verb, op.target, op.precondition, said.edited)


def _words(op: Op, said: Decision | None, shown: ShownCard) -> CardWords:
    edited = None if said is None else said.edited
    payload: Mapping[str, JsonValue] = op.payload if edited is None else edited
    atom = str(payload.get("atomId", ""))
    before = shown.atoms.get(atom) if op.verb == "updateAtom" else None
    intent = str(payload.get("description", before.intent if before else ""))
    return CardWords(
        atom,
        intent,
        before.intent if before is not None and before.intent != intent else "",
        str(payload.get("category", before.category if before else "functional")),
        tuple(_outcomes(texts_of(payload.get("observableOutcomes")), before, shown.lines)),
        texts_of(payload.get("falsifiedBy")),
    )


def _outcomes(said: Sequence[str], before: Atom | None, lines: Mapping[str, tuple[int, ...]]) -> Iterator[CardOutcome]:
    known = () if before is None else before.outcomes
    for number, text in enumerate(said, start=1):
        new = before is not None and text not in known
        yield CardOutcome(number, _bare(text), is_code(text), bool(lines.get(text)), new=new)
    for text in known:
        if text not in said:
            yield CardOutcome(0, _bare(text), is_code(text), tied=False, gone=True)


def _bare(text: str) -> str:
    return text.strip("`").strip() if is_code(text) else text


def _rows(
    source: TestSource | None, words: CardWords | None, lines: Mapping[str, tuple[int, ...]]
) -> tuple[tuple[Row, ...], int]:
    numbers: dict[int, list[int]] = {}
    for outcome in words.outcomes if words else ():
        for line in _lines_of(outcome, lines):
            numbers.setdefault(line, []).append(outcome.number)
    return rows_of(source, numbers)


def rows_of(source: TestSource | None, numbers: Mapping[int, Sequence[int]]) -> tuple[tuple[Row, ...], int]:
    """The lines of a test with the numbers of their outcomes, and how many lines were left out."""
    if source is None:
        return (), 0
    kept = source.lines[:MOST_LINES]
    painted = coloured(source.path, dedent("\n".join(kept)))
    rows = (Row(line, text, tuple(numbers.get(line, ()))) for line, text in enumerate(painted, start=source.first))
    return tuple(rows), len(source.lines) - len(kept)


def _lines_of(outcome: CardOutcome, lines: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    if outcome.gone:
        return ()
    return next((found for text, found in lines.items() if _bare(text) == outcome.text), ())


MOST_BYTES: Final = 200_000  # longer source is shown without colours
_WHOLE: Final = {"string": "s", "template_string": "s", "regex": "s", "comment": "c"}
_LEAVES: Final = {"integer": "n", "float": "n", "number": "n", "true": "n", "false": "n", "none": "n", "null": "n"}
_NAMED: Final = frozenset({"function_definition", "class_definition", "function_declaration", "class_declaration"})
_CALLS: Final = frozenset({"call", "call_expression"})


def coloured(path: str, text: str) -> list[Markup]:
    """The lines of a piece of source as markup; languages without a grammar here stay plain."""
    data = text.encode()
    spans = [] if len(data) > MOST_BYTES else list(_spans(path, data))
    made, done = [], 0
    for start, end, kind in spans:
        made += [_plain(data[done:start]), _marked(data[start:end], kind)]
        done = end
    return [Markup(line) for line in "".join((*made, _plain(data[done:]))).split("\n")]  # noqa: S704 - escaped below


def _plain(data: bytes) -> str:
    return str(escape(printable(data.decode())))


def _marked(data: bytes, kind: str) -> str:
    """A coloured piece; a span over several lines is closed and reopened at each line end."""
    return "\n".join(f'<span class="{kind}">{line}</span>' for line in _plain(data).split("\n"))


def _spans(path: str, data: bytes) -> Iterator[tuple[int, int, str]]:
    """Byte ranges in order, each with its CSS class."""
    if path.endswith(".py"):
        tree = syntax.parse(data)
    elif path.lower().endswith(grammar.SUFFIXES):
        tree = grammar.parse(path, data)
    else:
        return
    waiting = [tree.root_node]
    while waiting:
        node = waiting.pop()
        kind = _kind(node)
        if kind:
            yield node.start_byte, node.end_byte, kind
        else:
            waiting.extend(reversed(node.children))


def _kind(node: Node) -> str:
    if node.type in _WHOLE:
        return _WHOLE[node.type]
    if node.child_count:
        return ""
    if not node.is_named:
        return "k" if node.type.isalpha() else ""
    return _LEAVES.get(node.type) or _name(node)


def _name(node: Node) -> str:
    """The CSS class of declared names and called functions."""
    parent = node.parent
    if parent is None or node.type not in {"identifier", "property_identifier"}:
        return ""
    if parent.type in _NAMED:
        return "f" if parent.child_by_field_name("name") == node else ""
    if parent.type in _CALLS:
        return "f" if parent.child_by_field_name("function") == node else ""
    return ""
