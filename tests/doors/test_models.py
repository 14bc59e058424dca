"""`pk models` and `pk reconcile --ask-model` with scripted servers behind the real client libraries."""

import os
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.doors.projects import Project
from tests.models.servers import Asked, Say, Scripted, Slow, Status, scripted
from tests.waiting import PATIENCE, running, until

pytestmark = pytest.mark.slow

BARE = """\
from shop import Basket


def test_1():
    basket = Basket()
    basket.add("apple", 2)
    assert basket.total() == 6


def test_case():
    assert Basket.from_expired_code().total() == 9
"""
ANSWERS: dict[str, dict[str, Any]] = {
    "basket.total() == 6": {
        "intent": "A basket with two apples costs 6.",
        "category": "functional",
        "outcomes": ["The total is 6."],
        "quotes": ["assert basket.total() == 6"],
        "confidence": 90,
    },
    "total() == 9": {
        "intent": "A basket from an expired code costs 9.",
        "category": "functional",
        "outcomes": ["The total is 9."],
        "quotes": ["assert Basket.from_expired_code().total() == 9"],
        "confidence": 90,
    },
}
PRICES = "[prices]\ninput = 3\noutput = 15\n"


def answering(asked: Asked) -> Say:
    """Answer what a test is for from its body; leave everything else undone."""
    for line, answer in ANSWERS.items():
        if line in asked.text:
            return Say(answer)
    return Say(text="nothing to say")


@dataclass
class Desk:
    """A project with a person's settings that name a scripted server."""

    project: Project
    home: Path
    server: Scripted

    def pk(self, *arguments, **options):
        return self.project.pk(*arguments, env=self.surroundings, **options)

    @property
    def surroundings(self):
        return {"XDG_CONFIG_HOME": str(self.home), "XDG_DATA_HOME": str(self.home / "data")}

    def set_up(self, dialect="openai", more=PRICES, **fields):
        place = self.home / "pactkeeper/models.toml"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(self.server.config(dialect, **fields) + more, encoding="utf-8")


@pytest.fixture(scope="module")
def first_shop(first_project, tmp_path_factory):
    """What every `shop` is a copy of."""
    project = first_project.copy(tmp_path_factory.mktemp("shop") / "project")
    project.git("rm", "-rq", "tests", "web")
    project.write("tests/test_it.py", BARE)
    project.commit("Leave tests whose names say nothing")
    project.pk("init")
    return project


@pytest.fixture
def shop(first_shop, tmp_path):
    return first_shop.copy(tmp_path / "project")


@pytest.fixture
def start(shop, tmp_path):
    """Start a server with a script and set it up."""
    contexts = []

    def begin(script=answering, dialect="openai", **fields):
        context = scripted(dialect, script)
        contexts.append(context)
        desk = Desk(shop, tmp_path / "home", context.__enter__())
        desk.set_up(dialect, **fields)
        return desk

    yield begin
    for context in contexts:
        context.__exit__(None, None, None)


def words(patch):
    return sorted(op["payload"]["description"] for op in patch["ops"] if op["verb"] == "createAtom")


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_a_model_words_what_rules_cannot_and_is_never_asked_twice(start, dialect):
    desk = start(dialect=dialect)
    made = desk.pk("reconcile", "--all", "--ask-model", "--json").document
    assert words(made) == sorted(one["intent"] for one in ANSWERS.values())
    asked = len(desk.server.asked)
    desk.pk("reconcile", "--all", "--ask-model")
    desk.pk("reconcile", "--all", "--ask-model", "--molecules")
    assert len(desk.server.asked) == asked


def test_an_answer_that_was_paid_for_is_kept_beyond_the_run_that_asked(start):
    desk = start()
    desk.pk("reconcile", "--all", "--ask-model")
    desk.pk("runs", "cancel", desk.pk("runs", "list", "--json").document["runs"][0]["run"]["id"])
    asked = len(desk.server.asked)
    desk.pk("reconcile", "--all", "--ask-model")
    assert len(desk.server.asked) == asked


def test_without_a_word_about_it_no_model_is_asked(start):
    desk = start()
    said = desk.pk("reconcile", "--all").out
    assert desk.server.asked == []
    assert "2 tests need words" in said


def test_tests_that_need_words_for_one_reason_are_listed_below_it(start):
    lines = start().pk("reconcile", "--all").out.splitlines()
    first = lines.index("2 tests need words")
    assert lines[first + 1 : first + 5] == [
        "  its name ends with a number:",
        "    tests/test_it.py::test_1",
        "  its name has fewer than 3 words:",
        "    tests/test_it.py::test_case",
    ]


def test_a_person_may_have_a_model_asked_always(start):
    desk = start(ask="always")
    desk.pk("reconcile", "--all", "--no-model")
    assert desk.server.asked == []
    desk.pk("reconcile", "--all")
    assert desk.server.asked


def test_what_a_model_adds_to_the_rules_is_shown_by_comparing_the_runs(start):
    desk = start()
    by_rules = desk.pk("reconcile", "--all", "--no-model", "--json").document
    desk.pk("reconcile", "--all", "--ask-model")
    runs = [one["run"]["id"] for one in desk.pk("runs", "list", "--json").document["runs"]]
    said = desk.pk("runs", "diff", runs[1], runs[0]).out
    assert words(by_rules) == []
    assert "A basket with two apples costs 6." in said
    assert "2 questions only before" in said


def test_the_estimate_is_told_before_anybody_is_asked(start):
    desk = start()
    found = desk.pk("reconcile", "--all", "--estimate", "--json").document
    assert desk.server.asked == []
    assert (found["prompts"], found["cached"], found["calls"]) == (2, 0, 4)
    assert found["money"] > 0
    told = desk.pk("reconcile", "--all", "--ask-model")
    assert "openai-compatible:scripted is asked 2 questions: at most 4 calls" in told.err
    spent = desk.pk("runs", "show", "--json").document["spent"]
    assert 0 < spent["money"] < found["money"]


def test_an_estimate_leaves_everything_to_the_run_that_follows(start):
    desk = start()
    desk.pk("reconcile", "--all", "--estimate")
    assert "createAtom" not in desk.pk("recommendations", "--json").out
    made = desk.pk("reconcile", "--all", "--ask-model", "--json").document
    assert len(words(made)) == 2


def test_a_cap_on_calls_leaves_the_rest_to_people(start):
    desk = start(concurrency=1)
    said = desk.pk("reconcile", "--all", "--ask-model", "--max-calls", "1")
    assert len(desk.server.asked) == 1
    assert "1 allowed" in said.err
    assert "1 answered, 1 not asked: over budget" in said.out
    assert len(desk.pk("questions", "--json").document["questions"]) == 1


def test_a_cap_on_money_below_one_call_asks_nobody(start):
    desk = start()
    desk.pk("reconcile", "--all", "--ask-model", "--max-cost", "0.001")
    assert desk.server.asked == []


def test_the_cap_of_a_day_counts_all_runs_of_it(start):
    desk = start(more=f"{PRICES}[day]\nmax_calls = 2\n")
    desk.pk("reconcile", "--all", "--ask-model")
    desk.project.write("tests/test_more.py", BARE.replace("6", "7"))
    desk.pk("reconcile", "--all", "--ask-model")
    assert len(desk.server.asked) == 2


def test_an_unknown_price_and_a_cap_on_money_do_not_go_together(start):
    desk = start(more="")
    said = desk.pk("reconcile", "--all", "--ask-model", "--max-cost", "1", code=2)
    assert "the price of openai-compatible:scripted is not known" in said.err
    assert desk.pk("runs", "list", "--json").document["runs"] == []


def test_a_model_that_cannot_be_asked_leaves_everything_to_people(start):
    desk = start([Status(401, "no such key")])
    said = desk.pk("reconcile", "--all", "--ask-model")
    assert "cannot be asked" in said.err
    assert len(desk.pk("questions", "--json").document["questions"]) == 2


def test_asking_without_a_model_says_how_to_set_one_up(shop, tmp_path):
    surroundings = {"XDG_CONFIG_HOME": str(tmp_path / "empty")}
    said = shop.pk("reconcile", "--all", "--ask-model", code=2, env=surroundings)
    assert "no model is configured" in said.err
    assert "models.toml" in said.err
    assert "docs/models.md" in said.err
    assert "no model is configured" in shop.pk("models", env=surroundings).out


def test_caps_without_a_model_to_cap_are_refused(shop, tmp_path):
    said = shop.pk("reconcile", "--all", "--max-calls", "3", code=2, env={"XDG_CONFIG_HOME": str(tmp_path)})
    assert "add --ask-model" in said.err


@pytest.mark.parametrize("amount", ["-1", "1,50", "abc", "1e3", "0.0000001"])
def test_an_amount_that_is_none_is_refused(shop, amount):
    assert "is not an amount in US dollars" in shop.pk("reconcile", f"--max-cost={amount}", code=2).err


def test_a_run_that_is_taken_up_where_no_model_is_set_up_goes_on_without_one(start, tmp_path):
    second = threading.Event()

    def script(_):
        second.set()
        return Slow()

    desk = start(script, concurrency=1)
    command = [sys.executable, "-m", "pactkeeper", "reconcile", "--all", "--ask-model"]
    with running(command, cwd=desk.project.root, env={**os.environ, **desk.surroundings}):
        assert second.wait(PATIENCE)
    said = desk.project.pk("runs", "recover", env={"XDG_CONFIG_HOME": str(tmp_path / "empty")})
    assert "continues without a model, and leaves its questions to people" in said.err
    assert len(desk.pk("questions", "--json").document["questions"]) == 2


@pytest.mark.slow
def test_a_process_that_is_killed_among_answers_pays_for_none_of_them_again(start):
    second = threading.Event()

    def script(asked):
        if "total() == 9" in asked.text and not second.is_set():
            second.set()
            return Slow()
        return answering(asked)

    desk = start(script, concurrency=1)
    command = [sys.executable, "-m", "pactkeeper", "reconcile", "--all", "--ask-model"]
    with running(command, cwd=desk.project.root, env={**os.environ, **desk.surroundings}):
        assert second.wait(PATIENCE)
    before = len(desk.server.asked)
    made = desk.pk("reconcile", "--all", "--ask-model", "--json").document
    assert len(words(made)) == 2
    assert not any("assert basket.total" in one.text for one in desk.server.asked[before:])
    assert desk.server.asked[before:]


def test_the_calls_of_a_run_are_shown_and_exported(start):
    desk = start()
    desk.pk("reconcile", "--all", "--ask-model")
    assert "openai-compatible:scripted: 2 calls, 200 tokens in, 40 out, $0.0012" in desk.pk("runs", "show").out
    exported = desk.pk("runs", "export").document
    assert exported["spent"]["calls"] == 2
    assert {one["state"] for one in exported["model_calls"]} == {"answered"}


def test_a_log_names_the_calls_and_holds_neither_key_nor_words(start, tmp_path):
    desk = start(key_env="SHOP_KEY")
    log = tmp_path / "log"
    env = {**desk.surroundings, "SHOP_KEY": "sk-live-42", "PACTKEEPER_LOG": str(log)}
    desk.project.pk("reconcile", "--all", "--ask-model", env=env)
    lines = log.read_text(encoding="utf-8")
    assert '"name": "chat scripted"' in lines
    assert '"gen_ai.usage.output_tokens": 20' in lines
    assert "sk-live-42" not in lines
    assert "apples" not in lines
    history = (desk.project.root / ".git/pact/history.db").read_bytes()
    assert b"sk-live-42" not in history


def test_the_model_is_shown_without_its_key(start):
    desk = start(key_env="SHOP_KEY")
    env = {**desk.surroundings, "SHOP_KEY": "sk-live-42"}
    said = desk.project.pk("models", env=env).out
    assert "openai-compatible:scripted" in said
    assert "in SHOP_KEY" in said
    assert "$3.00 in, $15.00 out, a million tokens" in said
    assert "sk-live-42" not in said + desk.project.pk("models", "--json", env=env).out
    assert "SHOP_KEY is not set" in desk.pk("models").out


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_trying_the_model_tells_what_it_can_and_takes(start, dialect):
    desk = start([Say({"refused": True, "category": "security"})], dialect=dialect)
    said = desk.pk("models", "test").out
    assert "answer    answered" in said
    assert "100 in, 20 out, $0.0006" in said
    assert not (desk.project.root / ".git/pact/history.db").exists()


def test_trying_a_model_that_cannot_answer_in_a_shape_says_so(start):
    desk = start([Say(text="Sure! The login is refused.")])
    found = desk.pk("models", "test", "--json", code=1).document
    assert found["state"] == "malformed"
    assert "is not JSON" in found["reasons"][0]


def test_settings_that_are_wrong_are_told_with_their_lines(start):
    desk = start(timeut=3)
    said = desk.pk("models", code=2).err
    assert "models.toml:5: unknown key 'timeut'" in said


def test_a_model_is_shown_and_tried_outside_of_any_repository(tmp_path):
    (tmp_path / "empty").mkdir()
    with scripted("openai", [Say({"refused": True, "category": "security"})]) as server:
        desk = Desk(Project(tmp_path / "empty"), tmp_path / "home", server)
        desk.set_up()
        assert "asked" in desk.pk("models").out
        assert "answered" in desk.pk("models", "test").out


def test_a_thread_goes_on_without_a_model_that_takes_too_long(tmp_path):
    (tmp_path / "empty").mkdir()
    with scripted("openai", [Slow(300)]) as server:
        desk = Desk(Project(tmp_path / "empty"), tmp_path / "home", server)
        desk.set_up(timeout=1, retries=4)
        out = desk.pk("thread", "new", "Title: Export\nclerks copy orders by hand", "--by", "Ada").out
        assert "Which problem does it solve" in out
        assert "1. clerks copy orders by hand (Ada)" in out
        until(lambda: server.asked, "the request")
        assert len(server.asked) == 1
