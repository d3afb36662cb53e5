import { toWindowSeconds } from "../../../core/limits/call-window.ts";
import { isRecord } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";
import type { EntryFields, Host } from "../hosts.ts";
import type { Launch } from "../launch.ts";

/** Reads one kind of file and changes one entry of it, leaving the rest as it is written. Its texts have no byte order mark. */
export interface FileFormat {
  /** Throws a `FormatError` where the text is not of this form. */
  parse(text: string): unknown;
  /** Sets the fields that differ, or removes the entry. May throw, or miss, where it is written in a rare way. */
  edit(text: string, change: Change): string;
  /** Explains what in the text prevents the change, or returns undefined when that is unknown. May throw, as `edit` may. */
  hindrance(text: string, change: Change): Text | undefined;
}

/** Reports the first position at which a text violates its format. */
export class FormatError extends Error {
  /** Counts from 1. */
  readonly line: number;
  /** Counts from 1. */
  readonly column: number;

  constructor({ line, column }: { line: number; column: number }, options: ErrorOptions) {
    super(`at ${line}:${column}`, options);
    this.line = line;
    this.column = column;
  }
}

export interface Change {
  /** Names the key that holds the servers. */
  key: string;
  name: string;
  /** Holds the current value. */
  there: unknown;
  /** Holds the new value; undefined removes the entry. */
  entry: Entry | undefined;
}

/** Returns the index after the line ending at or behind `at`, or the length of the text where there is none. */
export function findLineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}

/** Separates the byte order mark, which editors of Windows write, from the text behind it. The mark is empty where there is none. */
export function splitByteOrderMark(text: string): { mark: string; bare: string } {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  return { mark, bare: text.slice(mark.length) };
}

/** Holds what a host's file contains for one server. */
export type Entry = Readonly<Record<string, unknown>>;

export interface WantedEntry {
  launch: Launch;
  /** Lists the variables whose values are written down. */
  values: Readonly<Record<string, string>>;
  /** Lists the variables that the server needs from the host's own environment. */
  names: readonly string[];
}

export const usualFields: EntryFields = { command: "command", args: "args", env: "env" };

/**
 * Creates the entry for a server. Other content of the existing entry stays: other fields, other variables, limits that the user
 * has set. An existing entry that starts no program is replaced.
 */
export function createEntry(host: Host, name: string, { launch, values, names }: WantedEntry, there: unknown): Entry {
  const { fields = usualFields, timeout } = host;
  const old = isRecord(there) && isCommand(there[fields.command]) ? there : {};
  const oldEnv = old[fields.env];
  const env = { ...(isRecord(oldEnv) ? oldEnv : {}), ...values };
  const kept = Array.isArray(old.env_vars) ? old.env_vars : [];
  const missing = names.filter((variable) => !Object.hasOwn(env, variable));
  const named = [...new Set([...kept, ...(host.variables === "named" ? missing : [])])];
  const { type, ...limits } = host.defaults;
  const added = Object.fromEntries(Object.entries(limits).filter(([field]) => !(field in old)));
  const args = [...launch.args, ...createWindowArguments(timeout, { ...old, ...added })];
  return {
    ...(type !== undefined && { type }),
    ...(fields.name !== undefined && { [fields.name]: name }),
    ...old,
    ...(fields.args === undefined
      ? { [fields.command]: [launch.command, ...args] }
      : { [fields.command]: launch.command, [fields.args]: args }),
    ...added,
    ...(Object.keys(env).length > 0 && { [fields.env]: env }),
    ...(named.length > 0 && { env_vars: named }),
  };
}

function isCommand(value: unknown): boolean {
  return typeof value === "string" || Array.isArray(value);
}

/**
 * Tells the server how long a call of a tool may take in this host, so that it returns `running` before the host gives up. A
 * host whose entry has no time limit is known to the server by its name alone.
 */
function createWindowArguments(timeout: Host["timeout"], entry: Entry): string[] {
  const value = timeout === undefined ? undefined : Number(entry[timeout.field]);
  if (timeout === undefined || value === undefined || !(value > 0)) return [];
  const limitS = timeout.unit === "ms" ? value / 1000 : value;
  // The setting takes a whole second at least.
  return ["--window", String(Math.max(1, Math.floor(toWindowSeconds(limitS))))];
}
