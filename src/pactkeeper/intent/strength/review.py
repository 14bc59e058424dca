"""What a test proves now, compared with its state at review or with any earlier state of the code.

Every assertion of the earlier state must be found again: unchanged or stronger in the same test, or among new
assertions anywhere, each of which counts once. One that is not found is matched with its replacement, to say how it
changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Final

from pactkeeper.intent.claims import Claim, Expression, Name
from pactkeeper.intent.strength.change import (
    DIGEST,
    Change,
    Paired,
    Severity,
    change_of,
    facet_change,
    shown,
    shown_row,
    shown_skip,
)
from pactkeeper.intent.strength.codec import line_of, read, written
from pactkeeper.intent.strength.deletion import deletion
from pactkeeper.intent.strength.doing import JUDGES, calls, doings, replacements
from pactkeeper.intent.strength.facts import Fact, Skipped, Strength, implies
from pactkeeper.intent.strength.losses import losses_of
from pactkeeper.intent.strength.matching import (
    AS_IT_WAS,
    Match,
    Spelling,
    credit,
    grown,
    match_of,
    respell,
    spare,
    stand_by_fixture,
)
from pactkeeper.intent.strength.replaced import NOTHING, Around, Beside
from pactkeeper.intent.strength.skipping import doubted, skip_changes
from pactkeeper.intent.strength.terms import last_name
from pactkeeper.ledger.canonical import by_key

_CLAIM = attrgetter("claim")
_SKIPPED = "!skipped"
_NOT_IN_LINES: Final = frozenset({"grown", "expectation"})
_BESIDE: Final = frozenset({"mocked", "skipped"})  # these stand beside the assertions
_MOST_GONE: Final = 8  # rows that a message shows
_RUNS = Fact(Claim("completes", Name("test")))  # all that is left of a test that only calls


def reviewed(strength: Strength) -> tuple[str, ...]:
    """Return what a review stores about a test, as lines."""
    lines = written(_timed(strength) or ((_RUNS,) if strength.acts else ()))
    return lines if strength.runs else (_SKIPPED, *lines)


def since_review(
    lines: tuple[str, ...], now: Strength, *, test: str, others: Sequence[Strength] = (), whole: bool = False
) -> tuple[Change, ...]:
    """Return what got weaker or changed since these lines were written; empty if nothing did.

    What one of the `others` proves isn't asked of this test. `whole` is as in `since`.
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
    return since(apart_from(held, old, present_now, whole=whole), present_now, test=test, whole=whole)


def is_shortened(lines: Iterable[str]) -> bool:
    """Whether a term of these lines was too long for them, so that they say only whether it is the same."""
    return any(DIGEST.search(line) for line in lines)


def still_held(lines: Container[str], now: Strength) -> Strength:
    """Return a test with only those assertions that it was reviewed with and still makes."""
    return replace(now, facts=tuple(fact for fact in _timed(now) if line_of(fact) in lines))


def apart_from(others: Sequence[Strength], old: Strength, now: Strength, *, whole: bool = False) -> Strength:
    """Return the earlier state of a test without what it lost and one of the other tests does instead."""
    taken: set[int] = set()
    lost = match_of(Paired("", "", old, now)).lost if others and now.runs else []
    lost = [fact for fact in lost if fact.claim != _RUNS.claim]  # says of each test only that it passes
    helping: list[Strength] = []
    for other in others:
        made = [fact for fact in lost if not since(Strength((fact,)), other, test="", whole=whole)]
        if made and not since(Strength(tuple(made)), other, test="", whole=whole):
            taken.update(map(id, made))
            helping.append(other)
    if not taken:
        return old
    done = {step for other in helping for step in other.steps}
    steps = tuple(one for one in old.steps if one in now.steps or one not in done)
    return replace(old, facts=tuple(fact for fact in old.facts if id(fact) not in taken), steps=steps)


def _timed(strength: Strength) -> tuple[Fact, ...]:
    """Return the facts; of a table it isn't known what is made once for each row."""
    facts = strength.facts
    return facts if strength.rows <= 1 else tuple(replace(one, moment=0) for one in facts)


def since(old: Strength, now: Strength, *, test: str, whole: bool = False) -> tuple[Change, ...]:
    """Return what got weaker or changed in one test; empty if nothing did.

    Of a test that may be another one, the `whole` of what was asserted is asked, also of which values it was asserted.
    """
    pair = Paired(test, test, old, now)
    found = changes([pair]) if old != now else ()
    worse = tuple(one for one in found if one.severity != "note")
    return worse or (tuple(_unlike(pair)) if whole else ())


def _unlike(pair: Paired) -> Iterator[Change]:
    """Yield the assertions that the later test doesn't make, whatever it makes in their place."""
    for fact in match_of(pair).lost:
        message = "it doesn't assert what was reviewed"
        yield change_of("removed", pair, message, old=shown(fact), severity="warning")


def needs_both(now: Strength) -> bool:
    """Whether the lines of a review can't say all that may have become of a test since."""
    return bool(now.mocks or now.skips or now.judge or now.runner)


def excused(old: Strength, now: Strength, *, test: str) -> tuple[Change, ...]:
    """Return what lines of a review can't say: what newly keeps assertions from failing, and steps taken more often.

    What keeps them from failing is a skip, a fake of their subject, another judge. Lines have no order either, so they
    can't say that answers change places.
    """
    found = since(old, now, test=test)
    sure = [one for one in found if one.kind in _NOT_IN_LINES or (one.kind in _BESIDE and one.severity == "error")]
    return (*sure, *doubted(found, now))


def _remembered(lines: tuple[str, ...]) -> Strength | None:
    skipped = lines[:1] == (_SKIPPED,)
    facts = read(lines[1:] if skipped else lines)
    if facts is None:
        return None
    return Strength(facts=facts, skips=(Skipped("skip", always=True),) if skipped else ())


def _with_skips(facts: tuple[Fact, ...], now: Strength) -> Strength:
    return Strength(facts=facts, skips=now.skips, dead=now.dead, mocks=now.mocks, inline=now.inline)


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
        if one.pair.before != one.pair.after and one.pair.new is not None
    }
    around = Around.of(gone, touched, fresh, beside, doubles=spelling.gone - gone, grown=dict(grown(matches)),
                       about=gone | (spelling.about or touched), spare=spare(matches))  # fmt: skip
    found = [change for match in matches for change in _told(match, around)]
    worse = {one.test for one in found if one.severity != "note"}
    kept = (one for one in found if one.kind != "stronger" or one.test not in worse)
    return tuple(sorted(kept, key=lambda one: (one.test, one.line, one.kind)))


def _told(match: Match, around: Around) -> Iterator[Change]:
    pair = match.pair
    if pair.old is None:
        return
    if pair.new is None:
        yield from deletion(match, around)
        return
    yield from skip_changes(pair)
    if not pair.new.runs:
        return
    explained = pair.new.acts and (around.took_along(match.lost) or around.stirred(pair.old.acts))
    if _became_hollow(match) and not explained:
        yield _hollow(pair)
        return
    yield from losses_of(match, around)
    yield from _exchanged(pair)
    yield from _rows(match, around)
    yield from doings(pair, around)
    yield from _tries(pair)
    yield from replacements(match, around)
    yield from _judge(pair)
    yield from _gains(match)
    yield from _unread(pair)


_ANSWERS: Final[Mapping[str, str]] = {"equals": "equal", "same": "equal", "truthy": "true", "falsy": "true"}


def _exchanged(pair: Paired) -> Iterator[Change]:
    """Yield that a test which does the same expects its answers in another order."""
    was, now = _answers(pair.was), _answers(pair.now)
    for asked, before in was.items() if pair.was.steps == pair.now.steps else ():
        after = now.get(asked, [])
        if before != after and Counter(before) == Counter(after):
            one, other = next(each for each in zip(before, after, strict=True) if each[0] != each[1])
            yield facet_change("expectation", pair, "another result is expected", one, other, severity="warning")


def _answers(strength: Strength) -> Mapping[tuple[Expression, str], list[Fact]]:
    """Return what is expected of one expression that has several answers, in order: its state changes in between.

    Only what was read from a source has an order.
    """
    placed = (fact for fact in strength.facts if fact.line and fact.moment and not (fact.conditions or fact.claim.each))
    given = (fact for fact in placed if fact.claim.relation in _ANSWERS)
    found = by_key(((fact.claim.subject, _ANSWERS[fact.claim.relation]), fact) for fact in given)
    return {asked: facts for asked, facts in found.items() if len(set(facts)) > 1}


def _became_hollow(match: Match) -> bool:
    old, new = match.pair.was, match.pair.now
    if old.facts:
        return not new.facts and not new.unread and bool(match.lost)
    return bool(set(map(last_name, old.acts)) - JUDGES) and not old.unread and new.hollow


def _hollow(pair: Paired) -> Change:
    old = shown(pair.was.facts[0]) if pair.was.facts else calls(pair.was.acts)
    message = "nothing is left that can fail"
    around = not pair.was.facts and set(pair.was.acts) <= set(pair.was.setup)  # only its surroundings could fail
    severity: Severity = "warning" if around else "error"
    if not pair.now.dead:
        return change_of("hollow", pair, message, old=old, severity=severity)
    dead = pair.now.dead[0]
    message = f"{message}: {dead.why}"
    return change_of("hollow", pair, message, old=old, new=dead.quote, line=dead.line, severity=severity)


def _tries(pair: Paired) -> Iterator[Change]:
    old, new = pair.was, pair.now
    if old.tries is not None and new.tries is not None and new.tries < old.tries:
        severity: Severity = "error" if new.tries * 2 < old.tries else "warning"
        yield change_of("loosened", pair, "it is tried with fewer examples", old=f"{old.tries} examples",
                      new=f"{new.tries} examples", severity=severity)  # fmt: skip


def _rows(match: Match, around: Around) -> Iterator[Change]:
    """Yield a change for removed rows if the assertions are unchanged and no new test of the file may have them."""
    pair, old, new = match.pair, match.pair.was, match.pair.now
    fewer = new.rows < old.rows and (new.rows > 1 or len(new.facts) < len(old.facts))
    anew = any(one.literals is None for one in around.beside.get(pair.after.partition("::")[0], ()))
    if fewer and not (match.lost or match.gained or anew):
        yield fewer_rows(pair, old, new)


def fewer_rows(pair: Paired, old: Strength, new: Strength) -> Change:
    """Return the change for removed rows; with none left nothing runs."""
    rows = ["1 row" if number == 1 else f"{number} rows" for number in (old.rows, new.rows)]
    gone = [shown_row(row) for row in old.table if row not in new.table]
    message = "rows of it are gone" + (f": {', '.join(gone[:_MOST_GONE])}" if gone else "")
    message += f" and {len(gone) - _MOST_GONE:,} more" if len(gone) > _MOST_GONE else ""
    severity: Severity = "warning" if new.rows else "error"
    return change_of("loosened", pair, message, old=rows[0], new=rows[1], severity=severity)


def _judge(pair: Paired) -> Iterator[Change]:
    """Yield a change if a function of the repository now decides whether an assertion fails, or declares the test."""
    old, new = pair.was, pair.now
    name = new.judge.partition(" ")[0]
    if new.judge and not old.judge and any(fact.via or name in fact.quote for fact in old.facts):
        message = f"its assertions are made by an `{name}` of the repository's own, which may let anything pass"
        yield change_of("mocked", pair, message, new=new.judge)
    declared: tuple[tuple[str, str, str, Severity], ...] = (
        (new.runner, old.runner, " and may let a failure pass", "error"),
        (new.relay, old.relay or old.runner, "", "warning"),
    )
    for own, before, more, severity in declared:
        if own and not before:
            message = f"the repository's own `{own.partition(' ')[0]}` declares it now{more}"
            yield change_of("mocked", pair, message, new=own, severity=severity)


def _gains(match: Match) -> Iterator[Change]:
    pair = match.pair
    for old, new in match.tightened[:1]:
        yield facet_change("stronger", pair, "an assertion says more", old, new)
    gained = [one for one in match.gained if not any(map(partial(_said_more, one), pair.was.facts))]
    if gained and not (match.lost or match.tightened):
        number = len(gained)
        words = "an assertion is new" if number == 1 else f"{number} assertions are new"
        yield change_of("stronger", pair, words, new=shown(gained[0]), line=gained[0].line)
    for skip in pair.was.skips:
        if skip.always and pair.now.runs:
            yield change_of("stronger", pair, "it runs again", old=shown_skip(skip), new="runs")


def _said_more(new: Fact, old: Fact) -> bool:
    """Whether an earlier assertion of the same value said what a new one says, and more."""
    return new.claim.subject == old.claim.subject and new != old and implies(old, new)


def _unread(pair: Paired) -> Iterator[Change]:
    old, new = pair.was, pair.now
    fresh = [reason for reason in new.unread if reason not in old.unread]
    if fresh and len(new.unread) > len(old.unread):
        yield change_of("unread", pair, f"something could not be read: {fresh[0]}")
