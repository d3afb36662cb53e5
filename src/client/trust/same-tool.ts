import { isRecord } from "../../kit/json.ts";
import type { RemoteTool } from "../lists/listing.ts";

/** Deeper than any schema that is kept; what is deeper counts as different. */
const deepest = 200;

/** Whether a model and a host would see the same in both; the order of keys does not matter. */
export function isSameTool(one: RemoteTool, other: RemoteTool): boolean {
  return isSame(one, other, deepest);
}

/** A key without a value is one that is not there: it would not outlive the file. */
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
