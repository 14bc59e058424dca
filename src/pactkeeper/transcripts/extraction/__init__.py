"""Rules that find work products in a conversation; each returns spans of it and adds no words of its own."""
