"""The graph that explores a repository: plan what to look for, search, judge what was found, answer by quotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from pactkeeper.chat.answers import Answer, Choice, answer_document
from pactkeeper.chat.evidence import Finding, best_level, deduplicated, in_one_line
from pactkeeper.chat.here import Here, Writing
from pactkeeper.chat.modelled import Heard, terms_from, told_by
from pactkeeper.chat.saying import atom_line
from pactkeeper.chat.searching import KINDS, Looked, Passage, look
from pactkeeper.chat.spelling import respelled
from pactkeeper.chat.subjects import atoms_about
from pactkeeper.chat.words import beside, terms_of
from pactkeeper.flows.builders import React, react
from pactkeeper.flows.edges import State
from pactkeeper.flows.graphs import Graph
from pactkeeper.ledger.budget import Resource

MOST: Final = {"code": 4, "test": 1, "document": 2, "plan": 1, "other": 1}  # places of each kind that an answer shows
LOOKED_AT: Final = 40  # places that are judged
BEARS: Final = 52  # of 100: how much of what is asked has to stand in the best place for it to bear an answer
BESIDE: Final = 0.45  # how good another place has to be beside the best one of its kind
FAR: Final = 0.25  # and beside the best one of all
SPENT: Final[tuple[Resource, ...]] = ("model_calls", "tokens", "money")


def graph(here: Here) -> Graph:
    """Chat exploration: planning → search ↔ analyze → synthesize."""
    steps = _Exploring(here)
    return react(
        "explore", React(steps.search, steps.analyze, steps.synthesize, planning=steps.plan, clarify="clarify")
    )


class _Exploring:
    """The nodes: what is asked decides what is looked for, and the lines that bear it are the answer."""

    def __init__(self, here: Here) -> None:
        self.here = here

    async def plan(self, state: State) -> dict[str, Any]:
        """Which words are looked for, and whether the pact is asked as well."""
        question = self.here.read(state["question"])
        given = {**state.get("arguments", {})}
        terms = terms_of(self.here.read(" ".join(given["words"]))) if given.get("words") else terms_of(question)
        heard = await terms_from(self.here, state["question"])
        more = [one.casefold() for one in (heard.value or {}).get("terms", ())]
        plan: dict[str, Any] = {"terms": list(terms), "beside": list(beside(question, terms)), "more": more}
        plan |= {"inside": given.get("file", ""), "pact": self.here.declared}
        return {"plan": plan, "iteration": 0, **self._spent(heard)}

    async def search(self, state: State) -> dict[str, Any]:
        """Look for the words in files, and in the pact where there is one."""
        plan = state["plan"]
        found = _look(self.here, plan["terms"], plan["inside"], plan["beside"])
        if plan["more"]:
            found = together(found, _look(self.here, plan["more"], plan["inside"]))
        findings = [_finding(self.here, one) for one in found.passages]
        return {
            "findings": [asdict(one) for one in deduplicated(findings)],
            "passages": [asdict(one) for one in found.passages],
            "absent": list(found.absent),
            "looked_at": found.files,
            "iteration": state["iteration"] + 1,
            "evidence_level": best_level(findings),
        }

    async def analyze(self, state: State) -> dict[str, Any]:
        """Whether the places bear an answer; misspelled words are looked for again as the repository has them."""
        best = max((one["share"] for one in state["passages"]), default=0)
        if state["absent"] and state["iteration"] < state["max_iterations"]:
            repaired = respelled(self.here, state["absent"])
            if repaired:
                terms = [repaired.get(one, one) for one in state["plan"]["terms"]]
                return {"analysis": "need_more_search", "plan": {**state["plan"], "terms": terms, "read_as": repaired}}
        if state["plan"]["inside"] and best < BEARS:
            return {"analysis": "request_clarification", "clarification": elsewhere(state)}
        return {"analysis": "ready_to_answer", "share": best}

    async def synthesize(self, state: State) -> dict[str, Any]:
        """The best places, code before tests before documents before plans; none where nothing bears the question."""
        places = [Passage(**{**one, "words": tuple(one["words"])}) for one in state["passages"]]
        answer = answer_from(self.here, state, places)
        if answer.kind != "answer" or self.here.asker is None:
            return {"answer": answer_document(answer, question=state["question"])}
        answer, heard = await told_by(self.here, state["question"], answer)
        return {"answer": answer_document(answer, question=state["question"]), **self._spent(heard)}

    def _spent(self, heard: Heard) -> dict[str, Any]:
        """What a model used up so far, and what it may: an edge stops the search there."""
        if heard.spent is None or self.here.budget is None:
            return {}
        limits = self.here.budget.limits
        return {"spent": dict(heard.spent), "limits": {name: limits.of(name) for name in SPENT if limits.of(name)}}


def elsewhere(state: State) -> dict[str, Any]:
    """What to ask where the file or folder that is named does not say it."""
    inside, plan = state["plan"]["inside"], state["plan"]
    everywhere = Choice("everywhere", "explore", "search the whole repository", {"words": plan["terms"]})
    here = Choice("file", "about_file", f"what {inside} is about", {"file": inside})
    return {"asks": f"{inside} does not say; you may want", "choices": [asdict(everywhere), asdict(here)]}


def together(found: Looked, more: Looked) -> Looked:
    """Two searches as one, the first one's places before those that only the second one has."""
    known = {(one.path, one.line) for one in found.passages}
    added = tuple(one for one in more.passages if (one.path, one.line) not in known)
    return Looked((*found.passages, *added), found.absent, found.files)


def answer_from(here: Here, state: State, places: Sequence[Passage]) -> Answer:
    """An answer by quotes, or that the repository does not say, with the nearest thing found."""
    said, terms = Writing(), state["plan"]["terms"]
    for wrong, right in state["plan"].get("read_as", {}).items():
        said.limits.append(f"{wrong!r} was read as {right!r}")
    nowhere = 2 * len(state["absent"]) >= len(terms)
    bearing = [] if nowhere else [one for one in places if one.share >= BEARS]
    searched = (f"{state['looked_at']:,} files for: {', '.join(terms) or 'nothing'}",)
    if not bearing:
        said.say("The repository does not say.", "missing")
        for one in places[:2]:
            said.say(f"The nearest thing: {_place(one)}.", "missing", _finding(here, one))
        if state["absent"]:
            said.limits.append(f"no file has: {', '.join(state['absent'])}")
        return said.answer("explore", searched=searched, next=("pk docs search " + " ".join(terms[:4]),))
    for one in _shown(bearing):
        said.say(f"{_place(one)} speaks of {', '.join(one.words)}.", "quoted", _finding(here, one))
    for row in atoms_about(here, {"words": terms}, most=2) if state["plan"]["pact"] else ():
        said.say(atom_line(row), "verified", here.atom(row.atom))
    if state["absent"]:
        said.limits.append(f"no file has: {', '.join(state['absent'])}")
    said.limits.append(f"evidence: {in_one_line([_finding(here, one) for one in bearing])}")
    return said.answer("explore", searched=searched, not_looked_at=tuple(dict.fromkeys(here.gaps)))


def _shown(bearing: Sequence[Passage]) -> list[Passage]:
    """The places worth showing: code before tests before documents before plans, the best of each kind."""
    best = {one.kind: one.score for one in reversed(bearing)}
    good = [one for one in bearing if one.score >= BESIDE * best[one.kind] and one.score >= FAR * bearing[0].score]
    return [one for kind in KINDS for one in [two for two in good if two.kind == kind][: MOST[kind]]]


def _place(one: Passage) -> str:
    return f"{one.path}:{one.line}" + (f" in {one.inside}" if one.inside else "")


def _finding(here: Here, one: Passage) -> Finding:
    return here.lines(one.path, one.line, one.end)


def _look(here: Here, terms: Sequence[str], inside: str, beside: Sequence[str] = ()) -> Looked:
    paths = [path for path in here.paths if not inside or path == inside or path.startswith(f"{inside}/")]
    with here.tool("search_files"):
        return look(here.texts(paths), terms, here.kinds, most=LOOKED_AT, beside=beside)
