import { isDeepStrictEqual } from "node:util";
import { createEntry, type Entry, type WantedEntry } from "./entry.ts";
import { createDiff } from "./files/diff.ts";
import { editServers, readServers, toPlainObject } from "./files/edit.ts";
import type { Host } from "./hosts.ts";

/** What a host's file is to become. */
export interface Plan {
  /** The same as before where nothing is to be done. */
  text: string;
  /** The change, fit to be shown. */
  shown: string;
  /** What the file is to say of the server; undefined for nothing. */
  entry: Entry | undefined;
}

/**
 * The file with the server of that name as wanted, or without it where nothing is wanted. Nothing is written. Throws one line
 * where the text cannot be read, or cannot be changed without touching anything else.
 */
export function planChange(
  host: Host,
  file: string,
  before: string,
  name: string,
  wanted: WantedEntry | undefined,
): Plan {
  const servers = readServers(host, file, before);
  const there = Object.hasOwn(servers, name) ? servers[name] : undefined;
  const entry = wanted && createEntry(host, wanted, there);
  if (isDeepStrictEqual(toPlainObject(there), toPlainObject(entry))) return { text: before, shown: "", entry };
  const text = editServers(host, file, before, { name, there, entry });
  return { text, shown: createDiff(file, before, text, [servers, readServers(host, file, text)]), entry };
}
