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
  /** Names the list whose entry has these texts; absent for a tool. */
  list?: "prompts" | "resources" | "templates";
  /** Lists all differences, marked `+` and `-`. For a new tool it lists everything. */
  lines: string[];
}

export function readChange({ server, name, change }: NamedChange, locale: Locale): ReadableChange {
  const { list, kind, tool } = change;
  return { server, tool: tool.name, name, kind, ...(list && { list }), lines: describeChange(change, locale) };
}
