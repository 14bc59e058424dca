"""`[health]` and `[[health.check]]` of pact.toml."""

import pytest

from pactkeeper.catalog.read import read_settings
from pactkeeper.catalog.write import new_settings
from pactkeeper.errors import CatalogError
from pactkeeper.intent.health import HealthCheck, HealthSettings
from pactkeeper.intent.pact import Settings

MARK = b"[pact]\nformat = 1\n"


def settings(text):
    return read_settings(MARK + text.encode()).health


def problems(text):
    with pytest.raises(CatalogError) as caught:
        settings(text)
    return [problem.message for problem in caught.value.problems]


def test_missing_table_means_the_defaults():
    assert settings("") == HealthSettings(300, 60, 3, 25, 3, 3, 5, "run", ())


@pytest.mark.parametrize("place", ["", "tools", "~", "/", "~/", "~root/x", "/a/../b"])
def test_a_place_to_read_is_a_path_from_the_root_or_below_home(place):
    assert problems(f'[health]\nsandbox = "bubblewrap"\nreadable = ["{place}"]')


def test_places_to_read_need_a_sandbox():
    assert settings('[health]\nsandbox = "bubblewrap"\nreadable = ["~/.cargo"]').readable == ("~/.cargo",)
    assert "add sandbox" in problems('[health]\nreadable = ["~/.cargo"]')[0]


def test_every_key_of_a_check_reaches_its_value():
    (found,) = settings("""
        [[health.check]]
        name = "web"
        argv = ["npm", "test"]
        category = "test"
        directory = "packages/web/"
        environment = { TZ = "UTC" }
        timeout = 60
        parser = "regex"
        pattern = '^(?P<message>.*)$'
        prepare = ["npm", "ci"]
    """).checks
    assert found == HealthCheck(
        name="web",
        argv=("npm", "test"),
        category="test",
        directory="packages/web",
        environment={"TZ": "UTC"},
        timeout=60,
        parser="regex",
        pattern="^(?P<message>.*)$",
        prepare=("npm", "ci"),
    )


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('argv = "npm test"', "write a program and its arguments"),
        ("argv = []", "write a program and its arguments"),
        ('directory = "../elsewhere"', "write the path of a folder below the root"),
        ('directory = "/etc"', "write the path of a folder below the root"),
        ("environment = { TZ = 1 }", "write a table of names and strings"),
        ('environment = { "A=B" = "1" }', "'A=B' is not the name of an environment variable"),
        ("timeout = 0", "write a whole number, 1 or more"),
        ('category = "conflict"', "write one of build, compile, test, lint"),
        ("pattern = '('", "this one is broken"),
        ('parser = "regex"', "needs both or neither"),
        ("shell = true", "'shell' is not a key of"),
    ],
)
def test_broken_check_is_refused_with_what_to_write(line, problem):
    given = {"name": 'name = "x"', "argv": 'argv = ["true"]', "category": 'category = "test"'}
    given[line.partition(" ")[0]] = line
    assert any(problem in message for message in problems("\n".join(["[[health.check]]", *given.values()])))


def test_name_that_two_checks_share_is_refused():
    check = '[[health.check]]\nname = "x"\nargv = ["true"]\ncategory = "test"\n'
    assert problems(check + check) == ["'x' is already the name of another check; use unique names"]


def test_fresh_settings_hold_no_table_of_checks():
    assert new_settings(Settings(health=HealthSettings(interval=5))) == MARK
