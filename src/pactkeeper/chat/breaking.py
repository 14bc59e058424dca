"""What broke on some days: main by its sweeps, tests by their runs, and what nothing looked at."""

from __future__ import annotations

from collections import Counter

from pactkeeper.chat.answers import Answer, count
from pactkeeper.chat.commits import MOST_COMMITS, Wanted, day_of
from pactkeeper.chat.here import Here, Writing
from pactkeeper.chat.knowing import named_days
from pactkeeper.chat.reports import built_reports
from pactkeeper.chat.standing import say_turn
from pactkeeper.chat.words import Question
from pactkeeper.repo.line_history import past_of


def broke_in(here: Here, question: Question) -> Answer:
    """Report what turned red on the days of a question, from each source, and which of them say nothing."""
    said, days = here.writing(), Wanted(days=named_days(question))
    past = past_of(here.workspace.repository, most=MOST_COMMITS)
    seen = {*_say_sweeps(here, said, days), *_say_tests(here, said, days)}
    reports = built_reports(here) if past and days.takes(past[0]) else None
    for one in reports or ():
        said.say(f"{one.path} says {one.outcome} of main's newest commit.", "quoted", *one.lines)
    if reports == []:
        said.say("No build report is about main's newest commit.", "missing")
    commits = [one for one in past if days.takes(one)]
    unseen = [one for one in commits if one.commit not in seen]
    if unseen:
        words = f"{len(unseen):,} of {count(len(commits), 'commit')}{days}"
        said.say(f"No sweep and no run of a test is known at {words}; something may have broken there.", "missing")
    return said.answer("what_broke", next=("pk health timeline", "pk evidence show"))


def _say_sweeps(here: Here, said: Writing, days: Wanted) -> list[str]:
    """Report how many sweeps there were and where main turned red; return the swept commits."""
    from pactkeeper.operators.colours import MOST, health_timeline  # noqa: PLC0415 - only this question needs it

    found = [one for one in health_timeline(here.workspace, limit=MOST) if days.fits(day_of(one.sweep.ended_at), "")]
    if not found:
        said.say(f"No sweep{days} is known.", "missing")
        return []
    tally = ", ".join(f"{number:,} {name}" for name, number in sorted(Counter(one.colour for one in found).items()))
    said.say(f"{count(len(found), 'sweep')}, the last on {day_of(found[0].sweep.ended_at)}: {tally}.", "computed")
    for one in (moment for moment in reversed(found) if moment.window is not None):
        say_turn(here, said, one)
    return [one.sweep.commit for one in found]


def _say_tests(here: Here, said: Writing, days: Wanted) -> list[str]:
    """Report the tests that failed after a run in which they did not; return the commits at which tests ran."""
    from pactkeeper.store.attestations import test_runs, test_turns  # noqa: PLC0415 - SQL

    history = here.workspace.history() if here.workspace.has_history else None
    runs = [commit for commit, at in test_runs(history) if days.fits(day_of(at), "")] if history else []
    if history is None or not runs:
        said.say(f"No run of a test{days} is known.", "missing")
        return []
    tests = {row.id: row for row in here.scan.tests}
    found = [one for one in test_turns(history) if days.fits(day_of(one.at), "")]
    for one in said.first(found, "pk evidence show"):
        where = f"at {one.commit[:10]}" if one.commit else "with uncommitted changes"
        before = "after it had passed" if one.passed else "in its first known run"
        lines = [here.test(tests[one.test])] if one.test in tests else []
        said.say(f"{one.test} failed {where} on {day_of(one.at)}, {before} ({one.source}).", "verified", *lines)
    if not found:
        said.say(f"No test that passed before failed in the known runs{days}.", "missing")
    return runs
