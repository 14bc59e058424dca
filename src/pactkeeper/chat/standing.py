"""How main stands at its newest commit, by sweeps, completed fixes, build reports and runs of tests, and how it turned.

Every statement about main names its commit. Sources that disagree about a commit are all named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from pactkeeper.chat.answers import Finding, count
from pactkeeper.chat.commits import told_commit
from pactkeeper.chat.here import Here, Writing
from pactkeeper.chat.reports import built_reports
from pactkeeper.intent.health import FAILED, Sweep
from pactkeeper.operators.observe import TestRow

if TYPE_CHECKING:
    from pactkeeper.health.watching import Colour
    from pactkeeper.operators.colours import Moment, Turns
    from pactkeeper.workspace import Workspace

# Green, red: what the sources agree on. Disputed: they differ. Open: they do not tell. Untold: there is none.
Standing = Literal["green", "red", "disputed", "open", "untold"]


@dataclass(frozen=True, slots=True)
class _Source:
    """What one source says of main's newest commit; `green` is None if its words are in no table."""

    words: str
    green: bool | None
    lines: tuple[Finding, ...] = ()


def say_main(here: Here, said: Writing, *, past: bool) -> Standing:
    """Say in one sentence how main stands at its newest commit, and with its `past` when it last turned."""
    from pactkeeper.health.sweeping import tips_of_main  # noqa: PLC0415 - only questions about main need it
    from pactkeeper.operators.colours import main_turns  # noqa: PLC0415 - likewise

    if here.workspace.repository.head() is None:
        return "untold"
    turns = main_turns(here.workspace)
    tips = turns.line.tips or tips_of_main(here.workspace.repository)
    sources = [*_swept_sources(turns), *_fix_sources(here, tips), *_built_sources(here), *_test_sources(here, tips)]
    standing = _say_newest(said, " and ".join(one[:10] for one in tips), sources, turns)
    if past and turns.line.last is not None:
        _say_past(here, said, turns, green=standing == "green")
    return standing


def beyond_sweeps(workspace: Workspace, swept: Colour) -> tuple[Standing, str]:
    """How main stands by all sources, and the sentence on it if its sweeps alone, which say `swept`, tell less."""
    said = Writing()
    standing = say_main(Here(workspace), said, past=False)
    is_all = standing == swept or (swept == "not known" and standing in {"open", "untold"})
    return standing, "" if is_all else said.says[0].text


def _swept_sources(turns: Turns) -> list[_Source]:
    from pactkeeper.health.watching import colour  # noqa: PLC0415 - only questions about main need it

    last = turns.line.last
    seen = "not known" if last is None or turns.line.unswept else colour(last)
    if last is None or seen == "not known":
        return []
    return [_Source(f"its sweep of {_when(last.ended_at)} says {seen}", seen == "green")]


def _fix_sources(here: Here, tips: Sequence[str]) -> list[_Source]:
    """Return the last completed fix that is the newest commit and passed all checks that can turn main red."""
    from pactkeeper.operators.fix_tasks import list_fix_tasks  # noqa: PLC0415 - only questions about main need it

    done = [one for one in list_fix_tasks(here.workspace, ["done"]) if one.whole and [one.fix] == [*tips]]
    last = max(done, key=lambda one: one.finished_at, default=None)
    if last is None:
        return []
    when = f"at {_when(last.finished_at)}, when {last.id} was completed"
    return [_Source(f"{', '.join(last.checks)} passed {when}", green=True)]


def _built_sources(here: Here) -> list[_Source]:
    return [_Source(f"{one.path} says {one.outcome}", one.passed, one.lines) for one in built_reports(here)]


def _test_sources(here: Here, tips: Sequence[str]) -> list[_Source]:
    """Return what the last known runs of tests say of the newest commit; only failures say something of the whole."""
    from pactkeeper.intent.results import FAILING  # noqa: PLC0415 - only with a history

    rows = (one.row for one in here.states.values())
    failed = [row for row in rows if row is not None and row.outcome in FAILING and row.commit in tips]
    if not failed:
        return []
    names = ", ".join(sorted({one.source for one in failed}))
    return [_Source(f"{count(len(failed), 'test')} failed in {names}", green=False)]


def _say_newest(said: Writing, tip: str, sources: Sequence[_Source], turns: Turns) -> Standing:
    words = "; ".join(one.words for one in sources)
    lines = [line for one in sources for line in one.lines]
    greens = {one.green for one in sources}
    if len(greens) > 1:
        said.say(f"What is known of main at {tip} differs: {words}.", "verified", *lines)
        return "disputed"
    if None in greens:
        said.say(f"Whether main is green at {tip} is not known: {words}.", "missing", *lines)
        return "open"
    if greens:
        standing: Standing = "green" if greens == {True} else "red"
        said.say(f"Main is {standing} at {tip}: {words}.", "verified", *lines)
        return standing
    if turns.line.last is None:
        return "untold"
    said.say(f"Whether main is green at {tip} is not known: {_unseen(turns.line.last, turns)}.", "missing")
    return "open"


def _unseen(last: Sweep, turns: Turns) -> str:
    """Say why the last sweep doesn't tell how main stands."""
    from pactkeeper.health.watching import colour  # noqa: PLC0415 - only questions about main need it

    seen, at = colour(last), told_sweep(last)
    if not turns.line.unswept:
        return f"its sweep of {_when(last.ended_at)} could not judge it"
    was = "could not be judged" if seen == "not known" else f"was {seen}"
    return f"{at}, {was} and lacks {count(turns.line.unswept, 'commit')} of main"


def _say_past(here: Here, said: Writing, turns: Turns, *, green: bool) -> None:
    """Say how main last turned by its sweeps; if it is `green` without one, they say nothing of how long."""
    from pactkeeper.health.watching import colour  # noqa: PLC0415 - only questions about main need it

    since, red = turns.since, turns.red
    if red is not None:
        say_red(here, said, red)
    mended = red is not None and red.again is not None
    if since is not None and since != turns.line.last and not mended and not (green and colour(since) == "red"):
        said.say(f"Every sweep of main since {told_sweep(since)}, was {colour(since)}.", "verified")
    if turns.before is not None and since is not None and colour(since) == "red" and not green:
        said.say(f"Main was last green at {told_sweep(turns.before)}.", "verified")


def say_window(here: Here, said: Writing, failing: Sequence[TestRow]) -> bool:
    """Report the commits that turned main red if these tests failed at or after them; return whether they did."""
    from pactkeeper.operators.colours import main_turns  # noqa: PLC0415 - only where something fails

    seen = {state.row.commit for row in failing if (state := here.states[row.id]).row is not None}
    turns = main_turns(here.workspace) if seen else None
    if turns is None or turns.red is None or seen.isdisjoint(one.commit for one in turns.line.sweeps):
        return False
    return say_turn(here, said, turns.red)


def say_red(here: Here, said: Writing, red: Moment) -> None:
    """Report the commits that turned main red, what failed, and where it was green again, as far as sweeps tell."""
    is_told = say_turn(here, said, red)
    failed = [
        f"{one.check} ({one.reason})" if one.reason else one.check for one in red.sweep.results if one.verdict in FAILED
    ]
    then = "What failed then, at" if is_told else "What failed at"
    said.say(f"{then} {told_sweep(red.sweep)}: {', '.join(failed) or red.sweep.infrastructure}.", "verified")
    if not is_told:
        _say_alone(here, said, red.sweep)
    if red.again is not None:
        said.say(f"A sweep was green again at {told_sweep(red.again)}.", "verified")


def _say_alone(here: Here, said: Writing, sweep: Sweep) -> None:
    """Name the commit of a red sweep, and say if the one before it was not looked at."""
    from pactkeeper.operators.colours import MOST, health_timeline  # noqa: PLC0415 - only questions about main need it

    at = next((at for at, one in enumerate(here.past) if one.commit == sweep.commit), None)
    if at is None:
        return
    said.say(f"That is commit {told_commit(here.past[at])}", "verified")
    before = {one.commit for one in here.past[at + 1 : at + 2]}
    if before.isdisjoint(one.sweep.commit for one in health_timeline(here.workspace, limit=MOST)):
        said.say("No sweep of the commit before it is known, so an earlier one may have turned main red.", "missing")


def say_turn(here: Here, said: Writing, red: Moment) -> bool:
    """Report the commits since main was last green before it turned red; return whether a sweep saw it green."""
    if red.window is None:
        return False
    commits = {commit for commit, _ in red.window.commits}
    by = "this commit" if len(commits) == 1 else "one of these commits"
    said.say(f"Main turned red after {red.window.good[:10]}, by {by}:", "verified")
    for one in here.past:
        if one.commit in commits:
            said.say(f"commit {told_commit(one)}", "verified")
    return True


def told_sweep(sweep: Sweep) -> str:
    """Name a sweep by its commit and its time."""
    return f"{sweep.commit[:10]}, swept {_when(sweep.ended_at)}"


def _when(at: str) -> str:
    return f"{datetime.fromisoformat(at).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
