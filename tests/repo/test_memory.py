import os

from pactkeeper.repo.memory import Memory
from tests.repo.repositories import create, git

LONG_AGO = 1_700_000_000


def settled(repository):
    """The configuration was written long ago, as that of most repositories was."""
    os.utime(repository.common_dir / "config", (LONG_AGO, LONG_AGO))
    return repository


def test_a_repository_is_opened_once_while_its_configuration_is_the_same(tmp_path):
    made, memory = settled(create(tmp_path, {"a.py": "x"})), Memory()
    first = memory.repository(tmp_path)
    assert first == made
    assert memory.repository(tmp_path) is first


def test_a_filter_that_is_configured_later_is_off_too(tmp_path):
    made, memory = settled(create(tmp_path, {"a.py": "x"})), Memory()
    before = memory.repository(tmp_path)
    git(tmp_path, "config", "filter.evil.clean", "touch ran; cat")
    settled(made)
    after = memory.repository(tmp_path)
    assert "filter.evil.clean" not in before.surroundings.values()
    assert "filter.evil.clean" in after.surroundings.values()


def test_a_configuration_that_was_just_written_or_takes_in_another_file_is_not_relied_on(tmp_path):
    made, memory = create(tmp_path, {"a.py": "x"}), Memory()
    assert memory.repository(tmp_path) is not memory.repository(tmp_path)
    git(tmp_path, "config", "include.path", "../more")
    settled(made)
    assert memory.repository(tmp_path) is not memory.repository(tmp_path)


def test_what_was_made_of_something_else_is_made_anew():
    memory, made = Memory(), []
    for key in ("a", "a", "b", None, "b"):
        memory.recall("letters", key, lambda: made.append(len(made)))
    assert len(made) == 3
