import { createVariation, readShape, showShape, type Variation } from "./message-shape.ts";

/** Says where an entry stands in a log, and when it was written, in milliseconds since 1970. */
export interface Place {
  line: number;
  time?: number | undefined;
}

/** Counts the entries that have one value, and keeps the first and the last of them. */
export interface Group {
  count: number;
  first: Place;
  last: Place;
  /** Returns the value as it is shown. */
  show(): string;
}

const mostKeys = 5000;

/** Counts entries by a value; values beyond the first 5,000 are counted together. */
export class GroupCounter {
  readonly groups = new Map<string, Group & { variation?: Variation }>();
  /** Counts additions that got no group of their own because the maximum was reached. */
  others = 0;

  add(value: string, place: Place): void {
    this.#count(value, place, () => ({ show: () => value }));
  }

  /** Counts messages together that differ only in numbers and IDs. */
  addMessage(message: string, place: Place): void {
    const shape = readShape(message);
    const group = this.#count(shape.key, place, () => {
      const variation = createVariation(shape);
      return { variation, show: () => showShape(variation) };
    });
    group?.variation?.add(shape.values);
  }

  #count(key: string, place: Place, create: () => Pick<Group, "show"> & { variation?: Variation }) {
    const known = this.groups.get(key);
    if (known !== undefined) {
      known.count++;
      known.last = place;
      return known;
    }
    if (this.groups.size >= mostKeys) {
      this.others++;
      return undefined;
    }
    const group = { ...create(), count: 1, first: place, last: place };
    this.groups.set(key, group);
    return group;
  }

  /** Returns the largest groups first. */
  top(most: number): Group[] {
    return [...this.groups.values()].toSorted((a, b) => b.count - a.count).slice(0, most);
  }
}
