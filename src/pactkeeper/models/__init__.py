"""Questions to language models; the only package that uses a client library for them."""
