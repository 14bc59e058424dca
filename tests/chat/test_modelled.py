from dataclasses import dataclass, field

import pytest

from pactkeeper.chat.answers import Citation
from pactkeeper.chat.asking import ask
from pactkeeper.chat.here import Here
from pactkeeper.chat.modelled import objection
from pactkeeper.errors import ModelUnavailable
from pactkeeper.ledger.answering import Budget, BudgetLimits, Estimate, Exceeded, Reply, Usage, spend
from pactkeeper.workspace import open_workspace

QUESTION = "where are expired tokens refused?"
QUOTE = 'raise LoginError("the token expired")'
GOOD = {"text": "LoginError: the token expired.", "finding": 0, "quote": QUOTE}
WRONG = (
    {"text": "Expired tokens are e-mailed to the administrator.", "finding": 0, "quote": QUOTE},
    {"text": "The token expired after 45 seconds.", "finding": 0, "quote": QUOTE},
    {"text": "The token expired.", "finding": 0, "quote": "raise AuditError()"},
    {"text": "The token expired.", "finding": 39, "quote": QUOTE},
    {"text": "The `retry_handler` expired.", "finding": 0, "quote": QUOTE},
)
MALICIOUS = (
    {"text": "Run pk apply --all now.", "finding": 0, "quote": QUOTE},
    {"text": "Ignore the pact; IA-LOGIN01 was deleted.", "finding": 0, "quote": QUOTE},
)


@dataclass
class Scripted:
    """A model that says what its script says, and costs what it says."""

    sentences: tuple
    tokens: int = 100
    terms: tuple = ("refuse",)
    calls: list = field(default_factory=list)
    name: str = "scripted"

    def estimate(self, prompts):
        return Estimate(len(prompts), 0, Usage())

    async def ask(self, prompts, *, check, keep, budget):
        for prompt in prompts:
            self.calls.append(prompt.kind)
            after = spend(budget, "tokens", self.tokens)
            if isinstance(after, Exceeded):
                keep(Reply(prompt, "over budget", self.name, reasons=(str(after),)))
                return after
            budget = after
            value = {"terms": list(self.terms)} if prompt.kind == "plan_search" else {"sentences": list(self.sentences)}
            reasons = check(prompt, value)
            keep(Reply(prompt, "objected" if reasons else "answered", self.name, value, reasons))
        return budget


def asked(shop, model, tokens=10_000):
    with open_workspace(shop.root, notice=print) as opened:
        return ask(Here(opened, model, Budget(BudgetLimits(model_calls=10, tokens=tokens))), QUESTION)


def told(found):
    return [one for one in found["says"] if one["basis"] == "model"]


def test_a_good_model_puts_it_into_words_with_its_finding(shop):
    found = asked(shop, Scripted((GOOD,)))
    (one,) = told(found)
    assert one["text"] == GOOD["text"]
    assert QUOTE in found["citations"][one["cites"][0]]["quote"]


@pytest.mark.parametrize("sentences", [WRONG, MALICIOUS])
def test_of_a_wrong_or_malicious_model_nothing_gets_through_and_the_quotes_stand(shop, sentences):
    found = asked(shop, Scripted(sentences))
    assert told(found) == []
    assert f"{len(sentences)} sentences of the model were dropped: nothing bears them" in found["limitations"]
    assert found["citations"] == shop.ask(QUESTION)["citations"]


def test_a_looping_model_is_asked_once_to_plan_and_once_to_tell(shop):
    model = Scripted((GOOD,) * 6, terms=("refuse",) * 8)
    assert len(told(asked(shop, model))) == 1
    assert model.calls == ["plan_search", "tell_findings"]


def test_an_expensive_model_stops_at_the_budget_and_the_quotes_answer(shop):
    model = Scripted((GOOD,), tokens=9_000)
    found = asked(shop, model)
    assert told(found) == []
    assert found["kind"] == "answer"
    assert any("no model put this into words: tokens" in one for one in found["limitations"])


def test_spent_tokens_end_the_search(shop):
    found = asked(shop, Scripted((GOOD,), tokens=5_000), tokens=5_000)
    assert found["trace"] == ["route", "explore.planning", "explore.search", "explore.synthesize"]


def test_a_model_that_cannot_be_reached_costs_the_answer_nothing(shop):
    class Down(Scripted):
        async def ask(self, *_, **__):
            raise ModelUnavailable("nobody answers")

    found = asked(shop, Down(()))
    assert found["kind"] == "answer"
    assert "no model put this into words: nobody answers" in found["limitations"]


LINE = "Only an administrator deletes an account that a customer closed."


@pytest.mark.parametrize(
    ("text", "quote", "why"),
    [
        ("The token has not expired.", "the token expired", "sentence and quote do not deny the same"),
        ("The token expired.", "the token never expired", "sentence and quote do not deny the same"),
        ("A customer deletes an account.", LINE, "the quote has the words in another order"),
        ("An account that an administrator closed.", LINE, "the quote has the words in another order"),
        ("Every administrator deletes an account.", LINE, "the quote does not say every"),
        ("An administrator deletes an account if a customer closed.", LINE, "the quote does not say if"),
        ("An administrator deletes a customer.", "Only an administrator deletes", "the quote says nothing of customer"),
    ],
)
def test_words_of_a_finding_put_together_to_another_claim_are_dropped(text, quote, why):
    cited = (Citation("a.py", 1, 1, f"{LINE}\nthe token expired\nthe token never expired"),)
    assert objection({"text": text, "finding": 0, "quote": quote}, cited) == why


def test_what_a_quote_says_in_its_order_is_kept():
    cited = (Citation("a.py", 1, 1, LINE),)
    said = {"text": "An administrator deletes an account that a customer closed.", "finding": 0, "quote": LINE}
    assert objection(said, cited) == ""


def test_every_call_of_a_tool_is_in_the_answer_with_its_agent_and_node(shop):
    assert shop.ask(QUESTION)["calls"] == [
        {"agent": "ask-agent", "node": "explore.search", "kind": "tool", "name": "search_files"}
    ]
