import { createHash } from "node:crypto";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { showValue } from "../../core/tools/argument-feedback.ts";

export interface Page<T> {
  entries: T[];
  /** Is the cursor of the next page, and absent on the last one. */
  nextCursor?: string;
}

/**
 * Limits a page, in entries and in UTF-16 units of their JSON. Many hosts read the first page alone, so a page is as large as
 * messages may well be.
 */
export const pageLimits = { entries: 1000, length: 1_000_000 };

/**
 * Takes one page of a list. A cursor names the entry that ended the page before, by its key, and nothing is kept for it: a request
 * of the 2026 era knows nothing of the one before. Throws a `ProtocolError` for a cursor of another list, and when that entry is
 * gone.
 */
export function takePage<T>(
  list: string,
  all: readonly T[],
  {
    keyOf,
    cursor,
    limits = pageLimits,
  }: { keyOf(entry: NoInfer<T>): string; cursor: string | undefined; limits?: typeof pageLimits },
): Page<T> {
  const begin = cursor === undefined ? 0 : 1 + all.findIndex((entry) => toCursor(list, keyOf(entry)) === cursor);
  if (cursor !== undefined && begin === 0) throw unknownCursorError(list, cursor);
  const entries: T[] = [];
  let length = 0;
  for (const entry of all.slice(begin, begin + limits.entries)) {
    length += JSON.stringify(entry).length;
    if (entries.length > 0 && length > limits.length) break;
    entries.push(entry);
  }
  const last = entries.at(-1);
  const isLast = last === undefined || begin + entries.length >= all.length;
  return isLast ? { entries } : { entries, nextCursor: toCursor(list, keyOf(last)) };
}

function toCursor(list: string, key: string): string {
  return createHash("sha256").update(`${list}\n${key}`).digest("base64url").slice(0, 24);
}

function unknownCursorError(list: string, cursor: string): ProtocolError {
  const allowed = "the nextCursor of the page before, while the list has not changed; leave it out to begin anew";
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown cursor ${showValue(cursor)} for ${list} (allowed: ${allowed})`,
  );
}
