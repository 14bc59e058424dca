"""A small shop with tests that prove committed atoms, in Python and TypeScript, and ways to change it."""

from collections.abc import Mapping
from pathlib import Path

from pactkeeper.health.weakening import CommitState, weakened
from pactkeeper.intent.pact import Pact
from pactkeeper.repo.discovery import Discovery, Selection
from pactkeeper.repo.git import Repository
from pactkeeper.repo.snapshot import Snapshot, commit
from tests.repo import repositories

ATOMS = "".join(
    f"""
[IA-000000{number}]
intent = "{intent}"
category = "functional"
outcomes = ["{intent}"]
falsified_by = ["It is not so."]
source = "person"
"""
    for number, intent in ((1, "A login works."), (2, "A price has a tax."), (3, "A cart sums up."))
)
COMMITTED = """\
id = "COM-0000001"
by = "Ada <ada@example.org>"
at = "2026-01-02T03:04:05+00:00"
assurance = "terminal"

[frozen]
""" + "".join(f'IA-000000{number} = "v1:{"0" * 64}"\n' for number in (1, 2, 3))

PYTHON = '''\
import pytest

from shop import Basket, login, price


@pytest.fixture
def basket():
    return Basket([1, 2, 3])


# @atom IA-0000001
def test_login(basket):
    """A known token opens the shop."""
    answer = login("ada", basket)
    assert answer.status == 200
    assert answer.name == "ada"
    with pytest.raises(PermissionError):
        login("eve", basket)


class TestPrice:
    # @atom IA-0000002
    @pytest.mark.parametrize("net, gross", [(100, 119), (200, 238)])
    def test_tax(self, net, gross):
        assert price(net) == pytest.approx(gross, abs=0.01)


def test_nobody_declared():
    assert price(0) == 0
'''
SCRIPT = """\
import { describe, expect, it } from "vitest";
import { Cart } from "../src/cart";

const rows = [1, 2, 3];

describe("cart", () => {
  // @atom IA-0000003
  it("sums up", () => {
    const cart = new Cart(rows);
    expect(cart.total()).toBe(6);
    expect(() => cart.remove(9)).toThrow(RangeError);
  });

  it("is nobody's", () => {
    expect(new Cart([]).total()).toBe(0);
  });
});
"""
PACT = """\
[pact]
format = 1

[[health.check]]
name = "tests"
category = "test"
argv = ["sh", "ci/check.sh"]
"""
CHECK = """
[[health.check]]
name = "compile"
category = "compile"
parser = "regex"
pattern = '(?P<file>[^:\\n]+):(?P<line>\\d+): (?P<rule>\\w+) (?P<message>.*)'
argv = ["sh", "-c", "cat errors.txt; test ! -s errors.txt"]
"""
ERROR = "shop.py:3: E1 the tax is wrong\n"
OTHER = "mail.py:9: E2 the mail is lost\n"
SHOP, PY, TS = "shop.py", "tests/test_shop.py", "web/cart.test.ts"
FILES = {
    SHOP: "class Basket(list):\n    pass\n\n\ndef login(name, basket):\n    return None\n\n\ndef price(net):\n    return net\n",
    PY: PYTHON,
    TS: SCRIPT,
    "src/cart.ts": "export class Cart {\n  constructor(readonly rows: number[]) {}\n}\n",
    "tests/helpers.py": "def known():\n    return ['ada']\n",
    "tests/test_other.py": "def test_free():\n    assert True\n",
    "tests/__snapshots__/page.snap": "one\n",
    "tests/approved/page.txt": "one\n",
    "ci/check.sh": "python -m pytest\n",
    "conftest.py": "",
    "README.md": "A shop.\n",
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = []\n\n[tool.pytest.ini_options]\naddopts = "-ra"\n',
    "package.json": '{"scripts": {"test": "vitest run"}, "dependencies": {}, "devDependencies": {"vitest": "2"}}\n',
    "tsconfig.json": '{"compilerOptions": {"strict": true}}\n',
    "pact/pact.toml": PACT,
    "pact/atoms/shop.toml": ATOMS,
    "pact/commitments/COM-0000001.toml": COMMITTED,
}


def replaced(path: str, old: str, new: str) -> dict[str, str | None]:
    """One file with one passage replaced, which must be there."""
    assert old in FILES[path], old
    return {path: FILES[path].replace(old, new, 1)}


def put(root: Path, files: dict[str, str | None]) -> None:
    """Write files; None removes one."""
    for path, text in files.items():
        if text is None:
            (root / path).unlink()
    repositories.write(root, {path: text for path, text in files.items() if text is not None})


def seen(repository: Repository, pact: Pact, revision: str) -> CommitState:
    """A commit with its tests and the pact that it is judged by."""
    snapshot: Snapshot = commit(repository, revision)
    return CommitState(snapshot, Discovery(selection=Selection(exclude=("/pact/",)), processes=1).scan(snapshot), pact)


def judged(
    root: Path, change: dict[str, str | None], *, read, also: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """What speaks against a change of the shop, which may have other files `also`, as lines."""
    repository = repositories.create(root, {**FILES, **(also or {})})
    base = str(repository.head())
    put(root, change)
    fix = str(repositories.commit(root))
    before, after = (seen(repository, read(commit(repository, one)), one) for one in (base, fix))
    return tuple(str(one) for one in weakened(before, after))
