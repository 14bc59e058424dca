"""Answer the labelled tests as the product does: files in a repository, discovery, questions, checks."""

from __future__ import annotations

import asyncio
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from bench.eval.cases import Case
from bench.eval.scoring import Row, Said
from bench.eval.scripted import SCRIPTS, ScriptedAsker
from pactkeeper.intent.answers import objections
from pactkeeper.ledger.answering import Asker, Budget, BudgetLimits, Prompt, Reply
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.question import Answer, Question
from pactkeeper.reconcile.answering import question_about
from pactkeeper.reconcile.asking import grounds_of, problems, prompts_for, undecided
from pactkeeper.reconcile.looking import infer_tests
from pactkeeper.reconcile.world import World
from pactkeeper.reconcile.worth import Inferred
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.workspace import Workspace, open_workspace

PLENTY = Budget(BudgetLimits(model_calls=10_000, tokens=100_000_000, money=100_000_000))
NOW = "2031-01-01T00:00:00"


@dataclass(frozen=True, slots=True)
class Ground:
    """The labelled tests as a repository, with what rules make of each."""

    snapshot: Snapshot
    world: World
    inferred: tuple[tuple[Case, Inferred], ...]


@contextmanager
def ground(labelled: Sequence[Case]) -> Iterator[tuple[Workspace, Ground]]:
    """Write the tests into a repository of their own and read them as any other."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        subprocess.run(["git", "init", "--quiet", folder], check=True)
        for case in labelled:
            (root / case.path).parent.mkdir(exist_ok=True)
            (root / case.path).write_text(case.source, encoding="utf-8")
        (root / "package.json").write_text('{"devDependencies": {"vitest": "3.0.0"}}\n', encoding="utf-8")
        with open_workspace(root, notice=print) as opened:
            snapshot = opened.snapshot()
            world = opened.world(snapshot)
            yield opened, Ground(snapshot, world, _inferred(labelled, snapshot, world))


def _inferred(labelled: Sequence[Case], snapshot: Snapshot, world: World) -> tuple[tuple[Case, Inferred], ...]:
    by_name = {(entry.test.file, entry.test.name): entry for entry in world.linked}
    missing = [f"{case.path}: {case.name}" for case in labelled if (case.path, case.name) not in by_name]
    if missing:
        raise SystemExit("not found as tests:\n" + "\n".join(missing))
    found = infer_tests(snapshot, [by_name[case.path, case.name] for case in labelled])
    return tuple(zip(labelled, found, strict=True))


def by_rules(laid: Ground) -> list[Row]:
    """What rules say; they answer where they are sure enough to propose. Code that they quote as code is not judged."""
    least = round(laid.world.pact.settings.inference_threshold * 100)
    rows = []
    for case, one in laid.inferred:
        said = one.inference
        plain = [outcome for outcome in said.outcomes if "`" not in outcome]
        value = cast("JsonValue", {"intent": said.intent, "outcomes": plain, "falsified_by": []})
        against = _wording(laid, question_about(one), value)
        taken = said.confidence >= least
        rows.append(Row(case, Said(said.intent, said.outcomes, said.confidence, taken, against)))
    return rows


def by_asker(laid: Ground, asker_of: Callable[[Mapping[str, Case]], Asker]) -> list[Row]:
    """What an asker says when every test is asked about, through the same checks as in a run."""
    questions = {(one := question_about(each)).id: (one, case) for case, each in laid.inferred}
    prompts = prompts_for([one for one, _ in questions.values()], laid.snapshot, laid.world)
    asker = asker_of({name: case for name, (_, case) in questions.items()})
    replies: dict[str, Reply] = {}

    def check(prompt: Prompt, value: JsonValue) -> tuple[str, ...]:
        return _problems(laid, questions[prompt.question][0], value, asker.name)

    def keep(reply: Reply) -> None:
        replies[reply.prompt.question] = reply

    asyncio.run(asker.ask(prompts, check=check, keep=keep, budget=PLENTY))
    return [Row(case, _said(laid, question, replies[question.id])) for question, case in questions.values()]


def answerers(opened: Workspace, *, real: bool) -> dict[str, Callable[[Ground], list[Row]]]:
    """Everybody who answers here, by name; with `real` the model that the person set up as well."""
    found: dict[str, Callable[[Ground], list[Row]]] = {"rules": by_rules}
    for name, script in SCRIPTS.items():
        found[name] = lambda laid, name=name, script=script: by_asker(  # type: ignore[misc]  # bound early on purpose
            laid, lambda known: ScriptedAsker(name, script, known)
        )
    if real:
        asker = opened.asker()
        found[asker.name] = lambda laid: by_asker(laid, lambda _: asker)
    return found


def _said(laid: Ground, question: Question, reply: Reply) -> Said:
    value: dict[str, Any] = reply.value if isinstance(reply.value, dict) else {}
    least = round(laid.world.pact.settings.inference_threshold * 100)
    taken = reply.state == "answered" and not undecided(reply.value, least=least)
    outcomes = tuple(str(one) for one in value.get("outcomes", ()))
    against = () if reply.state == "answered" else _wording(laid, question, reply.value)
    return Said(str(value.get("intent", "")), outcomes, int(value.get("confidence") or 0), taken, against)


def _problems(laid: Ground, question: Question, value: JsonValue, by: str) -> tuple[str, ...]:
    grounds = grounds_of(question, laid.snapshot.read, laid.world)
    if grounds is None:
        raise SystemExit(f"{question.subject!r} cannot be read")
    return problems(question, Answer(question.id, value, "model", by, NOW), grounds)


def _wording(laid: Ground, question: Question, value: JsonValue) -> tuple[str, ...]:
    """What the rules for words have against it; how sure it is does not count."""
    grounds = grounds_of(question, laid.snapshot.read, laid.world)
    if grounds is None or not isinstance(value, dict):
        return ("nothing was said",)
    found = objections(question, {**value, "confidence": 80, "ambiguity": list(grounds.saw)}, grounds)
    return tuple(one for one in found if "confidence" not in one and "ambiguity" not in one)
