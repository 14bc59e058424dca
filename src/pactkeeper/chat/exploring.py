"""The graph that explores a repository: plan what to search for, search, judge the results, answer with quotes.

A model may suggest search terms and put the findings into sentences; rules decide what is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from pactkeeper.chat.answers import Answer, Choice, answer_document, best_level, deduplicated, in_one_line
from pactkeeper.chat.commits import (
    EVERY,
    Span,
    Wanted,
    asks_past,
    asks_why,
    defined_at,
    nearest_commits,
    say_commits,
    say_origin,
    say_revisions,
    told_commit,
)
from pactkeeper.chat.here import LONGEST, Here, Writing, atom_line, place_line, place_of
from pactkeeper.chat.history import whole
from pactkeeper.chat.matching import ideas_of
from pactkeeper.chat.promises import wanted_by
from pactkeeper.chat.routing import answering
from pactkeeper.chat.searching import Looked, Passage
from pactkeeper.chat.spelling import repairs, respelled, spelled
from pactkeeper.chat.subjects import atoms_about
from pactkeeper.chat.words import Question, beside, forms_of, small_words, terms_in, terms_of
from pactkeeper.errors import PactkeeperError
from pactkeeper.flows.driving import State
from pactkeeper.flows.graphs import Graph, React, react
from pactkeeper.operators.observe import TestRow
from pactkeeper.speech.languages import words_of

if TYPE_CHECKING:
    from pactkeeper.operators.atoms import AtomRow

CODE: Final = "code"  # the idea shared by words that ask for a place or a way in the code
MOST: Final = 5  # places shown in an answer
NEAREST: Final = 5  # places shown if none supports an answer
NEAREST_ATOMS: Final = 2
WEEK: Final = timedelta(7)
MOST_OF_ONE: Final = 2  # places of one definition or section
LOOKED_AT: Final = 40  # files and places that are judged
NO_PLACES: Final = frozenset({"list_commitments", "failing_atoms"})  # answers that no line of a file comes near
BESIDE: Final = 0.6  # minimum score of another place, relative to the best, where one answers


def graph(here: Here) -> Graph:
    """Chat exploration: planning → search ↔ analyze → synthesize."""
    steps = _Exploring(here)
    return react(
        "explore", React(steps.search, steps.analyze, steps.synthesize, planning=steps.plan, clarify="clarify")
    )


class _Exploring:
    """The nodes: the question decides what to search for, and the lines that support it are the answer."""

    def __init__(self, here: Here) -> None:
        self.here = here

    async def plan(self, state: State) -> dict[str, Any]:
        """Decide which words to search for, and whether to consult the pact as well."""
        question = self.here.read(state["question"])
        given = {**state.get("arguments", {})}
        terms = terms_in(given["words"]) if given.get("words") else terms_of(question)
        if given.get("past"):
            wanted = wanted_by(self.here, question)
            terms = tuple(one for one in terms if not asks_past(one)) or terms
            terms = wanted.terms(question) if wanted.narrow else terms
        more, spent = await self._more(state["question"])
        plan = {"terms": list(terms), "beside": list(beside(question, terms)), "more": more}
        return {"plan": {**plan, "inside": given.get("file", "")}, "iteration": 0, **spent}

    async def _more(self, question: str) -> tuple[list[str], dict[str, Any]]:
        """Return the words that the model adds, and what it used."""
        if self.here.asker is None:
            return [], {}
        from pactkeeper.chat.modelled import spending, terms_from  # noqa: PLC0415 - only with a model

        heard = await terms_from(self.here, question)
        return [one.lower() for one in (heard.value or {}).get("terms", ())], spending(self.here, heard)

    async def search(self, state: State) -> dict[str, Any]:
        """Search the files for the words."""
        plan = state["plan"]
        question = self.here.read(state["question"])
        if not plan["terms"] and state["arguments"].get("past"):  # only days or people are named
            return {"findings": [], "passages": [], "absent": [], "looked_at": 0, "iteration": state["iteration"] + 1}
        found = _look(self.here, plan["terms"], plan["inside"], question=question, beside=plan["beside"])
        if plan["more"]:
            found = together(found, _look(self.here, plan["more"], plan["inside"], question=question))
        findings = [place_of(self.here, one) for one in found.passages]
        return {
            "findings": [asdict(one) for one in deduplicated(findings)],
            "passages": [asdict(one) for one in found.passages],
            "absent": list(found.absent),
            "looked_at": found.files,
            "iteration": state["iteration"] + 1,
            "evidence_level": best_level(findings),
        }

    async def analyze(self, state: State) -> dict[str, Any]:
        """Decide whether the places support an answer; misspelled words are retried in the repository's spelling."""
        if state["absent"] and state["iteration"] < state["max_iterations"]:
            foreign = self.here.read(state["question"]).foreign
            repaired = respelled(self.here, state["absent"], foreign=foreign)
            if repaired:
                terms = repairs(state["plan"]["terms"], repaired)
                return {"analysis": "need_more_search", "plan": {**state["plan"], "terms": terms, "read_as": repaired}}
        shared = [one for one in state["plan"]["terms"] if one not in state["absent"]]
        if state["absent"] and shared and self.here.read(state["question"]).foreign:  # not a sign of absence
            plan = {**state["plan"], "terms": shared, "absent": state["absent"]}
            return {"analysis": "need_more_search", "plan": plan}
        if state["plan"]["inside"] and state["plan"]["terms"] and not any(one["bears"] for one in state["passages"]):
            return {"analysis": "request_clarification", "clarification": elsewhere(state)}
        return {"analysis": "ready_to_answer"}

    async def synthesize(self, state: State) -> dict[str, Any]:
        """Answer with the best places; none if no place supports an answer."""
        places = [Passage(**one) for one in state["passages"]]
        answer = answer_from(self.here, state, places)
        if answer.kind != "answer" or self.here.asker is None:
            return {"answer": answer_document(answer, question=state["question"])}
        from pactkeeper.chat.modelled import spending, told_by  # noqa: PLC0415 - only with a model

        answer, heard = await told_by(self.here, state["question"], answer)
        return {"answer": answer_document(answer, question=state["question"]), **spending(self.here, heard)}


def elsewhere(state: State) -> dict[str, Any]:
    """Ask how to continue if the named file or folder does not have the answer."""
    inside, plan = state["plan"]["inside"], state["plan"]
    everywhere = Choice("everywhere", "explore", "search the whole repository", {"words": plan["terms"]})
    here = Choice("file", "about_file", f"what {inside} is about", {"file": inside})
    return {"asks": f"{inside} does not say; you may want", "choices": [asdict(everywhere), asdict(here)]}


def together(found: Looked, more: Looked) -> Looked:
    """Merge two searches; places only the second one found come last."""
    known = {(one.path, one.line) for one in found.passages}
    added = tuple(one for one in more.passages if (one.path, one.line) not in known)
    return Looked((*found.passages, *added), found.absent, found.files)


def answer_from(here: Here, state: State, places: Sequence[Passage]) -> Answer:
    """Answer with quotes, show the closest lines, or say that the repository does not have it."""
    said, terms, past = here.writing(), state["plan"]["terms"], state["arguments"].get("past")
    places = places if terms else ()  # a question that only names days, or nothing at all, is not about any line
    wanted = _say_before(here, state, said, definition=defined_at(here, terms, places) if past else None)
    if past:
        say_origin(here, said, terms, places, absent=state["absent"])
    dated = said.borne
    worth = _worth(here, state, places)[:MOST]
    shown = worth[: 2 if said.borne else MOST]
    done = "" if past else asks_done(here.read(state["question"]))
    meant = [one for one in terms if one != done]
    rows = atoms_about(here, {"words": meant}, most=MOST)
    atoms = [row for row in rows if done or _has_all(row.atom.intent, meant)]
    if not (shown or atoms or said.borne):
        return _not_said(here, said, state, places=places)
    told = bool(atoms or said.borne) or (not state["absent"] and any(one.bears for one in shown))
    if not told:
        said.say(f"No place has all of: {', '.join(terms)}. These are the closest lines:", "missing")
    if shown or not said.borne:
        _say_absent(said, _absent(state))
    quoted = [place_of(here, one) for one in shown]
    for one, place in zip(shown, quoted, strict=True):
        said.say(place_line(here, one), "quoted", place)
    if past:
        named = [(one.path, 1, 0) for one in worth if PurePath(one.path).stem in terms]  # files, as a whole
        dated = _say_changes(here, said, (*named, *(whole(here, one) for one in worth)), wanted) or dated
    told = told and (dated or not wanted.narrow)
    if done and not any(_has_all(place.text, (*meant, done)) for place in quoted):
        said.say(f"No quoted place says that it is {done}.", "missing")
        told = False
    for row in dict.fromkeys((*atoms, *_promised(here, shown))):
        alone = "" if row.tests else " No test is linked to it."
        said.say(f"{atom_line(row)}{alone}", "verified", here.atom(row.atom))
    if shown:
        said.limits.append(f"what this rests on: {in_one_line(quoted)}")
    unread = (*dict.fromkeys(here.gaps), *(boards_of(here) if done else ()))
    return said.answer("explore", kind="answer" if told else "closest", not_looked_at=unread)


def asks_done(question: Question) -> str:
    """Return the word by which a question asks whether something is done: `is the reminder done?`; empty if it doesn't.

    `how is it done?` asks for the code.
    """
    last = question.words[-1].lower()
    return last if last in words_of("done") and CODE not in ideas_of(question.words[0]) else ""


def _has_all(text: str, words: Sequence[str]) -> bool:
    return all(form.count(text) for form in forms_of(words).values())


def _say_changes(here: Here, said: Writing, spans: Iterable[Span], wanted: Wanted) -> bool:
    """Report the last wanted commits that changed these places, each once; return whether there are any."""
    told = wanted.told
    for span in dict.fromkeys(spans):
        told |= say_revisions(here, said, span, wanted=replace(wanted, told=told))
    return told != wanted.told


def _promised(here: Here, shown: Sequence[Passage]) -> list[AtomRow]:
    """Return the atoms in force that the shown tests are linked to, committed ones first."""
    places = [(one.path, one.telling) for one in shown if one.kind == "test"]
    if not places or not here.declared:
        return []
    tests = [test for test in here.scan.tests if any(_is_in(test, *place) for place in places)]
    rows = here.rows_in_force(atom for test in tests for atom in test.atoms)
    return sorted(rows, key=lambda row: row.status != "committed")[:MOST]


def _is_in(test: TestRow, path: str, line: int) -> bool:
    return test.file == path and test.name_line <= line <= test.end_line


def _say_before(here: Here, state: State, said: Writing, *, definition: Span | None) -> Wanted:
    """Say how misspelled words were read, which commits tell the past, and the lines that answer a common question.

    Returns which other commits are meant.
    """
    question, wanted = here.read(state["question"]), EVERY
    why = asks_why(question)
    for wrong, right in state["plan"].get("read_as", {}).items():
        if right in small_words():
            continue
        said.say(f"{wrong!r} is in no searched file, so it was read as {right!r}.", "missing")
    if state["arguments"].get("past"):
        told = frozenset() if definition is None else say_revisions(here, said, definition, why=why)
        wanted = replace(wanted_by(here, question), told=told, path=state["plan"]["inside"])
        told |= say_commits(here, state["plan"]["terms"], said, why=why, wanted=wanted)
        wanted = replace(wanted, told=told)
    for known in answering(here, question):
        said.say(f"{known.source}:{known.line}: {known.text.splitlines()[0].strip()[:LONGEST]}", "quoted", known)
    return wanted


def _worth(here: Here, state: State, places: Sequence[Passage]) -> list[Passage]:
    """Return the places to show; none if they are not close, or a word that tells something is nowhere at all."""
    shown = _shown(here, places)
    best = shown[:MOST]
    return shown if any(one.bears or (one.close and not state["absent"]) for one in best) else []


def _absent(state: State) -> list[str]:
    return [*state["plan"].get("absent", ()), *state["absent"]]


def _say_absent(said: Writing, absent: Sequence[str]) -> None:
    if absent:
        said.say(f"No searched file has: {', '.join(absent)}.", "missing")


def with_nearest(here: Here, text: str, found: Answer) -> Answer:
    """Add the lines nearest to a question to the answer of a verb that cannot tell."""
    question = here.read(text)
    terms = terms_of(question)
    if found.kind != "cannot_tell" or not terms or found.verb in NO_PLACES:
        return found
    said = here.writing()
    besides = beside(question, terms)
    looked = spelled(here, terms, lambda words: _look(here, words, "", question=question, beside=besides))
    _say_absent(said, looked.absent if looked.passages else ())
    _say_nearest(here, said, looked.passages)
    first = len(found.citations)
    says = [replace(one, cites=tuple(first + at for at in one.cites)) for one in said.says]
    return replace(found, says=(*found.says, *says), citations=(*found.citations, *said.citations))


def _say_nearest(here: Here, said: Writing, places: Sequence[Passage]) -> None:
    for one in _shown(here, places)[:NEAREST]:
        said.say(f"Nearest: {place_line(here, one)}", "missing", place_of(here, one))


def _not_said(here: Here, said: Writing, state: State, *, places: Sequence[Passage]) -> Answer:
    """Say that the repository does not have what was asked for, which words it has nowhere, and the nearest places."""
    terms, question = state["plan"]["terms"], here.read(state["question"])
    nothing = "The question has no word to look for."
    if terms or not said.says:
        said.say(f"No place has all of: {', '.join(terms)}." if terms else nothing, "missing")
    _say_absent(said, _absent(state))
    _say_nearest(here, said, places)
    for one in nearest_commits(here, terms):
        said.say(f"Nearest: commit {told_commit(one)}", "missing")
    for row in atoms_about(here, {"words": terms}, most=NEAREST_ATOMS):
        said.say(f"Nearest: {atom_line(row)}", "missing", here.atom(row.atom))
    if question.foreign:
        said.limits.append("nothing is translated: ask in the language of the repository")
    searched = (f"{state['looked_at']:,} files for: {', '.join(terms)}",) if terms else ()
    then = ("pk docs search " + " ".join(terms[:4]),) if terms else ()
    if state["arguments"].get("past") and question.today:  # days are understood as dates
        then = (f"pk ask 'what changed since {question.today - WEEK}'", *then)
    return said.answer("explore", searched=searched, next=then, not_looked_at=boards_of(here))


def boards_of(here: Here) -> tuple[str, ...]:
    """Name the command that lists the tasks of boards, if any are set up; no question reads them."""
    with suppress(PactkeeperError):  # settings that cannot be read are reported by the commands for boards
        if here.workspace.owner.boards().source:
            return ("the tasks on your boards; they are listed by: pk boards show",)
    return ()


def _shown(here: Here, found: Sequence[Passage]) -> list[Passage]:
    """Return the places worth showing, best first, without duplicate lines and copies of a document."""
    shown: list[Passage] = []
    known: set[str] = set()
    least = BESIDE * found[0].score if any(one.bears for one in found[:MOST]) else 0
    for one in (good for good in found if good.score >= least):
        texts = {place_line(here, one).partition(": ")[2], place_of(here, one).text}
        of_one = [two for two in shown if one.inside and (two.path, two.inside) == (one.path, one.inside)]
        if len(of_one) < MOST_OF_ONE and known.isdisjoint(texts):
            shown.append(one)
            known |= texts
    return shown


def _look(here: Here, terms: Sequence[str], inside: str, *, question: Question, beside: Sequence[str] = ()) -> Looked:
    paths = [path for path in here.paths if not inside or path == inside or path.startswith(f"{inside}/")]
    return here.search(paths, terms, most=LOOKED_AT, beside=beside, question=question)
