"""The shape of a language's table: rows of words that somebody who speaks the language can review."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, eq=False)
class Language:
    """One language; rows of phrases have commas between them, rows of single words have spaces.

    `code` is its ISO 639-1 code and `stemmer` the name of its Snowball stemmer. In `labels` a row names one field of a
    ticket. `units` holds rows `dimension factor word…`; `months` and `weekdays` count from the first. In `opposites`
    and `synonyms` each phrase is a row of words that exclude each other, or that say the same.
    """

    code: str
    stemmer: str
    labels: Mapping[str, str]
    other_labels: str  # parts of forms that fill no field
    casual: str  # labels and corrections with which people also begin a chat; they mark beside another label
    corrections: str  # what a label may begin with to put its field right
    removals: str  # labels that take something out of a draft
    given: str
    when: str
    then: str
    also: str
    scenarios: str
    not_known: str  # whole replies of people who do not know
    nothing: str  # what forms hold where nobody wrote anything
    both: str
    first: str
    second: str
    keep: str
    small_talk: str
    abbreviations: str
    empty: str  # words that change nothing of what is said
    negations: str
    without: str  # phrases that negate what follows them
    at_most: str
    at_least: str
    less: str
    more: str
    units: str
    halves: str  # phrases for half of the unit that follows
    ones: str  # words for 1 that number readers leave alone
    months: tuple[str, ...]
    weekdays: tuple[str, ...]
    until: str  # phrases before a day that ends something
    since: str  # phrases before a day that begins something
    before: str  # those that begin something where they are negated: `not before`
    month_leads: str  # words before a month alone, by which it is one
    month_parts: str
    date_links: str  # words and endings around a date that do not change it
    opposites: str
    synonyms: str
    limits: str  # words that only say that something has an amount
    scopes: str  # words behind which a case is named
    refusals: str  # words that forbid what they are said of
    only: str
    rates: str  # words for once in a unit of time, each with the unit behind a colon
    numbered: str  # nouns that a number behind them names
    cases: str  # words that make a case of what follows, so that its negation or opposite is that of a case
    equals: str  # words between a thing and its one value
    hedges: str  # words with which a sentence does not say that something is so
    decided: str  # how people say that something is decided
    reasons: str
    agrees: str  # what an answer begins with that says yes
    ours: str  # words by which a sentence speaks of its author, alone or with others
    others: str  # pronouns for other people
    pending: str  # words by which something is not finished yet, or is wanted
    done: str  # words that say of a task that it is finished
    moved: str  # words that say of a task that it has another date
    given_up: str  # phrases that say of a task that nobody works on it
    entries: str  # labels of a new task
    verdicts: str  # labels of what somebody found out
    deeds: str  # what is done to almost anything, so that it makes no two pieces of work alike
    versions: str  # words by which a title says that it is a later version
    plans: str  # what headings call a plan
    roadmaps: str
    analyses: str
    frameworks: str
    asides: str  # headings below which nothing is meant to be done
    wanted: str  # headings below which everything is
    steps: str  # what a heading of one step begins with, before its number
    states: str = ""  # opposites that, right before a noun, tell two kinds of it apart

    @cached_property
    def small(self) -> frozenset[str]:
        """The words by which the language is recognised."""
        rows = (self.empty, self.negations, self.at_most, self.at_least, self.units, *self.months, *self.weekdays)
        return frozenset(word.strip(",") for row in rows for word in row.split())
