"""What became of each assertion that was not found again, the most certain explanation first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pactkeeper.intent.claims import Call, Claim, Expression, Name, Value, descendants
from pactkeeper.intent.strength.awaiting import Awaiting, is_plan, makes_all
from pactkeeper.intent.strength.becoming import FINDERS, Finder, asked
from pactkeeper.intent.strength.change import Change, Paired, Severity, change_of, facet_change, shown
from pactkeeper.intent.strength.covering import keeps
from pactkeeper.intent.strength.facts import MORE_ROWS, TOO_MANY, Fact, Strength, as_firm, implies, no_narrower, rank
from pactkeeper.intent.strength.faking import of_the_language
from pactkeeper.intent.strength.inputs import other_input
from pactkeeper.intent.strength.matching import WATCHING, Match
from pactkeeper.intent.strength.replaced import (
    BUILTIN,
    WORD,
    Around,
    Offers,
    all_parts,
    called,
    is_flag,
    names_of,
    pins,
    still_stand,
    written,
)
from pactkeeper.intent.strength.terms import (
    is_part,
    last_name,
    operator_of,
    parts_in,
    read_through,
    terms_of,
)

_REWRITTEN: Final = "the test asserts nothing that it asserted, but something else"
_MOST_PAIRS: Final = 2_000  # of lost and new assertions in one test; beyond it, each is compared with only a few
_FEW: Final = 20
_NEXT_TO_NOTHING: Final = 2  # the rank of mere existence
_CLOCKS: Final = frozenset({"now", "time", "monotonic", "perf_counter"})  # a helper that waits may wait in another way
_OWN: Final = frozenset({"touched", "changed"})


def is_gone(fact: Fact, gone: frozenset[str]) -> bool:
    """Whether an assertion refers to a name that the product no longer defines."""
    return bool(gone & set(map(last_name, parts_in(fact.claim))))


def losses_of(match: Match, around: Around) -> Iterator[Change]:
    """Yield what each lost assertion became, the most certain explanation first."""
    pair = match.pair
    free = [fact for fact in match.gained if not any(fact is new for _, new in match.tightened)]
    many = len(match.lost) * len(free) > _MOST_PAIRS
    awaiting = Awaiting.of(pair.was, pair.now)
    offers = Offers([fact for fact in free if not is_plan(fact)])
    explaining = _Explaining(pair, around, awaiting, offers, free, many=many)
    became = explaining.became(match.lost)
    moved = around.stirred(pair.was.acts)
    standing = still_stand(pair.was, pair.now)
    anew = len(match.lost) == len(pair.was.facts) and any(map(pins, match.gained))
    unread = _unread_anew(pair)
    told: set[tuple[str, str, str]] = set()
    for fact, change in zip(match.lost, became, strict=True):
        one = change or _removed(fact, explaining, moved=moved) or _unlike(fact, match, awaiting)
        stands_dead = change is not None and change.kind == "removed"
        if one.kind == "removed" and one.severity == "error" and not stands_dead and (anew or fact.quote in standing):
            message = _REWRITTEN if anew else "the same line is about something else now"
            one = replace(one, kind="changed", message=message, severity="warning")
        one = _unless_unread(one, fact, unread, pair.now)
        key = (one.kind, one.old, one.new)
        if key not in told:
            told.add(key)
            yield one


def _unless_unread(one: Change, fact: Fact, unread: Sequence[str], new: Strength) -> Change:
    """Return the change as no more than a warning if what became of the assertion may be among what is unread."""
    became = [each.quote for each in new.facts if each.line == one.line and each.quote]  # with a matcher of its own
    may = (line for line in unread if _may_stand(fact, line, new) or any(quote in line for quote in became))
    why = next(may, "")
    if not why or one.severity != "error":
        return one
    return replace(one, severity="warning", message=f"{one.message}; what may stand for it cannot be read: {why}")


def _unread_anew(pair: Paired) -> list[str]:
    """Return the unreadable source lines of the later test, except those it had before."""
    old, new = ([line.partition(": ")[2] or line for line in one.unread] for one in (pair.was, pair.now))
    return [line for line in new if line in {TOO_MANY, MORE_ROWS} or line not in old]


def _may_stand(fact: Fact, unread: str, new: Strength) -> bool:
    """Whether an assertion may be among what is unread: a later row makes it, or a line names what it is about."""
    if unread == MORE_ROWS:
        return any(other.quote == fact.quote for other in new.facts)
    words = set(WORD.findall(unread)).union(*(names_of(one) for one in new.facts if one.quote and one.quote in unread))
    given = (act for act in new.acts if last_name(act) in words)  # a call in that line, which may be of its value
    return unread == TOO_MANY or bool(names_of(fact) & words) or any(is_part(fact.claim.subject, act) for act in given)


def _removed(fact: Fact, explaining: _Explaining, *, moved: bool) -> Change | None:
    """Return the change that explains a removed assertion; None if nothing does."""
    pair, around, offers = explaining.pair, explaining.around, explaining.offers
    unplanned = _unplanned(fact, explaining) if is_plan(fact) else None
    if unplanned is not None and not (moved and unplanned.severity == "error"):
        return unplanned
    if is_gone(fact, around.gone):
        message = "an assertion is gone, and so is the code it is about"
        return change_of("removed", pair, message, old=shown(fact), severity="note")
    kept = next((other for other in offers.facts if keeps(fact, other, near=True)), None)
    if kept is not None:
        return facet_change("changed", pair, "another assertion expects as much", fact, kept, severity="note")
    if moved or around.took_along([fact]) or around.is_named(pair.before):
        other = next((one for one in explaining.free if _is_of_another_kind(fact.claim, one.claim)), None)
        if other is not None:
            return facet_change("expectation", pair, "another result is expected", fact, other)
        message = "an assertion is gone; the code it is about changed along with it"
        return change_of("removed", pair, message, old=shown(fact), severity="warning")
    failing = next(filter(_expects_error, explaining.free), None)
    if failing is not None and explaining.awaiting.reporting(fact.claim) is not None:
        message = "an error is expected of another call, which is awaited"
        return facet_change("changed", pair, message, fact, failing)
    other = offers.stand_in(fact, alike=False) or around.elsewhere.stand_in(fact, alike=True)
    if other is not None:
        return facet_change("changed", pair, "another assertion stands in its place", fact, other)
    return None


def _unlike(fact: Fact, match: Match, awaiting: Awaiting) -> Change:
    """Build the change for a removed assertion; it is no proven loss if its kind can be written in many ways."""
    wide = next((new for _, new in match.tightened if _says_instead(fact, new)), None)
    if wide is not None:
        message = "a case of its own is like the others now"
        return facet_change("changed", match.pair, message, fact, wide)
    like = next((one for one in match.gained if _says_alike(fact, one)), None)
    if like is not None:
        return facet_change("changed", match.pair, "the test asserts something else of its own values", fact, like)
    timed = called(parts_in(fact.claim))
    unsure = (timed and timed <= _CLOCKS) or any(operator_of(one) == "unless-raised" for one in fact.conditions)
    unsure = unsure or (is_flag(fact.claim.subject) and awaiting.tells)  # what set it may end the test now
    severity: Severity | None = "warning" if unsure else None  # an error might have ended the attempt before it
    return change_of("removed", match.pair, "an assertion is gone", old=shown(fact), line=0, severity=severity)


def _expects_error(fact: Fact) -> bool:
    return fact.claim.relation == "raises" and not fact.claim.negated


def _is_of_another_kind(old: Claim, new: Claim) -> bool:
    """Whether the same call is to raise another error, or to warn of another kind."""
    watching = old.relation in WATCHING and old.relation == new.relation and not (old.negated or new.negated)
    return watching and old.object == new.object is not None


def _says_instead(fact: Fact, one: Fact) -> bool:
    """Whether what another case expected of a value is expected in every case now, at least as firmly."""
    wider = bool(fact.conditions) and not one.conditions
    return wider and one.claim.subject == fact.claim.subject and as_firm(fact.claim, one.claim)


def _says_alike(fact: Fact, one: Fact) -> bool:
    """Whether both are about types, compared as text, or the new one pins something down in a rewritten test.

    The latter applies if the old one said next to nothing, or was about something the test itself fills.
    """
    if fact.claim.relation == one.claim.relation == "has_type":
        return True
    own = any(operator_of(part) in _OWN for part in terms_of(fact.claim.subject))
    return pins(one) and (own or rank(fact.claim) <= _NEXT_TO_NOTHING)


def _unplanned(fact: Fact, explaining: _Explaining) -> Change:
    """Build the change for a test that doesn't state any more how many assertions it makes, or when it is done."""
    pair, awaiting = explaining.pair, explaining.awaiting
    done = last_name(fact.claim.subject) == "done"
    counted = any(is_plan(one) for one in pair.now.facts)
    if counted or makes_all(pair.now):
        message = "every assertion of the test is reached and awaited without it"
        return change_of("removed", pair, message, old=shown(fact), severity="note")
    if done and awaiting.waits():
        message = "what told it that it is done is awaited now"
        return change_of("unawaited", pair, message, old=shown(fact), severity="note")
    if done:
        return change_of("unawaited", pair, "nothing waits until it is done any more", old=shown(fact))
    if awaiting.converted:
        message = "callbacks that it counted are awaited now; nothing counts the other ones"
        return change_of("removed", pair, message, old=shown(fact), severity="warning")
    return change_of("removed", pair, "an assertion is gone", old=shown(fact))


@dataclass(frozen=True, slots=True)
class _Explaining:
    """The search for what lost assertions became; `free` are new ones that none became, `many` that few are tried."""

    pair: Paired
    around: Around
    awaiting: Awaiting
    offers: Offers
    free: list[Fact]
    many: bool

    def became(self, lost: Sequence[Fact]) -> list[Change | None]:
        """Return what each lost assertion became: the most certain explanation of any of them is found first.

        Before that, one pairs with the one that says the same of the same literals.
        """
        alike: defaultdict[Hashable, list[Fact]] = defaultdict(list)
        for other in self.free:
            alike[_said_of_literals(other)].append(other)
        keys = map(_said_of_literals, lost)
        twins = [alike[key].pop(0) if key is not None and alike[key] else None for key in keys]
        found = [self._first(fact, twin) if twin is not None else None for fact, twin in zip(lost, twins, strict=True)]
        for finder in FINDERS:
            for at, fact in enumerate(lost):
                found[at] = found[at] or self._explained(fact, finder)
        return [change or _dead_now(fact, self.pair) for fact, change in zip(lost, found, strict=True)]

    def _first(self, fact: Fact, twin: Fact) -> Change | None:
        changes = (self._explained(fact, finder, [twin]) for finder in FINDERS)
        return next(filter(None, changes), None)

    def _explained(self, fact: Fact, finder: Finder, among: Sequence[Fact] = ()) -> Change | None:
        free = [other for other in among or self.free if is_plan(other) is is_plan(fact)]
        near = [other for other in free if other.quote == fact.quote][:_FEW] if self.many else free
        pairs = ((other, finder(fact, other, self.pair)) for other in near)
        other, change = next(((other, change) for other, change in pairs if change is not None), (fact, None))
        if change is None:
            return None
        if change.kind == "loosened":  # the product may return something else now
            changed = _read_anew(fact, other) or not implies(fact, other) or self._says_elsewhere(fact)
            stored = other.claim.relation == "snapshot" and self.around.files.stores(self.pair.after)
            excused = stored or (changed and self.around.took_along([fact]))
            return replace(change, severity="warning") if excused else change
        raised = any(operator_of(one) == "raised" for one in other.conditions)  # nothing is asserted where nothing is
        if change.kind == "conditional" and self.around.took_along([fact]) and not raised:
            return replace(change, severity="warning")
        self.free.remove(other)
        if not is_plan(other):
            self.offers.take(other, fact)
        return self._as_told(change, fact, other)

    def _says_elsewhere(self, fact: Fact) -> bool:
        """Whether most words that an assertion expected are expected of something else now, at least as firmly."""
        words = _expected_words(fact.claim)
        said = (_expected_words(one.claim) for one in self.free if as_firm(fact.claim, one.claim))
        return any(len(words & one) > len(words - one) for one in said)

    def _as_told(self, change: Change, fact: Fact, other: Fact) -> Change:
        """Return the change of an assertion's subject with what the rest of the change says about it."""
        if change.kind in {"subject", "mocked"} and self.around.exchanged(fact, other):
            return replace(change, message="the same is asserted with another fake", severity="note")
        if change.kind != "subject":
            return change
        if _is_of_another_class(fact, other, self.around):
            return replace(change, message="the same is asserted of another class", severity="warning")
        if _is_of_another_function(fact, other, self.around):
            return replace(change, message="the same is asserted of what another function returns", severity="warning")
        if self._uses_less(fact, other):
            return replace(change, message="the same is asserted without a part of the product", severity="warning")
        return replace(change, severity="note") if _has_moved(fact, other, self.around) else change

    def _uses_less(self, fact: Fact, other: Fact) -> bool:
        """Whether an assertion names less, and the test no longer something imported that it was made with."""
        named, still_named = (sum(isinstance(part, Name) for part in parts_in(one.claim)) for one in (fact, other))
        if still_named >= named:
            return False
        old, new = self.pair.was, self.pair.now
        foreign = {one.rpartition(".")[2] for one in old.sources if not of_the_language(one)}
        used = {name for part in parts_in(fact.claim) if isinstance(part, Name) and (name := part.name) in foreign}
        still = {
            part.name
            for part in all_parts(new.acts) | parts_in(*(each.claim for each in new.facts))
            if isinstance(part, Name)
        }
        return bool(used - still - self.around.gone - self.around.doubles)


def _said_of_literals(fact: Fact) -> Hashable:
    """Return what an assertion says, and the literals that it says it of in order; None if there are none."""
    claim = fact.claim
    literals = tuple(part for part in descendants(claim.subject) if isinstance(part, Value))
    return (claim.relation, claim.negated, claim.object, fact.conditions, literals) if literals else None


def _expected_words(claim: Claim) -> frozenset[str]:
    """Return the words that a claim expects; of an error, whose call is the object, those of its text."""
    expected = [extra.value for extra in claim.qualifiers] if claim.relation in WATCHING else [claim.object]
    return written(part for one in expected if one is not None for part in terms_of(one))


def _read_anew(fact: Fact, other: Fact) -> bool:
    """Whether a value is pinned down as before, and only the way it is read from the product has changed."""
    return fact.claim.subject != other.claim.subject and fact.claim.relation == other.claim.relation == "equals"


def _dead_now(fact: Fact, pair: Paired) -> Change | None:
    """Return the change for an assertion that is still in the source but can no longer fail."""
    if any(other.quote == fact.quote for other in pair.now.facts):
        return None  # another row reaches it
    words = fact.quote.split()
    dead = next((one for one in pair.now.dead if one.quote and one.quote.split() == words), None)
    if dead is None:
        return None
    message = f"an assertion can no longer fail: {dead.why}"
    return change_of("removed", pair, message, old=shown(fact), new=dead.quote, line=dead.line)


def _has_moved(fact: Fact, other: Fact, around: Around) -> bool:
    """Whether only names in the product's changed lines differ, as when an option moves into a group."""
    return no_narrower(other, fact) and not other_input(fact.claim, other.claim, around.moving)


def _is_of_another_class(fact: Fact, other: Fact, around: Around) -> bool:
    """Whether the object that is asked is of another class, although its earlier class is still there."""
    one, two = _class_of(fact.claim.subject), _class_of(other.claim.subject)
    return "" not in {one, two} and one != two and one not in around.gone | around.doubles


def _is_of_another_function(fact: Fact, other: Fact, around: Around) -> bool:
    """Whether another function is asked, although the earlier one is still there."""
    one, two = asked(fact.claim), asked(other.claim)
    if fact.claim.relation.startswith("called"):
        return False  # it is the fake that is another one
    if not (isinstance(one, Call) and isinstance(two, Call)) or last_name(one) == last_name(two):
        return False
    of_language = isinstance(one.function, Name) and one.function.name in BUILTIN
    return not of_language and last_name(one) not in around.gone | around.doubles


def _class_of(one: Expression) -> str:
    """Return the class of the object that a value is read from or asked of; "" if it isn't made there."""
    names = (last_name(part) for part in read_through(one) if isinstance(part, Call))
    return next((name for name in names if name[:1].isupper()), "")
