import { isRecord } from "../../kit/json.ts";
import type { RemoteTool } from "../lists/listing.ts";

/** Limits the depth of the comparison. No stored schema is deeper, and what is deeper counts as different. */
const deepest = 200;

/** Returns true when a model and a host would see the same in both. The order of keys does not matter. */
export function isSameTool(one: RemoteTool, other: RemoteTool): boolean {
  return isSame(one, other, deepest);
}

/** A key whose value is undefined counts as absent because it is not written to the file. */
function isSame(one: unknown, other: unknown, levels: number): boolean {
  if (one === other) return true;
  if (levels === 0) return false;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSame(item, other[index], levels - 1));
  }
  if (!isRecord(one) || !isRecord(other)) return false;
  let more = 0;
  for (const key of Object.keys(one)) {
    if (one[key] === undefined) continue;
    if (!Object.hasOwn(other, key) || !isSame(one[key], other[key], levels - 1)) return false;
    more += 1;
  }
  for (const key of Object.keys(other)) if (other[key] !== undefined) more -= 1;
  return more === 0;
}
