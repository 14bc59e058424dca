from pathlib import Path

import pytest

from pactkeeper.errors import InputError
from pactkeeper.settings.transcripts import transcript_settings


def test_without_a_file_agents_own_folders_are_looked_into(tmp_path):
    found = transcript_settings(tmp_path)
    assert found == transcript_settings(None)
    assert [path.relative_to(Path.home()).as_posix() for path in found.places] == [
        ".claude/projects",
        ".codex/sessions",
    ]
    assert found.quiet_minutes == 5


def test_places_and_quiet_time_can_be_set(tmp_path):
    (tmp_path / "transcripts.toml").write_text('places = ["/chats", "~/talk"]\nquiet_minutes = 0\n')
    found = transcript_settings(tmp_path)
    assert found.places == (Path("/chats"), Path.home() / "talk")
    assert found.quiet_minutes == 0


def test_every_problem_of_the_file_is_told_at_once(tmp_path):
    (tmp_path / "transcripts.toml").write_text('place = 1\nplaces = ["chats"]\nquiet_minutes = true\n')
    with pytest.raises(InputError) as raised:
        transcript_settings(tmp_path)
    text = str(raised.value)
    assert "'place' is not known" in text
    assert "places = ['chats']" in text
    assert "quiet_minutes = True" in text


def test_a_file_that_is_no_toml_is_an_error(tmp_path):
    (tmp_path / "transcripts.toml").write_text("places = [")
    with pytest.raises(InputError, match=r"transcripts\.toml: invalid TOML"):
        transcript_settings(tmp_path)
