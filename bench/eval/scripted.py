"""Scripted answerers, for which the result of a measurement is known in advance."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bench.eval.cases import Case
from pactkeeper.ledger.answering import Budget, Check, Estimate, Exceeded, Prompt, Reply, Usage
from pactkeeper.ledger.canonical import JsonValue

Script = Callable[[Case], dict[str, JsonValue]]
_ASSERTION = re.compile(r"^.*\b(?:assert|expect|raises|throws).*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ScriptedAsker:
    """An Asker that says of each test what its script says, and the same again when it is objected to."""

    name: str
    script: Script
    known: Mapping[str, Case]

    def estimate(self, prompts: Sequence[Prompt]) -> Estimate:
        """Nothing is paid for."""
        return Estimate(len(prompts), 0, Usage(calls=len(prompts)))

    async def ask(
        self, prompts: Sequence[Prompt], *, check: Check, keep: Callable[[Reply], None], budget: Budget
    ) -> Budget | Exceeded:
        """Answer them all, in their order."""
        for prompt in prompts:
            value = self.script(self.known[prompt.question])
            reasons = check(prompt, value)
            keep(Reply(prompt, "objected" if reasons else "answered", self.name, value, reasons))
        return budget


def oracle(case: Case) -> dict[str, JsonValue]:
    """What the label says, and no certainty where there is none."""
    if case.intent is None:
        return _answer(case, "The behaviour cannot be told from the test.", ["Nothing is seen."], 20, [case.abstain])
    return _answer(case, case.intent.sentence, [one.sentence for one in case.outcomes], 90)


def sloppy(case: Case) -> dict[str, JsonValue]:
    """Half of what there is to say, said of everything, and always certain."""
    if case.intent is None:
        return _answer(case, "It works as expected.", ["The result is correct."], 92)
    without = [part.alternatives[0] for part in case.intent.parts if part.facet == "condition"]
    sentence = case.intent.sentence
    for words in without:
        sentence = sentence.replace(words, "").replace("  ", " ")
    return _answer(case, sentence, [case.outcomes[0].sentence], 92)


def hallucinating(case: Case) -> dict[str, JsonValue]:
    """What the label says, with values, names and claims that the test does not hold."""
    claims = [part.alternatives[0] for part in case.never]
    sentence = case.intent.sentence if case.intent is not None else "A customer is sent an e-mail within 45 seconds."
    invented = ["The `retry_handler` runs 250 times.", *(f"The {words} is changed." for words in claims)]
    return _answer(case, sentence, [*(one.sentence for one in case.outcomes), *invented], 95)


SCRIPTS: Mapping[str, Script] = {"oracle": oracle, "sloppy": sloppy, "hallucinating": hallucinating}


def _answer(  # noqa: PLR0917 - the members of an answer, in their order
    case: Case, intent: str, outcomes: Sequence[str], confidence: int, ambiguity: Sequence[str] = ()
) -> dict[str, JsonValue]:
    return {
        "intent": intent,
        "category": "functional",
        "outcomes": list(outcomes),
        "quotes": [_quote(case)],
        "confidence": confidence,
        "ambiguity": list(ambiguity),
    }


def _quote(case: Case) -> str:
    """The first assertion below the test's name, or the name where there is none."""
    start = max(case.source.find(case.name), 0)
    found = _ASSERTION.search(case.source, start)
    return found[0].strip() if found else case.name
