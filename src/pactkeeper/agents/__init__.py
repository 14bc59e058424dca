"""Tell a repository's coding agents about its pact: a section, a skill, and an MCP server entry."""
