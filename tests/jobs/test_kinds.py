import pytest

from pactkeeper.doors.cli.main import COMMANDS
from pactkeeper.errors import InputError, UsageError
from pactkeeper.jobs.job import KINDS, arguments_of, kind_of

COMMIT = "0" * 40


@pytest.mark.parametrize("kind", KINDS.values(), ids=str)
def test_every_kind_runs_a_command_with_nothing_left_to_fill_in(kind):
    arguments = arguments_of(kind, COMMIT, "", ("7", "9")[: len(kind.takes)] or ("junit.xml",))
    assert {arguments[0], " ".join(arguments[:2])} & set(COMMANDS)
    assert not [one for one in arguments if "{" in one]


def test_unknown_kind_names_those_there_are():
    with pytest.raises(UsageError, match=r"'lunch'.*sweep"):
        kind_of("lunch")


@pytest.mark.parametrize(("commit", "files"), [("--in-place", ()), (COMMIT, ("--json",))])
def test_nothing_from_the_queue_is_read_as_an_option(commit, files):
    with pytest.raises(InputError, match="option"):
        arguments_of(KINDS["evidence"], commit, "", files)


def test_name_of_a_file_is_taken_as_it_is():
    assert arguments_of(KINDS["evidence"], COMMIT, "", ("{commit}.xml",))[-1] == "{commit}.xml"


def test_job_compares_with_the_commit_it_names_and_else_with_what_its_kind_says():
    assert arguments_of(KINDS["reconcile"], COMMIT, "v1", ()) == ("reconcile", "--since", "v1", "--json")
    assert arguments_of(KINDS["reconcile"], COMMIT, "", ()) == ("reconcile", "--all", "--json")
    assert arguments_of(KINDS["guard"], COMMIT, "", ())[3:5] == ("--since", f"{COMMIT}^")
