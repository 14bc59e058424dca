"""Where pull requests live: GitHub and GitLab behind one port, and what Pactkeeper says there."""
