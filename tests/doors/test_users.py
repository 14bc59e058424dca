"""`pk users`, `pk tokens` and `pk audit` as processes."""

import pytest

PASSWORD = "correct horse battery\n"


@pytest.fixture
def pk(project, tmp_path):
    """The program, with the data of a server of its own."""
    env = {"XDG_DATA_HOME": str(tmp_path / "data"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    return lambda *words, **options: project.pk(*words, env=env, **options)


def test_an_account_is_added_with_a_password_from_stdin_changed_and_disabled(pk):
    person = ("--person", "Ada Lovelace <ada@example.org>")
    assert pk("users", "add", "ada", *person, "--role", "admin", feed=PASSWORD).out == "ada may sign in as admin\n"
    pk("users", "add", "bob", "--person", "Bob <bob@example.org>", "--no-password")
    assert pk("users", "role", "bob", "reviewer").out == "bob is reviewer now\n"
    pk("users", "disable", "bob")
    listed = pk("users", "list").out.splitlines()
    assert listed[0] == "ada: Ada Lovelace <ada@example.org>, admin"
    assert listed[1].startswith("bob: Bob <bob@example.org>, reviewer, disabled ")
    assert "argon2" not in pk("users", "list", "--json").out


@pytest.mark.parametrize(
    ("words", "feed", "said"),
    [
        (("ada", "--person", "Ada <a@b>"), "short\n", "a password has 12 to 1,000 characters; this one has 5"),
        (("ada", "--person", "Ada"), PASSWORD, "'Ada' does not name a person; write 'Ada Lovelace"),
        (("Ada Lovelace", "--person", "Ada <a@b>"), PASSWORD, "is not a valid account name"),
    ],
)
def test_an_account_that_cannot_be_is_refused_with_words(pk, words, feed, said):
    assert said in pk("users", "add", *words, feed=feed, code=2).err


def test_a_token_is_told_once_listed_without_its_secret_and_revoked(pk):
    pk("users", "add", "ada", "--person", "Ada <a@b>", feed=PASSWORD)
    made = pk("tokens", "add", "ada", "laptop")
    secret = made.out.strip()
    assert secret.startswith("pk_")
    assert "it is not shown again" in made.err
    (token,) = pk("tokens", "list", "--json").document["tokens"]
    assert secret not in str(token)
    assert pk("tokens", "revoke", token["id"]).out == f"{token['id']} is revoked\n"
    assert "still holds" in pk("tokens", "revoke", token["id"], code=2).err
    acts = [one["action"] for one in pk("audit", "--json").document["entries"]]
    assert acts == ["tokens revoke", "tokens add", "users add"]
    assert " an administrator at a terminal: tokens revoke " in pk("audit").out
