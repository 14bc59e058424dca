import os
import signal
import subprocess
from dataclasses import dataclass

import pytest

from pactkeeper.ledger.answering import Budget, BudgetLimits
from pactkeeper.operators.driving import running
from pactkeeper.operators.history import new_run
from pactkeeper.operators.questions import pending_questions
from pactkeeper.reconcile.request import Request
from pactkeeper.store.questions import answered_questions
from pactkeeper.store.runs import add_run, list_runs
from tests.operators.asked import drive_on
from tests.reconcile.asking import Scripted, words
from tests.reconcile.dying import Place, in_a_process

TESTS = 5
KILLED = -9


@dataclass
class Mortal(Scripted):
    """A scripted model whose process kills itself after so many answers are kept."""

    lives: int = 0

    async def ask(self, prompts, *, check, keep, budget):
        def keep_or_die(reply):
            keep(reply)
            self.lives -= 1
            if self.lives == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        return await super().ask(prompts, check=check, keep=keep_or_die, budget=budget)


def say(prompt):
    name = prompt.material.split('run_it("')[1].split('"')[0]
    sentence = f"The {name} is run."
    return words(sentence, sentence, f'run_it("{name}")', ambiguity=["no_assertion"])


def ask_everything(place, lives, budget):
    """Begin a run that asks, or go on with the one that died."""
    with place.open() as workspace, running(workspace) as held:
        history = workspace.history()
        if not list_runs(history):
            at = workspace.now().isoformat(timespec="microseconds")
            add_run(history, new_run(workspace, Request(everything=True), at=at))
        asker = Mortal({"word_test": say}, lives=lives)
        drive_on(workspace, held, list_runs(history)[0], asker, budget=budget)
        (place.root.parent / "asked").write_text(str(len(asker.prompts)))


@pytest.fixture
def place(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    names = ("alpha", "beta", "gamma", "delta", "omega")
    bodies = (f'def test_{number}():\n    run_it("{name}")\n' for number, name in enumerate(names))
    (root / "test_all.py").write_text("\n\n".join(bodies))
    for command in (("init", "-q"), ("config", "user.name", "Ada"), ("config", "user.email", "ada@example.org")):
        subprocess.run(["git", *command], cwd=root, check=True)
    return Place(root)


@pytest.mark.slow
def test_a_run_killed_among_its_answers_asks_only_what_has_none(place):
    plenty = Budget(BudgetLimits(model_calls=100))
    assert in_a_process(ask_everything, place, 2, plenty) == KILLED
    assert in_a_process(ask_everything, place, 0, plenty) == 0
    assert (place.root.parent / "asked").read_text() == str(TESTS - 2)
    with place.open() as workspace:
        assert len(answered_questions(workspace.history())) == TESTS
        assert pending_questions(workspace) == ()


def test_what_a_killed_run_has_spent_still_counts(place):
    budget = Budget(BudgetLimits(model_calls=3))
    assert in_a_process(ask_everything, place, 2, budget) == KILLED
    assert in_a_process(ask_everything, place, 0, budget) == 0
    with place.open() as workspace:
        (run,) = list_runs(workspace.history())
        assert len(pending_questions(workspace)) == TESTS - 3
    assert (run.summary["model_calls"], run.summary["over_budget"]) == (3, TESTS - 3)
