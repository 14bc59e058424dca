"""Whether something could be seen that would show it wrong: no reserve, no judgement, and a falsifier that refutes."""

from __future__ import annotations

from collections.abc import Iterator

from pactkeeper.intent.ids import normalised_intent
from pactkeeper.intent.quality.examined import Examined, Sentence, Vague
from pactkeeper.intent.quality.rewriting import without
from pactkeeper.intent.quality.vague import MISSING, VagueKind
from pactkeeper.intent.quality.values import Criterion, Deduction, share
from pactkeeper.intent.reading.opposite import opposite
from pactkeeper.intent.reading.tagging import words_of
from pactkeeper.intent.reading.tokens import in_place
from pactkeeper.intent.reading.verbs import forms_of
from pactkeeper.intent.wording.words import singular

NAME: Criterion = "falsifiable"
_SLIGHT, _CLEAR, _GRAVE = (share(NAME, fifths) for fifths in (1, 2, 3))
_DERIVABLE = 4  # less than slight: anybody can turn the sentence around
_MILD: frozenset[VagueKind] = frozenset({"size", "amount", "compared", "open", "pointer"})


def falsifiable(seen: Examined) -> Iterator[Deduction]:
    """What keeps the intent from being refuted."""
    if not seen.intent.states:
        text = seen.intent.text
        yield Deduction(_GRAVE, text, "where nothing is stated, nothing can be shown wrong", "make it a statement")
        return
    if seen.intent.empty and not seen.concrete_outcomes:
        empty = seen.intent.empty
        why = "where no result is named, none can be missing"
        yield Deduction(_CLEAR, empty.words, why, empty.advice, rewording=empty.rewording)
    yield from _unmeasured(seen)
    yield from _permission(seen)
    if not seen.atomicity.atomic:
        why = "one half may hold while the other does not"
        made = seen.atomicity.parts[0] if len(seen.atomicity.parts) > 1 else None
        advice = "make an atom of each" if made is None else f"begin with: {made}"
        yield Deduction(_SLIGHT, seen.intent.text, why, advice, rewording=made)
    yield from _wrong(seen) if seen.falsifiers or seen.concrete_outcomes else _missing(seen)


def _unmeasured(seen: Examined) -> Iterator[Deduction]:
    """Words that no observation can contradict; where outcomes say what to look for, only a reserve counts."""
    seen_kinds = 1 if seen.intent.empty else 0
    once: set[str] = set()
    for vague in seen.intent.vague:
        if vague.phrase in once or (seen.concrete_outcomes and vague.kind != "hedge"):
            continue
        once.add(vague.phrase)
        grave = vague.kind not in _MILD and not seen_kinds
        seen_kinds += 1
        yield _of_vague(seen.intent, vague, _CLEAR if grave else _SLIGHT)
    cited = {vague.phrase for vague in seen.intent.vague}
    for outcome in seen.outcomes:
        for vague in outcome.vague[:1]:
            if vague.kind not in _MILD and vague.phrase not in cited:
                cited.add(vague.phrase)
                yield _of_vague(outcome, vague, _SLIGHT)


def _of_vague(sentence: Sentence, vague: Vague, points: int) -> Deduction:
    missing = MISSING[vague.kind]
    made = without(sentence, vague)
    why = f"{missing.why}, so no observation contradicts it"
    words = sentence.text[vague.start : vague.end]
    return Deduction(points, words, why, _advice(missing.suggestion, made), sentence.place, sentence.at, made)


def _advice(suggestion: str, made: str | None) -> str:
    return suggestion if made is None else f"{suggestion}; for example: {made}"


def _permission(seen: Examined) -> Iterator[Deduction]:
    for reading in seen.intent.readings:
        main = reading.predicate
        if main is None or reading.words[main.start].lower != "may" or seen.concrete_outcomes:
            continue
        token = reading.words[main.start].token
        made = in_place(seen.intent.text, token, "can")
        why = "says that it is possible or allowed, which nothing contradicts"
        yield Deduction(_SLIGHT, token.text, why, f'say "can", or when it happens: {made}', rewording=made)


def _missing(seen: Examined) -> Iterator[Deduction]:
    """No falsifier: made from an outcome or from the intent where that can be done mechanically."""
    sources = [one.text for one in seen.concrete_outcomes] or [seen.intent.text]
    made = next((turned for turned in map(opposite, sources) if turned is not None), None)
    why = "nothing says what would show it wrong"
    if made is None:
        yield Deduction(_SLIGHT, "", why, "say what would be seen if it did not hold", "falsified_by")
    else:
        yield Deduction(_DERIVABLE, "", why, f"add: {made}", "falsified_by", 0, made)


def _wrong(seen: Examined) -> Iterator[Deduction]:
    """Falsifiers that do not refute: the same as what they should refute, about something else, or vague."""
    said = {normalised_intent(one) for one in (seen.words.intent, *seen.words.outcomes)}
    cited = {vague.phrase for one in (seen.intent, *seen.outcomes) for vague in one.vague}
    about = _things(seen.words.intent).union(*(_things(one) for one in seen.words.outcomes))
    for falsifier in seen.falsifiers:
        text, at = falsifier.text, falsifier.at
        if normalised_intent(text) in said:
            made = opposite(text)
            why = "says the same as what it should refute"
            advice = "say its opposite" if made is None else f"say its opposite: {made}"
            yield Deduction(_CLEAR, text, why, advice, "falsified_by", at, made)
        elif not falsifier.states:
            yield Deduction(_SLIGHT, text, "is no statement", "say what would be seen", "falsified_by", at)
        elif about and not (_things(text) & about):
            why = "has no word in common with the intent or the outcomes"
            yield Deduction(_SLIGHT, text, why, "say what would be seen of the same thing", "falsified_by", at)
        else:
            vague = next((one for one in falsifier.vague if one.kind in {"quality", "ease", "time"}), None)
            if vague is not None and vague.phrase not in cited:
                cited.add(vague.phrase)
                yield _of_vague(falsifier, vague, _SLIGHT)


def _things(text: str) -> frozenset[str]:
    """The words of a text that carry meaning, in their base forms; literals as they are."""
    found: set[str] = set()
    for sentence in words_of(text):
        for word in sentence:
            if word.tag in {"noun", "adj", "num", "lit"}:
                found.update({word.lower, singular(word.lower)})
            if word.tag == "verb":
                found.update(forms_of(word.lower).values())
                found.add(word.base)
    return frozenset(found)
