import type { HostToolFields } from "../../core/tools/tool.ts";
import { isHiddenFromModels } from "../../core/tools/tool-pages.ts";
import type { LastListing } from "../trust/pins.ts";

/** Is the least age at which the time of a list is stored again, in milliseconds: not each start writes the file. */
const renewalMs = 3_600_000;

/** Returns what is stored of a list beside its definitions: the same object when nothing has to be stored. */
export function toLastListing(
  before: LastListing | undefined,
  hostFields: ReadonlyMap<string, HostToolFields>,
): LastListing {
  const pagesOnly = [...hostFields].flatMap(([name, fields]) => (isHiddenFromModels(fields) ? [name] : []));
  const now = Date.now();
  const isFresh = before !== undefined && before.at <= now && now - before.at < renewalMs;
  return isFresh && before.pagesOnly.join("\n") === pagesOnly.join("\n") ? before : { at: now, pagesOnly };
}

/** Returns what is known of a tool before its server has listed it anew: whether models may see it. */
export function findKnownFields(last: LastListing | undefined, name: string): HostToolFields | undefined {
  if (last === undefined) return undefined;
  return { name, titleIn: "tool", ...(last.pagesOnly.includes(name) && { meta: { ui: { visibility: ["app"] } } }) };
}
