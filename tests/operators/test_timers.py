from datetime import timedelta

import pytest

from pactkeeper.operators.findings import Aside, put_aside
from pactkeeper.operators.runs import cancel_run
from pactkeeper.reconcile.journal import tick


@pytest.fixture
def ticking(shop):
    """What a tick says so many days from now."""

    def after(days):
        with shop.open() as workspace:
            return [one.message for one in tick(workspace.history(), now=workspace.now() + timedelta(days=days))]

    return after


def test_review_that_waits_is_reminded_of_once(shop, ticking):
    run = shop.reconcile().run
    assert ticking(2) == []
    (message,) = ticking(4)
    assert run.id in message
    assert ticking(400) == []


def test_review_that_nobody_waits_for_any_more_is_not_reminded_of(shop, ticking):
    run = shop.reconcile().run
    with shop.open() as workspace:
        cancel_run(workspace, run.id)
    assert ticking(4) == [""]


def test_end_of_a_snooze_is_told(linked, ticking):
    linked.write("tests/test_linked.py", "# @atom IA-GONE123\ndef test_linked():\n    assert 1\n")
    linked.reconcile()
    with linked.open() as workspace:
        until = (workspace.now() + timedelta(days=10)).date()
        put_aside(workspace, "tests/test_linked.py::test_linked", Aside("later", until))
    assert not any("snooze ended" in message for message in ticking(9))
    assert [message for message in ticking(12) if "PK102" in message] != []


def test_what_belongs_to_the_person_is_kept_apart(shop, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with shop.open() as workspace:
        assert workspace.personal() == ()
        (history,) = workspace.personal(make=True)
        assert tick(history, now=workspace.now()) == ()
    assert (tmp_path / "data" / "pactkeeper" / "history.db").is_file()
