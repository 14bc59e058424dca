"""Whether a sentence is in a language that the rules read."""

import pytest

from pactkeeper.intent.wording.tokens import foreign_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Eine Anmeldung mit abgelaufenem Token wird abgelehnt.", "German"),
        ("Une commande est livrée sans frais.", "French"),
        ("El pedido se cancela cuando el pago falla.", "Spanish"),
        ("Il carrello è vuoto.", "Italian"),
        ("De bestelling wordt geannuleerd.", "Dutch"),
        ("Заказ доставляется бесплатно.", "Cyrillic script"),
        ("密码错误三次后账户被锁定。", "Chinese or Japanese script"),
    ],
)
def test_other_languages_are_named(text, language):
    assert foreign_language(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "A login with an expired token is refused.",
        'The page shows "Die Anmeldung ist abgelaufen und wird nicht erneuert" at the top.',
        "The naïve café résumé is listed.",
        "parse() returns None.",
        "No email, no login.",
        "42",
        "",
    ],
)
def test_english_with_foreign_quotations_and_names_is_read(text):
    assert foreign_language(text) == ""
