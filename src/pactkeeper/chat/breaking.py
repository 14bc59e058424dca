"""What broke on some days: main by its sweeps, tests by their runs, and what nothing looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set as AbstractSet

from pactkeeper.chat.answers import Answer, count
from pactkeeper.chat.commits import Wanted, day_of
from pactkeeper.chat.here import Here, Writing
from pactkeeper.chat.knowing import named_days
from pactkeeper.chat.reports import built_reports
from pactkeeper.chat.standing import say_red
from pactkeeper.chat.words import Question


def broke_in(here: Here, question: Question) -> Answer:
    """Report what turned red on the days of a question, from each source, and which of them say nothing."""
    said, days = here.writing(), Wanted(days=named_days(question))
    past = here.past
    commits = {one.commit for one in past if days.takes(one)}
    seen = {*_say_sweeps(here, said, days, commits), *_say_tests(here, said, days, commits)}
    reports = built_reports(here) if past and past[0].commit in commits else None
    for one in reports or ():
        said.say(f"{one.path} says {one.outcome} of main's newest commit.", "quoted", *one.lines)
    if reports == []:
        said.say("No build report is about main's newest commit.", "missing")
    unseen = len(commits - seen)
    if unseen:
        words = f"{unseen:,} of {count(len(commits), 'commit')}{days}"
        said.say(f"No sweep and no run of a test is known at {words}; something may have broken there.", "missing")
    return said.answer("what_broke", next=("pk health timeline", "pk evidence show"))


def _say_sweeps(here: Here, said: Writing, days: Wanted, commits: AbstractSet[str]) -> list[str]:
    """Report the sweeps on these days or of their commits, newest first, and each red one; return the swept commits."""
    from pactkeeper.operators.colours import MOST, health_timeline  # noqa: PLC0415 - only this question needs it

    moments = health_timeline(here.workspace, limit=MOST)
    found = [one for one in moments if one.sweep.commit in commits or days.fits(day_of(one.sweep.ended_at), "")]
    if not found:
        said.say(f"No sweep{days} is known.", "missing")
        return []
    tally = ", ".join(f"{number:,} {name}" for name, number in sorted(Counter(one.colour for one in found).items()))
    said.say(f"{count(len(found), 'sweep')}, the last on {day_of(found[0].sweep.ended_at)}: {tally}.", "computed")
    place = {one.commit: at for at, one in enumerate(here.past)}
    reds = {one.sweep.commit: one for one in found if one.colour == "red"}
    for one in said.first(sorted(reds.values(), key=lambda one: place.get(one.sweep.commit, -1)), "pk health timeline"):
        say_red(here, said, one)
    return [one.sweep.commit for one in found]


def _say_tests(here: Here, said: Writing, days: Wanted, commits: AbstractSet[str]) -> AbstractSet[str]:
    """Report the tests that failed after a run in which they did not; return at which of the commits tests ran."""
    if not here.workspace.has_history:
        said.say("No run of a test is known.", "missing")
        return frozenset()
    from pactkeeper.store.attestations import commits_of_outcomes, test_turns  # noqa: PLC0415 - SQL

    history, tests = here.workspace.history(), {row.id: row for row in here.scan.tests}
    ran = commits & frozenset(commits_of_outcomes(history))
    found = [one for one in test_turns(history) if days.fits(day_of(one.at), "")]
    for one in said.first(found, "pk evidence show"):
        where = f"at {one.commit[:10]}" if one.commit else "with uncommitted changes"
        before = "after it had passed" if one.passed else "in its first known run"
        lines = [here.test(tests[one.test])] if one.test in tests else []
        said.say(f"{one.test} failed {where} on {day_of(one.at)}, {before} ({one.source}).", "verified", *lines)
    if commits and not found:
        known = f"Runs of single tests are known at {len(ran):,} of {count(len(commits), 'commit')}{days}"
        said.say(f"{known}; in these, none failed that had passed.", "computed" if ran else "missing")
    return ran
