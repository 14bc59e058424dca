"""Test names as sentences, actions and topics."""

import pytest

from pactkeeper.intent.wording.names import name_phrase, suite_topic


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("test_expired_token_is_rejected", "an expired token is rejected"),
        ("test_should_reject_expired_tokens", "rejects expired tokens"),
        ("test_params_are_added_before_fragment", "parameters are added before a fragment"),
        ("test_request_cookie_overrides_session_cookie", "a request cookie overrides a session cookie"),
        ("test_fragment_not_sent_with_request", "a fragment is not sent with a request"),
        ("test_cannot_send_unprepared_requests", "unprepared requests cannot be sent"),
        ("test_user_cannot_delete_other_users", "a user cannot delete other users"),
        (
            "test_json_param_post_should_not_override_data_param",
            "a JSON parameter post does not override a data parameter",
        ),
        ("test_returns_404_when_user_missing", "returns 404 when a user is missing"),
        ("test_when_user_is_missing_then_returns_404", "when a user is missing, returns 404"),
        (
            "test_given_empty_cart_when_checking_out_then_error_is_raised",
            "given an empty cart, when checking out, an error is raised",
        ),
        ("test_options_work", "options work"),
        ("test_old_codes_still_work", "old codes still work"),
        ("test_items_keep_their_order", "items keep their order"),
        ("test_quantity_never_negative", "a quantity is never negative"),
        ("test_request_and_response_are_pickleable", "a request and a response are pickleable"),
        ("test_csrf_token_is_required_for_post", "a CSRF token is required for POST"),
        ("test_config_is_loaded_from_env", "a configuration is loaded from the environment"),
        ("test_original_order_is_preserved_by_default", "the original order is preserved by default"),
        ("test_doesnt_leak_memory", "does not leak memory"),
        ("testParsesURLs", "parses URLs"),
        ("it_sets_the_cookie", "sets the cookie"),
        ("test_raises_TimeoutError", "raises TimeoutError"),
        ("test_pformat_dont_colorize", "a pformat does not colorize"),
        ("test_adds_tax_once_per_order", "adds tax once per order"),
        ("test_path_is_not_double_encoded", "a path is not double encoded"),
        ("test_results_are_cached_across_runs", "results are cached across runs"),
    ],
)
def test_a_name_with_a_verb_is_a_sentence(name, text):
    phrase = name_phrase(name)

    assert (phrase.kind, phrase.text) == ("sentence", text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("test_add_url_rule", "adding a URL rule"),
        ("test_close_without_downloader", "closing without a downloader"),
        ("test_parse_credentials", "parsing credentials"),
    ],
)
def test_a_command_says_what_is_done(name, text):
    phrase = name_phrase(name)

    assert (phrase.kind, phrase.text) == ("action", text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("test_json_decimal", "JSON decimal"),
        ("test_HTTP_200_OK_GET", "HTTP 200 OK GET"),
        ("test_config_missing", "configuration missing"),
        ("test_open_close", "open close"),
        ("test_remove_then_add", "remove then add"),
        ("test_no_setup_after_first_request", "no setup after the first request"),
    ],
)
def test_a_name_without_a_verb_is_a_topic(name, text):
    phrase = name_phrase(name)

    assert (phrase.kind, phrase.text) == ("topic", text)


@pytest.mark.parametrize("name", ["test", "test_", "_", "it"])
def test_a_name_of_nothing_is_empty(name):
    assert name_phrase(name).kind == "empty"


@pytest.mark.parametrize(
    ("suite", "topic"),
    [
        ("TestLogin", "Login"),
        ("LoginTests", "Login"),
        ("OrderTestCase", "Order"),
        ("TestHTTPAuth", "HTTP auth"),
        ("GET /users", "GET /users"),
        ("Tests", "Tests"),
        ("Test_pickling", "Pickling"),
    ],
)
def test_a_suite_is_a_topic(suite, topic):
    assert suite_topic(suite) == topic


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("test_check_returns_requests_contract", "check returns requests contract"),
        ("test_edit_spider_not_found", "edit spider not found"),
        ("test_from_crawler_connects_signal", "from crawler connects signal"),
        ("test_connect_timeout", "connect timeout"),
        ("test_run_cert_import", "run cert import"),
        ("test_download_connection_failed", "download connection failed"),
        ("test_must_start_with_curl_error", "must start with curl error"),
    ],
)
def test_a_name_whose_verb_may_be_a_noun_stays_a_topic(name, text):
    phrase = name_phrase(name)

    assert (phrase.kind, phrase.text) == ("topic", text)


def test_methods_of_http_are_no_nouns():
    assert name_phrase("test_http_302_changes_post_to_get").text == "HTTP 302 changes POST to GET"
