"""Slack's door: what happens in threads there is stored and acknowledged, and then runs in the background."""
