import pytest

from pactkeeper.errors import InputError
from pactkeeper.intent.routing import NEVER, SECTIONS, RoutedSection
from pactkeeper.settings.transcripts import transcript_settings


def settings(tmp_path, text):
    (tmp_path / "transcripts.toml").write_text(text)
    return transcript_settings(tmp_path)


def test_without_settings_documents_go_to_the_four_sections(tmp_path):
    found = transcript_settings(tmp_path)
    assert [one.name for one in found.routing.sections] == ["Strategy", "Operations", "Product", "Research"]
    assert found.routing.sections == SECTIONS
    assert found.days == 30


def test_a_person_routes_folders_and_sections(tmp_path):
    found = settings(
        tmp_path,
        """
        [routing]
        tasks = "home"
        documents = "notes"
        days = 7
        never = ["Diary"]
        active_context = ["Now"]
        domains = { shop = "team" }
        [[routing.sections]]
        name = "Labs"
        words = ["experiment"]
        prefix = "Lab: "
        """,
    )
    routing = found.routing
    assert (routing.board_of("shop"), routing.board_of("blog"), routing.documents) == ("team", "home", "notes")
    assert routing.sections == (RoutedSection("Labs", ("experiment",), "Lab: "),)
    assert set(routing.never) == {*NEVER, "Diary"}
    assert routing.is_context("now")
    assert found.days == 7


def test_the_archive_cannot_be_made_a_target(tmp_path):
    with pytest.raises(InputError, match="Archive"):
        settings(tmp_path, '[[routing.sections]]\nname = "Archive"\n')


def test_every_problem_is_told_at_once(tmp_path):
    with pytest.raises(InputError) as raised:
        settings(
            tmp_path,
            '[routing]\ntasks = 3\ndays = 0\nwhere = "x"\nnever = "Archive"\ndomains = { shop = 1 }\n'
            '[[routing.sections]]\nname = ""\nwords = [1]\nprefix = 2\ncolour = "red"\n',
        )
    for named in ("tasks", "days", "where", "never", "domains", "name", "words", "prefix", "colour"):
        assert named in str(raised.value)
