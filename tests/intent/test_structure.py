from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.intent.structure import Component, Edge, SourceFile, Unresolved, join, narrow, order_files
from pactkeeper.intent.tests import Gap

PATHS = [f"{folder}/f{number}.py" for folder in ("a", "b") for number in range(4)]
EDGES = st.lists(st.tuples(st.sampled_from(PATHS), st.sampled_from(PATHS)), unique=True).map(
    lambda pairs: [Edge(one, other, 1) for one, other in pairs if one != other]
)


def structure(*edges):
    files = {path for edge in edges for path in edge.split(" > ")}
    pairs = [edge.split(" > ") for edge in edges if " > " in edge]
    return join([SourceFile(path, "python") for path in files], [Edge(one, other, 1) for one, other in pairs])


def test_files_that_reach_fewer_others_come_first_and_ties_go_by_path():
    found = structure("d > c", "c > b", "a > b", "e")
    assert found.order == ("b", "e", "a", "c", "d")


@given(EDGES)
def test_order_puts_every_file_behind_what_it_imports_unless_both_are_in_a_circle(edges):
    found = join([SourceFile(path, "python") for path in PATHS], edges)
    cycle = {path: index for index, one in enumerate(found.components) for path in one.files}
    position = {path: index for index, path in enumerate(found.order)}
    assert sorted(found.order) == PATHS
    for edge in edges:
        together = edge.importer in cycle and cycle[edge.importer] == cycle.get(edge.imported)
        assert together or position[edge.imported] < position[edge.importer]


@given(st.permutations([Edge("a", "b", 1), Edge("b", "c", 2), Edge("c", "a", 3)]))
def test_order_in_which_edges_are_found_changes_nothing(edges):
    files = [SourceFile(path, "python") for path in "cab"]
    assert join(files, edges) == join(reversed(files), sorted(edges, key=lambda edge: edge.line))


def test_test_files_are_sorted_by_what_they_reach():
    found = structure("tests/slow > shop", "shop > basket", "basket > prices", "tests/quick > prices", "tests/alone")
    wanted = ["tests/slow", "tests/unknown", "tests/quick", "tests/alone"]
    assert order_files(found, wanted) == ("tests/alone", "tests/quick", "tests/slow", "tests/unknown")


def test_circle_that_only_types_close_is_marked():
    files = [SourceFile(path, "python") for path in "abcd"]
    edges = [Edge("a", "b", 1), Edge("b", "a", 1, only_types=True), Edge("c", "d", 1), Edge("d", "c", 1)]
    assert join(files, edges).components == (Component(("a", "b"), only_types=True), Component(("c", "d")))


def test_type_only_imports_count_as_dependencies():
    edges = [Edge("a", "b", 1, only_types=True)]
    assert join([SourceFile("a", "python"), SourceFile("b", "python")], edges).files[0].dependencies == 1


def test_part_of_a_structure_keeps_what_it_imports_and_every_gap():
    whole = structure("web/a > lib/b", "lib/b > lib/c", "lib/c > web/a")
    lost = (Unresolved("lib/b", 1, "x"), Unresolved("web/a", 2, "y"))
    gap = Gap("lib/b", "it is broken")
    part = narrow(
        type(whole)(whole.files, whole.edges, whole.components, whole.order, lost, (gap,)),
        lambda file: file.path.startswith("web/"),
    )
    assert [file.path for file in part.files] == ["web/a"]
    assert [file.dependencies for file in part.files] == [2]
    assert part.edges == (Edge("web/a", "lib/b", 1),)
    assert part.components == whole.components
    assert part.unresolved == (Unresolved("web/a", 2, "y"),)
    assert part.gaps == (gap,)


def test_foreign_packages_are_counted_by_the_files_that_import_them():
    files = [SourceFile("a", "python", external=("os", "re")), SourceFile("b", "python", external=("re",))]
    assert join(files, []).external == {"os": 1, "re": 2}
