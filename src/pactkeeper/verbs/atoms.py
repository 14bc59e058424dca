"""Tools for atoms: list, read, search, count, score and refine them, and ask for new ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from pactkeeper.errors import UsageError
from pactkeeper.intent.listing import SORTS, AtomFilter
from pactkeeper.intent.quality import AtomWords, Quality
from pactkeeper.ledger.shape import Choice, Text, Whole
from pactkeeper.operators import atoms, authored, explain, words
from pactkeeper.operators.atoms import BACKINGS, EVERYTHING, AtomPage, AtomQuery
from pactkeeper.operators.authored import Written
from pactkeeper.published.atoms import ATOMS, DETAIL, FOUND, NEAR
from pactkeeper.published.plain import Codec
from pactkeeper.published.quality import EXPLAINED, QUALITY, REFINED
from pactkeeper.published.schema import OneOf, returned
from pactkeeper.reconcile.authored import AtomChange, NewAtom
from pactkeeper.speech.clash import compare
from pactkeeper.verbs.review import propose_patch
from pactkeeper.verbs.verb import (
    CATEGORY,
    FILTER,
    FLAG,
    ID,
    LINE,
    WORDS,
    WRITTEN,
    Call,
    Document,
    Verb,
    YesWanted,
    both,
    may,
    needs,
    texts,
)

PER_PAGE: Final = 20
ORDER: Final = Choice(("asc", "desc"))
GIVEN = {"tags": "free words"}
_JUDGED: Final = Codec(words.Judged, "id=atom.id status intent=atom.intent *quality", quality=QUALITY)
_SENTENCE: Final = Codec(tuple[str, Quality], "intent *quality", quality=QUALITY)
_TAG: Final = Codec(tuple[str, int], "tag atoms")
_REFINED: Final = ({"atom": str | None}, REFINED)
_FACTS: Final = Codec(Written, "atom near linked", near=NEAR)
_DRAFTED: Final = OneOf(((_FACTS, {"status": str}), (_FACTS, *WRITTEN)))
SAID = ("intent", "category", "outcomes", "falsified_by", "tags")


def wanted(asked: Call) -> AtomFilter:
    """Build the filter from the arguments given."""
    return AtomFilter(
        status=asked.texts("status"),  # type: ignore[arg-type]  # the shape allows these words
        category=asked.texts("category"),  # type: ignore[arg-type]  # likewise
        tags=asked.texts("tags"),
        paths=asked.paths(),
    )


def every_atom() -> AtomQuery:
    """Query all atoms of the pact, on one page."""
    return AtomQuery(limit=EVERYTHING)


def list_atoms(asked: Call) -> AtomPage:
    """List atoms from a page on; later pages come from the cursor."""
    limit, page = asked.given.get("limit", PER_PAGE), asked.given.get("page", 1)
    order = {"sort": asked.text("sort_by", "place"), "descending": asked.text("sort_order") == "desc"}
    said = {**order, "backing": asked.given.get("backing")}
    found = atoms.list_atoms(asked.workspace, AtomQuery(wanted(asked), limit=EVERYTHING, **said))  # type: ignore[arg-type]  # the shape allows these words
    return replace(found, rows=found.rows[(page - 1) * limit :], page=page, pages=-(-found.total // limit))


def refine_atom(asked: Call) -> tuple[object, ...]:
    """Analyse an atom's wording, or the wording that the feedback suggests."""
    atom, found = words.refine_atom(asked.workspace, asked.text("atom"), feedback=asked.text("feedback"))
    before = None if found.words.intent == atom.intent else atom.intent
    return (atom.id, found), before, before and compare(found.words.intent, before)


def validate_atom_quality(asked: Call) -> Sequence[words.Judged | tuple[str, Quality]]:
    """Score the wording of atoms, or of a sentence that is not an atom yet."""
    if "description" in asked.given:
        said = AtomWords(asked.text("description"), category=asked.given.get("category", "functional"))
        return [(said.intent, words.validate_words(asked.workspace, said))]
    if "category" in asked.given:
        raise UsageError("a category goes with a description; name the sentence to score")
    return words.validate_atom_quality(asked.workspace, asked.texts("atoms"))


def create_atom(asked: Call) -> Document | YesWanted:
    """Propose a new draft."""
    said = {name: asked.given[name] for name in (*SAID, "origin", "topic") if name in asked.given}
    new = NewAtom(**said, status="proposed" if asked.flag("proposed") else "draft", source="agent")
    anyway = asked.flag("anyway")
    return _written(asked, authored.create_atom(asked.workspace, new, anyway=anyway, dry_run=True))


def update_atom(asked: Call) -> Document | YesWanted:
    """Propose new wording for a draft."""
    change: dict[str, Any] = {name: asked.given[name] for name in (*SAID, "status", "reason") if name in asked.given}
    return _written(
        asked, authored.update_atom(asked.workspace, asked.text("atom"), AtomChange(**change), dry_run=True)
    )


def delete_atom(asked: Call) -> Document | YesWanted:
    """Propose deleting a draft."""
    reason = asked.text("reason")
    return _written(asked, authored.delete_atom(asked.workspace, asked.text("atom"), reason=reason, dry_run=True))


def _written(asked: Call, written: Written) -> Document | YesWanted:
    """Propose the ops of a dry run; they are written like those of any patch."""
    if written.applied is None:
        return {**_FACTS(written), "status": "unchanged"}
    return propose_patch(asked, written.applied.patch, _FACTS(written))


ROWS: Final = (
    Verb(
        atoms.list_atoms,
        None,
        "Atoms by condition.",
        title="Atoms",
        categories=("atom",),
        routes=("GET /atoms",),
        takes=may(
            **FILTER.optional,
            page=Whole(1, EVERYTHING),
            sort_by=Choice(tuple(SORTS)),
            sort_order=ORDER,
            backing=Choice(BACKINGS),
        ),
        means={"page": "from 1", "sort_by": "order by", "sort_order": "default asc", "backing": "its tests"},
        gives=ATOMS,
        answer=list_atoms,
        pages="atoms",
    ),
    Verb(
        atoms.get_atom,
        None,
        "One atom.",
        title="Atom",
        categories=("atom",),
        routes=("GET /atoms/{atom}",),
        takes=needs(atom=ID),
        gives={"atom": DETAIL},
        answer=lambda asked: atoms.get_atom(asked.workspace, asked.text("atom")),
    ),
    Verb(
        atoms.search_atoms,
        None,
        "Atoms by words, best first.",
        title="Search atoms",
        categories=("atom",),
        routes=("GET /atoms/search",),
        takes=both(needs(query=LINE), FILTER),
        means={"query": "words"},
        gives={"atoms": [FOUND]},
        answer=lambda asked: atoms.search_atoms(asked.workspace, asked.text("query"), wanted(asked), limit=EVERYTHING),
        pages="atoms",
    ),
    Verb(
        atoms.count_atoms,
        None,
        "Counts of atoms, and what is missing.",
        title="Count atoms",
        categories=("atom",),
        routes=("GET /atoms/count",),
        takes=FILTER,
        gives=returned(atoms.count_atoms),
        answer=lambda asked: atoms.count_atoms(asked.workspace, wanted(asked)),
    ),
    Verb(
        atoms.get_popular_tags,
        None,
        "Tags by frequency.",
        title="Tags",
        categories=("atom",),
        routes=("GET /tags",),
        takes=may(),
        gives={"tags": [_TAG]},
        answer=lambda asked: atoms.get_popular_tags(asked.workspace),
        pages="tags",
    ),
    Verb(
        explain.explain_atom,
        None,
        "An atom's quality, tests, rules, history and findings.",
        title="Explain",
        categories=("atom",),
        routes=("GET /atoms/{atom}/explained",),
        takes=needs(atom=ID),
        gives=EXPLAINED,
        answer=lambda asked: explain.explain_atom(asked.workspace, asked.text("atom")),
    ),
    Verb(
        words.analyze_intent,
        None,
        "Is it one behaviour, what does it lack? Stores nothing.",
        title="Analyze intent",
        categories=("atom",),
        routes=("POST /intents/analysis",),
        takes=needs(intent=Text(1, 2000)),
        gives=_REFINED,
        answer=lambda asked: (None, words.analyze_intent(asked.workspace, asked.text("intent"))),
    ),
    Verb(
        words.refine_atom,
        None,
        "The same for an atom, or for other words; stores nothing.",
        title="Refine atom",
        categories=("atom",),
        routes=("GET /atoms/{atom}/refined",),
        takes=both(needs(atom=ID), may(feedback=Text(1, 2000))),
        means={"feedback": "what to say instead"},
        gives=(_REFINED, {"before?": str}, {"compared?": returned(compare)}),
        answer=refine_atom,
    ),
    Verb(
        words.validate_atom_quality,
        None,
        "Scores of atoms (default: all), lowest first; 80 may be committed.",
        title="Quality",
        categories=("atom",),
        routes=("GET /quality",),
        takes=may(atoms=texts(), description=Text(1, 2000), category=CATEGORY),
        means={"atoms": "atom ids", "description": "a sentence instead", "category": "of the sentence"},
        gives={"atoms": [OneOf((_JUDGED, _SENTENCE))]},
        answer=validate_atom_quality,
        pages="atoms",
    ),
    Verb(
        authored.create_atom,
        "annotate",
        "Draft one observable behaviour; asks a person.",
        title="Draft atom",
        categories=("atom",),
        routes=("POST /atoms",),
        takes=both(needs(intent=LINE), may(**WORDS, origin=LINE, topic=ID, proposed=FLAG, anyway=FLAG, dry_run=FLAG)),
        means={
            **GIVEN,
            "origin": "its source",
            "topic": "file of the pact",
            "proposed": "not as a draft",
            "anyway": "even if one is like it",
        },
        gives=_DRAFTED,
        answer=create_atom,
    ),
    Verb(
        authored.update_atom,
        "annotate",
        "Change an uncommitted atom; asks a person.",
        title="Edit atom",
        categories=("atom",),
        routes=("PATCH /atoms/{atom}",),
        takes=both(
            needs(atom=ID),
            may(intent=LINE, **WORDS, status=Choice(("proposed", "draft", "abandoned")), reason=LINE, dry_run=FLAG),
        ),
        means={**GIVEN, "status": "new status"},
        gives=_DRAFTED,
        answer=update_atom,
        destructive=True,
        idempotent=True,
    ),
    Verb(
        authored.delete_atom,
        "annotate",
        "Delete an uncommitted, unused atom; asks a person.",
        title="Delete atom",
        categories=("atom",),
        routes=("DELETE /atoms/{atom}",),
        takes=both(needs(atom=ID), may(reason=LINE, dry_run=FLAG)),
        gives=_DRAFTED,
        answer=delete_atom,
        destructive=True,
    ),
)
