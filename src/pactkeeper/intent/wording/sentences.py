"""Claims as finished sentences: an outcome and the falsifier that is its exact opposite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pactkeeper.intent.claims import (
    Attribute,
    Call,
    Claim,
    Each,
    Expression,
    Item,
    Name,
    Operation,
    Raised,
    TestEvidence,
)
from pactkeeper.intent.wording.flaws import is_flawed
from pactkeeper.intent.wording.meaning import Said, confused, names_of
from pactkeeper.intent.wording.naming import last_name, weak
from pactkeeper.intent.wording.negation import Statement
from pactkeeper.intent.wording.nouns import Setting
from pactkeeper.intent.wording.phrases import member, noun
from pactkeeper.intent.wording.relations import statement
from pactkeeper.intent.wording.vocabulary import Vocabulary
from pactkeeper.intent.wording.words import capitalised

MAX_SENTENCE = 240


@dataclass(frozen=True, slots=True)
class Outcome:
    """One outcome; `sure` is False where part of the claim had no words: not to be shown as fact.

    `lost` means that its words do not say which of several values is meant.
    """

    sentence: str
    falsifier: str
    sure: bool
    claim: Claim
    said: Statement
    about: tuple[str, str] = ("", "")
    lost: bool = False

    @property
    def clause(self) -> str:
        """The sentence as a clause inside another one."""
        return self.said.text().strip()


def stopped(text: str, *, verbatim: bool = False) -> str:
    """The clause as a sentence: capitalised unless its first word is a name from the code, with a full stop."""
    bare = text.strip()
    shown = bare if verbatim else capitalised(bare)
    return f"{shown}{'' if bare.endswith(('.', '!', '?')) else '.'}"


def outcomes_of(evidence: TestEvidence, vocabulary: Vocabulary) -> tuple[Outcome, ...]:
    """The outcomes of a test in the order of its claims; claims that read alike are told apart or stated once.

    What is asserted inside an expected failure does not hold, so it is no outcome; neither is what a test asserts that
    may fail.
    """
    claims = [claim for claim in evidence.claims if not claim.inverted and evidence.expects == "pass"]
    settings = [_setting(claim, evidence, vocabulary) for claim in claims]
    plain = [outcome(claim, setting) for claim, setting in zip(claims, settings, strict=True)]
    clashing = _clashing(plain)
    mixed = confused([_said(one, setting) for one, setting in zip(plain, settings, strict=True)])
    closer = [
        replace(setting, detailed=bool(names) or one.about in clashing, told=names)
        for one, setting, names in zip(plain, settings, mixed, strict=True)
    ]
    told = [outcome(one.claim, now) if now.detailed else one for one, now in zip(plain, closer, strict=True)]
    lost = confused([_said(one, now) for one, now in zip(told, closer, strict=True)])
    found = _in_turn(_once([replace(one, lost=bool(names)) for one, names in zip(told, lost, strict=True)]))
    return tuple(_without_given(found)) if evidence.rows else found


def _without_given(outcomes: Sequence[Outcome]) -> Iterator[Outcome]:
    """Rows of a table whose values have no words are not stated: "for the given arguments" says of none what it is."""
    rows = Counter(one.claim.line for one in outcomes)
    for one in outcomes:
        vague = rows[one.claim.line] > 1 and "the given arguments" in one.sentence
        yield replace(one, sure=one.sure and not vague)


def _said(one: Outcome, setting: Setting) -> Said:
    """The sentence with the words for its names; what is said by its value means nothing else."""
    nouns = {name: noun(Name(name), setting) for name in names_of(one.claim)}
    sentence = one.sentence.lower()
    words = {name: it.core for name, it in nouns.items() if not it.value and it.core.lower() in sentence}
    return Said(one.claim, one.sentence, setting.held, words)


def _clashing(outcomes: Sequence[Outcome]) -> frozenset[tuple[str, str]]:
    """What would be said to be two different things."""
    seen: dict[tuple[str, str], str] = {}
    opposites = {one.falsifier for one in outcomes}
    found = {one.about for one in outcomes if one.sentence in opposites}
    for one in outcomes:
        exclusive = one.claim.relation in _EXCLUSIVE and not one.claim.alternatives and one.claim.condition is None
        if exclusive and not one.said.negated and seen.setdefault(one.about, one.sentence) != one.sentence:
            found.add(one.about)
    return frozenset(found)


_EXCLUSIVE = frozenset({"equals", "same", "none", "undefined", "length", "truthy", "empty", "called", "called_times"})
MAX_STEPS = 4


def _once(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Each outcome once, except where something else was said about the same thing in between."""
    kept: list[Outcome] = []
    last: dict[tuple[str, str], str] = {}
    for one in outcomes:
        if last.get(one.about) != one.sentence or not one.said.subject:
            kept.append(one)
        last[one.about] = one.sentence
    seen: set[str] = set()
    clashing = _clashing(kept)
    return [one for one in kept if one.about in clashing or not (one.sentence in seen or seen.add(one.sentence))]  # type: ignore[func-returns-value]  # add returns None


def _in_turn(outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """What still contradicts an earlier outcome follows it in time: "is 1, then 2"; what does not join is unsure."""
    clashing = _clashing([one for one in outcomes if one.sure])
    merged: dict[tuple[str, str], Outcome] = {}
    for about in clashing:
        steps = [one for one in outcomes if one.about == about and one.sure]
        joined = _sequence(steps)
        if joined is not None:
            merged[about] = joined
    found: list[Outcome] = []
    for one in outcomes:
        if one.about not in clashing or not one.sure:
            found.append(replace(one, sure=one.sure and not one.lost))
        elif one.about in merged:
            found += [merged[one.about]] if merged[one.about] not in found else []
        else:
            found.append(replace(one, sure=False))
    return tuple(found)


def _sequence(steps: Sequence[Outcome]) -> Outcome | None:
    if any(isinstance(one.claim.object, Name | Attribute | Item | Call | Operation) for one in steps):
        return None
    if steps[0].claim.line and len({one.claim.line for one in steps}) == 1:
        return None  # rows of a table do not follow each other
    if len(steps) > MAX_STEPS or any(one.claim.each or one.claim.condition or one.claim.alternatives for one in steps):
        return None
    said: Statement | None = steps[0].said
    for step in steps[1:]:
        said = said.then(step.said) if said is not None else None
    if said is None:
        return None
    texts = _texts(said)
    return replace(steps[0], sentence=texts[0], falsifier=texts[1], said=said, sure=len(texts[0]) <= MAX_SENTENCE)


def _setting(claim: Claim, evidence: TestEvidence, vocabulary: Vocabulary) -> Setting:
    held = {**dict(evidence.definitions), **dict(claim.holds)}
    return Setting(held=held, vocabulary=vocabulary, parameters=frozenset(evidence.parameters))


def outcome(claim: Claim, setting: Setting) -> Outcome:
    """One claim as a sentence and its falsifier."""
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
    sentence, falsifier = _texts(said)
    sure = sure and known and max(len(sentence), len(falsifier)) <= MAX_SENTENCE and not is_flawed(sentence)
    return Outcome(sentence, falsifier, sure, claim, said, (first.subject, first.tail))


def _texts(said: Statement) -> tuple[str, str]:
    sentence, falsifier = (stopped(one.text(), verbatim=one.verbatim) for one in (said, said.opposite()))
    return sentence, falsifier


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


_ANY = {"Error": "an error", "Exception": "an exception", "BaseException": "an exception"}


def condition_text(condition: Expression, setting: Setting) -> str | None:
    """A branch's condition as a clause; None where it has no words."""
    if isinstance(condition, Raised):
        name = last_name(condition.error)
        return f"{_ANY.get(name, name)} is raised" if name[:1].isupper() else None
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
