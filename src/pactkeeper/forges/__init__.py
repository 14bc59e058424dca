"""Code hosts: GitHub and GitLab behind one port, and what Pactkeeper posts there."""
