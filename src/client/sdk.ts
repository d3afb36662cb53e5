/** The package of the protocol, which is loaded when the first server starts. */
export type Sdk = typeof import("@modelcontextprotocol/client");
