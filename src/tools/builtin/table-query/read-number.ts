import type { JsonValue } from "../../../kit/json.ts";
import { createFraction, type Fraction, readFraction } from "../calculator/fraction.ts";

export interface CellNumber {
  value: Fraction;
  /** Is true when the cell holds more than digits, a sign and a point, so that the reader should see how it was taken. */
  isInterpreted: boolean;
  /** Is the sign or code of a currency, as it is written. */
  currency?: string | undefined;
}

const currencies = String.raw`[¥$€£₹₩]|US\$|HK\$|RMB|CNY|USD|EUR|GBP|JPY|HKD|元`;
const digits = String.raw`\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+`;
const written = new RegExp(
  String.raw`^(\()?([+-])?\s*(${currencies})?\s*([+-])?(${digits})(?:e([+-]?\d{1,2}))?\s*(%|万|亿)?\s*(${currencies})?(\))?$`,
  "i",
);

/** Limits the characters of a cell that is looked at as a number. */
const longest = 100;

/**
 * Reads a cell as people write numbers: `1,234.50`, `¥12`, `15%` (0.15), `(20)` (-20), `3万`. It is exact. Returns undefined for
 * everything else, also for `1.234,50`, whose point and comma could be read in two ways.
 */
export function readNumber(cell: JsonValue | undefined): CellNumber | undefined {
  if (typeof cell === "number") return { value: readFraction(cell), isInterpreted: false };
  if (typeof cell !== "string" || cell.length > longest) return undefined;
  const text = cell.normalize("NFKC").replaceAll("−", "-").trim();
  const [all, open, sign, before, innerSign, amount = "", exponent = "0", unit = "", after, close] =
    written.exec(text) ?? [];
  const isBracketed = open !== undefined;
  if (all === undefined || isBracketed !== (close !== undefined) || (sign && innerSign) || (before && after))
    return undefined;
  const isNegative = isBracketed || sign === "-" || innerSign === "-";
  const [whole = "", part = ""] = amount.replaceAll(",", "").split(".");
  const places = part.length - Number(exponent) + (powers.get(unit) ?? 0);
  const top = BigInt(whole + part) * (isNegative ? -1n : 1n);
  return {
    value: places > 0 ? createFraction(top, 10n ** BigInt(places)) : createFraction(top * 10n ** BigInt(-places)),
    isInterpreted: !/^-?[\d.]+$/.test(text),
    currency: before ?? after,
  };
}

/** Says by how many places each sign moves the point to the left. */
const powers = new Map([
  ["%", 2],
  ["万", -4],
  ["亿", -8],
]);
