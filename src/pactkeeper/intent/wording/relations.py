"""Each relation of a claim as a statement; the table at the end lists them all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Name,
    Operation,
    Relation,
    Value,
)
from pactkeeper.intent.wording.events import (
    Rule,
    Worded,
    about,
    called,
    called_times,
    called_with,
    completes,
    logs,
    raised,
    returned,
    snapshot,
)
from pactkeeper.intent.wording.kinds import kind_words, shown_type, type_words
from pactkeeper.intent.wording.naming import last_name, weak, with_article
from pactkeeper.intent.wording.negation import Statement
from pactkeeper.intent.wording.nouns import Noun, Setting
from pactkeeper.intent.wording.phrases import noun
from pactkeeper.intent.wording.prose import is_adjective, predicate
from pactkeeper.intent.wording.results import (
    KEPT,
    argument_tail,
    call_noun,
    function_words,
    subject_noun,
)
from pactkeeper.intent.wording.tables import table
from pactkeeper.intent.wording.verbs import is_participle
from pactkeeper.intent.wording.words import is_plural, listed, spoken_words


def statement(claim: Claim, setting: Setting) -> Worded:
    """The statement a claim makes, negated as the claim is."""
    said, sure = _RELATIONS[claim.relation](claim, setting)
    if claim.negated:
        said = said.opposite()
    return said, sure


def returns(claim: Claim, setting: Setting, complement: str) -> Worded | None:
    """`f returns X for Y`, where the subject is a call that no noun phrase fits better."""
    call = _called_for(claim.subject, setting)
    if call is None or not call_noun(call, setting).core.startswith("result"):
        return None
    who, tail = function_words(call, setting), argument_tail(call, setting)
    if who is None or who in _BUILDERS or last_name(call.function) in _QUANTIFIERS:
        return None
    ending = "for the given arguments" if tail is None else tail.strip()
    return Statement(who, "return", complement, tail=ending, verbatim=not who.startswith("the ")), True


_BUILDERS = table("""
    dict list tuple set frozenset str int float complex bool bytes bytearray memoryview object range iter map
    filter zip enumerate slice deque defaultdict namedtuple partial super cast
""")
"""Functions that only make or hold a value: that they return it is no behaviour of what is tested."""
_QUANTIFIERS = frozenset({"any", "all", "every", "some"})
_UNWRAPPED = table("get getall extract extract_first result tolist decode")


def _called_for(subject: Expression, setting: Setting) -> Call | None:
    """The call a subject is, directly or through a name that says little."""
    if isinstance(subject, Name) and weak(subject.name):
        subject = setting.held.get(subject.name, subject)
    while isinstance(subject, Call):
        if isinstance(subject.function, Name) and subject.function.name in KEPT and len(subject.arguments) == 1:
            subject = subject.arguments[0].value
        elif isinstance(subject.function, Attribute) and subject.function.name in _UNWRAPPED and not subject.arguments:
            inner = subject.function.value
            if not isinstance(inner, Call):
                return subject
            subject = inner
        else:
            break
    return subject if isinstance(subject, Call) else None


def _equals(claim: Claim, setting: Setting) -> Worded:
    other = noun(claim.object, setting)
    if not other.sure:
        return _unworded(claim, setting)
    found = returns(claim, setting, other.text)
    if found is not None and not (" for " in other.text and not other.value and found[0].tail):
        return found
    subject = subject_noun(claim.subject, setting)
    if subject.text == other.text and setting.held:
        return _equals(claim, replace(setting, held={}))
    if subject.text == other.text:
        return about(subject, "be", other.text), False
    if not other.value:
        return about(subject, "equal", other.text), subject.sure
    return about(subject, "be", other.text), subject.sure


def _same(claim: Claim, setting: Setting) -> Worded:
    said, sure = _equals(claim, setting)
    if said.verb == "equal":
        return Statement(said.subject, "be", said.complement, said.plural), sure
    return said, sure


def _unworded(claim: Claim, setting: Setting) -> Worded:
    """A generic sentence where the other side has no words: the parameter's or expected value by its role."""
    subject = subject_noun(claim.subject, setting)
    return about(subject, "be", "as expected"), False


def _approximately(claim: Claim, setting: Setting) -> Worded:
    other = noun(claim.object, setting)
    complement = f"approximately {other.text}{_tolerance(claim.qualifiers, setting)}"
    found = returns(claim, setting, complement) if other.value else None
    subject = subject_noun(claim.subject, setting)
    said = found[0] if found else about(subject, "be", complement)
    return said, other.sure and (found is not None or subject.sure)


def _tolerance(qualifiers: tuple[Argument, ...], setting: Setting) -> str:
    for one in qualifiers:
        phrase = noun(one.value, setting)
        if phrase.sure and one.name == "tolerance":
            return f" (within {phrase.text})"
        if phrase.sure and one.name == "relative":
            return f" (within a relative {phrase.text})"
        if phrase.sure and one.name == "places":
            return f" (to {phrase.text} decimal {'place' if phrase.text == '1' else 'places'})"
    return ""


def _contains(claim: Claim, setting: Setting) -> Worded:
    held = claim.subject
    if isinstance(held, Call) and isinstance(held.function, Attribute) and held.function.name == "keys":
        held = held.function.value
    subject, other = subject_noun(held, setting), noun(claim.object, setting)
    return about(subject, "contain", other.text), subject.sure and other.sure


def _starts(verb: str) -> Rule:
    def rule(claim: Claim, setting: Setting) -> Worded:
        subject, other = subject_noun(claim.subject, setting), noun(claim.object, setting)
        return about(subject, verb, f"with {other.text}"), subject.sure and other.sure

    return rule


def _contained(claim: Claim, setting: Setting) -> Worded:
    subject = subject_noun(claim.subject, setting)
    if isinstance(claim.object, Collection) and claim.object.items and claim.object.kind != "mapping":
        parts = [noun(item, setting) for item in claim.object.items]
        sure = subject.sure and all(part.sure for part in parts)
        return about(subject, "be", listed([part.text for part in parts], "or")), sure
    other = noun(claim.object, setting)
    return about(subject, "be", f"among {other.text}"), subject.sure and other.sure


def _matches(claim: Claim, setting: Setting) -> Worded:
    subject, other = subject_noun(claim.subject, setting), noun(claim.object, setting)
    return about(subject, "match", other.text), subject.sure and other.sure


def _truthy(claim: Claim, setting: Setting) -> Worded:
    found = _predicated(claim.subject, setting)
    if found is not None:
        return found
    call = returns(claim, setting, "a true value")
    if call is not None:
        return replace(call[0], otherwise="a false value"), call[1]
    subject = subject_noun(claim.subject, setting)
    if subject.plural and subject.article == "the":
        return _there_are(subject), subject.sure
    return replace(about(subject, "be", "truthy"), otherwise="falsy"), subject.sure


def _falsy(claim: Claim, setting: Setting) -> Worded:
    said, sure = _truthy(claim, setting)
    return said.opposite(), sure


def _there_are(subject: Noun) -> Statement:
    return Statement(fixed=(f"there are {subject.core}", f"there are no {subject.core}"))


def _predicated(subject: Expression, setting: Setting) -> Worded | None:
    """`response.is_redirect`, `session.modified`, `has_body`: names that are predicates themselves."""
    if isinstance(subject, Call):
        return _called_predicate(subject, setting)
    owner = noun(subject.value, setting) if isinstance(subject, Attribute) else None
    if not isinstance(subject, Attribute | Name):
        return None
    if owner is not None and isinstance(subject, Attribute) and subject.value in {Name("self"), Name("cls")}:
        owner = None
    words = spoken_words(subject.name.strip("_"))
    if len(words) > 1 and words[0] in {"is", "has", "was"} and owner is not None:
        verb = "have" if words[0] == "has" else "be"
        rest = (
            with_article(" ".join(words[1:])) if verb == "have" and not is_plural(words[-1]) else predicate(words[1:])
        )
        return about(owner, verb, rest), owner.sure
    last = words[-1] if words else ""
    adjective = (is_participle(last) and last not in _NOT_STATES) or is_adjective(last)
    if not adjective or last in {"default", "set", "read", "cast", "text"}:
        return None
    if owner is not None and len(words) == 1:
        return about(owner, "be", words[0]), owner.sure
    if owner is None and len(words) > 1 and words[0] not in {"is", "has", "was", "not"}:
        thing = " ".join(words[:-1])
        return Statement(f"the {thing}", "be", words[-1], is_plural(words[-2])), True
    return None


_NOT_STATES = frozenset({"left", "found", "split", "put", "let", "set", "shut", "run"})


def _called_predicate(call: Call, setting: Setting) -> Worded | None:
    """`path.exists()`, `user.is_valid()`: predicates called without arguments."""
    if not isinstance(call.function, Attribute) or call.arguments:
        return None
    if call.function.name == "exists":
        owner = noun(call.function.value, setting)
        return about(owner, "exist", ""), owner.sure
    return _predicated(Attribute(call.function.value, call.function.name), setting)


def _word(complement: str) -> Rule:
    def rule(claim: Claim, setting: Setting) -> Worded:
        word = claim.object.text if isinstance(claim.object, Value) else complement
        if complement in {"None", "undefined"}:
            found = returns(claim, setting, word)
            if found is not None:
                return found
        subject = subject_noun(claim.subject, setting)
        return about(subject, "be", word), subject.sure

    return rule


def _exists(claim: Claim, setting: Setting) -> Worded:
    subject = subject_noun(claim.subject, setting)
    return about(subject, "exist", ""), subject.sure


def _state(claim: Claim, setting: Setting) -> Worded:
    subject = subject_noun(claim.subject, setting)
    word = claim.object.text if isinstance(claim.object, Value) else noun(claim.object, setting).text
    return about(subject, "be", word), subject.sure


def _empty(claim: Claim, setting: Setting) -> Worded:
    subject = subject_noun(claim.subject, setting)
    if subject.plural and subject.article == "the":
        return _there_are(subject).opposite(), subject.sure
    return about(subject, "be", "empty"), subject.sure


def _instance(exact: str) -> Rule:
    def rule(claim: Claim, setting: Setting) -> Worded:
        kinds = claim.object.items if isinstance(claim.object, Collection) else (claim.object,)
        names = [type_words(one) for one in kinds]
        if not all(names):
            return about(subject_noun(claim.subject, setting), "be", "of the expected type"), False
        complement = f"{exact}{kind_words(names)}"
        found = None if exact else returns(claim, setting, complement)
        if found is not None:
            return found
        subject = subject_noun(claim.subject, setting)
        if subject.core.split(" of ")[0].endswith("type"):
            return about(subject, "be", f"{exact}{listed([shown_type(one) for one in names], 'or')}"), subject.sure
        if subject.plural:
            complement = f"of type {listed([shown_type(one) for one in names], 'or')}"
        return about(subject, "be", complement), subject.sure

    return rule


def _length(claim: Claim, setting: Setting) -> Worded:
    subject, other = subject_noun(claim.subject, setting), noun(claim.object, setting)
    sure = subject.sure and other.sure
    if subject.plural and subject.article == "the" and other.value:
        return Statement(f"the number of {subject.core}", "be", other.text), sure
    if other.value:
        return about(subject, "have", f"a length of {other.text}"), sure
    measured = noun(Call(Name("len"), (Argument(claim.subject),)), setting)
    return about(measured, "equal", other.text), sure


def _property(claim: Claim, setting: Setting) -> Worded:
    subject, other = subject_noun(claim.subject, setting), noun(claim.object, setting)
    kind = "attribute" if claim.relation == "has_attribute" else "property"
    value = next((noun(one.value, setting) for one in claim.qualifiers if one.name == "value"), None)
    name = claim.object.text if isinstance(claim.object, Value) else other.text
    tail = f" with the value {value.text}" if value is not None else ""
    sure = subject.sure and other.sure and (value is None or value.sure)
    return about(subject, "have", f"{'an' if kind == 'attribute' else 'a'} {kind} '{name}'{tail}"), sure


def _text(claim: Claim, setting: Setting) -> Worded:
    subject, other = subject_noun(claim.subject, setting), noun(claim.object, setting)
    return about(subject, "have", f"the text {other.text}"), subject.sure and other.sure


def _order(words: str) -> Rule:
    def rule(claim: Claim, setting: Setting) -> Worded:
        subject, other = subject_noun(claim.subject, setting), noun(claim.object, setting)
        return about(subject, "be", f"{words} {other.text}"), subject.sure and other.sure

    return rule


def _satisfies(claim: Claim, setting: Setting) -> Worded:
    one = claim.subject
    if isinstance(one, Call) and last_name(one.function) == "issubclass" and len(one.arguments) > 1:
        first, second = (type_words(argument.value) for argument in one.arguments)
        return Statement(first, "be", f"a subclass of {second}"), bool(first and second)
    if isinstance(one, Operation) and one.operator == "not":
        said, sure = _truthy(Claim("truthy", one.operands[0]), setting)
        return said.opposite(), sure
    return Statement(fixed=("the asserted condition holds", "the asserted condition does not hold")), False


_RELATIONS: Mapping[Relation, Rule] = {
    "equals": _equals,
    "same": _same,
    "approximately": _approximately,
    "contains": _contains,
    "contained_in": _contained,
    "matches": _matches,
    "starts_with": _starts("start"),
    "ends_with": _starts("end"),
    "truthy": _truthy,
    "falsy": _falsy,
    "none": _word("None"),
    "undefined": _word("undefined"),
    "instance_of": _instance(""),
    "has_type": _instance("exactly "),
    "less": _order("less than"),
    "at_most": _order("at most"),
    "greater": _order("greater than"),
    "at_least": _order("at least"),
    "length": _length,
    "empty": _empty,
    "has_property": _property,
    "has_attribute": _property,
    "raises": raised("raised"),
    "warns": raised("issued"),
    "logs": logs,
    "completes": completes,
    "called": called,
    "called_times": called_times,
    "called_with": called_with,
    "snapshot": snapshot,
    "returned": returned,
    "visible": _word("visible"),
    "exists": _exists,
    "state": _state,
    "has_text": _text,
    "satisfies": _satisfies,
}
