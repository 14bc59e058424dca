"""Something that answers prompts by a script, as a model would that obeys whatever the script says."""

from dataclasses import dataclass, field

from pactkeeper.ledger.answering import Budget, BudgetLimits, Estimate, Exceeded, Reply, Usage, spend

PLENTY = Budget(BudgetLimits(model_calls=1_000, tokens=1_000_000, money=1_000_000))
ONE_CALL = Usage(calls=1, input_tokens=10, output_tokens=5, money=7)


@dataclass
class Scripted:
    """Answers by kind: a value, a function of the prompt, or an exception; nothing means that it fails."""

    script: dict
    name: str = "scripted"
    honest: bool = True
    prompts: list = field(default_factory=list)

    def estimate(self, prompts):
        return Estimate(len(prompts), 0, Usage(calls=len(prompts)))

    async def ask(self, prompts, *, check, keep, budget):
        for number, prompt in enumerate(prompts):
            left = spend(budget, "model_calls")
            if isinstance(left, Exceeded):
                for rest in prompts[number:]:
                    keep(Reply(rest, "over budget", self.name))
                return left
            budget = left
            self.prompts.append(prompt)
            keep(self._reply(prompt, check))
        return budget

    def _reply(self, prompt, check):
        if prompt.kind not in self.script:
            return Reply(prompt, "failed", self.name, reasons=("no script",), usage=ONE_CALL)
        said = self.script[prompt.kind]
        if isinstance(said, Exception):
            raise said
        value = said(prompt) if callable(said) else said
        reasons = check(prompt, value) if self.honest else ()
        return Reply(prompt, "objected" if reasons else "answered", self.name, value, reasons, ONE_CALL)


def words(intent, outcome, quote, **more):
    """An answer to what a test is for."""
    said = {"intent": intent, "category": "functional", "outcomes": [outcome], "quotes": [quote], "confidence": 80}
    return {**said, "ambiguity": [], **more}
