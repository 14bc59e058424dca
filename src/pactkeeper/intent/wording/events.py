"""What happens while a test runs, as statements: errors, warnings, log messages, calls of test doubles, snapshots."""

from __future__ import annotations

from collections.abc import Callable

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Name,
    Value,
)
from pactkeeper.intent.wording.naming import last_name, with_article
from pactkeeper.intent.wording.negation import Statement
from pactkeeper.intent.wording.nouns import Noun, Setting
from pactkeeper.intent.wording.phrases import noun
from pactkeeper.intent.wording.results import (
    argument_tail,
    arguments_text,
    function_words,
    subject_noun,
)
from pactkeeper.intent.wording.values import value_text
from pactkeeper.intent.wording.words import listed

Worded = tuple[Statement, bool]
"""A statement, and whether everything in it could be put into words."""
Rule = Callable[[Claim, Setting], Worded]


def about(subject: Noun, verb: str, complement: str) -> Statement:
    """A statement about a noun phrase."""
    return Statement(subject.text, verb, complement, subject.plural, verbatim=subject.verbatim)


def raised(kind: str) -> Rule:
    """An exception or warning, by its type and message."""

    def rule(claim: Claim, setting: Setting) -> Worded:
        names = [_error(one) for one in _types(claim.subject)]
        tabled = isinstance(claim.subject, Name) and claim.subject.name in setting.parameters
        sure = all(names) or tabled
        who = listed(names, "or") if all(names) and not tabled else "the expected exception"
        tail = "".join(_matching(one, setting) for one in claim.qualifiers)
        by_call = _raising(claim, setting, (who, tail)) if kind == "raised" else None
        if by_call is not None:
            return by_call, sure
        return Statement(fixed=(f"{who} is {kind}{tail}", f"{_not_any(who)} {kind}{tail}")), sure

    return rule


def _raising(claim: Claim, setting: Setting, said: tuple[str, str]) -> Statement | None:
    """`parse raises an error for 12`, where the error alone would say little; None where the call has no words."""
    who, tail = said
    call = claim.object
    generic = who.startswith(("an ", "a ")) and not tail
    if not isinstance(call, Call) or not (setting.detailed or generic):
        return None
    function, given = function_words(call, setting), argument_tail(call, setting)
    if function is None or (given is None and not setting.detailed) or function.count(" of ") > 1:
        return None
    for_what = " for the given arguments" if given is None else given
    if len(function) + len(for_what) > _LONGEST_CALL:
        return None
    complement = f"{who}{for_what}{tail}"
    return Statement(function, "raise", complement, verbatim=not function.startswith("the "))


_LONGEST_CALL = 110


def _not_any(who: str) -> str:
    for generic in ("an ", "a "):
        if who.startswith(generic):
            return f"no {who.removeprefix(generic)} is"
    return f"{who} is not"


def _types(subject: Expression) -> tuple[Expression, ...]:
    return subject.items if isinstance(subject, Collection) else (subject,)


def _error(one: Expression) -> str:
    name = last_name(one)
    if name in {"Exception", "BaseException", "AnyError"}:
        return "an exception"
    if name in {"Error", "Warning"}:
        return "an error" if name == "Error" else "a warning"
    return name if name[:1].isupper() else _PLAIN_ERRORS.get(name, "")


_PLAIN_ERRORS = {"error": "an error", "timeout": "a timeout", "herror": "an error", "gaierror": "an address error"}


def _matching(one: Argument, setting: Setting) -> str:
    shape = one.value
    if isinstance(shape, Call) and last_name(shape.function) == "escape" and shape.arguments:
        shape = shape.arguments[0].value
    phrase = noun(shape, setting)
    if not phrase.sure:
        return ""
    shown = value_text(shape) if isinstance(shape, Value) else phrase.text
    if one.name == "match":
        return f" with a message matching {shown}"
    if one.name == "message":
        return f" with the message {shown}"
    return f" with the code {shown}" if one.name == "code" else ""


def logs(claim: Claim, setting: Setting) -> Worded:
    """A message that is logged, with its level where one is asserted."""
    level = next(
        (one.value.text.lower() for one in claim.qualifiers if one.name == "level" and isinstance(one.value, Value)), ""
    )
    kind = f"{level} message" if level else "message"
    where = f" to {value_text(claim.subject)}" if isinstance(claim.subject, Value) else ""
    message = noun(claim.object, setting) if claim.object is not None else None
    text = f" {message.text}" if message is not None else ""
    match = "".join(
        _matching(one, setting).replace(" with a message", "") for one in claim.qualifiers if one.name == "match"
    )
    who = with_article(kind)
    tail = f"{text}{match} is logged{where}"
    return Statement(fixed=(f"{who}{tail}", f"no {kind}{tail}")), message is None or message.sure


def completes(claim: Claim, setting: Setting) -> Worded:
    """A call that must not fail."""
    call = claim.subject
    if isinstance(call, Call):
        who = function_words(call, setting)
        if who is not None:
            return Statement(fixed=(f"{who} completes without an error", f"{who} fails with an error")), True
    return Statement(fixed=("no error is raised", "an error is raised")), True


def spy(one: Expression, setting: Setting) -> Noun:
    """What a test double stands for: its own name without `mock_`."""
    name = last_name(one)
    bare = name.removeprefix("mock_").removesuffix("_mock").removeprefix("fake_").removeprefix("mocked_")
    if isinstance(one, Attribute) and not isinstance(one.value, Call):
        owner = noun(one.value, setting)
        if owner.sure and one.value not in {Name("self"), Name("cls")} and " of " not in owner.core:
            return Noun(
                f"{owner.possessive} {bare}" if owner.article else f"{owner.text}.{bare}",
                "",
                verbatim=not owner.article,
            )
    spoken_of = bare in _DOUBLES or name in _DOUBLES
    return Noun(bare or name, "the" if spoken_of else "", verbatim=not spoken_of)


_DOUBLES = {"mock", "callback", "handler", "function", "listener", "spy", "stub", "fn", "func", "cb", "hook"}


def called(claim: Claim, setting: Setting) -> Worded:
    """A test double that is called at all."""
    return about(spy(claim.subject, setting), "be", "called"), True


def called_times(claim: Claim, setting: Setting) -> Worded:
    """A test double that is called so often."""
    who, times = spy(claim.subject, setting), noun(claim.object, setting)
    words = {"0": "", "1": "once", "2": "twice"}.get(times.text, f"{times.text} times")
    if not words:
        said, sure = called(claim, setting)
        return said.opposite(), sure
    return about(who, "be", f"called {words}"), times.sure


def called_with(claim: Claim, setting: Setting) -> Worded:
    """A test double that is called with certain arguments."""
    who = spy(claim.subject, setting)
    call = claim.object
    if not isinstance(call, Call):
        return about(who, "be", "called with the expected arguments"), False
    inner = arguments_text(call.arguments, setting)
    named = {one.name: one.value for one in claim.qualifiers}
    position = named.get("position")
    lead = "last " if isinstance(position, Value) and position.text == "last" else ""
    times = named.get("times")
    once = " once" if isinstance(times, Value) and times.text == "1" else ""
    if inner is None:
        return about(who, "be", f"{lead}called{once} with the expected arguments"), False
    return about(who, "be", f"{lead}called{once} {'with ' + inner if inner else 'without arguments'}"), True


def snapshot(claim: Claim, setting: Setting) -> Worded:
    """A value that is compared with what was stored."""
    subject = subject_noun(claim.subject, setting)
    return about(subject, "match", "the stored snapshot"), subject.sure


def returned(claim: Claim, setting: Setting) -> Worded:
    """What a test double gave back."""
    who, other = spy(claim.subject, setting), noun(claim.object, setting)
    return about(who, "return", other.text), other.sure
