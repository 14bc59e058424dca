"""Threads to tickets: what people say becomes a draft, the right question, and one approval."""
