"""Conversations with coding agents: read as they were written, kept word for word, turned into proposed actions."""
