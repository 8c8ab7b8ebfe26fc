"""A proxy in front of an MCP server: refuses denied tool calls, passes the rest through unchanged."""
