import { isDeepStrictEqual } from "node:util";
import { type Entry, entryFor, type Wanted } from "./entry.ts";
import { difference } from "./files/diff.ts";
import { edited, plain, serversIn } from "./files/edit.ts";
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
export function planChange(host: Host, file: string, before: string, name: string, wanted: Wanted | undefined): Plan {
  const servers = serversIn(host, file, before);
  const there = Object.hasOwn(servers, name) ? servers[name] : undefined;
  const entry = wanted && entryFor(host, wanted, there);
  if (isDeepStrictEqual(plain(there), plain(entry))) return { text: before, shown: "", entry };
  const text = edited(host, file, before, { name, there, entry });
  return { text, shown: difference(file, before, text, [servers, serversIn(host, file, text)]), entry };
}
