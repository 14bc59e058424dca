"""Whether an answer is taken: its shape, its quotes, its words, and whether it is sure enough to be acted on.

What a question is shown with: the source of its tests, what belongs to them, and the text an answer may quote.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pactkeeper.intent.answers import Grounds, Source, objections
from pactkeeper.intent.context import TestContext, lines_of
from pactkeeper.intent.quality.values import QualityVocabulary
from pactkeeper.intent.tests import Test, file_of
from pactkeeper.intent.wording.reasons import disagrees
from pactkeeper.ledger.answering import Prompt
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.question import Answer, Question, wrong_with
from pactkeeper.prompts.fencing import BUDGET, PromptSection
from pactkeeper.prompts.rendering import render
from pactkeeper.reconcile.world import World
from pactkeeper.repo.context import Sources, contexts
from pactkeeper.repo.evidence import gather
from pactkeeper.repo.snapshot import Snapshot


def grounds_of(question: Question, read: Read, world: World) -> Grounds | None:
    """What an answer is held against; None where the source that it must quote cannot be read any more."""
    text = quotable(question, read)
    if text is None:
        return None
    tests = [world.by_id[name].test for name in tests_of(question) if name in world.by_id]
    files = {test.file: (read(test.file) or b"").decode("utf-8", "replace") for test in tests}
    bodies = (body_of(test, files[test.file]) for test in tests)
    saw = question.context.get("reasons")
    named = tuple(str(one) for one in saw) if isinstance(saw, list) else ()
    said = question.context.get("texts")
    texts = [str(one) for one in said] if isinstance(said, list) else []
    near = [*(_near(tests, file, each, world) for file, each in files.items()), *texts]
    source = Source(text, "\n".join([*bodies, *texts]), "\n".join(near))
    return Grounds(source, QualityVocabulary.of(world.pact.settings), named)


def _near(tests: Sequence[Test], file: str, text: str, world: World) -> str:
    """A file without its other tests: what is written for those says nothing of these."""
    lines = text.splitlines()
    for other in world.scan.tests:
        if other.file == file and other not in tests and not any(_within(one, other) for one in tests):
            lines[other.line - 1 : other.end_line] = [""] * (other.end_line - other.line + 1)
    return "\n".join(lines)


def _within(one: Test, other: Test) -> bool:
    return other.line <= one.line and one.end_line <= other.end_line


def misshapen(question: Question, answer: Answer, grounds: Grounds) -> tuple[str, ...]:
    """What nobody's answer may be: of another shape, or with a quote that is not in the source."""
    return wrong_with(answer, question, source=grounds.source.text)


def problems(question: Question, answer: Answer, grounds: Grounds) -> tuple[str, ...]:
    """All that keeps an answer of a model or an agent from being taken."""
    return misshapen(question, answer, grounds) or objections(question, answer.value, grounds)


def contrary(question: Question, value: JsonValue, snapshot: Snapshot, world: World) -> tuple[str, ...]:
    """The sentences about a test of which every assertion says the contrary."""
    entry = world.by_id.get(question.subject)
    if question.kind != "word_test" or entry is None or not isinstance(value, Mapping):
        return ()
    claims = gather(snapshot, [entry.test])[entry.test.id].claims
    outcomes = value.get("outcomes")
    said = [value.get("intent"), *(outcomes if isinstance(outcomes, list) else ())]
    return tuple(f"{one!r}: {CONTRARY}" for one in said if isinstance(one, str) and disagrees(one, claims))


def undecided(value: JsonValue, *, least: int) -> str:
    """Why a sound answer of a model or an agent still leaves the question to people; empty where it settles it.

    `least` is the confidence, 0 to 100, from which rules would act.
    """
    if not isinstance(value, Mapping):
        return ""
    if value.get("verdict") == "unsure":
        return "it could not be told from the text"
    confidence = value.get("confidence")
    if isinstance(confidence, int) and confidence < least:
        return f"a confidence of {confidence} is less than the {least} that this pact asks for"
    return ""


CONTRARY: Final = "every assertion of the test says the contrary"
MOST_TESTS: Final = 8  # whose source is shown with one question
SOURCE_MOST: Final = 5_000  # characters of one test
CONTEXT_MOST: Final = 3_500

Read = Callable[[str], bytes | None]


def prompts_for(
    questions: Sequence[Question],
    snapshot: Snapshot,
    world: World,
    *,
    sources: Sources | None = None,
    budget: int = BUDGET,
) -> tuple[Prompt, ...]:
    """Put questions into words, in their order; without `sources` no code and no documents are shown beside the tests.

    A test that is gone is left out: the question is then shown with what it brings itself.
    """
    wanted = {name: world.by_id[name].test for one in questions for name in tests_of(one) if name in world.by_id}
    around = _contexts(questions, wanted, sources)
    texts = {path: _text(snapshot.read, path) for path in {test.file for test in wanted.values()}}
    return tuple(render(one, _sections(one, wanted, texts, around), budget=budget) for one in questions)


def tests_of(question: Question) -> tuple[str, ...]:
    """The ids of the tests that a question is about, its subject first where that is one."""
    named = question.context.get("tests")
    listed = [str(one) for one in named] if isinstance(named, list) else []
    own = [question.subject] if "file" in question.context else []
    return tuple(dict.fromkeys((*own, *listed)))[:MOST_TESTS]


def quotable(question: Question, read: Read) -> str | None:
    """The text that an answer may quote from: the files of its tests and the sentences it brings; None where gone."""
    path = question.context.get("file")
    names = [path] if isinstance(path, str) else list(dict.fromkeys(file_of(one) for one in tests_of(question)))
    said = question.context.get("texts")
    found = [_text(read, name) for name in names]
    if not found and not isinstance(said, list):
        return None
    texts = [str(one) for one in said] if isinstance(said, list) else []
    return None if None in found else "\n".join([*(one for one in found if one is not None), *texts])


def body_of(test: Test, source: str) -> str:
    """The lines of a test."""
    return "\n".join(source.splitlines()[test.line - 1 : test.end_line])


def _contexts(
    questions: Sequence[Question], tests: Mapping[str, Test], sources: Sources | None
) -> Mapping[str, TestContext]:
    """What belongs to the tests that are subjects themselves; of others their source is enough."""
    subjects = [tests[one.subject] for one in questions if one.subject in tests]
    unique = list({test.id: test for test in subjects}.values())
    if sources is None or not unique:
        return {}
    return {one.test: one for one in contexts(sources, unique)}


def _sections(
    question: Question,
    tests: Mapping[str, Test],
    texts: Mapping[str, str | None],
    around: Mapping[str, TestContext],
) -> tuple[PromptSection, ...]:
    found: list[PromptSection] = []
    for name in tests_of(question):
        test = tests.get(name)
        source = None if test is None else texts[test.file]
        if test is not None and source is not None:
            found.append(
                PromptSection(f"The source of a test, from line {test.line}", body_of(test, source), SOURCE_MOST)
            )
    context = around.get(question.subject)
    if context is not None and (lines := lines_of(context)):
        found.append(PromptSection("What belongs to the test", "\n".join(lines), CONTEXT_MOST))
    return tuple(found)


def _text(read: Read, path: str) -> str | None:
    data = read(path)
    return None if data is None else data.decode("utf-8", "replace")
