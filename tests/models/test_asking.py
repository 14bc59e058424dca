from tests.models.conftest import GOOD, prompt
from tests.models.servers import Say


def test_a_good_answer_is_taken_as_it_was_said(serve):
    server, desk = serve([Say(GOOD)])
    (reply,) = desk.ask(prompt())
    assert (reply.state, reply.value, reply.cached) == ("answered", GOOD, False)
    assert (reply.usage.calls, reply.usage.input_tokens, reply.usage.output_tokens) == (1, 100, 20)
    assert reply.usage.money == 100 * 3 + 20 * 15
    assert len(server.asked) == 1
