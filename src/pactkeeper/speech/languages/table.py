"""The shape of a language's table: rows of words that a speaker of the language can review."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, eq=False)
class Language:
    """One language; rows of phrases are separated by commas, rows of single words by spaces.

    `code` is its ISO 639-1 code and `stemmer` the name of its Snowball stemmer. In `labels` each row names one field of
    a ticket. `units` holds rows `dimension factor word…`; `months` and `weekdays` are in calendar order. In `opposites`
    and `synonyms` each phrase is a group of words that exclude each other, or that mean the same.
    """

    code: str
    stemmer: str
    labels: Mapping[str, str]
    other_labels: str  # parts of forms that fill no field
    casual: str  # labels and corrections that also start ordinary chat messages; they count only beside another label
    corrections: str  # what a label may start with to correct its field
    removals: str  # labels that take something out of a draft
    given: str
    when: str
    then: str
    also: str
    scenarios: str
    not_known: str  # whole replies of people who do not know
    nothing: str  # what forms contain when a field was left empty
    both: str
    first: str
    second: str
    keep: str
    small_talk: str
    abbreviations: str
    empty: str  # words that don't affect the meaning
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
    since: str  # phrases before a day that starts something
    before: str  # those that start something if negated: `not before`
    month_leads: str  # words that make a following word a month
    month_parts: str
    date_links: str  # words and endings around a date that do not change it
    opposites: str
    synonyms: str
    limits: str  # words that only say that something has an amount
    scopes: str  # words that introduce a case
    refusals: str  # words that forbid their subject
    only: str
    rates: str  # words for once per unit of time, each with the unit after a colon
    numbered: str  # nouns that are identified by a following number
    cases: str  # words that make what follows a case, so that its negation or opposite applies to that case only
    equals: str  # words that connect a thing and its single value
    hedges: str  # words that show that a sentence does not assert something
    decided: str  # ways to say that something is decided
    reasons: str
    agrees: str  # how an affirmative answer starts
    ours: str  # words that refer to the author, alone or with others
    others: str  # pronouns for other people
    pending: str  # words for something unfinished or only wanted
    done: str  # words for a finished task
    moved: str  # words for a rescheduled task
    given_up: str  # phrases for an abandoned or paused task
    entries: str  # labels of a new task
    tasks: str  # what boards hold
    verdicts: str  # labels of findings and conclusions
    deeds: str  # common actions, which don't make two pieces of work alike
    versions: str  # words that mark a title as a later version
    plans: str  # headings of plans
    roadmaps: str
    analyses: str
    frameworks: str
    asides: str  # headings of sections with nothing to do
    wanted: str  # headings of sections where everything is to be done
    steps: str  # how the heading of a single step starts, before its number, and the plural of these words
    past: str  # words by which a question asks what happened
    today: str
    yesterday: str
    this_week: str
    last_week: str
    this_month: str
    last_month: str
    states: str = ""  # opposites that, right before a noun, distinguish two kinds of it

    @cached_property
    def small(self) -> frozenset[str]:
        """The words by which the language is recognised."""
        rows = (self.empty, self.negations, self.at_most, self.at_least, self.units, *self.months, *self.weekdays)
        return frozenset(word.strip(",") for row in rows for word in row.split())
