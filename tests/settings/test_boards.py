"""Which boards a person set up."""

from pathlib import Path

import pytest

from pactkeeper.errors import InputError, SettingsError
from pactkeeper.settings.boards import KINDS, board_setups, board_token

GOOD = """\
default = "team"

[boards.home]
kind = "local"
folder = "/srv/board"

[boards.team]
kind = "github"
repository = "acme/shop"
token_env = "TEAM_TOKEN"
total = 60

[boards.notes]
kind = "notion"
tasks = "11111111-1111-1111-1111-111111111111"
done = ["Done", "Shipped"]
"""
JIRA = """\
[boards.tracker]
kind = "jira"
base_url = "https://acme.example/jira"
project = "SHOP"
email = "ada@example.com"
"""


@pytest.fixture
def read(tmp_path):
    def reading(text):
        (tmp_path / "boards.toml").write_text(text)
        return board_setups(tmp_path, tmp_path / "data")

    return reading


def problems(read, text):
    with pytest.raises(InputError) as caught:
        read(text)
    return [line.split("boards.toml:")[-1] for line in str(caught.value).splitlines()[1:]]


def test_boards_of_all_kinds_are_read(read):
    found = read(GOOD)
    assert [(one.name, one.kind, one.token_env, one.total) for one in found.boards] == [
        ("home", "local", "", 120),
        ("team", "github", "TEAM_TOKEN", 60),
        ("notes", "notion", "NOTION_TOKEN", 120),
    ]
    assert found.named().name == "team"
    assert found.named("notes").options["done"] == ("Done", "Shipped")


def test_jira_of_ones_own_needs_no_account_beside_its_token(read):
    (cloud,) = read(JIRA).boards
    assert (cloud.base_url, cloud.token_env, cloud.options["email"]) == (
        "https://acme.example/jira",
        "JIRA_TOKEN",
        "ada@example.com",
    )
    (own,) = read(JIRA.replace("email", "deployment").replace("ada@example.com", "server")).boards
    assert own.options == {"project": "SHOP", "deployment": "server"}


def test_without_a_file_a_folder_among_the_persons_data_is_the_board(tmp_path):
    (one,) = board_setups(tmp_path, tmp_path / "data").boards
    assert (one.name, one.kind, one.options) == ("local", "local", {"folder": str(tmp_path / "data" / "board")})


def test_without_a_home_there_is_no_board():
    with pytest.raises(SettingsError, match="no board"):
        board_setups(None, None).named()


def test_every_problem_is_named_with_its_line(read):
    text = (
        GOOD.replace("/srv/board", "board")
        .replace("total = 60", "total = true\nsecret = 1")
        .replace("notion", "trello")
    )
    assert problems(read, text) == [
        "5: folder: 'board' is not an absolute path; write it like '/home/ada/board' or '~/board'",
        "11: total: True is not a whole number from 1 to 3,600",
        "12: unknown key 'secret'; a board of kind 'github' has kind, repository, doing, token_env, base_url, call, total, rate, items",
        f"15: kind: 'trello' is none of {', '.join(KINDS)}",
    ]


def test_a_board_of_an_unknown_kind_is_told_its_unknown_keys_too(read):
    said = problems(read, "[boards.a]\nkind = 'locl'\nfoldr = 'x'\nfolder = '/x'\n")
    assert said == [
        f"2: kind: 'locl' is none of {', '.join(KINDS)}",
        "3: unknown key 'foldr'; no kind of board has it (docs/boards.md lists the keys)",
    ]


def test_token_in_the_place_of_its_variable_is_refused_and_never_shown(read):
    (problem,) = problems(read, GOOD.replace("TEAM_TOKEN", "ghp_abcdef0123456789"))
    assert "ghp_" not in problem
    assert "never put the token itself here" in problem


@pytest.mark.parametrize(
    "url", ["http://tracker.example", "https://ada:pass@tracker.example", "ftp://tracker.example", "https://"]
)
def test_address_that_would_give_a_token_away_is_refused(read, url):
    (problem,) = problems(read, GOOD.replace("total = 60", f'base_url = "{url}"'))
    assert "base_url: its value is" in problem


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no board is configured"),
        ("boards = 1", "not a table"),
        ("[boards.Home]\nkind = 'local'", "not a valid board name"),
        ("[boards.a]\nkind = 'local'", "'folder' is missing"),
        ("[boards.a]\nkind = 'notion'", "names no database"),
        (JIRA.replace('email = "ada@example.com"', ""), "'email' is missing"),
        (JIRA.replace("base_url", "rate = 1 # "), "'base_url' is missing"),
        (JIRA.replace("SHOP", 'SHOP\\" OR 1=1'), "is not a project key"),
        (JIRA.replace("ada@", "ada:b@"), "is not an account's address"),
        (JIRA + "deployment = 'onprem'", "is neither 'cloud' nor 'server'"),
        ("[boards.a]\nfolder = '/x'", "'kind' is missing"),
        ("default = 'b'\n[boards.a]\nkind = 'local'\nfolder = '/x'", "is not a board"),
        ("[boards.a", "invalid TOML"),
    ],
)
def test_what_cannot_be_used_says_why(read, text, said):
    assert said in problems(read, text)[0]


def test_several_boards_without_a_default_ask_for_a_name(read):
    with pytest.raises(SettingsError, match="home, team, notes"):
        read(GOOD.replace('default = "team"', "")).named()


def test_token_comes_from_its_variable_only(read):
    team = read(GOOD).named("team")
    assert board_token(team, {"TEAM_TOKEN": " abc\n", "GITHUB_TOKEN": "other"}) == "abc"
    assert board_token(team, {"GITHUB_TOKEN": "other"}) == ""


def test_every_key_of_every_kind_is_documented():
    page = (Path(__file__).parents[2] / "docs" / "boards.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:3] for line in page.splitlines() if line.startswith("| `")]
    documented = {key.strip(" `"): kinds for keys, kinds in rows for key in keys.split(",")}
    missing = [
        (kind, key)
        for kind, known in KINDS.items()
        for key in known.keys
        if kind not in documented.get(key, "") and "all" not in documented.get(key, "")
    ]
    assert missing == []
