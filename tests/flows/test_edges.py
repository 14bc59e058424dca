import pytest

from pactkeeper.flows.graphs import by_threshold, quality_gate, within_budget


@pytest.mark.parametrize(("score", "node"), [(95, "accept"), (80, "accept"), (79, "ask"), (60, "ask"), (59, "drop")])
def test_highest_threshold_that_is_reached_decides(score, node):
    edge = by_threshold(lambda state: state["score"], [(60, "ask"), (80, "accept")], otherwise="drop")
    assert edge({"score": score}) == node


@pytest.mark.parametrize(("score", "node"), [(80, "on"), (79, "back")])
def test_gate_lets_through_what_reaches_its_threshold(score, node):
    assert quality_gate(lambda state: state["score"], 80, passed="on", failed="back")({"score": score}) == node


@pytest.mark.parametrize(("used", "node"), [(1, "back"), (2, "stop"), (3, "stop")])
def test_used_up_budget_stops_whatever_the_edge_would_say(used, node):
    edge = within_budget(lambda state: state["used"], lambda _: 2, go_on=lambda _: "back", stop="stop")
    assert edge({"used": used}) == node
