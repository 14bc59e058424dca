"""A sample of the bad files beside a sample of the commands, and of the kills; the programs in `bench` do all."""

import pytest

from bench.hostile.bad_files import BAD, GIVEN, every_command, leaves, problems, ready
from bench.hostile.killing import problems as kill_problems
from bench.hostile.plans import LOOKING, PLANS
from pactkeeper.doors.cli.main import cli

NAMES = tuple(BAD)[::10]
COMMANDS = frozenset(leaves(cli, ()))


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return ready(tmp_path_factory.mktemp("sound"))


@pytest.mark.parametrize("given", [*GIVEN, *(" ".join(plan[-1]) for plan in PLANS.values())])
def test_what_campaigns_give_are_commands_of_the_program(given):
    assert any(f"{given} ".startswith(f"{name} ") for name in COMMANDS)


def test_every_command_that_writes_has_a_plan_for_being_killed():
    planned = {name.partition(",")[0] for name in PLANS}
    assert planned & LOOKING == set()
    assert planned | LOOKING == COMMANDS


@pytest.mark.slow
@pytest.mark.campaign
@pytest.mark.parametrize("name", NAMES)
def test_no_bad_file_breaks_a_command(sound, name):
    assert list(problems(sound, name, every_command()[1::40])) == []


@pytest.mark.slow
@pytest.mark.campaign
@pytest.mark.parametrize("name", ["accept", "apply", "undo", "words", "agents install", "thread approve"])
def test_killed_command_loses_nothing_once_it_is_given_again(name):
    assert list(kill_problems(name, most=4)) == []
