"""Merge conflict markers, in real repositories."""

import pytest

from pactkeeper.health.conflicts import conflicts
from tests.repo.repositories import create, git, write

TORN = "a\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> feature\n"


def found(repository, commit="HEAD"):
    at = None if commit is None else repository.resolve(commit)
    return [(one.file, one.line) for one in conflicts(repository, at).diagnostics]


@pytest.mark.parametrize(
    "text",
    [
        TORN,
        TORN.replace("\n", "\r\n"),
        TORN.replace("=======", "||||||| base\nold\n======="),
        TORN.replace("HEAD", "").replace("<<<<<<< ", "<<<<<<<"),
    ],
    ids=["merge", "windows", "diff3", "no label"],
)
def test_conflict_is_found_where_it_begins(tmp_path, text):
    assert found(create(tmp_path, {"dir/ä b.txt": text})) == [("dir/ä b.txt", 2)]


@pytest.mark.parametrize(
    "text",
    [
        "Heading\n=======\n\ntext\n",
        "<<<<<<< HEAD\n=======\n",
        "=======\n<<<<<<< HEAD\n>>>>>>> feature\n",
        "    <<<<<<< HEAD\n    =======\n    >>>>>>> feature\n",
        "<<<<<<<<<< HEAD\n==========\n>>>>>>>>>> feature\n",
        "cat <<<<<<<x\n=======x\n>>>>>>>x\n",
        "\0" + TORN,
    ],
    ids=["heading", "no end", "wrong order", "indented", "longer", "other text", "binary"],
)
def test_what_only_looks_like_a_conflict_is_left_alone(tmp_path, text):
    result = conflicts(create(tmp_path, {"a.txt": text}), None)
    assert (result.verdict, result.diagnostics) == ("pass", ())


def test_file_that_documents_markers_says_so_by_the_attribute_of_git(tmp_path):
    longer = TORN.replace("<<<<<<<", "<" * 9).replace("=======", "=" * 9).replace(">>>>>>>", ">" * 9)
    repository = create(
        tmp_path, {".gitattributes": "*.md conflict-marker-size=9\n", "a.md": TORN, "b.md": longer, "c.txt": TORN}
    )
    assert found(repository) == [("b.md", 2), ("c.txt", 2)]


def test_every_conflict_of_a_file_is_told_with_both_sides(tmp_path):
    result = conflicts(create(tmp_path, {"a.ts": TORN + TORN}), None)
    assert [one.line for one in result.diagnostics] == [2, 8]
    assert result.diagnostics[0].message == "unresolved merge conflict: <<<<<<< HEAD … >>>>>>> feature"
    assert result.verdict == "fail"


def test_commit_is_looked_at_and_not_the_work_tree(tmp_path):
    repository = create(tmp_path, {"a.txt": "fine\n"})
    write(tmp_path, {"a.txt": TORN})
    assert found(repository) == []
    assert found(repository, None) == [("a.txt", 2)]


def test_conflict_of_a_merge_in_progress_is_seen_in_place(tmp_path):
    repository = create(tmp_path, {"a.txt": "base\n"})
    git(tmp_path, "checkout", "-q", "-b", "side")
    write(tmp_path, {"a.txt": "side\n"})
    git(tmp_path, "commit", "-qam", "side")
    git(tmp_path, "checkout", "-q", "main")
    write(tmp_path, {"a.txt": "main\n"})
    git(tmp_path, "commit", "-qam", "main")
    repository.run("merge", "side", accept=(1, 128))
    assert found(repository, None) == [("a.txt", 1)]
