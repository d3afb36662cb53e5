import type { InputHistory } from "../editor.ts";

/** A walk through what was typed before. What is half typed stands at its end, and comes back there. */
export interface Recall {
  /** The entry before; undefined at the oldest. `current` is what stands there now, and is kept for the way back. */
  older(current: string): string | undefined;
  /** The entry behind; undefined where the walk began. */
  newer(current: string): string | undefined;
  /** The walk is over: what was changed on it is forgotten. */
  leave(): void;
}

export function createRecall(history: InputHistory): Recall {
  let entries: readonly string[] = [];
  let place: number | undefined;
  const changed = new Map<number, string>();

  function goTo(index: number, current: string): string | undefined {
    if (index < 0 || index > entries.length) return undefined;
    changed.set(place ?? entries.length, current);
    place = index;
    return changed.get(index) ?? entries[index] ?? "";
  }

  return {
    older(current) {
      if (place === undefined) entries = [...history.entries];
      return goTo((place ?? entries.length) - 1, current);
    },
    newer: (current) => (place === undefined ? undefined : goTo(place + 1, current)),
    leave() {
      place = undefined;
      changed.clear();
    },
  };
}
