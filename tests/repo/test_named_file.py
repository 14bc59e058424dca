import os
import tracemalloc
from pathlib import Path

import pytest

from pactkeeper.errors import InputError
from pactkeeper.repo.named_file import read_named, read_text_named


def test_file_is_read_up_to_its_limit(tmp_path):
    place = tmp_path / "report.xml"
    place.write_bytes(b"x" * 10)
    assert read_named(place, "it", most=10) == b"x" * 10
    with pytest.raises(InputError, match="it has more than 9 bytes; name another file"):
        read_named(place, "it", most=9)


@pytest.mark.parametrize("place", [Path("/dev/zero"), Path("/proc/self/fd")])
def test_device_or_folder_is_refused_unread(place):
    with pytest.raises(InputError, match="name a regular file"):
        read_named(place, repr(str(place)), most=1 << 20)


def test_pipe_that_nobody_writes_to_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="a pipe"):
        read_named(tmp_path / "pipe", "it", most=10)


def test_file_that_is_larger_than_it_says_takes_no_more_than_the_limit():
    tracemalloc.start()
    try:
        with pytest.raises(InputError):
            read_named(Path("/proc/self/maps"), "it", most=100)  # its size is said to be 0
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_text_in_another_encoding_is_refused(tmp_path):
    place = tmp_path / "review.json"
    place.write_bytes("é".encode("latin-1"))
    with pytest.raises(InputError, match="byte 0 is not UTF-8"):
        read_text_named(str(place), "the review", most=10)
