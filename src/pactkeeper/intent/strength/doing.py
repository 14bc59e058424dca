"""What a test does besides asserting: the steps that it takes, and what it replaces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import filterfalse
from typing import Final

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Collection,
    Expression,
    Name,
    Operation,
    Subscript,
    Value,
    children,
)
from pactkeeper.intent.strength.change import Change, Paired, Severity, change_of, term_text
from pactkeeper.intent.strength.facts import Fact, Strength
from pactkeeper.intent.strength.faking import is_far_side, of_the_language, refusals, replaced_by, tells_calls
from pactkeeper.intent.strength.frames import chain
from pactkeeper.intent.strength.joining import opens_to_read
from pactkeeper.intent.strength.matching import Match
from pactkeeper.intent.strength.pacing import paced, passes_time
from pactkeeper.intent.strength.replaced import Around, all_parts
from pactkeeper.intent.strength.terms import CAUGHT, changing, dotted, last_name, parts_in, terms_of
from pactkeeper.intent.strength.unfailing import OF_SCRIPTS

_FEW_LETTERS: Final = 3
_PAUSE: Final = "sleep"
_GLOBALLY: Final = "globalThis."
JUDGES: Final = frozenset({"assert", "expect", "should"})
_FORCE: Final = {Value("string", "force"), Value("boolean", "true")}


def calls(acts: Iterable[Expression]) -> str:
    """Return the names of what is called, to be shown."""
    names = (term_text(one) if changing(one) else last_name(one) or "…" for one in acts)
    return "calls " + ", ".join(dict.fromkeys(names))


def doings(pair: Paired, around: Around) -> Iterator[Change]:
    """Yield changes for what a test does otherwise than before, in its body and in its set-up."""
    steps = list(_steps(pair, around))
    is_mild = all(one.severity == "note" for one in steps)
    yield from (is_mild and (list(paced(pair)) or list(_repeated(pair)))) or steps
    yield from _setup(pair)
    yield from _told_itself(pair)


def _steps(pair: Paired, around: Around) -> Iterator[Change]:
    """Yield changes for steps a test no longer takes, although it asserts the same.

    The steps could fail, or set up the case. Other steps in their place are noted if the product is unchanged: most are
    the same case in other words.
    """
    old, new = pair.was, pair.now
    only_less = set(new.steps) <= set(old.acts)
    if old.steps == new.steps or old.facts != new.facts or not (only_less or not around.moving):
        return
    kept = parts_in(*(fact.claim for fact in new.facts)) | set(new.acts)
    links = {link for one in kept for link in _links(one)}
    kept |= {one for one in old.steps if _links(one) and _links(one) <= links}
    kept |= {Operation(CAUGHT, (one,)) for one in new.acts}
    waits = any(last_name(one) == _PAUSE for one in new.acts)  # if only for as long as it must
    idle = (one for one in old.steps if opens_to_read(one) or (waits and last_name(one) == _PAUSE))
    kept |= {*idle, *filter(replaced_by, old.steps)}
    gone = [one for one in old.steps if one not in kept]
    had = {last_name(one) for one in gone if _is_sent(one)}
    sent = [one for one in new.steps if _is_sent(one) and _receiver(one) in map(_receiver, gone)]
    sent = [one for one in sent if last_name(one) not in had]
    if sent:
        message = "an event is sent where a user might not be able to act"
        yield change_of("loosened", pair, message, old=calls(gone), new=calls(sent))
    elif any(Operation(CAUGHT, (one,)) in new.steps for one in gone):
        message = "an error that a step of it raises is caught now"
        yield change_of("loosened", pair, message, old=calls(gone))
    elif any(_is_undone(one, new.steps) for one in gone):
        message = "a step of it changes its value in another way now, or not at all"
        yield change_of("subject", pair, message, old=calls(gone), severity="warning")
    elif gone:
        message = "a step of it is gone" if only_less else "a step of it is another one now"
        refused = refusals(all_parts(gone)) > refusals(all_parts(new.steps))
        severity: Severity = "warning" if only_less or refused else "note"
        before, after = _beside(gone, [] if only_less else [one for one in new.steps if one not in old.steps])
        yield change_of("subject", pair, message, old=before, new=after, severity=severity)


def _repeated(pair: Paired) -> Iterator[Change]:
    """Yield a change for the first step that a test takes more or less often, although it asserts the same.

    More of them are a note in a test that asserts nothing: they are no other input of anything.
    """
    old, new = pair.was, pair.now
    if old.facts != new.facts or old.rows != new.rows or len(old.table) != len(new.table):
        return
    before, after = _often(old), _often(new)
    others = [one for one, times in before.items() if after[one] not in {0, times}]
    name = min(others, key=lambda one: after[one] > before[one], default="")
    if name:
        severity: Severity | None = "note" if after[name] > before[name] and not old.facts else None
        message = "a step of it is taken more or less often"
        told = [f"calls {name} {times:,} {'time' if times == 1 else 'times'}" for times in (before[name], after[name])]
        yield change_of("grown", pair, message, old=told[0], new=told[1], severity=severity)


def _often(strength: Strength) -> Counter[str]:
    """Count how often a test calls each name in its own body for what it does, not for a value that it asserts."""
    found: Counter[str] = Counter()
    asserted = parts_in(*(fact.claim for fact in strength.facts))
    for step, times in zip(strength.steps, strength.times, strict=False):  # not known of what was reviewed as lines
        counts = step not in asserted and not (opens_to_read(step) or passes_time(step))
        found[last_name(step)] += times if counts else 0
    return found


def _beside(gone: Sequence[Expression], came: Sequence[Expression]) -> tuple[str, str]:
    """Return the names of what was called and of what is called now, or the whole calls if they are the same names."""
    if came and calls(gone) == calls(came):
        return ", ".join(map(term_text, gone)), ", ".join(map(term_text, came))
    return calls(gone), calls(came) if came else ""


def _told_itself(pair: Paired) -> Iterator[Change]:
    """Yield a warning where the test itself says now what an assertion expects, and what was read before isn't read."""
    old, new = pair.was, pair.now
    done, known = set(old.acts), set(new.acts)
    gone = [one for one in old.acts if one not in known and isinstance(one, Call)]
    came = [one for one in new.acts if one not in done and isinstance(one, Call)] if gone else []
    kept = set(old.facts) if came else ()
    expected = {part for fact in new.facts if fact in kept for part in _telling(fact.claim.object)} if came else ()
    for one in came:
        told = _telling(*(each.value for each in one.arguments)) & set(expected)
        alike = [each for each in gone if last_name(each) == last_name(one)]
        before = next((each for each in alike if _read_by(each) - _read_by(one)), None)
        if before is not None and told - _telling(*alike):
            message = "the test itself says now what it expects"
            yield change_of("subject", pair, message, old=term_text(before), new=term_text(one), severity="warning")


def _telling(*terms: Expression | None) -> set[Value]:
    """Return the literals that hardly stand in two places by chance."""
    values = (part for one in terms if one is not None for part in terms_of(one) if isinstance(part, Value))
    return {one for one in values if one.kind in {"string", "number"} and len(one.text) >= _FEW_LETTERS}


def _read_by(call: Call) -> frozenset[Expression]:
    """Return what a call's arguments are read from."""
    given = (part for each in call.arguments for part in terms_of(each.value))
    return frozenset(part for part in given if isinstance(part, Attribute | Call | Subscript))


def _setup(pair: Paired) -> Iterator[Change]:
    """Yield a note for a step of a fixture or hook that is not taken any more, although the test asserts the same."""
    old, new = pair.was, pair.now
    known = set(new.acts)
    gone = [one for one in old.setup if one not in known and not replaced_by(one)]
    if old.facts != new.facts or old.setup == new.setup or not gone:
        return
    done = set(old.acts)
    came = [one for one in new.setup if one not in done]
    message = "a step of its set-up is another one now" if came else "a step of its set-up is gone"
    both = ["calls " + ", ".join(map(term_text, some)) if some else "" for some in (gone, came)]
    yield change_of("subject", pair, message, old=both[0], new=both[1], severity="note")


def _is_undone(step: Expression, steps: Sequence[Expression]) -> bool:
    """Whether a step that changed a value is replaced by one that reads it, or changes it differently."""
    target = children(step)[:1] if changing(step) else ()
    others = [one for one in steps if one != step]
    return bool(target) and any(one == target[0] or (changing(one) and children(one)[:1] == target) for one in others)


def _links(step: Expression) -> set[tuple[Expression, str, tuple[Argument, ...]]]:
    """Return what a chain of calls does to the first call's result, whether in one chain or several."""
    calls = list(chain(step)) if isinstance(step, Call) else []
    return {(calls[-1], last_name(one), one.arguments) for one in calls}


def _receiver(step: Expression) -> Expression | None:
    return step.function.value if isinstance(step, Call) and isinstance(step.function, Attribute) else None


def _is_sent(step: Expression) -> bool:
    """Whether a step on a page skips the checks that its element can be used."""
    forced = any(set(part.items) >= _FORCE for part in terms_of(step) if isinstance(part, Collection))
    return last_name(step) == "dispatchEvent" or forced


def replacements(match: Match, around: Around) -> Iterator[Change]:
    """Yield a change if the test itself replaces something its assertions are about, or what it ran until now."""
    pair, old, new = match.pair, match.pair.was, match.pair.now
    parts = parts_in(*(fact.claim for fact in old.facts))
    of_product = {name for fact in old.facts for name in _asked_of_product(fact)}
    subjects = {last_name(part) for part in parts if isinstance(part, Name | Attribute)}
    methods = {part.name for part in parts if isinstance(part, Attribute)}
    made = {f"{last_name(part.value)}().{part.name}" for part in parts if isinstance(part, Attribute)}
    yield from _stand_ins(pair, subjects, around)
    known = {target.rpartition(".")[2] for target in old.mocks}  # whichever file it was imported from
    own = frozenset().union(*map(replaced_by, new.steps))
    yield from _of_scripts(pair)
    for target in filterfalse(_is_of_scripts, new.mocks):
        name = target.rpartition(".")[2]
        about = methods if _is_of_class(target) else subjects
        usual = of_the_language(target) or _is_declared_here(target, new)
        severity: Severity = "warning" if usual else "error"
        if target.partition(".")[0] in JUDGES and target not in old.mocks:
            yield change_of("mocked", pair, f"it replaces {target!r}, which judges it", new=target)
        elif name in about - known and (not target.endswith(f"().{name}") or target in made):
            message = f"it replaces {target!r}, which its assertions are about"
            yield change_of("mocked", pair, message, new=target, severity=severity if name in of_product else "warning")
        elif name not in known and target in new.fixed and target not in own and _is_of_module(target, new, subjects):
            message = f"it sets {target!r}, a constant of what its assertions are about, to a value of its own"
            yield change_of("mocked", pair, message, new=target)
        elif name not in known and target not in own and is_far_side(target):
            message = f"its set-up replaces {target!r}: the answers are its own"
            yield change_of("mocked", pair, message, new=target, severity="warning")
        elif name not in known and severity == "error":
            message = _inside_the_product(target, name) or _part_of_subject(target, parts)
            sole = not match.lost and set(old.acts) <= set(new.acts) and target in own
            if not message and sole and around.files.asks(name):
                message = f"it replaces {target!r}, which other tests assert of"
            if message:
                yield change_of("mocked", pair, message, new=target, severity="warning")


def _asked_of_product(fact: Fact) -> Iterator[str]:
    """Yield the names in a claim but those of a fake whose calls it is about, and those that it only reads to compare.

    Another fake in its place, or another setting to compare with, proves nothing.
    """
    claim = fact.claim
    asked = replace(claim, object=None) if claim.object is not None and dotted(claim.object) else claim
    fake = terms_of(claim.subject) if tells_calls(claim) else frozenset()
    yield from (last_name(part) for part in parts_in(asked) - fake if isinstance(part, Name | Attribute))


def _is_declared_here(target: str, new: Strength) -> bool:
    """Whether what is replaced is a method of a class that the test file doesn't import, and so declares itself."""
    owner, prototype, _ = target.partition(".prototype.")
    return bool(prototype) and bool(new.imported) and owner not in new.imported


def _is_of_class(target: str) -> bool:
    """Whether what is replaced belongs to a class, so that no function of its name is meant: `Git.run`."""
    return target.rpartition(".")[0].rpartition(".")[2][:1].isupper()


def _stand_ins(pair: Paired, subjects: Iterable[str], around: Around) -> Iterator[Change]:
    """Yield a change for each name that the test asserts of if it stands for something else than before."""
    old, new = pair.was, pair.now
    both = {last_name(part) for part in parts_in(*(fact.claim for fact in new.facts))}.intersection(subjects)
    then, doubles = (dict(one.partition(" ")[::2] for one in strength.doubles) for strength in (old, new))
    for name in sorted(both & (old.imported or both) & doubles.keys() - then.keys()):
        message = f"something of the tests stands for {name!r}, which it asserts of"
        if doubles[name]:
            message = f"{doubles[name]!r} leads to no file, and it asserts of what it imports from there: {name!r}"
        places = [one.rpartition(".")[0] for one in new.sources if one.rpartition(".")[2] == name]
        usual = not doubles[name] and any(around.files.lends(place, pair.after) for place in places)
        yield change_of("mocked", pair, message, new=name, severity="warning" if usual else None)
    for name, one, two in _from_elsewhere(old, new, both - doubles.keys()):
        grave = around.files.stands_in(name, (pair.before, one), (pair.after, two))
        if grave is not None:
            message = f"{name!r}, which it asserts of, comes from another module now"
            yield change_of("mocked", pair, message, old=one, new=two, severity=grave)


def _from_elsewhere(old: Strength, new: Strength, names: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Yield each name that a test file took from one file, with that file and the other that it is taken from now."""
    before, after = ([source.rpartition(".")[::2] for source in one.sources] for one in (old, new))
    for name in sorted(names):
        places = [{file for file, there in side if there == name} for side in (before, after)]
        if all(len(side) == 1 and min(side).startswith(".") for side in places) and places[0] != places[1]:
            yield name, min(places[0]), min(places[1])


def _of_scripts(pair: Paired) -> Iterator[Change]:
    """Yield a change for each function of JavaScript itself that is replaced: an error if an assertion calls it."""
    came = set(pair.now.mocks) - set(pair.was.mocks)
    for target in sorted(one.removeprefix(_GLOBALLY) for one in came if _is_of_scripts(one)):
        spelled = f".{target.rpartition('.')[2]}(" if ".prototype." in target else target
        if any(spelled in fact.quote for fact in pair.was.facts):
            yield change_of("mocked", pair, f"it replaces {target!r}, by which it asserts", new=target)
        else:
            message = f"it replaces {target!r}, a part of the language"
            yield change_of("mocked", pair, message, new=target, severity="warning")


def _is_of_scripts(target: str) -> bool:
    owner, _, name = target.removeprefix(_GLOBALLY).partition(".")
    return owner in OF_SCRIPTS and name != "" and target != "Math.random"


def _inside_the_product(target: str, name: str) -> str:
    """Return why a replacement is no boundary of the product but a part of it; "" if it may be a boundary."""
    if name.isupper():
        return f"it replaces the constant {target!r}, so that its own value is not tested"
    private = name.startswith("_") and not name.endswith("__")
    return f"it replaces the private {name!r}, a part of what it tests" if private else ""


def _is_of_module(target: str, new: Strength, subjects: Container[str]) -> bool:
    """Whether assertions are about something from the module that a constant belongs to."""
    module = target.rpartition(".")[0].rpartition(".")[2]
    places = (source.split(".") for source in new.sources)
    return any(parts[-1] in subjects and module in parts[-2:-1] for parts in places)


def _part_of_subject(target: str, parts: Iterable[Expression]) -> str:
    """Return why a replacement is a part of what a test asserts of: it belongs to a class that the test makes."""
    made = {last_name(part) for part in parts if isinstance(part, Call)}
    owner = target.rpartition(".")[0].rpartition(".")[2]
    return f"it replaces {target!r}, a part of what its assertions are about" if owner in made else ""
