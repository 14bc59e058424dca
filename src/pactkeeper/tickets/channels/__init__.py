"""Channels, the places where threads are: the port, and an adapter for each."""
