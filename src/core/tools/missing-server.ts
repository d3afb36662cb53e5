import type { Text } from "../../kit/locale.ts";

/** Describes an MCP server whose tools a run lacks. */
export interface MissingServer {
  /** Lists what the names of its tools may begin with. */
  readonly prefixes: readonly string[];
  /** Says as a clause without its stop that and why it is missing. */
  readonly why: Text;
}
