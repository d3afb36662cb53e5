import type { NamedChange } from "../../client/pool.ts";
import { describeChange } from "../../client/trust/describe-change.ts";
import type { Locale } from "../../kit/locale.ts";

export type { NamedChange } from "../../client/pool.ts";

/** Describes for a person a tool that waits for approval. */
export interface ReadableChange {
  server: string;
  /** Is the server's own name for the tool. */
  tool: string;
  /** Is the name under which models see the tool. */
  name: string;
  kind: "changed" | "new" | "trusted";
  /** Lists all differences, marked `+` and `-`. For a new tool it lists everything. */
  lines: string[];
}

export function readChange({ server, name, change }: NamedChange, locale: Locale): ReadableChange {
  return { server, tool: change.tool.name, name, kind: change.kind, lines: describeChange(change, locale) };
}
