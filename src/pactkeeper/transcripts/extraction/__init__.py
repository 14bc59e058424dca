"""Rules that find work products in a conversation; each returns spans of it and never a word of its own."""
