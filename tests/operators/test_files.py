"""The verbs that read files stay inside the repository and leave alone what git ignores."""

import os

import pytest

from pactkeeper.errors import InputError, RefusedError, UsageError
from pactkeeper.operators.files import MOST_HITS, MOST_VALUE, Sought, grep, list_directory, read_file, read_json
from tests.operators.atoms import run
from tests.operators.conftest import FILE


def text(shop, path, **lines):
    with shop.open() as workspace:
        return read_file(workspace, path, **lines).part.text


def found(shop, pattern, *paths, **more):
    return run(shop, grep, Sought(pattern, paths, **more))


def test_lines_of_a_file_are_read(shop):
    assert text(shop, FILE, start=1, end=2) == "def test_adds_two_numbers():\n    assert add(1, 2) == 3"


def test_what_is_on_disk_is_read_and_not_what_git_holds(shop):
    shop.write(FILE, "changed\n")
    shop.write("new.txt", "untracked\n")
    assert (text(shop, FILE), text(shop, "new.txt")) == ("changed", "untracked")


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "out/secret", "link", "a\0b"])
def test_nothing_outside_is_read(shop, tmp_path_factory, path):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret").write_text("secret")
    (shop.root / "out").symlink_to(outside)
    (shop.root / "link").symlink_to(outside / "secret")
    with pytest.raises(RefusedError, match="is outside the repository"):
        text(shop, path)


def test_a_link_inside_names_what_it_points_to(shop):
    (shop.root / "alias").symlink_to("tests")
    with shop.open() as workspace:
        assert read_file(workspace, "alias/test_shop.py").path == FILE


def test_links_in_a_circle_lead_nowhere(shop):
    (shop.root / "here").symlink_to("there")
    (shop.root / "there").symlink_to("here")
    with pytest.raises((InputError, UsageError), match="here"):
        text(shop, "here")


@pytest.mark.parametrize("path", [".env", ".git/config"])
def test_what_git_ignores_or_keeps_for_itself_is_not_read(shop, path):
    shop.write(".gitignore", ".env\n")
    shop.write(".env", "TOKEN=secret\n")
    with pytest.raises(UsageError, match="git ignores it"):
        text(shop, path)
    assert found(shop, "secret|repositoryformat").hits == ()
    with shop.open() as workspace:
        assert [one.path for one in list_directory(workspace, hidden=True).entries] == ["tests", ".gitignore"]


@pytest.mark.parametrize(
    ("path", "words"), [("tests", "is a folder"), ("gone.py", "there is no 'gone.py'"), ("a.bin", "is a binary file")]
)
def test_what_is_no_text_file_is_told_apart(shop, path, words):
    (shop.root / "a.bin").write_bytes(b"\0\1")
    with pytest.raises((UsageError, InputError), match=words):
        text(shop, path)


def test_a_pipe_is_not_waited_for(shop):
    os.mkfifo(shop.root / "pipe")
    with pytest.raises((UsageError, InputError), match="pipe"):
        text(shop, "pipe")


def test_a_folder_counts_what_it_hides(shop):
    shop.write(".hidden/a.txt", "a")
    with shop.open() as workspace:
        seen = list_directory(workspace)
        assert ([one.path for one in seen.entries], seen.hidden) == (["tests"], 1)
        with pytest.raises(UsageError, match="is a file"):
            list_directory(workspace, FILE)


def test_lines_are_found_in_the_files_that_are_meant(shop):
    shop.write("docs/a.md", "expired\n")
    assert [one.path for one in found(shop, "expired").hits] == ["docs/a.md", FILE]
    assert [one.path for one in found(shop, "expired", "**/*.py").hits] == [FILE]
    assert [one.path for one in found(shop, "expired", exclude=("*.py",)).hits] == ["docs/a.md"]


def test_no_file_at_all_is_an_error_and_no_hit_is_none(shop):
    assert found(shop, "nowhere").files == 1
    with pytest.raises(UsageError, match="no file is at, below or like 'docs'"):
        found(shop, "expired", "docs")


def test_what_could_not_be_searched_is_told(shop):
    (shop.root / "a.bin").write_bytes(b"expired\0")
    (shop.root / "big.txt").write_bytes(b"expired\n" * (2 << 20))
    seen = found(shop, "expired")
    assert (seen.files, seen.binary, [path for path, _ in seen.unread]) == (1, 1, ["big.txt"])


def test_a_search_stops_at_its_limit_and_says_so(shop):
    shop.write("many.txt", "expired\n" * (MOST_HITS + 1))
    seen = found(shop, "expired")
    assert (len(seen.hits), seen.stopped) == (MOST_HITS, True)


def test_a_part_of_json_is_given_whole_where_it_is_short(shop):
    shop.write("report.json", '{"total": {"pct": 81.5}, "log": "%s"}' % ("x" * MOST_VALUE))
    with shop.open() as workspace:
        everything, part = read_json(workspace, "report.json"), read_json(workspace, "report.json", pointer="/total")
        with pytest.raises(InputError, match="not JSON"):
            read_json(workspace, FILE)
    assert (everything.whole, everything.outline.keys) == (False, {"total": "object of 1", "log": "string"})
    assert (part.whole, part.value) == (True, {"pct": 81.5})
