"""What stands elsewhere and cannot hold together with what was said; it is shown with both sides' words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Final

from pactkeeper.intent.actions import Conflict, Side, Suppressed
from pactkeeper.intent.board import Task
from pactkeeper.intent.redaction import redacted
from pactkeeper.transcripts.extraction.sentences import sentences
from pactkeeper.transcripts.reconciling.proposing import suppressed
from pactkeeper.transcripts.reconciling.saying import Said, said
from pactkeeper.transcripts.reconciling.standing import Stands
from pactkeeper.transcripts.reconciling.sureness import instant
from pactkeeper.transcripts.reconciling.updates import Bound
from pactkeeper.transcripts.reconciling.world import BoardView, Seen, World
from pactkeeper.transcripts.statements.clauses import is_meant
from pactkeeper.transcripts.statements.dates import apart, dates_in
from pactkeeper.transcripts.statements.denying import FEW, Line, denies, same_subject
from pactkeeper.transcripts.statements.reading import Clause, read
from pactkeeper.transcripts.statements.words import telling, topics

_ASIDE: Final = re.compile(
    r"(?i)(?<!\w)(?:depriorit[iy][sz]\w*|paused?|on hold|postponed|parked|dropped|cancell?ed|abandoned|rejected"
    r"|frozen|not (?:doing|now|before|this)|won'?t|will not|no longer|stopped|decided against|out of scope"
    r"|zurückgestellt|pausiert|gestrichen|abgesagt|eingestellt|nicht mehr|vorerst nicht"
    r"|reportée?s?|abandonnée?s?|annulée?s?|en pause|ne \w+ plus"
    r"|aplazad[oa]s?|pausad[oa]s?|cancelad[oa]s?|abandonad[oa]s?|ya no)(?!\w)"
)
_MOST: Final = 400  # characters of a line that is quoted
_ENOUGH: Final = 2
_SIDES: Final = 3  # lines that deny one clause
_RARE: Final = 3  # tasks that may share the one word that was given up


def planned(seen: Seen, subject: str, quote: str, world: World) -> Iterator[Conflict]:
    """Every line of the active context and every decision that puts aside what is wanted here, or has it otherwise."""
    for one in world.standing.holding:
        aside = _ASIDE.search(one.side.quote)
        if aside and not _ASIDE.search(quote) and _about(said(subject), said(one.side.quote)):
            yield _conflict(seen, subject, (quote, one.side), f"it stands as {aside[0]!r} there")
        elif why := next((why for clause in read(subject) if (why := _denied(clause, one))), ""):
            yield _conflict(seen, subject, (quote, one.side), why)


def denied(seen: Seen, text: str, world: World) -> Iterator[Conflict | Suppressed]:
    """Every line of a document, task and known item that cannot hold while a text does, for each of its sentences.

    Where lines list values, or deny each other on a subject of one word, each is of another case, and none is flagged.
    """
    for first, last in sentences(text):
        sentence = text[first:last]
        for clause in read(sentence) if is_meant(sentence) else ():
            lines = _lines(seen, clause, world)
            several = len(lines) > _SIDES or (len(telling(clause.topics)) == 1 and _disagree(lines))
            if several:
                number = f"{len(lines)} lines have it otherwise"
                yield suppressed(seen, sentence, f"{number}, so they speak of several things")
            told = [(one.side, why) for one, why in lines if not several]
            for side, why in (*told, *_tasks(clause, world)):
                yield _conflict(seen, seen.artifact.title, (sentence, side), why)


def _disagree(found: list[tuple[Stands, str]]) -> bool:
    lines = [line for one, _ in found for line in one.lines()]
    return any(denies(line.clause, other) for line, other in combinations(lines, 2))


def undone(seen: Seen, bound: Bound, kind: str, later: str) -> Iterator[Conflict]:
    """A task that is done on its board although what ships it failed, and neither succeeded nor was changed later."""
    task, at = bound.task, seen.artifact.at
    if task.status == "done" and not _after(later, at) and not _after(task.updated_at, at):
        side = _of_task(bound.board, task)
        answer = seen.artifact.excerpts[-1].text
        yield _conflict(seen, task.title, (answer, side), f"the {kind} failed here and is done there")


def _after(one: str, other: str) -> bool:
    late, early = instant(one), instant(other)
    return late is not None and early is not None and late > early


def _conflict(seen: Seen, subject: str, sides: tuple[str, Side], why: str) -> Conflict:
    quote, stands = sides
    mine = Side(seen.artifact.file, redacted(quote[:_MOST]), seen.artifact.at)
    return Conflict(seen.artifact.fingerprint, redacted(subject), mine, stands, redacted(why))


def _lines(seen: Seen, clause: Clause, world: World) -> list[tuple[Stands, str]]:
    """Each line once that denies a clause, and why; what became known after it was said denies nothing."""
    about = (clause.topics, *(one.about for one in clause.told), *(topics(" ".join(one.former)) for one in clause.told))
    found: dict[Side, tuple[Stands, str]] = {}
    for one in _near(about, world):
        late = one.known and _after(one.side.at, seen.artifact.at)
        if not late and (why := _denied(clause, one)):
            found.setdefault(one.side, (one, why))
    return list(found.values())


def _near(abouts: Iterable[frozenset[str]], world: World) -> Iterator[Stands]:
    positions = frozenset[int]().union(*map(world.standing.near, abouts))
    return (world.standing.all[position] for position in sorted(positions))


def _denied(clause: Clause, one: Stands) -> str:
    return next((why for line in one.lines() if (why := denies(clause, line))), "")


def _tasks(clause: Clause, world: World) -> Iterator[tuple[Side, str]]:
    for view, task in world.tasks():
        if task.status == "done":
            continue
        why = _due(clause, task) or _given_up(clause, task, world)
        if why:
            yield _of_task(view, task), why


def _of_task(view: BoardView, task: Task) -> Side:
    due = f", due {task.due}" if task.due else ""
    return Side(f"{view.name}/{task.id}", redacted(f"{task.title} ({task.state or task.status}{due})"), task.updated_at)


def _due(clause: Clause, task: Task) -> str:
    dates, _ = dates_in(task.due)
    if not clause.dates or not dates or not same_subject(clause.topics, topics(task.title), Line(clause), clause.scope):
        return ""
    return f"{clause.dates[0].text} here, due {task.due} there" if apart(clause.dates, dates) else ""


def _given_up(clause: Clause, task: Task, world: World) -> str:
    title = topics(task.title)
    for one in clause.told:
        about = telling(one.about)
        if one.field == "dropped" and about <= title and (len(about) >= FEW or _is_rare(about, world)):
            return f"it is given up here and {task.status} there"
    return ""


def _is_rare(about: frozenset[str], world: World) -> bool:
    return sum(about <= topics(task.title) for _, task in world.tasks()) <= _RARE


def _about(subject: Said, line: Said) -> bool:
    """Whether a line is about a subject: it has all of its words that say something, or two thirds of several."""
    shared = len(subject.topics & line.topics)
    enough = shared == len(subject.topics) or (shared >= _ENOUGH and shared * 3 >= len(subject.topics) * 2)
    return bool(subject.topics) and enough
