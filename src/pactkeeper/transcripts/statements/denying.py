"""Whether what somebody said and a line that stands elsewhere cannot both hold, and why."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.conflicts.opposites import are_opposite, stem
from pactkeeper.intent.wording.tables import table
from pactkeeper.transcripts.statements.amounts import excluding
from pactkeeper.transcripts.statements.dates import apart
from pactkeeper.transcripts.statements.forms import Told
from pactkeeper.transcripts.statements.reading import Clause
from pactkeeper.transcripts.statements.words import is_general, says_little, telling, topics, words_of

FEW: Final = 2
_LASTING: Final = topics(
    "expires expire answers answer responds respond valid kept keep retained retention stored deleted removed waits"
    " läuft ab gültig aufbewahrt gelöscht antwortet expire valable conservé supprimé vence válido guarda borra"
)
_LIMITS: Final = topics("limit limits size maximum max")
_OWNED: Final = frozenset(
    table(
        "owner owners who lead leads responsible contact contacts team people maintainer verantwortlich zuständig wer"
        " responsable quién"
    )
)


# What a clause has that says something of somebody, and no list or heading has.
_SENTENCE: Final = re.compile(
    r"(?i)(?<!\w)(?:is|are|has|have|can|cannot|may|must|will|won't|needs?|requires?|do|does|don't|doesn't|isn't|aren't|we|i|they|you"
    r"|ist|sind|hat|haben|wird|werden|darf|dürfen|kann|können|muss|müssen|wir|ich"
    r"|est|sont|a|ont|peut|doit|nous|on|es|son|está"
    r"|puede|debe)(?!\w)"
)


# Of each group something is one only.
_KINDS: Final = tuple(
    map(
        table,
        (
            "daily weekly monthly quarterly yearly annually",
            "mandatory optional",
            "manual automatic",
            "manually automatically",
            "paid free",
            "internal external",
            "banned allowed permitted",
            "verboten erlaubt",
            "täglich wöchentlich monatlich jährlich",
            "interdit autorisé",
            "prohibido permitido",
        ),
    )
)
# What holds in a case only.
_CASE: Final = re.compile(r"(?i)(?<!\w)(?:when|while|whenever|unless|wenn|während|quand|lorsque|cuando|mientras)(?!\w)")


@dataclass(frozen=True, slots=True)
class Line:
    """A clause that stands elsewhere, with the words of the headings over it."""

    clause: Clause
    over: frozenset[str] = frozenset()
    over_words: frozenset[str] = frozenset()
    key: str = ""
    value: str = ""


def denies(said: Clause, line: Line) -> str:
    """Why both cannot hold; empty where they can, or where it is not certain that they speak of one thing."""
    return next((why for rule in _RULES if (why := rule(said, line))), "")


def same_subject(mine: frozenset[str], theirs: frozenset[str], line: Line, scope: frozenset[str] = frozenset()) -> bool:
    """Whether two sets of topics name one thing: they are the same, or one has one word more, which is no scope."""
    ours = telling(mine)
    other = telling(theirs) if ours & theirs or not is_general(theirs) else frozenset[str]()
    here = other | line.over
    if says_little(ours) or not ours & (other or here):
        return False
    more, less = ours - here, other - ours
    if not more and not less:
        return True
    if (more and less) or (more | less) & scope:
        return False
    return len(more | less) == 1 and len(ours & here) >= FEW


def _dates(said: Clause, line: Line) -> str:
    theirs = line.clause.dates
    if not said.dates or not theirs or not _same(said, line):
        return ""
    if apart(said.dates, theirs):
        return f"{said.dates[0].text} here, {theirs[0].text} there"
    return ""


def _amounts(said: Clause, line: Line) -> str:
    if not said.amounts or not line.clause.amounts or not _same(said, line, _lasting(said, line)):
        return ""
    if not telling(said.topics) - {one.unit for one in said.amounts}:
        return ""
    if _bare(said) and (
        len(said.topics) < FEW or said.aside or line.clause.aside or telling(said.topics) != telling(line.clause.topics)
    ):
        return ""
    limits = bool(_LIMITS & (line.clause.topics | line.over | said.topics))
    apart = excluding(said.amounts, line.clause.amounts, limits=limits)
    return f"{apart[0]} here, {apart[1]} there" if apart else ""


def _lasting(said: Clause, line: Line) -> frozenset[str]:
    """The words that only say that an amount is a time, where both sides give a time."""
    given = {one.amount.dimension for one in (*said.amounts, *line.clause.amounts)}
    return _LASTING if given <= {"second", "month"} else frozenset()


def _bare(clause: Clause) -> bool:
    """Whether it gives numbers only, which may be versions, ports or places in a list."""
    return all(one.amount.dimension == "" for one in clause.amounts)


def _owner(said: Clause, line: Line) -> str:
    for one in _told(said, "owner"):
        for other in _told(line.clause, "owner"):
            if not one.value & other.value and same_subject(one.about, other.about, line):
                return f"{one.words} here, {other.words} there"
        value = frozenset(words_of(line.value))
        named = value - _OWNED
        owned = one.former & named or _OWNED & (line.over_words | value)
        if named and owned and not named & one.value and same_subject(one.about, topics(line.key), line):
            return f"{one.words} here, {line.value} there"
    return ""


def _name(said: Clause, line: Line) -> str:
    for one in _told(said, "name"):
        for other in _told(line.clause, "name"):
            renamed = bool(one.former) and other.value <= one.former
            same = not one.former and not one.value & other.value and same_subject(one.about, other.about, line)
            if renamed or same:
                return f"called {one.words} here, {other.words} there"
    return ""


def _choice(said: Clause, line: Line) -> str:
    clause = line.clause
    if clause.negated or clause.aside:
        return ""
    for one in _told(said, "choice"):
        replaced = one.former and one.former <= clause.words and not one.value & clause.words
        if replaced and telling(one.about) & (clause.topics | line.over):
            return f"{one.words} here, {' '.join(sorted(one.former))} there"
        for other in clause.used if one.value else ():
            if one.former and one.former <= other.value and not one.about:
                return f"{one.words} here, {other.words} there"
            if not one.value & other.value and one.about and same_subject(one.about, other.about, line):
                return f"{one.words} here, {other.words} there"
    return ""


def _dropped(said: Clause, line: Line) -> str:
    clause = line.clause
    for one in _told(said, "dropped"):
        about = telling(one.about)
        enough = len(clause.topics - about) <= (FEW + 1 if len(about) >= FEW else 1)
        if enough and about <= clause.topics and not clause.negated and not clause.aside:
            return "it is given up here and planned there"
    return ""


def _denied(said: Clause, line: Line) -> str:
    clause = line.clause
    if said.negated == clause.negated or said.aside or clause.aside or line.key or not _same_days(said, clause):
        return ""
    if not all(_SENTENCE.search(one.text) and not _CASE.search(one.text) for one in (said, clause)):
        return ""
    both = said.topics & clause.topics
    scope = said.scope | clause.scope
    least = FEW if said.dates or said.topics == clause.topics else FEW + 1
    if len(both) + bool(said.dates) >= least and same_subject(said.topics, clause.topics, Line(clause), scope):
        return "one says that it is so, the other that it is not"
    return ""


def _opposed(said: Clause, line: Line) -> str:
    """One word of each tells them apart, and these two exclude each other."""
    clause = line.clause
    if said.negated != clause.negated or said.aside or clause.aside or not _same_days(said, clause):
        return ""
    mine, theirs = _by_stem(said), _by_stem(clause)
    ours, others = mine.keys() - theirs.keys(), theirs.keys() - mine.keys()
    if said.amounts or clause.amounts or len(ours) != 1 or len(others) != 1 or not mine.keys() & theirs.keys():
        return ""
    one, other = min(ours), min(others)
    if _one_of(mine[one], theirs[other]) or are_opposite(one, other) or are_opposite(mine[one], theirs[other]):
        return f"{mine[one]} here, {theirs[other]} there"
    return ""


def _one_of(one: str, other: str) -> bool:
    return one != other and any(one in group and other in group for group in _KINDS)


def _by_stem(clause: Clause) -> dict[str, str]:
    return {stem(word): word for word in sorted(clause.words) if topics(word)}


def _same_days(said: Clause, clause: Clause) -> bool:
    """Whether neither gives a date, or both the same one."""
    if not said.dates and not clause.dates:
        return True
    return any(a.fits(b) for a in said.dates for b in clause.dates)


def _same(said: Clause, line: Line, idle: frozenset[str] = frozenset()) -> bool:
    """Whether both speak of one thing, neither more denied than the other; `idle` words do not count."""
    scope = said.scope | line.clause.scope
    about = said.topics - idle or said.topics, line.clause.topics - idle or line.clause.topics
    return said.negated == line.clause.negated and same_subject(*about, line, scope)


def _told(clause: Clause, field: str) -> tuple[Told, ...]:
    return tuple(one for one in clause.told if one.field == field)


_RULES: Final[tuple[Callable[[Clause, Line], str], ...]] = (
    _dates,
    _amounts,
    _owner,
    _name,
    _choice,
    _dropped,
    _denied,
    _opposed,
)
