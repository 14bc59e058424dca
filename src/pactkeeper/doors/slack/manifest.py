"""The manifest to create the app at Slack with: exactly the scopes and events that this interface uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

# By bot scope: its purpose, as reported if it is missing.
SCOPES: Final[Mapping[str, str]] = {
    "app_mentions:read": "hear when it is called by name",
    "channels:history": "hear the rest of its threads in public channels",
    "groups:history": "hear the rest of its threads in private channels that it was invited to",
    "im:history": "hear direct messages",
    "mpim:history": "hear its threads in messages of several people",
    "chat:write": "ask, show previews, and tell what was created",
    "users:read": "call people by their names",
}
EVENTS: Final = ("app_mention", "message.channels", "message.groups", "message.im", "message.mpim")
APP_SCOPE: Final = "connections:write"  # of the app-level token, for Socket Mode


def manifest(name: str, url: str = "") -> dict[str, Any]:
    """The manifest of an app in Socket Mode, or of one that Slack reaches over HTTP at `url`."""
    address = {"request_url": url} if url else {}
    return {
        "_metadata": {"major_version": 1, "minor_version": 1},
        "display_information": {
            "name": name,
            "description": "Turns what people say in a thread into a ticket that one of them approved.",
        },
        "features": {
            "app_home": {
                "home_tab_enabled": False,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": name.lower(), "always_online": True},
        },
        "oauth_config": {"scopes": {"bot": sorted(SCOPES)}},
        "settings": {
            "event_subscriptions": {**address, "bot_events": list(EVENTS)},
            "interactivity": {"is_enabled": True, **address},
            "org_deploy_enabled": False,
            "socket_mode_enabled": not url,
            "token_rotation_enabled": False,
        },
    }
