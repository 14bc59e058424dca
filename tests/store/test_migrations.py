import subprocess
import sys
from collections import Counter

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Integer, column, func, inspect, select, table, text

from pactkeeper.errors import InputError
from pactkeeper.store.columns import Json
from pactkeeper.store.database import HEAD, PATIENCE, REVISIONS, VERSION_TABLE, open_database, stored_revision
from pactkeeper.store.migrate import SCRIPTS, downgrade, migrate, upgrade
from pactkeeper.store.tables import METADATA

VERSIONS = table(VERSION_TABLE, column("version_num"))


def go(database, to):
    """Bring a database to a revision, up or down."""
    with database.read() as connection:
        now = stored_revision(connection)
    step = upgrade if now is None or to in REVISIONS[REVISIONS.index(now) :] else downgrade
    step(database.engine, database.address, patience=PATIENCE, to=to)


@pytest.fixture
def fresh(empty_url):
    database = open_database(empty_url)
    yield database
    database.close()


def value_of(column):
    """Any value that a column takes and that the rows it refers to have as well."""
    if isinstance(column.type, Integer):
        return 1
    return {"of": column.name} if isinstance(column.type, Json) else "the same"


def fill(database):
    """Put one row into every table that is there."""
    with database.begin() as connection:
        there = set(inspect(connection).get_table_names())
        for one in METADATA.sorted_tables:
            if one.name in there:
                connection.execute(one.insert().values({part.name: value_of(part) for part in one.columns}))


def rows(database):
    """What every table of the history holds."""
    with database.read() as connection:
        there = set(inspect(connection).get_table_names())
        tables = [one for one in METADATA.sorted_tables if one.name in there]
        return {one.name: [tuple(row) for row in connection.execute(select(one))] for one in tables}


def test_the_tables_are_what_the_migrations_make(fresh):
    with fresh.engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"version_table": VERSION_TABLE, "compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, METADATA) == []


def test_a_new_history_is_what_the_migrations_make(fresh):
    def schema(connection):
        found = inspect(connection)
        return {
            name: (str(found.get_columns(name)), found.get_pk_constraint(name), found.get_indexes(name))
            for name in found.get_table_names()
        }

    with fresh.read() as connection:
        new = schema(connection)
    go(fresh, "base")
    with fresh.begin() as connection:
        connection.exec_driver_sql(f"DROP TABLE {VERSION_TABLE}")
        migrate(connection, HEAD)
        assert schema(connection) == new
        assert stored_revision(connection) == HEAD


def test_the_listed_revisions_are_the_packaged_ones():
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    scripts = ScriptDirectory.from_config(config)
    assert tuple(script.revision for script in reversed(list(scripts.walk_revisions()))) == REVISIONS
    assert scripts.get_current_head() == HEAD


def test_all_the_way_down_leaves_nothing_and_up_again_works(fresh):
    fill(fresh)
    go(fresh, "base")
    with fresh.read() as connection:
        assert set(inspect(connection).get_table_names()) <= {VERSION_TABLE}
    go(fresh, HEAD)
    fill(fresh)
    assert Counter(len(found) for found in rows(fresh).values()) == {1: len(METADATA.tables)}


def test_rows_go_with_the_run_or_patch_they_belong_to(fresh):
    fill(fresh)
    with fresh.begin() as connection:
        for name in ("runs", "patches"):
            connection.execute(METADATA.tables[name].delete())
    gone = {name for name, found in rows(fresh).items() if not found}
    assert gone == {
        "runs",
        "patches",
        "run_patches",
        "ops",
        "parts",
        "decisions",
        "test_records",
        "molecule_recommendations",
        "questions",
        "trace",
    }


def test_a_newer_history_names_both_revisions(fresh, empty_url):
    with fresh.begin() as connection:
        connection.execute(VERSIONS.update().values(version_num="9999"))
    with pytest.raises(InputError, match=f"revision '9999' and this program knows revisions up to '{HEAD}'"):
        open_database(empty_url)


def test_tables_of_another_program_are_left_alone(empty_url):
    database = open_database(empty_url)
    go(database, "base")
    with database.begin() as connection:
        connection.execute(text(f"DROP TABLE {VERSION_TABLE}"))
        connection.execute(text("CREATE TABLE runs (theirs INTEGER)"))
    database.close()
    with pytest.raises(InputError, match=r"holds tables of another program \(runs\)"):
        open_database(empty_url)


def test_a_migration_that_breaks_off_leaves_no_table(empty_url):
    database = open_database(empty_url)
    go(database, "base")
    with database.begin() as connection:
        connection.execute(text("CREATE TABLE ix_runs_repository_status_number (theirs INTEGER)"))
        connection.execute(VERSIONS.delete())
    with pytest.raises(InputError):
        go(database, HEAD)
    with database.read() as connection:
        assert set(inspect(connection).get_table_names()) == {VERSION_TABLE, "ix_runs_repository_status_number"}
    database.close()


def test_an_up_to_date_history_is_opened_without_loading_migrations(url):
    script = (
        "import sys\n"
        "from pactkeeper.store.database import open_database\n"
        f"open_database({url!r}).close()\n"
        "print('alembic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_rows_that_refer_to_nothing_are_refused(fresh):
    orphan = {part.name: value_of(part) for part in METADATA.tables["ops"].columns}
    with pytest.raises(InputError, match="does not take this"), fresh.begin() as connection:
        connection.execute(METADATA.tables["ops"].insert().values(orphan))
    with fresh.read() as connection:
        assert connection.execute(select(func.count()).select_from(METADATA.tables["ops"])).scalar() == 0
