import { isRecord } from "../../kit/json.ts";
import type { Host } from "./hosts.ts";
import type { Launch } from "./launch.ts";

/** Holds what a host's file contains for one server. */
export type Entry = Readonly<Record<string, unknown>>;

export interface WantedEntry {
  launch: Launch;
  /** Lists the variables whose values are written down. */
  values: Readonly<Record<string, string>>;
  /** Lists the variables that the server needs from the host's own environment. */
  names: readonly string[];
}

/**
 * Creates the entry for a server. Other content of the existing entry stays: other fields, other variables, limits that the user
 * has set. An existing entry that starts no program is replaced.
 */
export function createEntry(host: Host, { launch, values, names }: WantedEntry, there: unknown): Entry {
  const old = isRecord(there) && typeof there.command === "string" ? there : {};
  const env = { ...(isRecord(old.env) ? old.env : {}), ...values };
  const kept = Array.isArray(old.env_vars) ? old.env_vars : [];
  const missing = names.filter((name) => !Object.hasOwn(env, name));
  const named = [...new Set([...kept, ...(host.variables === "named" ? missing : [])])];
  const { type, ...limits } = host.defaults;
  return {
    ...(type !== undefined && { type }),
    ...old,
    ...launch,
    ...Object.fromEntries(Object.entries(limits).filter(([field]) => !(field in old))),
    ...(Object.keys(env).length > 0 && { env }),
    ...(named.length > 0 && { env_vars: named }),
  };
}
