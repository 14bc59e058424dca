"""The MCP interface for agents: every verb in the table that agents may use, as a Model Context Protocol tool."""
