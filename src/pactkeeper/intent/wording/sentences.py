"""Claims as finished sentences: an outcome and the falsifier that is its exact opposite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pactkeeper.intent.claims import Claim, Each, Expression, Name, Operation, Raised, TestEvidence
from pactkeeper.intent.wording.negation import Statement
from pactkeeper.intent.wording.nouns import Setting
from pactkeeper.intent.wording.phrases import last_name, member, noun, weak
from pactkeeper.intent.wording.relations import statement
from pactkeeper.intent.wording.vocabulary import Vocabulary
from pactkeeper.intent.wording.words import capitalised

MAX_SENTENCE = 240


@dataclass(frozen=True, slots=True)
class Outcome:
    """One outcome; `sure` is False where part of the claim had no words: not to be shown as fact."""

    sentence: str
    falsifier: str
    sure: bool
    claim: Claim
    subject: str = ""
    clause: str = ""
    verbatim: bool = False


def stopped(text: str, *, verbatim: bool = False) -> str:
    """The clause as a sentence: capitalised unless its first word is a name from the code, with a full stop."""
    bare = text.strip()
    shown = bare if verbatim else capitalised(bare)
    return f"{shown}{'' if bare.endswith(('.', '!', '?')) else '.'}"


def outcomes_of(evidence: TestEvidence, vocabulary: Vocabulary) -> tuple[Outcome, ...]:
    """The outcomes of a test in the order of its claims; claims that read alike are told apart or stated once."""
    plain = [outcome(claim, evidence, vocabulary, detailed=False) for claim in evidence.claims]
    clashing = _clashing(plain)
    told = [
        outcome(one.claim, evidence, vocabulary, detailed=True) if one.subject in clashing else one for one in plain
    ]
    return _sequences(_once(told))


def _clashing(outcomes: Sequence[Outcome]) -> frozenset[str]:
    """Subjects that would be said to be two different things."""
    seen: dict[tuple[str, str], str] = {}
    found = set()
    for one in outcomes:
        if one.claim.relation not in _EXCLUSIVE or not one.subject:
            continue
        key = (one.subject, "")
        if seen.setdefault(key, one.sentence) != one.sentence:
            found.add(one.subject)
    return frozenset(found)


_EXCLUSIVE = frozenset({"equals", "same", "none", "length", "truthy", "empty", "called", "called_times"})


def _once(outcomes: Sequence[Outcome]) -> list[Outcome]:
    seen: set[str] = set()
    return [one for one in outcomes if not (one.sentence in seen or seen.add(one.sentence))]  # type: ignore[func-returns-value]  # add returns None


def _sequences(outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """What still contradicts an earlier outcome is marked unsure: the test changed something between the two."""
    clashing = _clashing([one for one in outcomes if one.sure])
    return tuple(replace(one, sure=False) if one.subject in clashing else one for one in outcomes)


def outcome(claim: Claim, evidence: TestEvidence, vocabulary: Vocabulary, *, detailed: bool) -> Outcome:
    """One claim as a sentence and its falsifier."""
    setting = Setting(
        held=_held(claim, evidence),
        vocabulary=vocabulary,
        parameters=frozenset(evidence.parameters),
        detailed=detailed,
    )
    if claim.each is not None:
        setting = _named_members(claim.each, setting)
    first, sure = statement(claim, setting)
    others = [statement(one, setting) for one in claim.alternatives]
    sure = sure and all(one[1] for one in others)
    said = _alternatives(first, [one[0] for one in others])
    if claim.each is not None:
        said, known = _quantified(said, claim.each, setting)
        sure = sure and known
    said, known = _conditioned(said, claim.condition, setting)
    texts = [_tidy(stopped(one.text(), verbatim=one.verbatim)) for one in (said, said.opposite())]
    sure = sure and known and max(map(len, texts)) <= MAX_SENTENCE
    return Outcome(texts[0], texts[1], sure, claim, first.subject, _tidy(said.text()), verbatim=said.verbatim)


def _held(claim: Claim, evidence: TestEvidence) -> dict[str, Expression]:
    return {**dict(evidence.definitions), **dict(claim.holds)}


def _alternatives(first: Statement, others: Sequence[Statement]) -> Statement:
    if not others:
        return first
    every = [first, *others]
    verbatim = first.verbatim
    positive = " or ".join(one.text() for one in every)
    negative = " and ".join(one.opposite().text() for one in every)
    return Statement(fixed=(positive, negative), verbatim=verbatim)


def _named_members(each: Each, setting: Setting) -> Setting:
    """A loop variable that says little stands for a member of what is looped over."""
    if not isinstance(each.variable, Name) or not weak(each.variable.name):
        return setting
    stand_in = Name(member(each.over).replace(" ", "_"))
    return replace(setting, held={**setting.held, each.variable.name: stand_in})


def _quantified(said: Statement, each: Each, setting: Setting) -> tuple[Statement, bool]:
    """`for every link in the links, ...`; the opposite of every is some, of some is none."""
    over, kind = noun(each.over, setting), noun(each.variable, setting)
    place = f" in {over.text}"
    lead = "for every" if each.kind == "every" else "for at least one"
    against = "for at least one" if each.kind == "every" else "for every"
    texts = (f"{lead} {kind.core}{place}, {said.text()}", f"{against} {kind.core}{place}, {said.opposite().text()}")
    return Statement(said.subject, fixed=texts), over.sure and kind.sure


def _conditioned(said: Statement, condition: Expression | None, setting: Setting) -> tuple[Statement, bool]:
    if condition is None:
        return said, True
    text = condition_text(condition, setting)
    if text is None:
        return said, False
    return Statement(fixed=(f"when {text}, {said.text()}", f"when {text}, {said.opposite().text()}")), True


def condition_text(condition: Expression, setting: Setting) -> str | None:
    """A branch's condition as a clause; None where it has no words."""
    if isinstance(condition, Raised):
        name = last_name(condition.error)
        return f"{name} is raised" if name[:1].isupper() else None
    negated = False
    while isinstance(condition, Operation) and condition.operator == "not":
        condition, negated = condition.operands[0], not negated
    claim = _claim_of(condition, negated=negated)
    if claim is None:
        return None
    said, sure = statement(claim, setting)
    return said.text() if sure else None


_OPERATORS = {"==": ("equals", False), "!=": ("equals", True), "is": ("same", False), "is-not": ("same", True)}


def _claim_of(condition: Expression, *, negated: bool) -> Claim | None:
    if isinstance(condition, Operation):
        found = _OPERATORS.get(condition.operator)
        if found is None:
            return None
        left, right = condition.operands
        return Claim(found[0], left, right, negated=negated is not found[1])  # type: ignore[arg-type]  # the table names relations
    return Claim("truthy", condition, negated=negated)


def _tidy(text: str) -> str:
    return " ".join(text.split())
