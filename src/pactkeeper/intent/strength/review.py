"""What a test proves now, compared with its state at review or with any earlier state of the code.

Every assertion of the earlier state must be found again: unchanged or stronger in the same test, or among new
assertions anywhere, each of which counts once. One that is not found is matched with its replacement, to say how it
changed.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter

from pactkeeper.intent.claims import Argument, Attribute, Call, Claim, Collection, Expression, Name, Value, children
from pactkeeper.intent.strength.change import (
    Change,
    Paired,
    Severity,
    change_of,
    facet_change,
    shown,
    shown_skip,
    term_text,
)
from pactkeeper.intent.strength.codec import line_of, read, written
from pactkeeper.intent.strength.conditions import reads_environment
from pactkeeper.intent.strength.covering import keeps
from pactkeeper.intent.strength.facts import Fact, Skipped, Strength
from pactkeeper.intent.strength.faking import of_the_language, replaced_by
from pactkeeper.intent.strength.frames import chain
from pactkeeper.intent.strength.losses import is_gone, losses_of
from pactkeeper.intent.strength.matching import AS_IT_WAS, Match, Spelling, credit, match_of, respell, stand_by_fixture
from pactkeeper.intent.strength.replaced import NOTHING, Around, Beside, leaf
from pactkeeper.intent.strength.successors import like, say_less
from pactkeeper.intent.strength.terms import changing, last_name, parts_in, terms_of

_CLAIM = attrgetter("claim")
_SKIPPED = "!skipped"
_FORCE = {Value("string", "force"), Value("boolean", "true")}
_RUNS = Fact(Claim("completes", Name("test")))  # all that is left of a test that only calls


def reviewed(strength: Strength) -> tuple[str, ...]:
    """Return what a review stores about a test, as lines."""
    lines = written(_timed(strength) or ((_RUNS,) if strength.acts else ()))
    return lines if strength.runs else (_SKIPPED, *lines)


def since_review(
    lines: tuple[str, ...], now: Strength, *, test: str, others: Sequence[Strength] = ()
) -> tuple[Change, ...]:
    """Return what got weaker or changed since these lines were written; empty if nothing did.

    What one of the `others` proves isn't asked of this test.
    """
    present = reviewed(now)
    if present == lines:
        return ()
    old, new = _remembered(lines), _remembered(present)
    if old is None or new is None:
        message = "its assertions are not those that were reviewed, and there are too many to compare"
        return (Change("changed", test, message, severity="warning"),)
    unknown = {line_of(fact) for fact in _timed(now) if not fact.moment}
    facts = tuple(replace(one, moment=0) if one.quote in unknown else one for one in new.facts)
    present_now = _with_skips(facts, now)
    told = ((one, _remembered(reviewed(one))) for one in others)
    held = [_with_skips(lines.facts, one) for one, lines in told if lines is not None]
    return since(apart_from(held, old, present_now), present_now, test=test)


def still_held(lines: Container[str], now: Strength) -> Strength:
    """Return a test with only those assertions that it was reviewed with and still makes."""
    return replace(now, facts=tuple(fact for fact in _timed(now) if line_of(fact) in lines))


def apart_from(others: Sequence[Strength], old: Strength, now: Strength) -> Strength:
    """Return the earlier state of a test without those lost assertions that one of the other tests makes instead."""
    taken: set[int] = set()
    lost = match_of(Paired("", "", old, now)).lost if others and now.runs else []
    lost = [fact for fact in lost if fact.claim != _RUNS.claim]  # says of each test only that it passes
    for other in others:
        made = [fact for fact in lost if not since(Strength((fact,)), other, test="")]
        if made and not since(Strength(tuple(made)), other, test=""):
            taken.update(map(id, made))
    return replace(old, facts=tuple(fact for fact in old.facts if id(fact) not in taken)) if taken else old


def _timed(strength: Strength) -> tuple[Fact, ...]:
    """Return the facts; of a table it isn't known what is made once for each row."""
    facts = strength.facts
    return facts if strength.rows <= 1 else tuple(replace(one, moment=0) for one in facts)


def since(old: Strength, now: Strength, *, test: str) -> tuple[Change, ...]:
    """Return what got weaker or changed in one test; empty if nothing did."""
    found = changes([Paired(test, test, old, now)]) if old != now else ()
    return tuple(one for one in found if one.severity != "note")


def replacing(old: Strength, now: Strength, *, test: str) -> tuple[Change, ...]:
    """Return what a test newly replaces of the code that its assertions are about."""
    found = since(old, now, test=test) if set(now.mocks) - set(old.mocks) else ()
    return tuple(one for one in found if one.kind == "mocked" and one.severity == "error")


def _remembered(lines: tuple[str, ...]) -> Strength | None:
    skipped = lines[:1] == (_SKIPPED,)
    facts = read(lines[1:] if skipped else lines)
    if facts is None:
        return None
    return Strength(facts=facts, skips=(Skipped("skip", always=True),) if skipped else ())


def _with_skips(facts: tuple[Fact, ...], now: Strength) -> Strength:
    return Strength(facts=facts, skips=now.skips, dead=now.dead, mocks=now.mocks)


def changes(
    pairs: Sequence[Paired],
    *,
    gone: frozenset[str] = frozenset(),
    touched: frozenset[str] = frozenset(),
    spelling: Spelling = AS_IT_WAS,
    beside: Beside = NOTHING,
) -> tuple[Change, ...]:
    """Return every change in the strength of these tests.

    `gone` are names that the product no longer defines, `touched` those in its changed lines, and `spelling` says what
    the changed definitions renamed.
    """
    matches = [match_of(pair) for pair in pairs]
    credit(matches)
    respell(matches, replace(spelling, moving=touched))
    for match in matches:
        pair = match.pair
        if pair.new is None and pair.old is not None and (match.lost or not pair.old.facts):
            match.repeated = beside.repeats(pair.before, pair.old)
    stand_by_fixture(matches, beside.asserts)
    fresh = {
        one.pair.after: replace(one.pair.new, facts=tuple(one.gained))
        for one in matches
        if one.pair.old is None and one.pair.new is not None
    }
    around = Around.of(gone, touched, fresh, beside, doubles=spelling.gone - gone)
    found = [change for match in matches for change in _told(match, around)]
    worse = {one.test for one in found if one.severity != "note"}
    kept = (one for one in found if one.kind != "stronger" or one.test not in worse)
    return tuple(sorted(kept, key=lambda one: (one.test, one.line, one.kind)))


def _told(match: Match, around: Around) -> Iterator[Change]:
    pair = match.pair
    if pair.old is None:
        return
    if pair.new is None:
        yield from _deleted(match, around)
        return
    yield from _skips(pair, pair.old, pair.new)
    if not pair.new.runs:
        return
    if _became_hollow(pair.old, pair.new, match) and not (
        pair.new.acts and (around.took_along(match.lost) or around.stirred(pair.old.acts))
    ):
        dead = pair.new.dead[0] if pair.new.dead else None
        why = f": {dead.why}" if dead else ""
        old = shown(pair.old.facts[0]) if pair.old.facts else "calls " + _names(pair.old.acts)
        line = dead.line if dead else 0
        yield change_of(
            "hollow", pair, f"nothing is left that can fail{why}", old=old, new=dead.quote if dead else "", line=line
        )
        return
    yield from losses_of(match, around)
    yield from _rows(match, pair.old, pair.new, around)
    yield from _steps(match, pair.old, pair.new, around)
    yield from _setup(match, pair.old, pair.new)
    yield from _tries(pair, pair.old, pair.new)
    yield from _mocks(match, pair.old, pair.new, around)
    yield from _judge(pair, pair.old, pair.new)
    yield from _gains(match)
    yield from _unread(pair, pair.old, pair.new)


def _became_hollow(old: Strength, new: Strength, match: Match) -> bool:
    if old.facts:
        return not new.facts and not new.unread and bool(match.lost)
    return bool(old.acts) and not old.unread and new.hollow


def _names(acts: Iterable[Expression]) -> str:
    return ", ".join(dict.fromkeys(term_text(one) if changing(one) else last_name(one) or "…" for one in acts))


def _deleted(match: Match, around: Around) -> Iterator[Change]:
    pair, old = match.pair, match.pair.old
    if old is None or not old.runs:
        yield change_of("deleted", pair, "the test is gone; it did not run", severity="note")
        return
    if match.repeated:
        return
    own = any(not fact.fixture for fact in old.facts)
    beside = around.asserted_beside(pair.before)
    match.lost = [fact for fact in match.lost if not any(keeps(fact, other, near=False) for other in beside)]
    if old.facts and not match.lost and (own or not old.acts):
        return
    less = list(say_less(pair, match.lost, around.fresh, "warning" if around.took_along(match.lost) else "error"))
    yield from (change for _, change in less)
    match.lost = [fact for fact in match.lost if not any(fact is one for one, _ in less)]
    if less and not match.lost:
        return
    first = next((fact for fact in match.lost if not fact.fixture), match.lost[0] if match.lost else None)
    shown_first = shown(first) if first is not None else "calls " + _names(old.acts)
    other = like(first, beside) if first is not None else None
    message, severity = _why_deleted(match, old, around)
    yield change_of("deleted", pair, message, old=shown_first, new=shown(other) if other else "", severity=severity)


def _why_deleted(match: Match, old: Strength, around: Around) -> tuple[str, Severity]:
    test, lost = match.pair.before, match.lost
    if lost and all(is_gone(fact, around.gone) for fact in lost):
        return "the test is gone, and so is the code it is about", "note"
    explained = _explained(test, lost, old, around)
    if explained:
        return f"the test is gone{explained}", "warning"
    if lost:
        return f"the test is gone: {len(lost)} of {len(old.facts)} assertions stand nowhere else", "error"
    return "the test is gone: it made sure that its calls do not fail", "error"


def _explained(test: str, lost: Sequence[Fact], old: Strength, around: Around) -> str:
    """Return what else in a change may explain a deleted test, or ""."""
    if around.took_along(lost) or around.stirred(old.acts):
        return "; the code it is about changed along with it"
    if around.speaks_of_gone(test):
        return ", and so is code that it names"
    if around.replaced(lost, old):
        return "; new tests assert something like it"
    if leaf(test) in around.tests:
        return "; a new test of its name asserts something else"
    if around.rewritten(test, lost):
        return "; a new test of its file asserts something else"
    return "; code that it is named for changed along with it" if around.is_named(test) else ""


def _skips(pair: Paired, old: Strength, new: Strength) -> Iterator[Change]:
    known = set(old.skips)
    already = not old.runs
    for skip in new.skips:
        if (
            skip in known
            or already
            or _is_known(skip, old.skips)
            or (skip.kind == "xfail" and skip.strict and old.facts == new.facts and not skip.always)
        ):
            continue
        verb = {"skip": "it is skipped", "xfail": "it may fail", "todo": "it counts as to do"}[skip.kind]
        where = "" if skip.always else " under a condition"
        sure = skip.always or _is_chosen(skip, old)
        yield change_of("skipped", pair, f"{verb}{where} now", old="runs", new=shown_skip(skip), line=skip.line,
                      severity="error" if sure else "warning")  # fmt: skip


def _is_chosen(skip: Skipped, old: Strength) -> bool:
    """Whether whoever runs a test, or what it tests, decides that it is skipped; not the platform it runs on."""
    if skip.condition is None or skip.kind == "xfail":
        return False
    asked = {part for part in terms_of(skip.condition) if isinstance(part, Call)}
    return reads_environment(skip.condition) or not asked.isdisjoint({*old.acts, *parts_in(*map(_CLAIM, old.facts))})


def _is_known(skip: Skipped, skips: Sequence[Skipped]) -> bool:
    return any(one.kind == skip.kind and one.condition == skip.condition and one.always == skip.always for one in skips)


def _tries(pair: Paired, old: Strength, new: Strength) -> Iterator[Change]:
    if old.tries is not None and new.tries is not None and new.tries < old.tries:
        severity: Severity = "error" if new.tries * 2 < old.tries else "warning"
        yield change_of("loosened", pair, "it is tried with fewer examples", old=f"{old.tries} examples",
                      new=f"{new.tries} examples", severity=severity)  # fmt: skip


def _rows(match: Match, old: Strength, new: Strength, around: Around) -> Iterator[Change]:
    """Yield a change for removed rows if the assertions are unchanged and no new test of the file may have them."""
    taken = around.beside.get(match.pair.after.partition("::")[0])
    fewer = new.rows < old.rows and (new.rows > 1 or len(new.facts) < len(old.facts))
    if fewer and not (match.lost or match.gained or taken):
        yield fewer_rows(match.pair, old, new)


def fewer_rows(pair: Paired, old: Strength, new: Strength) -> Change:
    """Return the change for removed rows; with none left nothing runs."""
    rows = ["1 row" if number == 1 else f"{number} rows" for number in (old.rows, new.rows)]
    severity: Severity = "warning" if new.rows else "error"
    return change_of("loosened", pair, "rows of it are gone", old=rows[0], new=rows[1], severity=severity)


def _steps(match: Match, old: Strength, new: Strength, around: Around) -> Iterator[Change]:
    """Yield changes for steps a test no longer takes, although it asserts the same.

    The steps could fail, or set up the case. Other steps in their place are noted if the product is unchanged: most are
    the same case in other words.
    """
    only_less = set(new.steps) <= set(old.acts)
    if old.steps == new.steps or old.facts != new.facts or not (only_less or not around.moving):
        return
    kept = parts_in(*(fact.claim for fact in new.facts)) | set(new.acts)
    links = {link for one in kept for link in _links(one)}
    kept |= {one for one in old.steps if _links(one) and _links(one) <= links}
    gone = [one for one in old.steps if one not in kept and not replaced_by(one)]
    sent = [one for one in new.steps if _is_sent(one) and _receiver(one) in map(_receiver, gone)]
    if sent:
        message = "an event is sent where a user might not be able to act"
        yield change_of("loosened", match.pair, message, old="calls " + _names(gone), new="calls " + _names(sent))
    elif any(_is_undone(one, new.steps) for one in gone):
        message = "a step of it changes its value in another way now, or not at all"
        yield change_of("subject", match.pair, message, old="calls " + _names(gone), severity="warning")
    elif gone:
        message = "a step of it is gone" if only_less else "a step of it is another one now"
        severity: Severity = "warning" if only_less else "note"
        yield change_of("subject", match.pair, message, old="calls " + _names(gone), severity=severity)


def _setup(match: Match, old: Strength, new: Strength) -> Iterator[Change]:
    """Yield a note for a step of a fixture or hook that is not taken any more, although the test asserts the same."""
    gone = [one for one in old.setup if one not in new.acts and not replaced_by(one)]
    if old.facts != new.facts or old.setup == new.setup or not gone:
        return
    come = [one for one in new.setup if one not in old.acts]
    message = "a step of its set-up is another one now" if come else "a step of its set-up is gone"
    both = ["calls " + _written(some) if some else "" for some in (gone, come)]
    yield change_of("subject", match.pair, message, old=both[0], new=both[1], severity="note")


def _written(acts: Iterable[Expression]) -> str:
    return ", ".join(map(term_text, acts))


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


def _mocks(match: Match, old: Strength, new: Strength, around: Around) -> Iterator[Change]:
    """Yield a change if the test itself replaces something its assertions are about, or what it ran until now."""
    pair = match.pair
    parts = parts_in(*(fact.claim for fact in old.facts))
    subjects = {last_name(part) for part in parts if isinstance(part, Name | Attribute)}
    later = {last_name(part) for part in parts_in(*(fact.claim for fact in new.facts))}
    for name in sorted(subjects & later & set(new.doubles) - set(old.doubles)):
        yield change_of("mocked", pair, f"something of the tests stands for {name!r}, which it asserts of", new=name)
    known = {target.rpartition(".")[2] for target in old.mocks}  # whichever file it was imported from
    own = frozenset().union(*map(replaced_by, new.steps))
    for target in new.mocks:
        name = target.rpartition(".")[2]
        severity: Severity = "warning" if of_the_language(target) else "error"
        if name in subjects - known:
            message = f"it replaces {target!r}, which its assertions are about"
            yield change_of("mocked", pair, message, new=target, severity=severity)
        elif name not in known and target in new.fixed and target not in own and _is_of_module(target, new, subjects):
            message = f"it sets {target!r}, a constant of what its assertions are about, to a value of its own"
            yield change_of("mocked", pair, message, new=target)
        elif name not in known and severity == "error":
            message = _inside_the_product(target, name) or _part_of_subject(target, parts)
            sole = not match.lost and set(old.acts) <= set(new.acts) and target in own
            if not message and sole and around.files.asks(name):
                message = f"it replaces {target!r}, which other tests assert of"
            if message:
                yield change_of("mocked", pair, message, new=target, severity="warning")


def _judge(pair: Paired, old: Strength, new: Strength) -> Iterator[Change]:
    """Yield a change if a function of the repository now decides whether an assertion fails."""
    if new.judge and not old.judge and old.facts:
        message = "its assertions are made by an `expect` of the repository's own, which may let anything pass"
        yield change_of("mocked", pair, message, new=f"expect of {new.judge}")


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


def _gains(match: Match) -> Iterator[Change]:
    pair = match.pair
    for old, new in match.tightened[:1]:
        yield facet_change("stronger", pair, "an assertion says more", old, new)
    if match.pair.old is not None and not match.lost and not match.tightened and match.gained:
        number = len(match.gained)
        words = "an assertion is new" if number == 1 else f"{number} assertions are new"
        yield change_of("stronger", pair, words, new=shown(match.gained[0]), line=match.gained[0].line)
    for skip in match.pair.old.skips if match.pair.old is not None else ():
        if skip.always and pair.new is not None and pair.new.runs:
            yield change_of("stronger", pair, "it runs again", old=shown_skip(skip), new="runs")


def _unread(pair: Paired, old: Strength, new: Strength) -> Iterator[Change]:
    fresh = [reason for reason in new.unread if reason not in old.unread]
    if fresh and len(new.unread) > len(old.unread):
        yield change_of("unread", pair, f"something could not be read: {fresh[0]}")
