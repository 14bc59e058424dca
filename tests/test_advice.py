"""Two readers of one text: a person gets commands, an agent what is left to a person."""

import pytest

from pactkeeper.advice import ACTS, SUPERSEDE, Advice, by_command, filled, for_reader, joined


@pytest.mark.parametrize("act", ACTS, ids=lambda one: f"{one.command} {one.option}".strip())
def test_no_agent_gets_to_read_the_command_by_which_a_person_decides(act):
    told = "restore it, or: " + act("{id}", act.option) + "; then look again"
    for text in (told, Advice(told), joined("; ", [told, told]), filled(told, id="IA-1")):
        assert f"pk {act.command}" in for_reader(text, "person")
        assert "pk " not in for_reader(text, "agent").replace("`pk gaps`", "")
        assert act.decides in for_reader(text, "agent")


def test_a_whole_command_is_told_by_its_row():
    assert for_reader(by_command("pk atom supersede IA-1"), "agent") == SUPERSEDE.instead
    assert for_reader(by_command("pk atom list"), "agent") == "pk atom list"
