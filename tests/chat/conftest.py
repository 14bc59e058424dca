import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from pactkeeper.chat.asking import ask, reply
from pactkeeper.chat.here import Here
from pactkeeper.workspace import open_workspace

FILES = {
    "shop/login.py": '''"""Letting people in."""


def refuse_expired(token):
    """Refuse a token whose time is over."""
    if token.expired:
        raise LoginError("the token expired")


MAX_TRIES = 3
''',
    "shop/basket.py": "from shop import login\n\n\ndef total(basket):\n    return sum(basket)\n",
    "tests/test_login.py": """from shop import login


def test_expired_token_is_refused():
    with raises(login.LoginError):
        login.refuse_expired(Token(expired=True))
""",
    "docs/login.md": "# Signing in\n\nA person has three tries.\n",
    "CHANGELOG.md": "# Changes\n\n- Expired tokens will be refused.\n",
    "pact/pact.toml": "[pact]\nformat = 1\n",
    "pact/atoms/login.toml": """[IA-LOGIN01]
intent = "An expired token is refused."
outcomes = ["LoginError is raised."]
status = "draft"
""",
}


@dataclass(frozen=True)
class Asked:
    """A real repository with a small shop, and what it answers."""

    root: Path

    def git(self, *arguments):
        done = subprocess.run(["git", *arguments], cwd=self.root, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def write(self, path, text):
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def ask(self, question, **options):
        with open_workspace(self.root, notice=print) as opened:
            return ask(Here(opened, **options), question)

    def reply(self, thread, word):
        with open_workspace(self.root, notice=print) as opened:
            return reply(Here(opened), thread, word)


@pytest.fixture(scope="session")
def first_shop(tmp_path_factory):
    """What every `shop` is a copy of."""
    made = Asked(tmp_path_factory.mktemp("shop"))
    for path, text in FILES.items():
        made.write(path, text)
    made.git("init", "--quiet")
    made.git("config", "user.name", "Ada")
    made.git("config", "user.email", "ada@example.org")
    made.git("add", "--all")
    made.git("commit", "--quiet", "--message", "Begin")
    return made


@pytest.fixture
def shop(first_shop, tmp_path):
    made = Asked(tmp_path / "shop")
    shutil.copytree(first_shop.root, made.root)
    return made
