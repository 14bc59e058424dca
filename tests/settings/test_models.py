import pytest

from pactkeeper.errors import InputError
from pactkeeper.ledger.model import Caps, Price
from pactkeeper.settings.models import model_key, model_setup

WHOLE = """
provider = "anthropic"
model = "claude-sonnet-4-5"
base_url = "http://127.0.0.1:9/anthropic"
key_env = "TEAM_KEY"
structured = "schema"
ask = "always"
kinds = ["word_test"]
concurrency = 2
timeout = 30
retries = 1
max_output_tokens = 900

[prices]
input = 3
output = 15.5

[run]
max_calls = 40
max_money = 1.25

[day]
max_tokens = 9_000
"""


def written(folder, text):
    (folder / "models.toml").write_text(text, encoding="utf-8")
    return folder


def problems(folder, text, variables=None):
    with pytest.raises(InputError) as caught:
        model_setup(written(folder, text), variables or {})
    return str(caught.value)


def test_no_file_and_no_variable_set_up_no_model(tmp_path):
    assert model_setup(tmp_path, {}) is None
    assert model_setup(None, {}) is None


def test_every_key_of_the_file_is_read(tmp_path):
    found = model_setup(written(tmp_path, WHOLE), {})
    assert found is not None
    assert found.name == "anthropic:claude-sonnet-4-5"
    assert (found.base_url, found.key_env, found.structured) == ("http://127.0.0.1:9/anthropic", "TEAM_KEY", "schema")
    assert (found.ask, found.kinds, found.concurrency) == ("always", ("word_test",), 2)
    assert (found.timeout, found.retries, found.max_output_tokens) == (30, 1, 900)
    assert found.price == Price(3_000_000, 15_500_000)
    assert found.run == Caps(40, None, 1_250_000)
    assert found.day == Caps(None, 9_000, None)
    assert found.source == str(tmp_path / "models.toml")


@pytest.mark.parametrize(
    ("provider", "url", "key"),
    [
        ("openai-compatible", "https://api.openai.com/v1", "OPENAI_API_KEY"),
        ("anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
        ("ollama", "http://127.0.0.1:11434/v1", ""),
        ("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    ],
)
def test_a_provider_brings_its_own_address_and_key(tmp_path, provider, url, key):
    found = model_setup(written(tmp_path, f'provider = "{provider}"\nmodel = "m"\n'), {})
    assert found is not None
    assert (found.base_url, found.key_env) == (url, key)


def test_every_problem_is_told_with_its_line(tmp_path):
    said = problems(
        tmp_path, 'provider = "openia"\nmodel = ""\ntimeot = 3\n[prices]\ninput = nan\n[run]\nmax_calls = true\n'
    )
    place = tmp_path / "models.toml"
    for line, words in (
        (1, "provider: 'openia' is not one of"),
        (2, "model: '' is no text"),
        (3, "unknown key 'timeot'"),
        (5, "input: Decimal('NaN') is not an amount"),
        (7, "max_calls: True is not a whole number"),
    ):
        assert f"{place}:{line}: {words}" in said


def test_broken_toml_is_told_with_its_line(tmp_path):
    assert f"{tmp_path / 'models.toml'}:2: " in problems(tmp_path, 'provider = "ollama"\nmodel = \n')


def test_a_key_in_place_of_a_variables_name_is_refused_and_not_repeated(tmp_path):
    said = problems(tmp_path, 'provider = "anthropic"\nmodel = "m"\nkey_env = "sk-secret-1"\n')
    assert "names no environment variable" in said
    assert "sk-secret-1" not in said


def test_a_password_in_an_address_is_refused_and_not_repeated(tmp_path):
    said = problems(tmp_path, 'provider = "ollama"\nmodel = "m"\nbase_url = "http://me:hunter2@host/v1"\n')
    assert "holds more than an address" in said
    assert "hunter2" not in said


@pytest.mark.parametrize("text", ['provider = "ollama"\n', 'model = "m"\n', "timeout = 3\n"])
def test_a_model_needs_a_provider_and_a_name(tmp_path, text):
    assert "is missing" in problems(tmp_path, text)


def test_half_a_price_is_refused(tmp_path):
    assert "needs both" in problems(tmp_path, 'provider = "ollama"\nmodel = "m"\n[prices]\ninput = 1\n')


def test_variables_alone_set_a_model_up(tmp_path):
    found = model_setup(tmp_path, {"PACTKEEPER_MODEL": "ollama:qwen3:8b"})
    assert found is not None
    assert (found.provider, found.model, found.source) == ("ollama", "qwen3:8b", "PACTKEEPER_MODEL")


def test_a_variable_that_names_another_provider_takes_neither_address_nor_key_nor_price_along(tmp_path):
    found = model_setup(written(tmp_path, WHOLE), {"PACTKEEPER_MODEL": "openrouter:some/model"})
    assert found is not None
    assert (found.base_url, found.key_env) == ("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY")
    assert found.price is None
    assert found.run == Caps(40, None, 1_250_000)


@pytest.mark.parametrize("value", ["gpt-5", "openai:gpt-5", "ollama:"])
def test_a_variable_that_names_no_provider_is_refused(tmp_path, value):
    with pytest.raises(InputError, match="is not PROVIDER:MODEL"):
        model_setup(tmp_path, {"PACTKEEPER_MODEL": value})


def test_the_key_comes_from_the_named_variable_and_is_no_part_of_the_setup(tmp_path):
    found = model_setup(written(tmp_path, WHOLE), {"TEAM_KEY": "sk-1"})
    assert found is not None
    assert model_key(found, {"TEAM_KEY": " sk-1\n"}) == "sk-1"
    assert "sk-1" not in repr(found)
