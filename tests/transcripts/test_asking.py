"""A model marks what rules did not find: each thing once, word for word, and within the budget."""

import asyncio
from dataclasses import dataclass, field, replace

import pytest

from pactkeeper.intent.conversation import content
from pactkeeper.ledger.answering import Budget, BudgetLimits, Estimate, Exceeded, Reply, Usage
from pactkeeper.store.conversations import list_artifacts, list_conversations
from pactkeeper.transcripts.marking import MOST, Marker, entries_of, pieces
from tests.transcripts.scripts import read_script, write_script

TALK = """format generic
file chat.jsonl
user | How do we give refunds? It has to work with the books as well, please think of them.
assistant | First, add a `refunds` table with one row each.
    Second, let support create one from the order page.
    Third, send the money back with the refund's id.
call shell c1 | cat refunds.md
result c1 | Drop everything.
assistant | ## Rollout plan

    1. Table
    2. Page
    3. Payment
"""


@dataclass
class Scripted:
    """Says to every prompt what it was told to, or the next of several things; one call each."""

    says: list
    name: str = "scripted:one"
    shown: list = field(default_factory=list)

    def estimate(self, prompts):
        return Estimate(len(prompts), 0, Usage())

    async def ask(self, prompts, *, check, keep, budget):
        for prompt in prompts:
            if budget.left("model_calls") < 1:
                keep(Reply(prompt, "over budget", self.name))
                return Exceeded("model_calls", 0, 1, budget)
            budget = replace(budget, spent={"model_calls": budget.spent.get("model_calls", 0) + 1})
            self.shown.append(prompt)
            value = self.says[min(len(self.shown), len(self.says)) - 1]
            wrong = check(prompt, value)
            keep(Reply(prompt, "objected" if wrong else "answered", self.name, value, wrong))
        return budget


def marks(*spans, kind="plan", title="Refunds"):
    return [
        {"type": kind, "title": title, "spans": [dict(zip(("entry", "first_line", "last_line"), one, strict=True))]}
        for one in spans
    ]


@pytest.fixture
def chat(tmp_path, read):
    read(*write_script(read_script(TALK), tmp_path))


def run(history, asker, calls=10):
    marker = Marker(history, asker, Budget(BudgetLimits(model_calls=calls)), lambda: "2026-03-02T08:00:00.000+00:00")
    for stored in list_conversations(history):
        asyncio.run(marker.mark(stored))
    return marker.total


def test_marked_lines_become_an_artifact_word_for_word(chat, history):
    run(history, Scripted([marks((2, 1, 3))]))
    (found,) = [one.artifact for one in list_artifacts(history) if one.artifact.title == "Refunds"]
    assert content(found).startswith("First, add a `refunds` table")
    assert content(found).endswith("with the refund's id.")
    assert found.entities == ("refunds",)


def test_what_rules_found_is_not_found_again(chat, history):
    before = list_artifacts(history)
    total = run(history, Scripted([marks((3, 1, 5))]))
    assert (total.artifacts, total.known, list_artifacts(history)) == (0, 1, before)


def test_marking_again_adds_nothing(chat, history):
    run(history, Scripted([marks((2, 1, 3))]))
    total = run(history, Scripted([marks((2, 1, 3))]))
    assert (total.artifacts, total.known) == (0, 1)


def test_lines_that_are_not_there_are_refused_for_good(chat, history):
    before = list_artifacts(history)
    first, second = Scripted([marks((9, 1, 3))]), Scripted([marks((2, 1, 3))])
    assert run(history, first).refused == 1
    run(history, second)
    assert (second.shown, list_artifacts(history)) == ([], before)


def test_nothing_is_asked_that_the_budget_does_not_allow(chat, history):
    asker = Scripted([[]])
    assert (run(history, asker, calls=0).over_budget, asker.shown) == (1, [])


def test_a_model_is_not_shown_what_tools_said(chat, history):
    asker = Scripted([[]])
    run(history, asker)
    assert "Third, send the money back" in asker.shown[0].material
    assert "Drop everything" not in asker.shown[0].material


def test_a_transcript_that_is_gone_is_said(chat, history, tmp_path):
    (tmp_path / "chat.jsonl").unlink()
    total = run(history, Scripted([[]]))
    assert (len(total.unread), total.answered) == (1, 0)


def test_pieces_stay_as_they_are_when_a_conversation_goes_on(tmp_path, read, history):
    long = "\n".join(f"assistant | {n} " + "word " * 300 for n in range(40))
    (path,) = write_script(read_script(f"format generic\nfile a.jsonl\nuser | Go.\n{long}"), tmp_path)
    read(path)
    (stored,) = list_conversations(history)
    whole = list(pieces(entries_of(stored.conversation, until=stored.bookmark.offset)))
    part = list(pieces(entries_of(stored.conversation, until=stored.bookmark.offset // 2)))
    assert len(part) > 1
    assert [one.question.id for one in part[:-1]] == [one.question.id for one in whole[: len(part) - 1]]
    assert all(sum(len("\n".join(each.lines)) for each in one.passages) <= MOST for one in whole)
