from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.intent.structure import reach_counts, strongly_connected

NAMES = [f"n{number}" for number in range(9)]
GRAPHS = st.dictionaries(st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), max_size=4), max_size=9).map(
    lambda graph: {name: graph.get(name, []) for name in NAMES}
)


def reached(graph, start):
    """Everything a name leads to, found by walking."""
    seen, waiting = set(), [start]
    while waiting:
        for target in graph[waiting.pop()]:
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return seen


@given(GRAPHS)
def test_two_names_share_a_component_where_each_leads_to_the_other(graph):
    place = {name: members for members in strongly_connected(graph) for name in members}
    assert sorted(place) == NAMES
    for one in NAMES:
        for other in NAMES:
            mutual = one == other or (other in reached(graph, one) and one in reached(graph, other))
            assert (place[one] == place[other]) is mutual


@given(GRAPHS)
def test_component_comes_behind_all_that_it_leads_to(graph):
    position = {name: index for index, members in enumerate(strongly_connected(graph)) for name in members}
    assert all(position[target] <= position[name] for name in NAMES for target in graph[name])


@given(GRAPHS)
def test_count_is_of_all_other_names_that_walking_reaches(graph):
    assert reach_counts(graph) == {name: len(reached(graph, name) - {name}) for name in NAMES}


def test_chain_longer_than_the_interpreters_stack_is_followed():
    chain = {str(number): [str(number + 1)] for number in range(20_000)} | {"20000": []}
    assert reach_counts(chain)["0"] == 20_000


def test_name_without_a_key_leads_nowhere():
    assert strongly_connected({"a": ["b"]}) == [("b",), ("a",)]
