import type { Text } from "../../kit/locale.ts";

/** Names an MCP server whose tools a run lacks, and says as a clause without its stop that and why they are missing. */
export interface MissingServer {
  readonly name: string;
  readonly why: Text;
}
