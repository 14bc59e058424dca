import os
import time
from dataclasses import replace

from pactkeeper.operators.backlog import BacklogFilter, find_gaps
from pactkeeper.operators.guard import guard_tests
from pactkeeper.operators.observe import get_statistics, scan_repo
from pactkeeper.operators.view import StateView, state_key
from tests.operators.conftest import ADDS, FILE, REFUSED
from tests.store.rows import begin_run


def history_is_from(shop, second):
    os.utime(shop.root / ".git/pact/history.db", (second, second))


def waiting(shop):
    with shop.open() as workspace:
        return get_statistics(workspace).pending


def test_kept_numbers_end_when_the_history_changes(shop):
    patch = shop.reconcile().patch
    tests = len({op.group for op in patch.ops})
    history_is_from(shop, time.time() - 60)
    assert (waiting(shop), waiting(shop)) == (tests, tests)
    shop.decide(patch, "reject")
    assert waiting(shop) == 0


def test_what_is_proposed_for_a_test_that_is_gone_or_changed_waits_for_nobody(shop):
    patch = shop.reconcile().patch
    test = shop.root / FILE
    test.write_text(test.read_text().replace("assert", "assert not"))
    assert (len(patch.ops) > 0, waiting(shop)) == (True, 0)
    test.unlink()
    assert waiting(shop) == 0


def test_kept_tasks_end_when_the_history_changes(shop):
    history_of_tasks = []
    patch = shop.reconcile().patch
    for _ in range(2):
        history_is_from(shop, time.time() - 60)
        with shop.open() as workspace:
            history_of_tasks.append([one.ops for one in find_gaps(workspace, BacklogFilter()).tasks])
    shop.decide(patch, "accept")
    with shop.open() as workspace:
        assert find_gaps(workspace, BacklogFilter(kinds=("orphan",))).tasks == ()
    assert history_of_tasks[0] == history_of_tasks[1] != []


def test_history_that_was_only_just_written_has_no_mark(shop):
    shop.reconcile()
    history_is_from(shop, time.time() + 60)  # just written, however long this takes
    with shop.open() as workspace:
        assert workspace.history_mark() is None
        history_is_from(shop, time.time() - 60)
        old = workspace.history_mark()
        history_is_from(shop, time.time() - 50)
        assert old not in {None, "", workspace.history_mark()}


def test_history_on_a_server_has_a_mark_that_changes_with_every_write_and_stays_with_reads(shop, postgres):
    with postgres.database() as url, shop.open() as workspace:
        there = replace(workspace, surroundings=replace(workspace.surroundings, database_url=url))
        old = there.history_mark()
        begin_run(there.history(), root=str(shop.root))
        assert old not in {None, "", there.history_mark()}
        # The server has housekeeping of its own, so two looks may differ; they do not always.
        assert any(there.history_mark() == there.history_mark() for _ in range(100))


def test_paths_narrow_a_kept_scan(shop):
    shop.write("tests/test_other.py", "def test_other():\n    assert 1\n")
    with shop.open() as workspace:
        everything = [one.id for one in scan_repo(workspace, StateView()).tests]
        assert everything == ["tests/test_other.py::test_other", ADDS, REFUSED]
        assert [one.id for one in scan_repo(workspace, StateView(paths=(FILE,))).tests] == [ADDS, REFUSED]


def test_kept_report_that_cannot_be_read_is_made_anew(shop):
    with shop.open() as workspace:
        workspace.cache.put_many("scans/1", [(state_key(workspace, workspace.snapshot()), b'{"tests": 1}')])
        assert [one.id for one in scan_repo(workspace, StateView()).tests] == [ADDS, REFUSED]


def test_kept_guard_report_with_findings_is_read_again(shop):
    test = shop.root / FILE
    test.write_text(test.read_text().replace("assert", "assert not"))
    with shop.open() as workspace:
        computed = guard_tests(workspace, StateView())
        key = state_key(workspace, workspace.snapshot(), computed.base)
        kept = workspace.cache.get_many("guards/1", [key])[key]
        workspace.cache.put_many("guards/1", [(key, kept.replace(b'"compared": 2', b'"compared": 99'))])
        assert computed.findings
        assert guard_tests(workspace, StateView()) == replace(computed, compared=99)
