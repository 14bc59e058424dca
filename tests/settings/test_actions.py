import pytest

from pactkeeper.errors import InputError
from pactkeeper.settings.transcripts import Restraint, transcript_settings

WHOLE = """
[actions]
per_run = 5
per_day = 0
dollars_a_day = "0.50"
[actions.auto]
createTask = 101
[actions.ask]
logTask = 70
"""


def read(tmp_path, text):
    (tmp_path / "transcripts.toml").write_text(text)
    return transcript_settings(tmp_path).restraint


def test_every_key_makes_it_stricter(tmp_path):
    assert read(tmp_path, WHOLE) == Restraint({"completeTask": 101, "createTask": 101}, {"logTask": 70}, 5, 0, 500_000)


def test_tasks_are_completed_by_people_unless_the_table_says_from_which_points_on(tmp_path):
    assert read(tmp_path, "").auto == {"completeTask": 101}
    assert read(tmp_path, "[actions]\nauto.completeTask = 95\n").auto == {"completeTask": 95}


def test_without_the_table_only_the_tiers_count(tmp_path):
    assert read(tmp_path, "quiet_minutes = 1\n") == Restraint()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("auto.createTask = 90", "auto.createTask = 90 is not a whole number from 91 to 101"),
        ("ask.createTask = 49", "ask.createTask = 49 is not a whole number from 50 to 101"),
        ("auto.deleteTask = 99", "auto.deleteTask is not an action"),
        ("auto = 95", "auto = 95 is not a table"),
        ("per_run = true", "per_run = True is not a whole number"),
        ("per_day = -1", "per_day = -1 is not a whole number"),
        ("dollars_a_day = 1.5", "dollars_a_day = 1.5 is not an amount"),
        ('dollars_a_day = "NaN"', "dollars_a_day = 'NaN' is not an amount"),
        ("allow = 1", "actions.allow is not known"),
    ],
)
def test_what_would_loosen_a_tier_or_says_nothing_is_refused(tmp_path, text, words):
    with pytest.raises(InputError, match="cannot be used") as raised:
        read(tmp_path, f"[actions]\n{text}\n")
    assert words in str(raised.value)


def test_something_else_than_a_table_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"write \[actions\]"):
        read(tmp_path, "actions = 1\n")
