import type { InputHistory } from "../editor.ts";

/** A search through what was typed before, from the newest entry back. */
export interface HistorySearch {
  readonly query: string;
  /** The entry that is found; undefined while nothing is looked for, or nothing holds it. */
  readonly found: string | undefined;
  type(text: string): void;
  /** Takes the last character of the query away. */
  shorten(): void;
  /** The next older entry that holds the query, where there is one. */
  older(): void;
  /** The next newer one. */
  newer(): void;
}

/** Small letters find capitals too. */
export function createHistorySearch(history: InputHistory): HistorySearch {
  // One of each, the newest first.
  const entries = [...new Set(history.entries.toReversed())];
  let query = "";
  let place = 0;

  const holds = (index: number): boolean => {
    const entry = entries[index] ?? "";
    return entry.includes(query) || entry.toLowerCase().includes(query);
  };

  function goOn(from: number, direction: 1 | -1): boolean {
    for (let index = from; index >= 0 && index < entries.length; index += direction) {
      if (!holds(index)) continue;
      place = index;
      return true;
    }
    return false;
  }

  return {
    get query() {
      return query;
    },
    get found() {
      return query !== "" && holds(place) ? entries[place] : undefined;
    },
    type(text) {
      query += text;
      goOn(place, 1);
    },
    shorten() {
      query = query.slice(0, -(Array.from(query).at(-1)?.length ?? 0) || undefined);
      if (!goOn(0, 1)) place = 0;
    },
    older() {
      goOn(place + 1, 1);
    },
    newer() {
      goOn(place - 1, -1);
    },
  };
}
