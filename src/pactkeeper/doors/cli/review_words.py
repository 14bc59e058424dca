"""An item of a review in lines of styled text: the words, old next to new, and why they are proposed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pactkeeper.intent.atoms import Atom
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.op import Op
from pactkeeper.operators.decide import ReviewItem, Sources, suite_of
from pactkeeper.operators.sitting import Sitting, is_poor, standing, worded
from pactkeeper.published.ops import op_lines, texts_of

Lines = Mapping[str, tuple[int, ...]]  # the lines of a test that assert an outcome
Said = tuple[str, str, int]  # style, text, and the indentation of its continuation lines
MARKS = {"open": " ", "accepted": "✓", "edited": "✎", "rejected": "✗"}
NOTHING: Said = ("", "", 0)


def words_of(sitting: Sitting, item: ReviewItem, sources: Sources, lines: Lines) -> Iterator[Said]:
    """Everything that a person decides on, except the source."""
    yield ("class:name", name_of(item.group), 2)
    yield ("class:dim", suite_of(item.group), 2)
    quality = "" if item.quality is None else f", quality {item.quality}"
    yield ("class:dim", f"confidence {item.confidence}{quality}", 2)
    yield from _word(sitting, item)
    yield NOTHING
    said = worded(sitting, item)
    for op in (*item.needs, *item.ops):
        own = said is not None and said[0].id == op.id
        yield from _op(
            op, said[1] if said is not None and own else op.payload, sources, None if said is None else lines
        )
    yield NOTHING
    yield from _why(sitting, item)


def name_of(test: str) -> str:
    """The last part of a test id."""
    return test.rpartition("::")[2] or test


def _word(sitting: Sitting, item: ReviewItem) -> Iterator[Said]:
    word = standing(sitting, item)
    if word == "open" or not item.decisions:
        return
    said = next((one for one in item.decisions if one.reason), item.decisions[0])
    reason = f": {said.reason}" if said.reason else ""
    yield (f"class:{word}", f"{MARKS[word]} {word} by {said.by}{reason}", 2)


def _op(op: Op, payload: Mapping[str, JsonValue], sources: Sources, lines: Lines | None) -> Iterator[Said]:
    """The effect of an op; if no words are proposed (`lines` is None), its atom's words are shown with it."""
    if op.verb in {"createAtom", "updateAtom"}:
        yield from _atom(payload, sources.pact.atoms.get(str(payload["atomId"])), lines or {})
        return
    for line in op_lines(op):
        yield ("class:dim", f"{line.text}{line.aside}".strip(), 2)
    atom = sources.pact.atoms.get(str(payload.get("newAtomId", payload.get("atomId", ""))))
    if atom is not None and lines is None:
        yield ("class:intent", f"  {atom.id}  {atom.intent}", 4)
        yield from (("", f"    • {one}", 6) for one in atom.outcomes)


def _atom(payload: Mapping[str, JsonValue], before: Atom | None, lines: Lines) -> Iterator[Said]:
    """The proposed words; for an existing atom, as a diff."""
    new = [str(payload["description"]), *texts_of(payload.get("observableOutcomes"))]
    if before is None:
        yield ("class:dim", f"+ {payload['atomId']}  {payload.get('category', '')}", 2)
        yield ("class:intent", new[0], 0)
        yield from (("", f"• {one}{_asserted(lines.get(one, ()))}", 2) for one in new[1:])
        return
    yield ("class:dim", f"~ {payload['atomId']}  {payload.get('category', before.category)}", 2)
    yield from _changed([before.intent], new[:1], same="class:intent", lines={})
    yield from _changed(before.outcomes, new[1:], same="", lines=lines)


def _asserted(lines: Sequence[int]) -> str:
    return f"  ({'line' if len(lines) == 1 else 'lines'} {', '.join(map(str, lines))})" if lines else ""


def _changed(old: Sequence[str], new: Sequence[str], *, same: str, lines: Lines) -> Iterator[Said]:
    """What goes, what comes, and what stays: the change is shown first."""
    yield from (("class:gone", f"- {one}", 2) for one in old if one not in new)
    yield from (("class:come", f"+ {one}{_asserted(lines.get(one, ()))}", 2) for one in new if one not in old)
    yield from ((same, f"  {one}{_asserted(lines.get(one, ()))}", 2) for one in new if one in old)


def _why(sitting: Sitting, item: ReviewItem) -> Iterator[Said]:
    """Why this is proposed and what speaks against it, according to the patch."""
    for op in item.ops:
        if op.payload.get("reasoning"):
            yield ("class:dim", str(op.payload["reasoning"]), 2)
        reasons = texts_of(op.payload.get("ambiguityReasons"))
        if reasons:
            yield ("class:unsure", f"unsure: {', '.join(reasons).replace('_', ' ')}", 2)
    if is_poor(sitting, item):
        yield ("class:unsure", "a commitment would refuse these words: not accepted in bulk", 2)
    for found in sitting.pending.patch.findings:
        if found.subject == item.group:
            yield ("class:unsure", f"{found.code} {found.message}", 2)
    notes = dict.fromkeys((one.note, one.quote) for op in item.ops for one in op.evidence if one.note)
    for note, quote in notes:
        yield ("class:dim", f"{note}{': ' if quote else ''}{quote}", 2)
