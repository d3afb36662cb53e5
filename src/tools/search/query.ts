import { cutText } from "../../core/cut-text.ts";

/** A query on one line, cut at a word to what a service takes. */
export function cutQuery(query: string, most: { characters?: number; words?: number }): string {
  const { characters = 400, words = Number.POSITIVE_INFINITY } = most;
  const parts = query.trim().split(/\s+/);
  const line = parts.slice(0, words).join(" ");
  return line.length <= characters ? line : cutText(line, characters).slice(0, -1);
}
