import type { NamedChange } from "../../client/pool.ts";
import { describeChange } from "../../client/trust/describe-change.ts";
import type { Locale } from "../../kit/errors.ts";

export type { NamedChange } from "../../client/pool.ts";

/** A tool that waits to be approved, as a person reads it. */
export interface ReadableChange {
  server: string;
  /** Its server's own name for it. */
  tool: string;
  /** The name under which models see it. */
  name: string;
  kind: "changed" | "new" | "trusted";
  /** All that is different, marked `+` and `-`; of a new tool everything. */
  lines: string[];
}

export function readChange({ server, name, change }: NamedChange, locale: Locale): ReadableChange {
  return { server, tool: change.tool.name, name, kind: change.kind, lines: describeChange(change, locale) };
}
