"""What broke on some days: main by its sweeps, tests by their runs, and what nothing looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import TYPE_CHECKING

from pactkeeper.chat.answers import Answer, count
from pactkeeper.chat.commits import Wanted, day_of
from pactkeeper.chat.here import Here, Writing, some
from pactkeeper.chat.knowing import iso, named_days
from pactkeeper.chat.standing import say_main, say_red, told_sweep
from pactkeeper.chat.words import Question
from pactkeeper.repo.line_history import Revision

if TYPE_CHECKING:
    from pactkeeper.operators.colours import Moment


def broke_in(here: Here, question: Question) -> Answer:
    """Report how main stands, if the days of a question go on, and what turned red then, from each source."""
    said, days = here.writing(), Wanted(days=named_days(question))
    past = here.past
    commits = {one.commit for one in past if days.takes(one)}
    if all(one.side == "from" for one, _ in days.days) or any(one.commit in commits for one in past[:1]):
        say_main(here, said, past=False)
    seen = {*_say_sweeps(here, said, days, commits), *_say_tests(here, said, days, commits)}
    unseen = len(commits - seen)
    if unseen:
        words = f"{unseen:,} of {count(len(commits), 'commit')}{days}"
        said.say(f"No sweep and no run of a test is known at {words}; something may have broken there.", "missing")
    return said.answer("what_broke", next=("pk health timeline", "pk evidence show"))


def _say_sweeps(here: Here, said: Writing, days: Wanted, commits: AbstractSet[str]) -> list[str]:
    """Report the sweeps on these days or of their commits, and what the latter broke; return the swept commits."""
    from pactkeeper.operators.colours import MOST, health_timeline  # noqa: PLC0415 - only this question needs it

    moments = health_timeline(here.workspace, limit=MOST)
    _say_end(said, days, moments, here.past)
    found = [one for one in moments if one.sweep.commit in commits or days.fits(day_of(one.sweep.ended_at), "")]
    if not found:
        said.say(f"No sweep{days} is known.", "missing")
        return []
    tally = ", ".join(f"{number:,} {name}" for name, number in sorted(Counter(one.colour for one in found).items()))
    said.say(f"{count(len(found), 'sweep')}, the last on {day_of(found[0].sweep.ended_at)}: {tally}.", "computed")
    place = {one.commit: at for at, one in enumerate(here.past)}
    reds = {one.sweep.commit: one for one in found if one.colour == "red"}
    mine = [commit for commit, one in reds.items() if not commits.isdisjoint(_may_have_broken(one))]
    mine.sort(key=lambda commit: place.get(commit, -1))
    for red in said.first(mine, "pk health timeline"):
        say_red(here, said, reds[red])
    if others := [one[:10] for one in reds if one not in mine]:
        said.say(f"Red at commits of other days: {some(others, 'pk health timeline')}.", "verified")
    return [one.sweep.commit for one in found]


def _may_have_broken(red: Moment) -> list[str]:
    """Return the commits of which one broke what a red sweep saw."""
    return [red.sweep.commit, *(commit for commit, _ in (red.window.commits if red.window else ()))]


def _say_end(said: Writing, days: Wanted, moments: Sequence[Moment], past: Sequence[Revision]) -> None:
    """Say how main stood at its newest commit when the days were over, if they are."""
    ends = [(replace(one, side="until"), text) for one, text in days.days if one.side != "from"]
    last = next((one for one in past if Wanted(days=ends).takes(one)), None) if ends else None
    if last is None:
        return
    seen = next((one for one in moments if one.sweep.commit == last.commit and one.colour != "not known"), None)
    day, text = ends[-1]
    newest = f"main's newest commit until {iso(day) if day.year and day.day else text.removeprefix('until ')}"
    how = f"Main was {seen.colour} at {told_sweep(seen.sweep)}" if seen else f"No sweep judged {last.commit[:10]}"
    said.say(f"{how}: {newest}, of {day_of(last.at)}.", "verified" if seen else "missing")


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
        of = f"{count(len(commits), 'commit')}{days}"
        known = f"Runs of single tests are known at {len(ran):,} of {of}; in these, none failed that had passed."
        said.say(known if ran else f"No run of a single test is known at {of}.", "computed" if ran else "missing")
    return ran
