import type { Duet } from "../../../app/open-duet.ts";
import type { Caller } from "../../../core/caller.ts";
import type { Tool } from "../../../core/tools/tool.ts";
import { findFittingCalls, parsePermitPatterns } from "../../../core/tools/tool-pattern.ts";

/** Limits how long servers that are starting are waited for, in milliseconds. A user who is typing does not wait longer. */
const patienceMs = 1000;

export interface UsableServersOptions {
  duet: Pick<Duet, "inventory">;
  caller: Caller;
}

/**
 * Lists the names of the servers of which the caller can use a tool now, sorted. Rejects as `inventory` does, and with the
 * signal's reason.
 */
export async function listUsableServers(
  { duet, caller }: UsableServersOptions,
  signal: AbortSignal,
): Promise<string[]> {
  const { tools, servers } = await duet.inventory(signal, patienceMs);
  const sources = new Set(filterUsableTools(tools, caller).map(({ source }) => source));
  return servers
    .map(({ name }) => name)
    .filter((name) => sources.has(name))
    .sort();
}

export function filterUsableTools(tools: readonly Tool[], caller: Caller): Tool[] {
  const allowed = caller.tools && parsePermitPatterns(caller.tools);
  return tools.filter((tool) => allowed?.some((each) => findFittingCalls(each, tool) !== "none") ?? true);
}
