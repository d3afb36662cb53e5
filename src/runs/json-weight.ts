/** What any value takes beside its text, in UTF-16 units: small ones are many. */
const overhead = 32;

/** What stands deeper is not counted. */
const deepest = 100;

/** About how much memory a value of JSON takes, in UTF-16 units of text: an estimate that is cheap enough for each event. */
export function weighJson(value: unknown, levels = deepest): number {
  if (typeof value === "string") return overhead + value.length;
  if (typeof value !== "object" || value === null || levels === 0) return 0;
  let sum = overhead;
  for (const key in value) sum += weighJson(Reflect.get(value, key), levels - 1);
  return sum;
}
