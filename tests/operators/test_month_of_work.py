"""A month of work in one repository: what `pk next` recommends ends, and ends in agreement."""

import shlex
import shutil

import pytest

from pactkeeper.doors.cli.main import cli
from pactkeeper.operators.apply import undo_apply
from pactkeeper.operators.backlog import Wanted, find_gaps, next_task
from pactkeeper.operators.check import check_repo
from pactkeeper.operators.molecules import Change, change_molecule
from pactkeeper.operators.recommendations import trace_origin
from pactkeeper.operators.view import View
from tests.operators.atoms import run
from tests.operators.conftest import Shop

FILE, OTHER, MOVED = "tests/test_basket.py", "tests/test_login.py", "tests/unit/test_cart.py"
BASKET = """\
def test_total_adds_all_prices():
    assert total([1, 2]) == 3


def test_empty_basket_costs_nothing():
    assert total([]) == 0


class TestDiscount:
    def test_discount_halves_the_price(self):
        assert discount(10) == 5

    def test_discount_is_never_negative(self):
        assert discount(0) == 0
"""
LOGIN = """\
def test_expired_token_is_refused():
    assert login("old").status_code == 401
"""
ROUNDS = 25


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    shop = Shop(tmp_path_factory.mktemp("template"))
    shop.git("init", "--quiet", "--initial-branch=main")
    shop.git("config", "user.name", "Ada")
    shop.git("config", "user.email", "ada@example.org")
    shop.write(FILE, BASKET)
    shop.write("src.py", "def total(prices):\n    return sum(prices)\n")
    save(shop, "Code")
    pk(shop, "init")
    pk(shop, "reconcile --all")
    pk(shop, "apply --all")
    save(shop, "Pact")
    return shop


@pytest.fixture
def shop(template, tmp_path):
    shutil.copytree(template.root, tmp_path / "clone", symlinks=True)
    return Shop(tmp_path / "clone")


def pk(shop, line):
    return cli.main(["-C", str(shop.root), *shlex.split(line)], standalone_mode=False)


def save(shop, message):
    shop.git("add", "--all")
    shop.git("commit", "--quiet", "--allow-empty", f"--message={message}")


def follow(shop):
    """Do what `pk next` says until it says nothing; gives the commands."""
    done: list[str] = []
    for _ in range(ROUNDS):
        task = run(shop, next_task, Wanted())
        if task is None:
            return done
        assert task.command.startswith("pk "), task
        assert task.command not in done, task
        done.append(task.command)
        pk(shop, task.command.removeprefix("pk "))
        if task.command.startswith("pk reconcile"):
            pk(shop, "apply --all")
    raise AssertionError(f"it never ends: {done}")


def codes(shop):
    return sorted({row.code for row in run(shop, check_repo, View()).findings})


def nothing(_):
    pass


def add(shop):
    shop.write(OTHER, LOGIN)


def edit(shop):
    shop.replace(FILE, "total([1, 2]) == 3", "total([2, 2]) == 4")


def rename(shop):
    shop.replace(FILE, "test_empty_basket_costs_nothing", "test_nothing_costs_nothing")


def rename_suite(shop):
    shop.replace(FILE, "TestDiscount", "TestReduction")


def move(shop):
    (shop.root / "tests/unit").mkdir()
    shop.git("mv", FILE, MOVED)


def move_and_edit(shop):
    move(shop)
    shop.replace(MOVED, "total([1, 2]) == 3", "total([2, 2]) == 4")


def revert(shop):
    edit(shop)
    pk(shop, f"accept {FILE}")
    save(shop, "Edit")
    shop.git("revert", "--no-edit", "HEAD")


def cherry_pick(shop):
    shop.git("checkout", "--quiet", "-b", "side")
    add(shop)
    pk(shop, f"accept {OTHER}")
    save(shop, "Login")
    shop.git("checkout", "--quiet", "main")
    shop.git("cherry-pick", "side")


def rebase(shop):
    shop.git("checkout", "--quiet", "-b", "side")
    add(shop)
    pk(shop, f"accept {OTHER}")
    save(shop, "Login")
    shop.git("checkout", "--quiet", "main")
    edit(shop)
    pk(shop, f"accept {FILE}")
    save(shop, "Edit")
    shop.git("checkout", "--quiet", "side")
    shop.git("rebase", "--quiet", "main")


def squash(shop):
    shop.git("checkout", "--quiet", "-b", "side")
    for step in (add, edit):
        step(shop)
        save(shop, step.__name__)
    shop.git("checkout", "--quiet", "main")
    shop.git("merge", "--quiet", "--squash", "side")


def format_again(shop):
    shop.replace(FILE, "total([1, 2]) == 3", "total( [ 1,2 ] )==3")


def comment(shop):
    shop.replace(FILE, "    assert total([]) == 0", "    # nothing inside\n    assert total([]) == 0")


def lose_the_history(shop):
    shutil.rmtree(shop.root / ".git/pact")
    edit(shop)


def undo(shop):
    edit(shop)
    pk(shop, f"accept {FILE}")
    run(shop, undo_apply)


def reject(shop):
    add(shop)
    pk(shop, f"reconcile {OTHER}")
    pk(shop, "recommendations reject --all --reason 'not ours'")
    pk(shop, "apply")


def group_by_hand(shop):
    run(shop, change_molecule, Change(new="Shop", add=sorted(shop.world().pact.atoms)))


MONTH = {
    nothing: [],
    add: ["PK101"],
    edit: ["PK115"],
    rename: ["PK114"],
    rename_suite: ["PK114"],
    move: ["PK114"],
    move_and_edit: ["PK101", "PK111", "PK114"],
    revert: [],
    cherry_pick: [],
    rebase: [],
    squash: ["PK101", "PK115"],
    format_again: [],
    comment: [],
    lose_the_history: ["PK115"],
    undo: ["PK115"],
    reject: [],
    group_by_hand: [],
}


@pytest.mark.parametrize("work", MONTH)
def test_following_next_until_it_is_empty_ends_in_agreement(shop, work):
    work(shop)
    assert codes(shop) == MONTH[work]
    follow(shop)
    assert codes(shop) == []


def test_a_stale_op_is_followed_by_a_new_patch(shop):
    edit(shop)
    first = shop.reconcile().patch
    shop.replace(FILE, "total([2, 2]) == 4", "total([3, 2]) == 5")
    second = shop.reconcile(FILE).patch
    assert second.ops
    assert {op.id for op in first.ops} & {op.id for op in second.ops} == set()


def test_a_recommended_molecule_is_accepted_traced_and_gone_from_the_gaps(shop):
    (task,) = run(shop, find_gaps, Wanted(kinds=("molecule",))).tasks
    name = task.command.split()[-1]
    pk(shop, task.command.removeprefix("pk "))
    assert name in shop.world().pact.molecules
    (traced,) = run(shop, trace_origin, name)
    assert (traced.status, traced.run[:4]) == ("applied", "REC-")
    assert run(shop, find_gaps, Wanted(kinds=("molecule",))).tasks == ()


def test_foreign_annotations_are_adopted_and_check_passes_after_init(tmp_path):
    shop = Shop(tmp_path)
    shop.git("init", "--quiet", "--initial-branch=main")
    shop.git("config", "user.name", "Ada")
    shop.git("config", "user.email", "ada@example.org")
    shop.write(
        OTHER, f"# @atom IA-100 An old token is refused\n{LOGIN}\n\n# @atom REQ-7\ndef test_other():\n    assert 1\n"
    )
    save(shop, "Code")
    pk(shop, "init")
    assert run(shop, check_repo, View()).agrees
    pk(shop, "init --adopt")
    assert shop.world().pact.atoms["IA-100"].intent == "An old token is refused."
    assert run(shop, check_repo, View()).agrees


def test_an_annotation_of_a_suite_is_one_finding_however_many_tests_it_covers(shop):
    shop.replace(FILE, "class TestDiscount", "# @atom IA-404\nclass TestDiscount")
    found = [row for row in run(shop, check_repo, View()).findings if row.code == "PK102"]
    assert len(found) == 1
