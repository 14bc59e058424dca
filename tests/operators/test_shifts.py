"""Tests of one name whose numbers shift, through a whole run."""

FILE = "web/a.test.js"
ONE = "it('the sum of two numbers is returned', () => { expect(add(1, 2)).toBe(3) })\n"
NEW = "it('the sum of two numbers is returned', () => { expect(add(5, 5)).toBe(10) })\n"


def write(shop, *tests):
    shop.write(FILE, "import { it, expect } from 'vitest'\n" + "".join(tests))


def outcomes(shop):
    world = shop.world()
    return {
        entry.test.name: [world.pact.atoms[link.atom].outcomes for link in entry.links]
        for entry in world.linked
        if entry.test.file == FILE
    }


def test_insertion_above_a_test_of_the_same_name_leaves_the_atom_with_its_test_and_the_new_one_to_a_person(shop):
    shop.write("web/package.json", '{"devDependencies": {"vitest": "^3.0.0"}}\n')
    write(shop, ONE)
    shop.decide(shop.reconcile().patch, "accept")
    (before,) = outcomes(shop).values()
    write(shop, NEW, ONE)
    assert shop.states()[f"{FILE}::the sum of two numbers is returned"] == "orphan"
    shop.decide(shop.reconcile().patch, "accept")
    world = shop.world()
    first, second = (entry for entry in world.linked if entry.test.file == FILE)
    assert [world.pact.atoms[link.atom].outcomes for link in second.links] == before
    assert (first.state, first.links) == ("orphan", ())
    linked = {name: record.body for name, record in world.pact.links.items() if name.startswith(FILE)}
    assert linked == {second.test.id: second.test.body_hash}
