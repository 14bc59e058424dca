"""The Slack interface: events in threads are stored and acknowledged, then processed in the background."""
