import { isDeeperThan, isRecord, toText } from "../../kit/json.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { findHidden, makeTreeVisible } from "../trust/hidden-characters.ts";
import type { Kind, ListedEntry } from "./kinds.ts";

/** The longest texts that a host is shown, and the longest name or URI, in characters. */
const longest = { name: 200, title: 200, description: 4000 } as const;
const longestKey = 4000;
/** No entry needs more levels, and deeper ones break who reads them. */
const deepest = 64;

/**
 * An entry of a server's list as a host may see it: nothing hidden in its texts, and none of them without end. What names it
 * stays, for its server knows it by that. Undefined where nothing names it, or where that is no URI that somebody could see.
 */
export function readEntry(entry: unknown, { key }: Pick<Kind, "key">): ListedEntry | undefined {
  if (!isRecord(entry) || isDeeperThan(entry, deepest)) return undefined;
  const { [key]: named, ...rest } = entry;
  const name = toText(named);
  if (name === "" || name.length > longestKey) return undefined;
  if (key !== "name" && findHidden(name).count > 0) return undefined;
  const shown = cutTexts(makeTreeVisible(rest));
  return { ...shown, ...argumentsOf(shown), [key]: name };
}

function argumentsOf({ arguments: all }: ListedEntry): ListedEntry {
  return Array.isArray(all) ? { arguments: all.map((each) => (isRecord(each) ? cutTexts(each) : each)) } : {};
}

function cutTexts(shown: ListedEntry): ListedEntry {
  const cut = Object.entries(longest).flatMap(([field, most]) => {
    const text = shown[field];
    return typeof text === "string" && text.length > most ? [[field, truncate(text, most)] as const] : [];
  });
  return cut.length === 0 ? shown : { ...shown, ...Object.fromEntries(cut) };
}
