import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pactkeeper.intent.tests import Gap, Scan
from pactkeeper.repo import snapshot
from pactkeeper.repo.cache import Cache, FileCache, NoCache
from pactkeeper.repo.discovery import Discovery, Selection
from pactkeeper.repo.git import Repository
from pactkeeper.repo.languages.adapter import Added
from tests.repo.lines import LINES, TABLE
from tests.repo.repositories import create, git, write
from tests.waiting import PATIENCE, running, until

FILES = {
    "a/test_one.lines": "test first = 1\nsuite S\ntest second = 2\n",
    "b/test_two.lines": "use lib/base.lines\ntest third = 3\n",
    "lib/base.lines": "shared inherited = 4\ntest not-a-candidate = 5\n",
    "test_none.lines": "nothing here\n",
    "README.md": "# test in words = no test\n",
}
LARGE = 80  # files, enough for several processes
IDS = [
    "a/test_one.lines::first",
    "a/test_one.lines::S::second",
    "b/test_two.lines::inherited",
    "b/test_two.lines::third",
]


@pytest.fixture
def repository(tmp_path):
    return create(tmp_path / "r", FILES)


@pytest.fixture(autouse=True)
def _fresh_log():
    LINES.parsed.clear()


def scan(repository: Repository, cache: Cache | None = None, **selection: Any) -> Scan:
    discovery = Discovery(cache=cache or NoCache(), selection=Selection(**selection), languages=TABLE, processes=1)
    return discovery.scan(snapshot.worktree(repository))


def ids(found: Scan) -> list[str]:
    return [test.id for test in found.tests]


def test_tests_come_ordered_by_file_line_and_id(repository):
    assert ids(scan(repository)) == IDS


def test_a_file_that_another_refers_to_is_parsed_though_no_candidate(repository):
    assert "b/test_two.lines::inherited" in ids(scan(repository))
    assert sorted(LINES.parsed) == ["a/test_one.lines", "b/test_two.lines", "lib/base.lines"]


def test_a_file_that_the_prefilter_refuses_is_never_parsed(repository):
    scan(repository)
    assert "test_none.lines" not in LINES.parsed


def test_unchanged_files_are_not_parsed_again(repository, cache):
    first = scan(repository, cache)
    LINES.parsed.clear()
    assert scan(repository, cache) == first
    assert LINES.parsed == []


def test_only_a_changed_file_is_parsed_again(repository, cache):
    scan(repository, cache)
    LINES.parsed.clear()
    write(repository.root, {"a/test_one.lines": "test changed = 1\n"})
    assert ids(scan(repository, cache)) == ["a/test_one.lines::changed", *IDS[2:]]
    assert LINES.parsed == ["a/test_one.lines"]


def test_a_change_in_a_file_that_is_no_candidate_changes_the_tests_that_use_it(repository, cache):
    scan(repository, cache)
    write(repository.root, {"lib/base.lines": "shared renamed = 4\n"})
    assert "b/test_two.lines::renamed" in ids(scan(repository, cache))


def test_new_settings_are_noticed_though_every_file_is_in_the_cache(repository, cache):
    scan(repository, cache)
    write(repository.root, {"lines.conf": "prefix=base"})
    assert ids(scan(repository, cache)) == ["lib/base.lines::not-a-candidate"]
    write(repository.root, {"lines.conf": "prefix=test_o"})
    assert ids(scan(repository, cache)) == IDS[:2]
    (repository.root / "lines.conf").unlink()
    assert ids(scan(repository, cache)) == IDS


def test_a_document_that_changes_or_appears_costs_nothing(repository, cache):
    scan(repository, cache)
    LINES.parsed.clear()
    write(repository.root, {"README.md": "other", "NEWS.md": "new"})
    refusing = Discovery(cache=cache, languages=TABLE, progress=lambda *_: pytest.fail("parsed"))
    assert ids(refusing.scan(snapshot.worktree(repository))) == IDS
    assert LINES.parsed == []


def test_a_raised_version_of_an_adapter_forgets_what_the_old_one_cached(repository, cache, monkeypatch):
    scan(repository, cache)
    LINES.parsed.clear()
    monkeypatch.setattr(LINES, "version", 2)
    assert ids(scan(repository, cache)) == IDS
    assert len(LINES.parsed) == 3


def test_a_copy_of_a_file_has_tests_of_its_own(repository, cache):
    scan(repository, cache)
    write(repository.root, {"c/test_one.lines": FILES["a/test_one.lines"]})
    assert ids(scan(repository, cache))[-2:] == ["c/test_one.lines::first", "c/test_one.lines::S::second"]


def test_all_three_states_of_an_unchanged_repository_have_the_same_tests(repository, cache):
    discovery = Discovery(cache=cache, languages=TABLE)
    states = (snapshot.worktree(repository), snapshot.index(repository), snapshot.commit(repository, "HEAD"))
    first, *others = (discovery.scan(state) for state in states)
    assert others == [first, first]


def test_include_adds_files_and_exclude_takes_them_away(repository, cache):
    added = scan(repository, cache, added=Added(include=("lib/*.lines",)))
    assert ids(added) == [*IDS, "lib/base.lines::not-a-candidate"]
    assert added.gaps == ()
    assert ids(scan(repository, cache, exclude=("a/",))) == IDS[2:]
    assert ids(scan(repository, cache)) == IDS


def test_an_unreadable_candidate_is_a_gap_and_an_unreadable_bystander_is_none(tmp_path):
    repository = create(tmp_path, {**FILES, "test_x.lines": "test x = 1\n", "other.lines": "test y = 1\n"})
    for name in ("test_x.lines", "other.lines", "README.md"):
        (tmp_path / name).unlink()
        os.mkfifo(tmp_path / name)
    assert scan(repository).gaps == (Gap("test_x.lines", "not a regular file"),)


def test_a_file_named_like_tests_that_is_too_large_is_a_gap_though_nothing_collects_it(repository):
    write(repository.root, {"dist/one_test.lines": b"#" * (snapshot.SIZE_LIMIT + 1)})
    assert [gap.file for gap in scan(repository).gaps] == ["dist/one_test.lines"]


def test_a_gap_comes_back_from_the_cache(tmp_path, cache):
    repository = create(tmp_path, {**FILES, "test_huge.lines": b"test x = 1\n" * 900_000})
    first = scan(repository, cache)
    assert [gap.file for gap in first.gaps] == ["test_huge.lines"]
    assert scan(repository, cache) == first


def test_a_conflict_that_is_solved_shows_its_tests_again(repository, cache):
    blob = git(repository.root, "hash-object", "-w", "a/test_one.lines")
    entries = "".join(f"100644 {blob} {stage}\ta/test_one.lines\n" for stage in (1, 2, 3))
    git(repository.root, "rm", "--quiet", "--cached", "a/test_one.lines")
    git(repository.root, "update-index", "--index-info", feed=entries.encode())
    assert scan(repository, cache).gaps == (Gap("a/test_one.lines", "the file has an unresolved merge conflict"),)
    git(repository.root, "add", "a/test_one.lines")
    found = scan(repository, cache)
    assert (ids(found), found.gaps) == (IDS, ())


def test_a_file_whose_name_is_not_utf_8_is_a_gap_of_its_language_alone(repository):
    for name in (b"test_\xff.lines", b"\xff.txt"):
        (repository.root / os.fsdecode(name)).write_text("test x = 1\n")
    assert scan(repository).gaps == (Gap("test_\\xff.lines", "the file's name is not UTF-8"),)


def test_settings_that_cannot_be_understood_are_a_gap(repository):
    write(repository.root, {"lines.conf": "prefix=$PREFIX"})
    assert scan(repository).gaps == (Gap("lines.conf", "the prefix is computed"),)


def test_a_file_too_deeply_nested_to_parse_is_a_gap(repository):
    write(repository.root, {"test_deep.lines": "test DEEP = 1\n"})
    found = scan(repository)
    assert ids(found) == IDS
    assert [gap.file for gap in found.gaps] == ["test_deep.lines"]


def test_tests_that_come_out_with_one_id_are_numbered_and_reported(repository):
    write(repository.root, {"test_twice.lines": "test x = 1\ntest x = 2\ntest x#2 = 3\ntest x = 4\n"})
    found = scan(repository)
    tests = found.by_file["test_twice.lines"]
    assert [test.id.partition("::")[2] for test in tests] == ["x", "x#3", "x#2", "x#4"]
    assert len({test.body_hash for test in tests}) == 4
    assert [gap.line for gap in found.gaps] == [2, 4]


def test_names_that_differ_only_in_normal_form_hide_no_test(tmp_path):
    repository = create(tmp_path, {"test_caf\u00e9.lines": "test x = 1\n", "test_cafe\u0301.lines": "test x = 2\n"})
    found = scan(repository)
    assert len({test.id for test in found.tests}) == 2
    assert len(found.gaps) == 1


def test_progress_counts_to_the_number_of_files_parsed(repository):
    seen: list[tuple[int, int]] = []
    discovery = Discovery(languages=TABLE, progress=lambda done, total: seen.append((done, total)), processes=1)
    discovery.scan(snapshot.worktree(repository))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def _large(root: Path, *, files: int = LARGE, **more: str) -> Repository:
    body = "x" * 90
    named = {
        f"d{number % 7}/test_{number}.lines": "".join(
            f"test case-{number}-{line} = {body} {line}\n" for line in range(400)
        )
        for number in range(files)
    }
    return create(root, {**named, **{f"{name}.lines": text for name, text in more.items()}})


def test_several_processes_find_what_one_finds(tmp_path):
    repository = _large(tmp_path)
    alone = scan(repository)
    LINES.parsed.clear()
    together = Discovery(languages=TABLE, processes=2).scan(snapshot.worktree(repository))
    assert together == alone
    assert len(together.tests) == LARGE * 400
    assert LINES.parsed == []


def test_a_file_that_kills_the_parser_costs_that_file_alone(tmp_path):
    repository = _large(tmp_path, test_crash="test CRASH = 1\n" * 9, test_zzz="test last = 1\n")
    found = Discovery(languages=TABLE, processes=2).scan(snapshot.worktree(repository))
    assert found.gaps == (Gap("test_crash.lines", "the parser crashed on this file"),)
    assert len(found.tests) == LARGE * 400 + 1


SLOW_SCAN = """
import sys
sys.path[:0] = sys.argv[2:]
from pactkeeper.repo import snapshot
from pactkeeper.repo.discovery import Discovery
from pactkeeper.repo.git import Repository
from pactkeeper.repo.languages.adapter import Added
def progress(done, total):
    if done == 3:
        print("parsing", flush=True)
try:
    discovery = Discovery(languages=("tests.repo.lines:SLOW",), progress=progress, processes=2)
    discovery.scan(snapshot.worktree(Repository.open(sys.argv[1])))
except KeyboardInterrupt:
    sys.exit(130)
"""


def _children(parent: int) -> set[int]:
    rows = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout.split("\n")
    return {int(row.split()[0]) for row in rows if row.strip() and int(row.split()[1]) == parent}


def _alive(processes: set[int]) -> set[int]:
    rows = subprocess.run(["ps", "-eo", "pid=,stat="], capture_output=True, text=True, check=True).stdout.split("\n")
    running = {int(row.split()[0]) for row in rows if row.strip() and not row.split()[1].startswith("Z")}
    return processes & running


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_no_parsing_process_outlives_the_command(tmp_path, ending):
    _large(tmp_path)
    command = [sys.executable, "-c", SLOW_SCAN, str(tmp_path), *sys.path]
    with running(command, stdout=subprocess.PIPE) as scanning:
        assert scanning.stdout is not None
        assert scanning.stdout.readline() == b"parsing\n"
        children = _children(scanning.pid)
        assert len(children) >= 2
        scanning.send_signal(ending)
        assert scanning.wait(PATIENCE) == (130 if ending == signal.SIGINT else -signal.SIGKILL)
    until(lambda: not _alive(children), f"the end of {children}")


def test_an_interrupted_scan_keeps_what_it_parsed(repository, cache):
    def stop(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Discovery(cache=cache, languages=TABLE, progress=stop, processes=1).scan(snapshot.worktree(repository))
    LINES.parsed.clear()
    assert ids(scan(repository, cache)) == IDS
    assert sorted(LINES.parsed) == ["lib/base.lines"]


def test_a_file_that_changed_while_it_was_read_leaves_nothing_behind(repository, cache):
    write(repository.root, {"a/test_one.lines": "test early = 1\n"})
    state = snapshot.worktree(repository)
    state.blob("a/test_one.lines")
    write(repository.root, {"a/test_one.lines": "test later = 1\n"})
    found = Discovery(cache=cache, languages=TABLE, processes=1).scan(state)
    assert [gap.file for gap in found.gaps] == ["a/test_one.lines"]
    write(repository.root, {"a/test_one.lines": "test early = 1\n"})
    again = scan(repository, cache)
    assert (ids(again)[0], again.gaps) == ("a/test_one.lines::early", ())


def test_damaged_results_in_the_cache_do_not_stop_a_scan(repository, tmp_path):
    with FileCache(tmp_path / "cache", notice=pytest.fail) as first:
        expected = scan(repository, first)
    connection = sqlite3.connect(tmp_path / "cache" / "cache.sqlite")
    connection.execute("UPDATE entries SET value = substr(value, 1, length(value) / 2)")
    connection.commit()
    connection.close()
    with FileCache(tmp_path / "cache", notice=pytest.fail) as second:
        assert scan(repository, second) == expected


def test_a_warm_scan_loads_no_parser(repository):
    script = f"""
import sys
sys.path[:0] = {sys.path!r}
from pathlib import Path
from pactkeeper.repo import snapshot
from pactkeeper.repo.cache import FileCache
from pactkeeper.repo.discovery import Discovery
from pactkeeper.repo.git import Repository
from pactkeeper.repo.languages.adapter import Added
repository = Repository.open({str(repository.root)!r})
with FileCache(repository.common_dir / "pact", notice=print) as cache:
    print(len(Discovery(cache=cache).scan(snapshot.worktree(repository)).tests))
heavy = {{"tree_sitter", "concurrent.futures", "multiprocessing", "rich", "pactkeeper.repo.facts", "pactkeeper.intent.claims"}}
print(sorted(heavy & set(sys.modules)))
"""
    write(repository.root, {"test_x.py": "def test_x():\n    assert True\n", "y.test.ts": "test('y', () => {})\n"})
    command = [sys.executable, "-c", script]
    cold = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
    warm = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
    assert cold[0] == warm[0] == "2"
    assert warm[1] == "[]"


def test_what_the_settings_exclude_leaves_no_gap_either(tmp_path):
    repository = create(tmp_path, {"kept/test_a.py": "def test_a(:\n", "left/test_b.py": "def test_b(:\n"})
    found = Discovery(selection=Selection(exclude=("/left",))).scan(snapshot.worktree(repository))
    assert {gap.file for gap in found.gaps} == {"kept/test_a.py"}


def test_what_looks_like_tests_and_is_not_collected_is_a_gap_until_it_is_added_or_excluded(repository, cache):
    write(repository.root, {"lib/other.lines": "test lost = 1\n"})
    (gap,) = scan(repository, cache).gaps
    assert (gap.file, gap.line) == ("lib/other.lines", 1)
    assert "not collected: its name does not begin with 'test_'" in gap.reason
    assert "`[tests] include`" in gap.reason
    assert scan(repository, cache) == scan(repository)
    assert scan(repository, cache, added=Added(include=("lib/other.lines",))).gaps == ()
    assert scan(repository, cache, exclude=("lib/other.lines",)).gaps == ()


def test_tests_of_languages_that_are_not_read_are_counted(repository, cache):
    write(
        repository.root,
        {
            "pkg/a_test.go": "package a\n\nfunc TestOne(t *testing.T) {}\nfunc TestTwo(t *testing.T) {}\n",
            "pkg/b/b_test.go": "package b\n\nfunc TestThree(t *testing.T) {}\nfunc help() {}\n",
            "src/lib.rs": "#[cfg(test)]\nmod tests {\n    #[test]\n    fn works() {}\n}\n",
        },
    )
    found = scan(repository, cache)
    assert [(gap.file, gap.reason) for gap in found.gaps] == [
        ("pkg", "3 Go tests in 2 files are not read: Go is not supported"),
        ("src", "1 Rust test in 1 file is not read: Rust is not supported"),
    ]
    assert scan(repository, cache) == found
