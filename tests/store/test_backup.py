"""A history on Postgres, dumped and restored with the server's own programs."""

import os
import subprocess
import threading
from pathlib import Path

import pytest
from sqlalchemy import select

from pactkeeper.store.database import open_database
from pactkeeper.store.history import History
from pactkeeper.store.tables import METADATA
from pactkeeper.store.team import Account, account_named, add_account
from tests.store.rows import begin_run, kept_patch


@pytest.fixture
def tool():
    """A program of the newest Postgres that is installed here."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_dump"), key=lambda one: int(one.parts[-3]))

    def run(name, *arguments):
        place = found[-1].with_name(name) if found else Path(name)
        subprocess.run([place, *arguments], check=True, env={**os.environ, "LC_ALL": "C"}, capture_output=True)

    return run


def held(database):
    """Every row of every table."""
    with database.read() as connection:
        return {one.name: sorted(map(repr, connection.execute(select(one)))) for one in METADATA.sorted_tables}


def test_what_is_restored_from_a_dump_is_what_was_there_and_goes_on(postgres, tool, tmp_path):
    with postgres.database() as url, postgres.database() as restored:
        database = open_database(url)
        history = History(database, "shop")
        kept_patch(history)
        add_account(database, Account("ada", "Ada <ada@example.org>", "admin", "hash"))
        before = held(database)
        database.close()
        dump = str(tmp_path / "pactkeeper.dump")
        tool("pg_dump", "--format=custom", "--no-owner", f"--file={dump}", url)
        tool("pg_restore", "--exit-on-error", "--no-owner", f"--dbname={restored}", dump)
        again = open_database(restored)
        assert held(again) == before
        begin_run(History(again, "shop"), "REC-2")
        assert account_named(again, "ada") is not None
        again.close()


def test_many_that_start_at_once_on_an_empty_database_find_it_made(postgres):
    with postgres.database() as url:
        failed: list[BaseException] = []

        def start():
            try:
                open_database(url).close()
            except BaseException as error:  # noqa: BLE001 - told by the test
                failed.append(error)

        threads = [threading.Thread(target=start) for _ in range(6)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert failed == []
