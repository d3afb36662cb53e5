import { isRecord } from "../../../kit/json.ts";
import { parseResult } from "../result-text.ts";

export interface Hit {
  file: string;
  /** Counts from 1. It is absent when the file itself is the hit. */
  line?: number;
  text: string;
}

/** Reads the hits of a file search: lines such as `path:12: text` or `path`, or JSON with `path` and `text`. */
export function findHits(result: string): Hit[] {
  const answer = parseResult(result);
  if (answer !== undefined) return readHits(answer);
  const lines = result.split("\n");
  const count = countIn(lines[0] ?? "");
  if (count !== undefined)
    return lines.slice(1, count + 1).map((line) => readHit(line) ?? { file: line.trim(), text: "" });
  return lines.flatMap((line) => readHit(line) ?? []);
}

/** Returns what the search reports beside its hits and their sources: that there are more, or that it was incomplete. */
export function findNotes(result: string): string[] {
  const [head = "", ...rest] = result.split("\n");
  return rest.slice(countIn(head) ?? rest.length).filter((line) => line.trim() !== "" && !/^\[\d+\] /.test(line));
}

/**
 * Our own search begins with `3 matches for "x" (12 files looked at)`, or `First 20 matches for "x"; there are more (…)`, and has as
 * many lines of hits.
 */
function countIn(head: string): number | undefined {
  const [, zh, en] = /^(?:(?:找到|前) (\d+) 处匹配 |(?:First )?(\d+) match(?:es)? for )"/.exec(head) ?? [];
  if (zh !== undefined || en !== undefined) return Number(zh ?? en);
  return /^(?:没有找到匹配 |Nothing matches )"/.test(head) ? 0 : undefined;
}

function readHit(line: string): Hit | undefined {
  const [, file, number, text = ""] = /^\s*(?:[-*]\s)?([^\s:][^:\n]*?):(\d+)(?::\d+)?[:：]?\s?(.*)$/.exec(line) ?? [];
  return file === undefined ? undefined : { file, line: Number(number), text: text.trim() };
}

function readHits(answer: unknown): Hit[] {
  const list = Array.isArray(answer)
    ? answer
    : isRecord(answer)
      ? Object.values(answer).find(Array.isArray)
      : undefined;
  return (list ?? []).flatMap((entry: unknown) => {
    if (typeof entry === "string") return [{ file: entry, text: "" }];
    if (!isRecord(entry)) return [];
    const file = [entry.path, entry.file, entry.name].find((value) => typeof value === "string");
    const text = [entry.text, entry.snippet, entry.content].find((value) => typeof value === "string") ?? "";
    const line = typeof entry.line === "number" ? entry.line : undefined;
    return file === undefined ? [] : [{ file, line, text: text.trim() }];
  });
}

/** Returns the content of the files without their names and line numbers. Any other result is returned as it is. */
export function getContent(result: string): string {
  const hits = findHits(result);
  if (hits.length === 0) return countIn(result) === undefined ? result : "";
  return hits.map(({ text }) => text).join("\n");
}
