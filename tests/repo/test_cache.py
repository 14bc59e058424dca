import os
import sqlite3
import subprocess
from pathlib import Path

import pytest

from pactkeeper.repo.cache import Cache, FileCache, NoCache
from tests.doors.forking import SERVER

DAY = 86_400.0


class Shelf:
    """Opens the same cache again and again, keeping what it said."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notices: list[str] = []
        self.now = 20_000 * DAY

    def open(self, **options: int) -> FileCache:
        return FileCache(self.folder, notice=self.notices.append, clock=lambda: self.now, **options)

    def put(self, space: str, **values: bytes) -> None:
        with self.open() as cache:
            cache.put_many(space, values.items())

    def get(self, space: str, *keys: str) -> dict[str, bytes]:
        with self.open() as cache:
            return dict(cache.get_many(space, keys))


@pytest.fixture
def shelf(tmp_path):
    return Shelf(tmp_path / "git" / "pact")


def test_what_was_stored_is_there_for_the_next_process(shelf):
    shelf.put("s", one=b"1", two=b"")
    assert shelf.get("s", "one", "two", "three") == {"one": b"1", "two": b""}
    assert shelf.notices == []


def test_spaces_do_not_mix(shelf):
    shelf.put("s", one=b"1")
    assert shelf.get("t", "one") == {}


def test_a_later_value_replaces_the_earlier(shelf):
    shelf.put("s", one=b"1")
    shelf.put("s", one=b"2")
    assert shelf.get("s", "one") == {"one": b"2"}


def test_thousands_of_keys_are_asked_for_at_once(shelf):
    values = {f"k{number}": b"%d" % number for number in range(3_333)}
    shelf.put("s", **values)
    assert shelf.get("s", *values) == values


def test_keep_drops_all_but_the_newest_of_the_space(shelf):
    shelf.put("other", old=b"0")
    with shelf.open() as cache:
        for number in range(5):
            cache.put_many("s", [(f"k{number}", b"x")], keep=2)
    assert set(shelf.get("s", *(f"k{number}" for number in range(5)))) == {"k3", "k4"}
    assert shelf.get("other", "old") == {"old": b"0"}


def test_a_value_damaged_on_disk_is_as_good_as_none(shelf):
    shelf.put("s", one=b"right", two=b"2")
    connection = sqlite3.connect(shelf.folder / "cache.sqlite")
    connection.execute("UPDATE entries SET value = replace(value, 'right', 'wrong') WHERE key = 'one'")
    connection.commit()
    connection.close()
    assert shelf.get("s", "one", "two") == {"two": b"2"}


def test_a_value_stored_under_another_key_is_not_believed(shelf):
    shelf.put("s", one=b"1", two=b"2")
    connection = sqlite3.connect(shelf.folder / "cache.sqlite")
    connection.execute("DELETE FROM entries WHERE key = 'two'")
    connection.execute("UPDATE entries SET key = 'two' WHERE key = 'one'")
    connection.commit()
    connection.close()
    assert shelf.get("s", "one", "two") == {}


@pytest.mark.parametrize(
    "rubbish", [b"this is no database, " * 500, b"SQLite format 3\0" + b"\xff" * 9_000, b"\0" * 5_000]
)
def test_a_damaged_file_is_built_again_and_said_once(shelf, rubbish):
    shelf.put("s", one=b"1")
    (shelf.folder / "cache.sqlite").write_bytes(rubbish)
    with shelf.open() as cache:
        assert cache.get_many("s", ["one"]) == {}
        cache.put_many("s", [("one", b"new")])
        cache.put_many("s", [("two", b"new")])
    assert len(shelf.notices) == 1
    shelf.put("s", one=b"1")
    assert shelf.get("s", "one") == {"one": b"1"}
    assert len(shelf.notices) == 1


def test_damage_found_while_reading_does_not_stop_the_command(shelf):
    shelf.put("s", **{f"k{number}": bytes(400) for number in range(2_000)})
    path = shelf.folder / "cache.sqlite"
    data = bytearray(path.read_bytes())
    data[8_192:-4_096] = b"\xa5" * (len(data) - 8_192 - 4_096)
    path.write_bytes(data)
    keys = [f"k{number}" for number in range(2_000)]
    found = shelf.get("s", *keys)
    assert all(value == bytes(400) for value in found.values())
    assert len(shelf.notices) == 1
    shelf.put("s", one=b"1")
    assert shelf.get("s", "one") == {"one": b"1"}


def test_a_cache_of_another_layout_is_thrown_away(shelf):
    shelf.put("s", one=b"1")
    connection = sqlite3.connect(shelf.folder / "cache.sqlite")
    connection.execute("PRAGMA user_version = 77")
    connection.execute("ALTER TABLE entries RENAME COLUMN used TO something")
    connection.commit()
    connection.close()
    assert shelf.get("s", "one") == {}
    shelf.put("s", one=b"1")
    assert shelf.get("s", "one") == {"one": b"1"}
    assert shelf.notices == []


def test_a_locked_cache_is_done_without_and_said_once(shelf):
    shelf.put("s", one=b"1")
    other = sqlite3.connect(shelf.folder / "cache.sqlite", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with shelf.open() as cache:
        assert cache.get_many("s", ["one"]) == {"one": b"1"}
        cache.put_many("s", [("two", b"2")])
        cache.put_many("s", [("three", b"3")])
    other.close()
    assert len(shelf.notices) == 1
    assert "working without the cache" in shelf.notices[0]
    assert shelf.get("s", "one", "two") == {"one": b"1"}


def test_a_cache_folder_that_cannot_be_made_is_done_without(shelf):
    shelf.folder.parent.write_text("a file where the folder should be")
    with shelf.open() as cache:
        cache.put_many("s", [("one", b"1")])
        assert cache.get_many("s", ["one"]) == {}
    assert len(shelf.notices) == 1


def test_a_folder_in_the_caches_place_is_done_without(shelf):
    (shelf.folder / "cache.sqlite" / "x").mkdir(parents=True)
    with shelf.open() as cache:
        cache.put_many("s", [("one", b"1")])
        assert cache.get_many("s", ["one"]) == {}
    assert len(shelf.notices) == 1
    assert (shelf.folder / "cache.sqlite" / "x").is_dir()


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="drops the rights of root to lack some")
def test_a_read_only_cache_is_done_without(shelf, tmp_path):
    shelf.put("s", one=b"1")
    for place in (tmp_path.parent, tmp_path.parent.parent):
        place.chmod(0o755)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgid(65534)
        os.setuid(65534)
        try:
            with shelf.open() as cache:
                cache.put_many("s", [("two", b"2")])
                found = cache.get_many("s", ["two"])
            os.write(writing, f"{dict(found)} {len(shelf.notices)}".encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as answer:
        assert answer.read() == "{} 1"


def test_what_nobody_used_for_a_month_is_pruned(shelf):
    shelf.put("s", old=b"1", used=b"2")
    shelf.now += 20 * DAY
    assert shelf.get("s", "used") == {"used": b"2"}
    shelf.now += 20 * DAY
    shelf.put("s", new=b"3")
    assert shelf.get("s", "old", "used", "new") == {"used": b"2", "new": b"3"}


def test_the_oldest_go_first_when_the_cache_grows_too_large(shelf):
    shelf.put("s", old=b"x" * 600)
    shelf.now += 2 * DAY
    with shelf.open(max_bytes=1_000) as cache:
        cache.put_many("s", [("new", b"y" * 600)])
    assert set(shelf.get("s", "old", "new")) == {"new"}


WRITER = """
import sys
from pathlib import Path
from pactkeeper.repo.cache import FileCache
notices = []
with FileCache(Path(sys.argv[1]), notice=notices.append) as cache:
    for number in range(60):
        cache.put_many("s", [(f"{sys.argv[2]}-{number}-{part}", b"x" * 500) for part in range(20)])
        assert len(cache.get_many("s", [f"{sys.argv[2]}-{number}-{part}" for part in range(20)])) == 20
assert notices == [], notices
"""


def test_several_processes_write_at_the_same_time(shelf):
    processes = [
        subprocess.Popen(SERVER.program("-c", WRITER, shelf.folder, name), stderr=subprocess.PIPE) for name in range(3)
    ]
    complaints = [process.communicate()[1].decode() for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], complaints
    keys = [f"{name}-{number}-{part}" for name in range(3) for number in range(60) for part in range(20)]
    assert len(shelf.get("s", *keys)) == len(keys)


def test_without_a_cache_nothing_is_ever_there():
    cache: Cache = NoCache()
    cache.put_many("s", [("one", b"1")])
    assert cache.get_many("s", ["one"]) == {}
