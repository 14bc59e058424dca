"""A sample of the bad files beside a sample of the commands; `python -m bench.hostile.bad_files` gives all to all."""

import pytest

from bench.hostile.bad_files import BAD, every_command, problems, ready

pytestmark = [pytest.mark.slow, pytest.mark.campaign]
NAMES = tuple(BAD)[::10]


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return ready(tmp_path_factory.mktemp("sound"))


@pytest.mark.parametrize("name", NAMES)
def test_no_bad_file_breaks_a_command(sound, name):
    assert list(problems(sound, name, every_command()[1::40])) == []
