import { isRecord } from "../../kit/json.ts";
import type { Host } from "./hosts.ts";
import type { Launch } from "./launch.ts";

/** What a host's file says of one server. */
export type Entry = Readonly<Record<string, unknown>>;

/** What is to be said of Duet. */
export interface WantedEntry {
  launch: Launch;
  /** Variables whose values are written down. */
  values: Readonly<Record<string, string>>;
  /** Variables that the server needs from the host's own environment. */
  names: readonly string[];
}

/**
 * The entry that says it. What the one that is there says besides stays: other fields, other variables, limits that
 * somebody has set. One that starts no program is replaced.
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
