/** The MCP client package is loaded when the first server starts. */
export type Sdk = typeof import("@modelcontextprotocol/client");
