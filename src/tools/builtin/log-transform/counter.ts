const maxKeys = 5000;

/** Counts by key; keys beyond the first 5,000 are counted together. */
export class Counter<K extends string> {
  readonly counts = new Map<K, number>();
  /** How often something was counted under no key of its own. */
  others = 0;

  add(key: K): void {
    const count = this.counts.get(key);
    if (count === undefined && this.counts.size >= maxKeys) this.others++;
    else this.counts.set(key, (count ?? 0) + 1);
  }

  /** The most frequent first. */
  top(most: number): [K, number][] {
    return [...this.counts].toSorted(([, a], [, b]) => b - a).slice(0, most);
  }
}
