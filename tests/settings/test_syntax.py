"""What every file of settings says where it is no TOML."""

import os
from pathlib import Path

import pytest

from pactkeeper.errors import InputError
from pactkeeper.settings.boards import board_setups
from pactkeeper.settings.models import model_setup
from pactkeeper.settings.slack import thread_settings
from pactkeeper.settings.transcripts import transcript_settings

READERS = {
    "boards.toml": lambda folder: board_setups(folder, None),
    "models.toml": lambda folder: model_setup(folder, {}),
    "threads.toml": thread_settings,
    "transcripts.toml": transcript_settings,
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_settings_that_are_no_regular_file_are_refused_at_once(tmp_path, name, make):
    make(tmp_path / name)
    with pytest.raises(InputError, match="regular file"):
        READERS[name](tmp_path)


@pytest.mark.parametrize("name", READERS)
def test_a_file_that_is_no_toml_names_its_line_once(tmp_path, name):
    path = tmp_path / name
    path.write_text("# mine\nprovider = \n")
    with pytest.raises(InputError) as caught:
        READERS[name](tmp_path)
    said = str(caught.value)
    assert f"{path}:2: invalid TOML: Invalid value at column 12" in said
    assert "line 2" not in said


@pytest.mark.parametrize("name", READERS)
def test_lists_in_lists_without_end_are_no_toml(tmp_path, name):
    path = tmp_path / name
    path.write_text("a = " + "[" * 100_000)
    with pytest.raises(InputError, match="invalid TOML"):
        READERS[name](tmp_path)
