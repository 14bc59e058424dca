"""Every script of the corpus, in its real format, against the artifacts that a person expects of it."""

from dataclasses import replace
from pathlib import Path

import pytest

from pactkeeper.intent.conversation import ConversationEntry, content
from pactkeeper.store.conversations import list_artifacts
from pactkeeper.store.history import chunks
from pactkeeper.transcripts.sources import source_of
from pactkeeper.transcripts.sources.records import RawLine, opened
from tests.transcripts.scripts import read_script, write_script

CORPUS = sorted((Path(__file__).parent / "corpus").glob("*.txt"))
SCRIPTS = {path.stem: read_script(path.read_text(encoding="utf-8")) for path in CORPUS}
ALIKE = ("claude-code", "codex", "generic")


def row(artifact):
    """An artifact as the corpus writes it."""
    more = []
    if artifact.update:
        more.append(artifact.facts.get("until", ""))
    elif artifact.type in {"plan", "analysis", "framework"}:
        more.append(f"{artifact.value} {len(content(artifact).splitlines())} lines {artifact.persistence}")
    elif artifact.type == "decision_with_context":
        more.append("confirmed" if artifact.facts["confirmed"] else "own words")
    elif artifact.type == "error_pattern":
        more.append(f"{artifact.facts['wrong_usage']} -> {artifact.facts['correct_usage']}".replace("\n", " "))
    return " | ".join(part for part in (artifact.type, artifact.title, *more) if part)


def found(history):
    return [one.artifact for one in list_artifacts(history)]


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_gives_what_is_expected_of_it(name, tmp_path, read, history):
    script = SCRIPTS[name]
    outcomes = read(*write_script(script, tmp_path))
    assert {one.source for one in outcomes} == {script.format}
    assert [row(one) for one in found(history)] == script.expected


@pytest.mark.parametrize("name", SCRIPTS)
def test_reading_a_script_again_changes_nothing(name, tmp_path, read, history):
    paths = write_script(SCRIPTS[name], tmp_path)
    read(*paths)
    before = list_artifacts(history)
    assert {one.artifacts for one in read(*paths)} == {0}
    assert list_artifacts(history) == before


def source_text(excerpt):
    """The characters that the transcript itself has where an excerpt says it was copied from."""
    with opened(Path(excerpt.place.file)) as file:
        source = source_of(file)
        assert source
        data = file.read(excerpt.place.start, excerpt.place.end)
        chat = source.describe(file.path, file.beginning())
        entry = source.decode(RawLine(excerpt.place.start, excerpt.place.end, data), chat)
        assert isinstance(entry, ConversationEntry)
        return entry.blocks[excerpt.block].text[excerpt.first : excerpt.last]


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_word_of_an_artifact_stands_in_the_transcript(name, tmp_path, read, history):
    read(*write_script(SCRIPTS[name], tmp_path))
    excerpts = [excerpt for artifact in found(history) for excerpt in artifact.excerpts]
    assert [excerpt.text for excerpt in excerpts] == [source_text(excerpt) for excerpt in excerpts]


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_transcript_that_grows_line_by_line_gives_the_same(name, tmp_path, read, history):
    for path in write_script(SCRIPTS[name], tmp_path):
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"")
        for some in chunks(lines, max(1, len(lines) // 50)):
            with path.open("ab") as file:
                file.writelines(some)
            read(path)
    assert sorted(row(one) for one in found(history)) == sorted(SCRIPTS[name].expected)


@pytest.mark.parametrize("name", [name for name, script in SCRIPTS.items() if script.format in ALIKE[1:]])
def test_a_script_means_the_same_in_another_format(name, tmp_path, read, history):
    script = replace(SCRIPTS[name], format="claude-code")
    read(*write_script(script, tmp_path))
    assert [row(one) for one in found(history)] == SCRIPTS[name].expected
