"""What commits say of the past: which mention a subject, changed some lines, or turned main red."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from shlex import quote
from typing import Final

from pactkeeper.chat.answers import Finding, count
from pactkeeper.chat.here import MOST, MOST_COMMITS, Here, Writing, place_of
from pactkeeper.chat.knowing import bare, without_days, words_of_name
from pactkeeper.chat.matching import ideas_of, is_name
from pactkeeper.chat.searching import MOST_OF, Passage, occurring, share_of, weighed
from pactkeeper.chat.words import Question, forms_of, is_light, terms_in
from pactkeeper.errors import GitFailed
from pactkeeper.repo.line_history import (
    Revision,
    committed_bytes,
    counts_of,
    lines_of,
    past_of,
    reason_of,
    revisions_of,
)
from pactkeeper.speech.dates import Date, apart, dates_in

MOST_TOLD: Final = 3  # commits reported per place
MOST_REVISED: Final = 30  # commits of some lines among which those of a day or person are sought
MOST_TRIED: Final = 10  # places tried per commit
OPENING: Final = 2  # opening words in which a question can ask for the past; a later `when` merely joins sentences
LOST: Final = 3  # a word that no commit has may be one of so many besides it
MOST_LETTERS: Final = 300  # characters of a reason
_LISTING: Final = "git log --date=short --format='%h %ad %an: %s'"
WHY: Final = frozenset({"why", "warum", "weshalb", "wieso"})
PAST: Final = "when"  # the idea shared by words that ask for the past
Span = tuple[str, int, int]  # a path, first and last line; last is 0 for the whole file


def asks_when(question: Question) -> bool:
    """Whether a question opens with a word that asks for the past: `since when`, `who`, `seit wann`."""
    return any(asks_past(one) for one in question.words[:OPENING])


def asks_past(word: str) -> bool:
    """Whether a word asks for the past."""
    return PAST in ideas_of(word)


def asks_why(question: Question) -> bool:
    """Whether a question asks for a reason."""
    return any(one.lower() in WHY for one in question.words)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which commits or commitments are meant: those of all of the days and people, in `path`, none `told` already.

    `days` and `people` have the words by which they are named. `each` means that they are listed by person.
    """

    told: frozenset[str] = frozenset()
    days: Sequence[tuple[Date, str]] = ()
    people: Sequence[str] = ()
    path: str = ""
    each: bool = False

    @property
    def narrow(self) -> bool:
        """Whether days or people are named, or everybody is meant."""
        return bool(self.days or self.people or self.each)

    def takes(self, one: Revision) -> bool:
        """Whether a commit is meant."""
        return one.commit not in self.told and self.fits(day_of(one.at), one.by)

    def fits(self, day: str, by: str) -> bool:
        """Whether something done on a day by somebody is meant."""
        on = not any(apart(one, at) for one, _ in self.days for at in dates_in(day))
        return on and words_of_name(by).issuperset(map(bare, self.people))

    def terms(self, question: Question) -> tuple[str, ...]:
        """Return the words besides days and people that commits must have: all but those with which one asks."""
        words = (one for one in without_days(question, question.subject) if one not in self.people)
        return terms_in(one for one in words if not (is_light(one) or ideas_of(one)))

    def __str__(self) -> str:
        """The days, people and path in words."""
        by = [f" by {' '.join(self.people)}"] if self.people else []
        days = [f" {'of ' if day.side == 'on' else ''}{text}" for day, text in self.days]
        return "".join((*by, *days, *([f" in {self.path}"] if self.path else [])))


def day_of(at: str) -> str:
    """Return the day of a time in the time zone of who asks."""
    return datetime.fromisoformat(at).astimezone().date().isoformat()


EVERY: Final = Wanted()


def _left_by(here: Here, one: Revision) -> Iterator[Finding]:
    """Yield lines that a commit was the last to change, code first."""
    wrote = [here.lines(path, first, last) for path, first, last in lines_of(here.workspace.repository, one.commit)]
    wrote.sort(key=lambda place: here.kinds.get(place.source) != "code")
    for place in wrote[:MOST_TRIED]:
        if place.line and _last_changed(here, place) == one.commit:
            yield place


def say_commits(
    here: Here, words: Sequence[str], said: Writing, *, why: bool = False, wanted: Wanted = EVERY
) -> frozenset[str]:
    """Report commits whose subject line has most of the telling words, each with lines it was the last to change.

    Returns those that were reported.

    With `why`, each is followed by what its message says below that line. A question that names only days or people
    means all of their commits; the answer says so if there are none.
    """
    forms = forms_of([one for one in terms_in(words) if not asks_past(one)]).values()
    past = past_of(here.workspace.repository, wanted.path, most=MOST_COMMITS) if forms or wanted.narrow else ()
    past = tuple(one for one in past if wanted.takes(one))
    known = occurring(forms, [one.subject for one in past])
    lost = [form.word for form in forms if form not in known]
    if len(lost) > len(known) // LOST or (wanted.narrow and not past):
        if wanted.narrow:
            lacks = (
                f"has in its first line all of: {', '.join(form.word for form in forms)}" if past else "is known here"
            )
            said.say(f"No commit{wanted} {lacks}.", "missing")
        return frozenset()
    weights = weighed([one.subject for one in past], known)
    judged = [(share_of(one.subject, weights), one) for one in past]
    meant = [one for share, one in sorted(judged, key=lambda row: -row[0]) if share >= MOST_OF or not forms]
    if meant and lost:
        said.say(f"No commit has in its first line: {', '.join(lost)}.", "missing")
    if wanted.each and not forms:
        return _say_by_person(said, meant, wanted)
    authors = {name_of(one) for one in meant} if wanted.people else ()
    reported = said.first(meant, _listing(wanted, *authors), most=MOST_TOLD if forms else MOST)
    for one in reported:
        said.say(f"commit {told_commit(one)}", "verified", *islice(_left_by(here, one), 1))
        if why:
            _say_reason(here, said, one)
    return frozenset(one.commit for one in reported)


def _say_by_person(said: Writing, found: Sequence[Revision], wanted: Wanted) -> frozenset[str]:
    """Report commits by their authors, who made the most first."""
    by: dict[str, list[Revision]] = {}
    for one in found:
        by.setdefault(name_of(one), []).append(one)
    reported: list[Revision] = []
    for name in said.first(sorted(by, key=lambda name: -len(by[name])), _listing(wanted)):
        said.say(f"{name}: {count(len(by[name]), 'commit')}.", "verified")
        mine = said.first(by[name], _listing(wanted, name))
        for one in mine:
            said.say(f"commit {told_commit(one)}", "verified")
        reported += mine
    return frozenset(one.commit for one in reported)


def nearest_commits(here: Here, words: Sequence[str]) -> list[Revision]:
    """Return the last commits whose subject line has most of the words, and all but one of three."""
    forms = forms_of(words).values()
    past = here.past if forms else ()
    known = occurring(forms, [one.subject for one in past])
    if not known or len(forms) - len(known) > len(known) // LOST:
        return []
    weights = weighed([one.subject for one in past], known)
    return [one for one in past if share_of(one.subject, weights) >= MOST_OF][:MOST_TOLD]


def _say_reason(here: Here, said: Writing, one: Revision) -> None:
    reason = reason_of(here.workspace.repository, one.commit)
    if reason:
        said.say(f"commit {one.commit[:10]} goes on: {reason[:MOST_LETTERS]}", "verified")


def _alone(name: str) -> re.Pattern[bytes]:
    """Match a name where it is no part of a longer one."""
    return re.compile(rb"(?<!\w)%b(?!\w)" % re.escape(name.encode()))


def defined_at(here: Here, terms: Sequence[str], places: Sequence[Passage]) -> Span | None:
    """Return the whole definition of the first term that is a name, in a file of these places; None if none has it."""
    name = next((one for one in terms if is_name(one)), "").rpartition(".")[2]
    paths = dict.fromkeys(one.path for one in places if one.kind == "code")
    found = ((path, one) for path in paths for one in here.outline(path) if one.name.rpartition(".")[2] == name)
    return next(((path, one.line, one.last) for path, one in found), None) if name else None


def say_origin(
    here: Here, said: Writing, terms: Sequence[str], places: Sequence[Passage], *, absent: Container[str]
) -> None:
    """Report since which commit a name stands in the file that defines it, or which one took it out of every file.

    `absent` are the names that no file has.
    """
    name = next((one for one in terms if is_name(one)), "")
    if not name:
        return
    alone, last = _alone(name), name.rpartition(".")[2]
    code = sorted((one for one in places if one.kind == "code"), key=lambda one: one.inside != last)
    place = next((one for one in code if alone.search(here.snapshot.read(one.path) or b"")), None)
    if place is not None:
        for one in counts_of(here.workspace.repository, name, place.path, most=MOST_COMMITS)[-1:]:
            said.say(
                f"{name} stands in {place.path} since commit {told_commit(one)}", "verified", place_of(here, place)
            )
    elif name in absent:
        for one in counts_of(here.workspace.repository, name, most=1):
            said.say(f"{name} was taken out by commit {told_commit(one)}", "verified")


def _listing(wanted: Wanted, *authors: str) -> str:
    """Return the command that lists such commits, as far as git can narrow it: bounds by day, authors and a path."""
    bounds = {"from": ("since", "00:00"), "until": ("until", "23:59:59")}
    days = [(*bounds[one.side], one) for one, _ in wanted.days if one.side in bounds and one.year and one.day]
    narrowed = [f" --{name}={one.year}-{one.month:02}-{one.day:02}T{hour}" for name, hour, one in days]
    people = [f" -i --author={quote(one)}" for one in sorted(authors)]
    return "".join((_LISTING, *narrowed, *people, f" -- {quote(wanted.path)}" if wanted.path else ""))


def _last_changed(here: Here, place: Finding) -> str:
    return next((one.commit for one in line_revisions(here, (place.source, place.line, place.end), most=1)), "")


def say_revisions(
    here: Here, said: Writing, span: Span, *, why: bool = False, wanted: Wanted = EVERY
) -> frozenset[str]:
    """Report the last commits that changed these lines and return them; with `why`, quote more of their messages."""
    path, first, last = span
    recent = line_revisions(here, span, most=MOST_REVISED if wanted.narrow else MOST_TOLD)
    every = [one for one in recent if wanted.takes(one)]
    found = said.first(every, _listing(replace(wanted, path=path)), most=MOST_TOLD)
    for one in found:
        name = f"{path}:{first}" + (f"-{last}" if last > first else "") if last else path
        said.say(f"{name} was changed by {told_commit(one)}", "verified", here.lines(path, first, last or 1))
        if why:
            _say_reason(here, said, one)
    return frozenset(one.commit for one in found)


def line_revisions(here: Here, span: Span, *, most: int) -> tuple[Revision, ...]:
    """Return the last commits of some lines; empty if the lines differ from HEAD, about which git knows nothing."""
    path, first, last = span
    held = (committed_bytes(here.workspace.repository, path) or b"").splitlines()
    now = (here.snapshot.read(path) or b"").splitlines() if last else held
    last = last or len(held)
    if not held or not first or held[first - 1 : last] != now[first - 1 : last]:
        return ()
    try:
        return revisions_of(here.workspace.repository, path, [(first, last)], most=most)
    except GitFailed:
        return ()


def name_of(one: Revision) -> str:
    """Return the name of a commit's author, without the address."""
    return one.by.partition(" <")[0]


def told_commit(one: Revision) -> str:
    """Name a commit with its day, author and subject line."""
    return f"{one.commit[:10]} of {day_of(one.at)} by {name_of(one)}: {one.subject}"
