"""Conversations with coding agents: read in their own formats, stored word for word, turned into proposed actions."""
