"""The kinds of question, one row each: what an answer must look like, and the sentence that asks for it.

A room that asks something else adds its row here; nothing else registers a kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

from pactkeeper.ledger.shape import Choice, Items, Keyed, Quote, Shape, Text, Truth, Whole
from pactkeeper.ledger.verbs import AMBIGUITY_REASONS, CATEGORY

Realises = Literal["yes", "no", "unsure"]
Relation = Literal["contradict", "repeat", "compatible", "unsure"]
SameWork = Literal["yes", "no", "unsure"]

# Stands in a kind's shape where each question brings its own options.
OFFERED: Final = Choice(())

SENTENCE: Final = Text(least=1, most=300)
SENTENCES: Final = Items(SENTENCE, least=1, most=20)
QUOTES: Final = Items(Quote(), least=1, most=20)
SOME_QUOTES: Final = Items(Quote(), most=20)
CONFIDENCE: Final = Whole(0, 100)
REASON: Final = Text(most=600)

# Work products whose lines may be marked: what tools and people did is read from records and is not up to a model.
MARKABLE: Final = ("plan", "analysis", "framework", "decision_with_context")
MARKED_LINES: Final = Keyed({"entry": Whole(least=1), "first_line": Whole(least=1), "last_line": Whole(least=1)})
MARKS: Final = Items(
    Keyed(
        {
            "type": Choice(MARKABLE),
            "title": Text(least=1, most=200),
            "spans": Items(MARKED_LINES, least=1, most=20),
        }
    ),
    most=50,
)
# What a ticket is made of; a value is the words of the quote that say it, never words of whoever answers.
TICKET_FIELDS: Final = (
    "epic_id",
    "title",
    "problem",
    "proposed_solution",
    "acceptance_criteria",
    "constraints",
    "open_questions",
    "dependencies",
    "risks",
    "evidence_links",
)
PLACED: Final = Items(
    Keyed(
        {"field": Choice(TICKET_FIELDS), "quote": Quote(most=600)},
        {"value": Quote(most=600), "key": Text(least=1, most=60)},
    ),
    most=20,
)
# Errors by the number they are shown with; which errors there are, and which files may be named, is settled.
GROUPED: Final = Items(Items(Whole(least=1), least=1, most=60), least=1, most=60)


@dataclass(frozen=True, slots=True)
class QuestionKind:
    """One kind of question: the shape of its answer and the sentence that asks it of a person or a model."""

    name: str
    answer: Shape
    prompt: str


_ROWS: Final = (
    QuestionKind(
        "word_test",
        Keyed(
            {"intent": SENTENCE, "category": CATEGORY, "outcomes": SENTENCES, "quotes": QUOTES},
            {"falsified_by": Items(SENTENCE, most=20), "confidence": CONFIDENCE, "ambiguity": AMBIGUITY_REASONS},
        ),
        "State the one observable behaviour that this test checks, and quote the lines that show it.",
    ),
    QuestionKind(
        "better_words",
        Keyed(
            {"intent": SENTENCE, "outcomes": SENTENCES, "quotes": QUOTES},
            {"falsified_by": Items(SENTENCE, most=20), "confidence": CONFIDENCE, "ambiguity": AMBIGUITY_REASONS},
        ),
        "Say the same behaviour so that it can be seen, refuted and understood in one way only.",
    ),
    QuestionKind(
        "name_molecule",
        Keyed(
            {"name": Text(least=1, most=80), "description": Text(most=300)},
            {"confidence": CONFIDENCE},
        ),
        "Name what these atoms have in common; which atoms belong together is settled.",
    ),
    QuestionKind(
        "split_intent",
        Keyed(
            {
                "parts": Items(Keyed({"intent": SENTENCE, "outcomes": SENTENCES}), least=1, most=8),
                "quotes": QUOTES,
            },
            {"confidence": CONFIDENCE, "ambiguity": AMBIGUITY_REASONS},
        ),
        "Take the sentence apart into single behaviours; one part says that it is one behaviour.",
    ),
    QuestionKind(
        "realises",
        Keyed(
            {"verdict": Choice(get_args(Realises)), "quotes": SOME_QUOTES},
            {"confidence": CONFIDENCE, "reason": REASON},
        ),
        "Does this test realise that atom: would it fail if the atom did not hold?",
    ),
    QuestionKind(
        "contradiction",
        Keyed(
            {"verdict": Choice(get_args(Relation)), "quotes": SOME_QUOTES},
            {"confidence": CONFIDENCE, "reason": REASON},
        ),
        "Can both atoms hold, do they say the same, or does one rule the other out?",
    ),
    QuestionKind(
        "molecule_complete",
        Keyed(
            {
                "complete": Truth(),
                "missing": Items(Keyed({"behaviour": SENTENCE, "quotes": QUOTES}), most=10),
            },
            {"confidence": CONFIDENCE},
        ),
        "Do these atoms say everything that the quoted sources say about the subject? Name each missing behaviour.",
    ),
    QuestionKind(
        "mark_spans",
        MARKS,
        "Mark the lines that make up a work product, group them, and say what each is; the words stay as they are.",
    ),
    QuestionKind(
        "same_work",
        Keyed(
            {"verdict": Choice(get_args(SameWork)), "quotes": SOME_QUOTES},
            {"confidence": CONFIDENCE, "reason": REASON},
        ),
        "Do both titles name one piece of work, so that doing it once settles both?",
    ),
    QuestionKind(
        "extract_fields",
        PLACED,
        "Say which words of the messages to place fill which field; words that fill none stay where they are.",
    ),
    QuestionKind("group_failures", GROUPED, "Put together the errors that one change would mend."),
    QuestionKind("choose", OFFERED, "Choose the one that fits."),
    QuestionKind("confirm", Truth(), "Say whether this is so."),
)
KINDS: Final[Mapping[str, QuestionKind]] = {row.name: row for row in _ROWS}
# Those that a person raises about atoms: their subject is the id of one atom, or of two.
RAISED: Final = ("better_words", "split_intent", "contradiction")
