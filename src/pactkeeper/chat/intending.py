"""The graphs about intent: a request becomes a draft that a person accepts; atoms are judged before a commitment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pactkeeper.advice import ACCEPT, COMMIT, EDIT
from pactkeeper.chat.answers import Answer, answer_document
from pactkeeper.chat.here import Here
from pactkeeper.chat.matching import ideas_of, verbs
from pactkeeper.chat.routing import command_of
from pactkeeper.errors import PactkeeperError
from pactkeeper.flows.driving import State
from pactkeeper.flows.graphs import Graph, PlanExecute, by_threshold, plan_execute, quality_gate
from pactkeeper.published.plain import told

DRAFT: Final = 50  # minimum score for a draft; below it the wording has to improve first
LEAD: Final = 8  # words within which a request says that it is one
SHORT: Final = 3  # letters of the person who asks: `I`, `we`, `ich`
OPENS: Final = frozenset({"that", "dass"})  # words that introduce the request itself


def creation(here: Here) -> Graph:
    """Read the request → refine it → score its wording → draft it, with or without advice."""
    steps = _Creating(here)
    ways = by_threshold(lambda state: state["score"], [(DRAFT, "draft")], otherwise="report")
    nodes = PlanExecute(
        steps.read, steps.refine, steps.report, validate=steps.quality, after_validate=ways, more={"draft": steps.draft}
    )
    return plan_execute("intent", nodes)


class _Creating:
    def __init__(self, here: Here) -> None:
        self.here = here

    async def read(self, state: State) -> dict[str, Any]:
        """Extract the requested sentence: the question without the words that ask for an atom."""
        return {"plan": {"sentence": wish_in(state["question"])}}

    async def refine(self, state: State) -> dict[str, Any]:
        """Check whether it is one behaviour or several, and what is left open."""
        from pactkeeper.operators.words import analyze_intent  # noqa: PLC0415 - only requests need it

        with self.here.tool("analyze_intent"):
            found = analyze_intent(self.here.workspace, state["plan"]["sentence"])
        refined = {"joints": list(found.joints), "open": list(found.questions)}
        return {"refined": refined, "score": found.quality.score}

    async def quality(self, _: State) -> dict[str, Any]:
        """Determine the threshold; the score decides whether the wording becomes a draft."""
        return {"checked": {"threshold": self.here.pact.settings.quality_threshold if self.here.declared else 80}}

    async def draft(self, state: State) -> dict[str, Any]:
        """Compute the diff that accepting it would write; nothing is written."""
        from pactkeeper.operators.authored import create_atom  # noqa: PLC0415 - only requests need it
        from pactkeeper.reconcile.authored import NewAtom  # noqa: PLC0415 - likewise

        new = NewAtom(state["plan"]["sentence"])
        try:
            with self.here.tool("create_atom"):
                written = create_atom(self.here.workspace, new, dry_run=True)
        except PactkeeperError as reason:
            return {"diff": "", "refused": told(reason.message)}
        return {"diff": "" if written.applied is None else "\n".join(written.applied.diff())}

    async def report(self, state: State) -> dict[str, Any]:
        """Report the draft with its one command, or what to improve first."""
        said, sentence = self.here.writing(), state["plan"]["sentence"]
        said.say(f"As an atom: {sentence!r}, quality {state['score']} of 100.", "computed")
        if state["refined"]["joints"]:
            said.say("It may be several behaviours: " + " / ".join(state["refined"]["joints"]), "computed")
        for one in state["refined"]["open"]:
            said.say(f"Left open: {one}", "computed")
        if state.get("refused"):
            said.limits.append(state["refused"])
        command = command_of(verbs()["create_atom"], {"words": [sentence]})
        parts: Mapping[str, Any] = {
            "kind": "proposal",
            "shown": state.get("diff", ""),
            "next": (command,),
            "command": command,
        }
        return {"answer": answer_document(said.answer("create_atom", **parts), question=state["question"])}


def wish_in(question: str) -> str:
    """Return the words that follow the request itself, verbatim."""
    words = question.strip().rstrip("?").split()
    opened = next((at for at, word in enumerate(words[:LEAD], 1) if word.rstrip(",") in OPENS or word[-1] == ":"), 0)
    while not opened and len(words) > 1 and _asks(words):
        words = words[1:]
    return " ".join(words[opened:] or words)


def _asks(words: Sequence[str]) -> bool:
    """Whether the text still starts with a request: `please add`, `we want`; `users should` is part of the sentence."""
    first, second = (ideas_of(word.strip(",")) for word in words[:2])
    return bool(first & {"wish", "filler"}) or (len(words[0]) <= SHORT and "wish" in second)


def commitment(here: Here) -> Graph:
    """Validate → invariants → quality gate → the person's own act in the terminal, or back to better wording."""
    steps = _Committing(here)
    threshold = here.pact.settings.quality_threshold if here.declared else 80
    gate = quality_gate(lambda state: state["score"], threshold, passed="confirm", failed="refine")
    nodes = PlanExecute(
        steps.plan,
        steps.invariants,
        steps.report,
        validate=steps.judge,
        after_validate=gate,
        more={"confirm": steps.confirm, "refine": steps.refine},
    )
    return plan_execute("commitment", nodes)


class _Committing:
    def __init__(self, here: Here) -> None:
        self.here = here

    async def plan(self, state: State) -> dict[str, Any]:
        """Determine which atom is meant."""
        return {"plan": {"atom": state["arguments"]["atom"]}}

    async def invariants(self, state: State) -> dict[str, Any]:
        """Run every invariant against committing it; nothing is written."""
        from pactkeeper.operators.commit_gate import gate_of  # noqa: PLC0415 - only requests need it

        atom = state["plan"]["atom"]
        try:
            if not self.here.declared:
                return {"checks": [], "allowed": False, "refused": "there is no pact here; start one with: pk init"}
            with self.here.tool("gate_of"):
                found = gate_of(self.here.workspace, atom)
        except PactkeeperError as reason:
            return {"checks": [], "allowed": False, "refused": told(reason.message)}
        checks = [
            [one.invariant, one.status, one.reason or "; ".join(f.message for f in one.findings)]
            for one in found.checks
        ]
        return {"checks": checks, "allowed": found.allowed}

    async def judge(self, state: State) -> dict[str, Any]:
        """Score its wording; 0 if an invariant refuses it anyway."""
        from pactkeeper.operators.words import refine_atom  # noqa: PLC0415 - only requests need it

        if state.get("refused"):
            return {"score": 0}
        with self.here.tool("refine_atom"):
            _, found = refine_atom(self.here.workspace, state["plan"]["atom"])
        return {"score": found.quality.score}

    async def confirm(self, state: State) -> dict[str, Any]:
        """Leave the rest to a person: the ceremony only runs in a terminal."""
        return {"next": [str(COMMIT(state["plan"]["atom"]))]}

    async def refine(self, state: State) -> dict[str, Any]:
        """Suggest what to do first."""
        atom = state["plan"]["atom"]
        return {"next": [] if state.get("refused") else [f"pk atom refine {atom}", str(EDIT(atom))]}

    async def report(self, state: State) -> dict[str, Any]:
        """Report every check, and the one command that a person runs."""
        said, atom = self.here.writing(), state["plan"]["atom"]
        if state.get("refused"):
            said.say(f"That cannot be committed: {state['refused']}", "missing")
            return {"answer": answer_document(said.answer("commit_atoms"), question=state["question"])}
        found = self.here.pact.atoms.get(atom)
        lines = [] if found is None else [self.here.atom(found)]
        said.say(f"{atom} scores {state['score']}; a person commits it, in a terminal.", "verified", *lines)
        for name, status, reason in state["checks"]:
            said.say(f"{name}: {status}. {reason}".strip(), "verified")
        answer = said.answer("commit_atoms", kind="proposal", next=tuple(state["next"]))
        return {"answer": answer_document(answer, question=state["question"])}


def proposed(here: Here, verb: str, given: Mapping[str, Any]) -> Answer:
    """Describe what a request would write, and the one command by which a person does it."""
    from pactkeeper.operators.decide import load_pending  # noqa: PLC0415 - only requests need it

    row, said = verbs()[verb], here.writing()
    if verb != "start_pact" and not here.declared:
        said.say("There is no pact in this repository yet.", "verified")
        return said.answer(verb, kind="proposal", next=("pk init",))
    said.say(f"This would {row.does}; nothing was done.", "computed")
    if verb in {"apply_patch", "review_patch"}:
        try:
            pending = load_pending(here.workspace, None)
            if pending.ended:
                said.say(f"Nothing waits: {pending.patch.id} is decided and applied.", "computed")
                return said.answer(verb, kind="proposal")
            said.say(f"{len(pending.patch.ops)} ops wait in {pending.patch.id}.", "computed")
        except PactkeeperError as reason:
            said.limits.append(told(reason.message))
    if verb == "review_patch" and given.get("words"):
        from pactkeeper.chat.subjects import test_meant  # noqa: PLC0415 - likewise

        test = test_meant(here, given)
        if test is not None:
            said.say(f"{test.id} seems to be meant.", "computed", here.test(test))
            return said.answer(verb, kind="proposal", next=(ACCEPT(f"'{test.id}'"),))
    if row.takes == "atom" and given["atom"] in here.pact.atoms:
        said.say(here.pact.atoms[given["atom"]].intent, "verified", here.atom(here.pact.atoms[given["atom"]]))
    return said.answer(verb, kind="proposal", next=(command_of(row, given),))
