"""A committed atom whose test compares with a stored snapshot: rewriting that file changes what is proven."""

from pactkeeper.operators.accept import AcceptedWords, accept_tests
from pactkeeper.operators.check import check_repo
from pactkeeper.operators.view import StateView
from tests.operators.atoms import commit, run

FILE = "src/cart.test.ts"
STORED = "src/__snapshots__/cart.test.ts.snap"
TEST = f"{FILE}::refuses"
TESTS = """\
import { expect, it } from 'vitest'
import { cart } from './cart'
it('refuses', () => {
  expect(() => cart('gone')).toThrowErrorMatchingSnapshot()
})
"""


def found(shop):
    rows = run(shop, check_repo, StateView()).findings
    return [(row.code, row.severity) for row in rows if row.subject == TEST and row.severity != "info"]


def test_check_sees_a_stored_snapshot_rewritten_and_restored(shop):
    shop.write("package.json", '{"devDependencies": {"vitest": "^2"}}')
    shop.write(FILE, TESTS)
    shop.write(STORED, "// Vitest Snapshot v1\n\nexports[`refuses 1`] = `[Error: sold out]`;\n")
    run(shop, accept_tests, (TEST,), AcceptedWords(intent="A cart refuses what is gone."))
    commit(shop, shop.world().by_id[TEST].links[0].atom)
    assert found(shop) == []
    shop.replace(STORED, "sold out", "no")
    assert found(shop) == [("PK115", "error")]
    shop.replace(STORED, "[Error: no]", "[Error: sold out]")
    assert found(shop) == []


def test_a_snapshot_more_before_another_one_is_no_loss(shop):
    header, entry = "// Vitest Snapshot v1\n\n", "exports[`refuses {}`] = `{}`;\n"
    shop.write("package.json", '{"devDependencies": {"vitest": "^2"}}')
    shop.write(FILE, TESTS)
    shop.write(STORED, header + entry.format(1, "[Error: sold out]"))
    run(shop, accept_tests, (TEST,), AcceptedWords(intent="A cart refuses what is gone."))
    commit(shop, shop.world().by_id[TEST].links[0].atom)
    shop.save("Saved")
    shop.replace(FILE, "  expect(() =>", "  expect(cart()).toMatchSnapshot()\n  expect(() =>")
    shop.write(STORED, header + entry.format(1, "[]") + entry.format(2, "[Error: sold out]"))
    assert found(shop) == []
    shop.replace(STORED, "sold out", "no")
    assert found(shop) == [("PK115", "error")]
