"""Rules that a project declares, and as sentences: every subject selected by `where` must meet `needs`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from pactkeeper.advice import ACCEPT, COMMIT, EDIT, SUPERSEDE, Advice, filled, joined
from pactkeeper.intent.atoms import Atom, Commitment
from pactkeeper.intent.invariants.items import RuleItem, items_of, selects
from pactkeeper.intent.invariants.rule import Assess, Case, Facts, Judgement, Violation, not_checked
from pactkeeper.intent.links import FIRM_LINKS, LinkedTest
from pactkeeper.intent.pact import Invariant
from pactkeeper.intent.patterns import matcher
from pactkeeper.intent.signatures import Unverified

# The value of a `needs` key as in `pact/invariants.toml`: a number, a flag or texts.
Wanted = Any
Shortfall = Callable[[Case, RuleItem, Wanted], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Need:
    """The check behind a `needs` key, and the smallest fix; `{id}` in it is the subject.

    `tests` and `evidence` say what must be known to judge it; `absence` means that something missing makes it fail.
    """

    falls_short: Shortfall
    fix: str
    tests: bool = False
    evidence: bool = False
    absence: bool = False


def _counted(noun: str, number: int) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _at_least(noun: str, count: Callable[[RuleItem], int]) -> Shortfall:
    def falls_short(_case: Case, item: RuleItem, wanted: Wanted) -> Iterator[str]:
        if count(item) < wanted:
            yield f"has {_counted(noun, count(item))}, needs at least {wanted:,}"

    return falls_short


def _at_most(noun: str, count: Callable[[RuleItem], int]) -> Shortfall:
    def falls_short(_case: Case, item: RuleItem, wanted: Wanted) -> Iterator[str]:
        if count(item) > wanted:
            yield f"has {_counted(noun, count(item))}, may have {wanted:,} at most"

    return falls_short


def _each_atom(problem: Callable[[Case, Atom, Wanted], str]) -> Shortfall:
    def falls_short(case: Case, item: RuleItem, wanted: Wanted) -> Iterator[str]:
        for atom in item.atoms:
            if text := problem(case, atom, wanted):
                yield _about(item, atom.id, text)

    return falls_short


def _each_test(problem: Callable[[Case, LinkedTest, Wanted], str]) -> Shortfall:
    def falls_short(case: Case, item: RuleItem, wanted: Wanted) -> Iterator[str]:
        for entry in item.tests:
            if text := problem(case, entry, wanted):
                yield _about(item, entry.test.id, text)

    return falls_short


def _about(item: RuleItem, name: str, text: str) -> str:
    return text if name == item.id else f"{name} {text}"


def _few(noun: str, count: Callable[[Atom], int]) -> Callable[[Case, Atom, Wanted], str]:
    return lambda _case, atom, wanted: (
        "" if count(atom) >= wanted else f"has {_counted(noun, count(atom))}, needs at least {wanted:,}"
    )


def _quality(case: Case, atom: Atom, wanted: Wanted) -> str:
    quality = case.assess(atom)
    if not quality.judged:
        return f"has words that the rules do not read ({quality.language}), needs quality {wanted}"
    return "" if quality.score >= wanted else f"has quality {quality.score}, needs at least {wanted}"


def _category(_case: Case, atom: Atom, wanted: Wanted) -> str:
    return "" if atom.category in wanted else f"is in category {atom.category}, not in {_or(wanted)}"


def _tags(_case: Case, atom: Atom, wanted: Wanted) -> str:
    missing = [tag for tag in wanted if tag not in atom.tags]
    return f"has no tag {' and no tag '.join(missing)}" if missing else ""


def _committed(case: Case, atom: Atom, wanted: Wanted) -> str:
    if case.pact.is_committed(atom.id) is bool(wanted):
        return ""
    return "is not committed" if wanted else "is committed"


def _signed(case: Case, item: RuleItem, wanted: Wanted) -> Iterator[str]:
    unsigned = [acts for acts in item.acts(case) if any(_is_signed(case, one) for one in acts) is not bool(wanted)]
    if unsigned and wanted:
        yield "is not committed" if not all(unsigned) else "is committed without a signature that holds"
    elif unsigned:
        yield "is committed with a signature"


def _is_signed(case: Case, commitment: Commitment) -> bool:
    examined = (case.facts.verified or {}).get(commitment.id)
    refuted = isinstance(examined, Unverified) and examined.flaw != "not checked"
    return commitment.signature is not None and not refuted


def _by(case: Case, item: RuleItem, wanted: Wanted) -> Iterator[str]:
    others = [acts for acts in item.acts(case) if not any(one.by in wanted for one in acts)]
    if others:
        who = dict.fromkeys(one.by for acts in others for one in acts)
        yield f"was committed by {_or(who)}, not by {_or(wanted)}" if who else "is not committed"


def _proven(case: Case, entry: LinkedTest, wanted: Wanted) -> str:
    found = (case.facts.evidence or {}).get(entry.test.id)
    state = found.state if found is not None else "none"
    if (state == "proven") is bool(wanted):
        return ""
    reason = f": {found.reason}" if found is not None and found.reason else ""
    words = {"none": "has no known outcome", "failing": "fails", "stale": "was not run as it is now"}
    return f"{words.get(state, 'has passed')}{'' if state == 'none' else reason}"


def _reviewed(_case: Case, entry: LinkedTest, wanted: Wanted) -> str:
    record = entry.record
    seen = set() if record is None else {*record.atoms, *record.annotated}
    settled = bool(entry.links) and all(
        link.atom in seen and link.state in FIRM_LINKS - {"inherited"} for link in entry.links
    )
    if settled is bool(wanted):
        return ""
    return "has links not reviewed in their current state" if wanted else "has reviewed links"


def _carrier(_case: Case, entry: LinkedTest, wanted: Wanted) -> str:
    others = dict.fromkeys(link.carrier for link in entry.links if link.carrier not in wanted)
    return f"is linked in a {_or(others)}, not in a {_or(wanted)}" if others else ""


def _path(_case: Case, item: RuleItem, wanted: Wanted) -> Iterator[str]:
    matches = matcher(tuple(wanted))
    for entry in item.tests:
        if not matches(entry.test.file):
            yield _about(item, entry.test.id, f"is not under {_or(wanted)}")


def _or(names: Iterable[str]) -> str:
    return " or ".join(names)


NEEDS: Final[Mapping[str, Need]] = {
    "min_tests": Need(
        _at_least("linked test", lambda item: len(item.tests)),
        "paste above one more test: @atom {id}",
        tests=True,
        absence=True,
    ),
    "max_tests": Need(
        _at_most("linked test", lambda item: len(item.tests)), "take {id} out of the links of one test", tests=True
    ),
    "min_atoms": Need(_at_least("atom", lambda item: len(item.atoms)), ACCEPT("{id}")),
    "max_atoms": Need(_at_most("atom", lambda item: len(item.atoms)), "take one atom out of it"),
    "min_outcomes": Need(
        _each_atom(_few("outcome", lambda atom: len(atom.outcomes))), "add an outcome: " + EDIT("{id}")
    ),
    "min_falsifiers": Need(
        _each_atom(_few("falsifier", lambda atom: len(atom.falsified_by))), "add a falsifier: " + EDIT("{id}")
    ),
    "min_quality": Need(_each_atom(_quality), "reword it: " + EDIT("{id}")),
    "category": Need(_each_atom(_category), "correct the category: " + EDIT("{id}")),
    "tags": Need(_each_atom(_tags), "add the tag in pact/atoms"),
    "committed": Need(_each_atom(_committed), COMMIT("{id}")),
    "signed": Need(_signed, COMMIT("--sign KEY {id}")),
    "by": Need(_by, "let one of them commit it, or a successor of what is frozen: " + SUPERSEDE("IA-…", "--edit")),
    "proven": Need(_each_test(_proven), "run the test, then: pk evidence import REPORT", tests=True, evidence=True),
    "reviewed": Need(_each_test(_reviewed), ACCEPT("{id}"), tests=True),
    "carrier": Need(_each_test(_carrier), "move the links: pk annotate", tests=True),
    "path": Need(_path, "move the test", tests=True),
}


MOST_NAMED: Final = 3
# Conditions that cannot be evaluated while no tests are known.
OF_TESTS: Final = frozenset({"path", "language", "framework"})


def judge_declared(case: Case, rule: Invariant) -> Judgement:
    """Judge a project's rule over everything in scope."""
    if rule.every is None:
        return not_checked("it is in words, which no key can check")
    unknown = _unknown(case, rule)
    if unknown:
        return not_checked(unknown)
    chosen = selects(rule)
    meant = [item for item in items_of(case, rule.every) if chosen(case, item)]
    selected = [item for item in meant if not _is_excused(case, rule, item)]
    found = [one for item in selected if (one := _violation(case, rule, item)) is not None]
    noun = rule.every if len(selected) == 1 else f"{rule.every}s"
    if found:
        return Judgement("failed", f"not held by {len(found):,} of {len(selected):,} {noun}", tuple(found))
    excused = len(meant) - len(selected)
    more = f"; {excused:,} more by an override that a commitment records" if excused else ""
    return Judgement("passed", f"held by {len(selected):,} {noun}{more}")


def _is_excused(case: Case, rule: Invariant, item: RuleItem) -> bool:
    """Whether commitments of all atoms of an item overrode the rule with a reason: that can't be made undone."""
    return bool(item.atoms) and all(case.excused(rule.id, atom.id) for atom in item.atoms)


def fix_of(rule: Invariant) -> Advice:
    """Return the smallest fix for each key of the rule, with ID as the subject."""
    return joined("; ", dict.fromkeys(filled(NEEDS[name].fix, id="ID") for name in rule.needs))


def contexts_of(rule: Invariant) -> Mapping[str, str]:
    """Return the contexts in which the rule is judged, and its scope in each."""
    if rule.every is None:
        return {"nowhere": "it is in words, which no key can check"}
    whole = f"every {rule.every} that `where` selects"
    asked = {"test": "tests of the atoms to be committed", "commitment": "the commitment itself"}
    found = {"check": whole, "invariant test": whole}
    if any(NEEDS[name].evidence for name in rule.needs):
        found["check"] = "not checked: test outcomes are known only to the history"
    if rule.every != "molecule":
        found["commit"] = asked.get(rule.every, "the atoms to be committed")
    return found


def _unknown(case: Case, rule: Invariant) -> str:
    """Return what is needed to judge the rule but not known here, or ""."""
    needs = [NEEDS[name] for name in rule.needs]
    of_tests = rule.every == "test" or OF_TESTS & rule.where.keys() or any(one.tests for one in needs)
    if of_tests and case.facts.linked is None:
        return "tests are unknown here"
    if any(one.evidence for one in needs) and case.facts.evidence is None:
        return "test outcomes are unknown without the history"
    return ""


def _violation(case: Case, rule: Invariant, item: RuleItem) -> Violation | None:
    short = [(need, text) for need, wanted in _needs(rule) for text in need.falls_short(case, item, wanted)]
    if not short or (_may_be_hidden(case, item) and all(need.absence for need, _ in short)):
        return None
    texts = list(dict.fromkeys(text for _, text in short))
    more = f", and {len(texts) - MOST_NAMED} more" if len(texts) > MOST_NAMED else ""
    said = "; ".join(texts[:MOST_NAMED]) + more
    fixes = dict.fromkeys(filled(need.fix, id=item.id) for need, _ in short)
    return Violation(
        item.id,
        f"{said} ({in_words(rule)})",
        path=item.path,
        line=item.line,
        fix=joined("; ", fixes),
        basis="; ".join(texts),
        about=rule.id,
    )


def _needs(rule: Invariant) -> Iterator[tuple[Need, Mapping[str, object] | object]]:
    for name, wanted in rule.needs.items():
        yield NEEDS[name], wanted


def _may_be_hidden(case: Case, item: RuleItem) -> bool:
    """Whether its tests may be in a file that could not be read, so that they cannot be called missing."""
    return not case.facts.unseen.isdisjoint(item.homes)


Phrase = Callable[[Any], str]


def in_words(rule: Invariant) -> str:
    """Return the rule's wording: the project's own, or a sentence built from its keys."""
    if rule.rule:
        return rule.rule
    if rule.every is None:
        return ""
    which = " ".join((f"Every {rule.every}", *(WHERE[name](wanted) for name, wanted in rule.where.items())))
    return f"{which} {' and '.join(NEED_PHRASES[name](wanted) for name, wanted in rule.needs.items())}."


def _not(flag: object) -> str:
    return "" if flag else "not "


def _count(bound: str, noun: str) -> Phrase:
    return lambda wanted: f"has {bound} {wanted} {noun if wanted == 1 else noun + 's'}"


WHERE: Final[Mapping[str, Phrase]] = {
    "category": lambda wanted: f"in category {_or(wanted)}",
    "tag": lambda wanted: f"tagged {_or(wanted)}",
    "status": lambda wanted: f"that is {_or(wanted)}",
    "source": lambda wanted: f"from {_or(wanted)}",
    "path": lambda wanted: f"at {_or(wanted)}",
    "language": lambda wanted: f"in {_or(wanted)}",
    "framework": lambda wanted: f"run by {_or(wanted)}",
    "by": lambda wanted: f"committed by {_or(wanted)}",
    "since": lambda wanted: f"committed since {wanted}",
}
NEED_PHRASES: Final[Mapping[str, Phrase]] = {
    "min_tests": _count("at least", "linked test"),
    "max_tests": _count("at most", "linked test"),
    "min_atoms": _count("at least", "atom"),
    "max_atoms": _count("at most", "atom"),
    "min_outcomes": _count("at least", "outcome"),
    "min_falsifiers": _count("at least", "falsifier"),
    "min_quality": lambda wanted: f"has a quality of {wanted} or more",
    "category": lambda wanted: f"is in category {_or(wanted)}",
    "tags": lambda wanted: f"is tagged {' and '.join(wanted)}",
    "committed": lambda wanted: f"is {_not(wanted)}committed",
    "signed": lambda wanted: f"is {_not(wanted)}committed with a signature",
    "by": lambda wanted: f"is committed by {_or(wanted)}",
    "proven": lambda wanted: f"is {_not(wanted)}proven",
    "reviewed": lambda wanted: f"is {_not(wanted)}reviewed as it is",
    "carrier": lambda wanted: f"is linked by {_or(wanted)}",
    "path": lambda wanted: f"lies at {_or(wanted)}",
}


@dataclass(frozen=True, slots=True)
class Impact:
    """The ids of the atoms and tests affected by a rule, sorted; `unknown` says why that can't be determined."""

    atoms: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    unknown: str = ""


def impact_of(old: Invariant, new: Invariant, facts: Facts, *, assess: Assess) -> Impact:
    """Return what has to change when `new` replaces `old`.

    A rule stated only in words is not checked, so the subjects of the old rule are what to review.
    """
    case = Case.of(facts, assess)
    if new.every is None:
        return _gathered(_selected(case, old))
    judged = judge_declared(case, replace(new, enabled=True))
    if judged.status == "not checked":
        return Impact(unknown=judged.reason)
    broken = {one.subject for one in judged.violations}
    return _gathered(item for item in items_of(case, new.every) if item.id in broken)


def _selected(case: Case, rule: Invariant) -> Iterable[RuleItem]:
    if rule.every is None:
        return ()
    chosen = selects(rule)
    return (item for item in items_of(case, rule.every) if chosen(case, item))


def _gathered(items: Iterable[RuleItem]) -> Impact:
    found = list(items)
    atoms = {atom.id for item in found for atom in item.atoms}
    tests = {entry.test.id for item in found for entry in item.tests}
    return Impact(tuple(sorted(atoms)), tuple(sorted(tests)))
