"""Accounts, tokens, audit and repositories, on both databases."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from pactkeeper.errors import UsageError
from pactkeeper.store.database import AuditEntry, audit, conclude, record
from pactkeeper.store.team import (
    Account,
    Registered,
    Token,
    account_named,
    account_of_subject,
    add_account,
    change_account,
    drop_old_sessions,
    forget,
    held_admins,
    keep_token,
    member_role,
    members,
    note_fetch,
    register,
    repository_named,
    revoke,
    set_member,
    token_of_secret,
    tokens,
)

EARLY, NOW, LATE = "2026-03-01T10:00:00+00:00", "2026-03-01T12:00:00+00:00", "2026-03-02T12:00:00+00:00"


@pytest.fixture
def ada(database):
    """An account of its own for each test, since they share a database."""
    account = Account(f"ada-{uuid.uuid4().hex}", "Ada <ada@example.org>", "reviewer", "hash", f"s {uuid.uuid4()}", NOW)
    add_account(database, account)
    return account


def token_of(account, **changed):
    made = Token(uuid.uuid4().hex, account.name, "laptop", "program", "reader", "", EARLY, LATE)
    return replace(made, **changed)


def test_whoever_looks_which_admins_there_are_sees_what_another_is_changing(database, ada):
    change_account(database, ada.name, role="admin")
    with ThreadPoolExecutor(1) as other:
        with database.begin():
            assert ada.name in held_admins(database)
            seen = other.submit(held_admins, database)
            change_account(database, ada.name, role="reader")
        assert ada.name not in seen.result()


def test_an_account_is_found_by_name_and_subject_and_its_name_is_taken_once(database, ada):
    assert account_named(database, ada.name) == ada
    assert account_of_subject(database, ada.subject) == ada
    assert account_named(database, "nobody") is None
    with pytest.raises(UsageError, match="already"):
        add_account(database, ada)
    change_account(database, ada.name, role="admin")
    assert account_named(database, ada.name) == replace(ada, role="admin")
    with pytest.raises(UsageError, match="no account 'nobody'"):
        change_account(database, "nobody", role="admin")


def test_a_token_is_known_by_its_secret_until_it_ends(database, ada):
    token = token_of(ada)
    keep_token(database, token, secret := uuid.uuid4().hex)
    assert token_of_secret(database, secret, now=NOW) == (token, ada)
    assert token_of_secret(database, "another", now=NOW) is None
    assert token_of_secret(database, secret, now=LATE) is None
    assert tokens(database, ada.name) == (token,)
    assert revoke(database, at=NOW, token=token.id) == 1
    assert token_of_secret(database, secret, now=NOW) is None


def test_the_tokens_of_a_disabled_account_are_worth_nothing(database, ada):
    keep_token(database, token_of(ada), secret := uuid.uuid4().hex)
    change_account(database, ada.name, disabled_at=NOW)
    assert token_of_secret(database, secret, now=NOW) is None


def test_no_secret_is_stored(database, ada):
    keep_token(database, token_of(ada), secret := uuid.uuid4().hex)
    with database.read() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM tokens").all()
    assert secret not in str(rows)


def test_sessions_that_are_over_are_forgotten_and_not_listed(database, ada):
    keep_token(database, token_of(ada, kind="session", expires_at=NOW), old := uuid.uuid4().hex)
    keep_token(database, token_of(ada, kind="session"), young := uuid.uuid4().hex)
    drop_old_sessions(database, now=NOW)
    assert token_of_secret(database, old, now=EARLY) is None
    assert token_of_secret(database, young, now=NOW) is not None
    assert tokens(database, ada.name) == ()
    assert revoke(database, at=NOW, secret=young) == 1


def test_acts_are_kept_in_their_order_with_what_became_of_them(database):
    who = f"eve-{uuid.uuid4().hex}"
    first = record(database, AuditEntry(NOW, who, "person", "apply_patch", "shop", "began", "192.0.2.7"))
    record(database, AuditEntry(NOW, who, "person", "sign in", "", "refused"))
    conclude(database, first, "200")
    assert [(one.action, one.outcome) for one in audit(database, account=who)] == [
        ("sign in", "refused"),
        ("apply_patch", "200"),
    ]
    assert len(audit(database, account=who, limit=1)) == 1


def test_a_repository_keeps_what_is_said_of_it(database, ada):
    shop = Registered(
        f"shop-{uuid.uuid4().hex}", "https://git.example.org/a", 5, partial=True, shared=False, most="reviewer"
    )
    register(database, shop)
    assert repository_named(database, shop.name) == shop
    with pytest.raises(UsageError, match="already"):
        register(database, shop)
    note_fetch(database, shop.name, at=LATE, trouble="gone")
    assert repository_named(database, shop.name) == replace(shop, fetched_at=LATE, trouble="gone")
    note_fetch(database, shop.name, at=LATE, commit="a1")
    assert repository_named(database, shop.name) == replace(shop, fetched_at=LATE, commit="a1")
    set_member(database, shop.name, ada.name, "reader")
    set_member(database, shop.name, ada.name, "committer")
    assert members(database, shop.name) == {ada.name: "committer"}
    assert member_role(database, shop.name, ada.name) == "committer"
    forget(database, shop.name)
    assert member_role(database, shop.name, ada.name) is None
    with pytest.raises(UsageError, match="pk repos list"):
        repository_named(database, shop.name)
