"""Questions put to language models; the only room that knows a library for them."""
