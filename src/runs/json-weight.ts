/** Is what any value weighs beside its text, in UTF-16 units. Small values are frequent. */
const overhead = 32;

/** Values below this depth are not counted. */
const deepest = 100;

/** Estimates how much memory a JSON value takes, in UTF-16 units of text. The estimate is cheap enough to run for each event. */
export function weighJson(value: unknown, levels = deepest): number {
  if (typeof value === "string") return overhead + value.length;
  if (typeof value !== "object" || value === null || levels === 0) return 0;
  let sum = overhead;
  for (const key in value) sum += weighJson(Reflect.get(value, key), levels - 1);
  return sum;
}
