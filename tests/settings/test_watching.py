"""What a watch takes from the environment."""

import pytest

from pactkeeper.errors import UsageError
from pactkeeper.settings.environment import webhook_secret

SECRET = "a secret of some length"


def test_the_secret_stands_in_a_variable_that_checks_do_not_see(monkeypatch):
    monkeypatch.setenv("PACTKEEPER_HOOK", SECRET)
    monkeypatch.setenv("HOOK", SECRET)
    assert webhook_secret("PACTKEEPER_HOOK") == SECRET
    with pytest.raises(UsageError, match="checks would see 'HOOK'"):
        webhook_secret("HOOK")


@pytest.mark.parametrize("held", [None, "", "too short"])
def test_a_secret_that_is_none_is_refused_by_the_name_of_its_variable(monkeypatch, held):
    monkeypatch.delenv("PACTKEEPER_HOOK", raising=False)
    if held is not None:
        monkeypatch.setenv("PACTKEEPER_HOOK", held)
    with pytest.raises(UsageError, match="'PACTKEEPER_HOOK' holds no secret"):
        webhook_secret("PACTKEEPER_HOOK")
