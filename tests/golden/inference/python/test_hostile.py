"""Names and values nobody should write, and that must not break or mislead."""

import pytest


def test():
    assert answer() == 42


def test_():
    pass


def test_1():
    assert f(1) == 2


def test_it_works():
    run()


def test_foo_bar():
    assert foo.bar == "baz"


def test_empty_body():
    """"""


def test_überträgt_größe():
    assert größe("ß") == "ss"


def test_emoji():
    assert title == "🎉 \u202e evil"


def test_very_long_value():
    assert body() == "x" * 3 + "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore"


def test_long_literal():
    assert body() == "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore"


def test_quotes_and_newlines():
    assert text() == "it's\na \"quote\""


def test_raises_value_error():
    assert parse("1") == 1


def test_returns_404_for_unknown_user():
    assert get("/u").status_code == 200


def test_request_is_rejected():
    assert client.get("/admin").status_code == 200


def test_private_cache():
    assert store._cache == {}


def test_creates_user_and_sends_mail():
    assert user.id == 1
    assert mail.count == 1


def test_walrus_and_lambda():
    assert (lambda x: x + 1)(1) == 2


def test_filter_is_not_put_into_words():
    assert [x for x in items if x.ok] == []


def test_many_arguments():
    assert area(1, 2, 3, 4, 5) == 6


def test_state_is_filled_by_a_callback():
    calls = []
    subscribe(calls.append)
    assert calls == ["a"]


def test_flag_is_set_by_a_callback():
    called = False

    def callback():
        nonlocal called
        called = True

    run(callback)
    assert called


def test_assert_tuple_is_always_true():
    assert (check(), "message")


def test_HTTPServer_parsesURLs():
    assert server.url == "http://x"


def test_x____y__z():
    assert 1 == 1


class Test:
    def test_nested(self):
        assert value is None


class TestΩmega:
    class TestInner:
        def test_deep(self):
            assert depth() == 2
