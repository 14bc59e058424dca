import pytest

from pactkeeper.ledger.model import ModelSetup, Price
from pactkeeper.models.asking import price_of


def setup(provider, model, url, price=None):
    return ModelSetup(provider, model, url, price=price)


def test_what_the_person_says_goes_before_the_list():
    found = price_of(setup("anthropic", "claude-sonnet-4-5", "https://api.anthropic.com", Price(1, 2)))
    assert found == Price(1, 2)


def test_the_list_knows_the_usual_models():
    found = price_of(setup("anthropic", "claude-sonnet-4-5", "https://api.anthropic.com"))
    assert found == Price(3_000_000, 15_000_000)


def test_a_server_that_the_list_does_not_know_has_no_price_whatever_its_model_is_called():
    assert price_of(setup("openai-compatible", "gpt-4o-mini", "http://127.0.0.1:1/v1")) is None
    assert price_of(setup("openai-compatible", "gpt-4o-mini", "https://api.openai.com/v1")) is not None


@pytest.mark.parametrize(
    ("model", "url", "price"),
    [
        ("qwen3", "http://127.0.0.1:11434/v1", Price(0, 0)),
        ("qwen3-cloud", "http://127.0.0.1:11434/v1", None),
        ("qwen3", "https://ollama.com/v1", None),
    ],
)
def test_only_a_model_that_runs_on_this_machine_is_free(model, url, price):
    assert price_of(setup("ollama", model, url)) == price
