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
  String.raw`^(\()?([+-])?\s*(${currencies})?\s*([+-])?(${digits})(?:e([+-]?\d{1,2}))?\s*(%|[千百]?万|千|亿)?\s*(${currencies})?(\))?$`,
  "i",
);

/** Limits the characters of a cell that is looked at as a number. */
const longest = 100;

/** Tells which mark stands before the decimals. */
export type DecimalMark = "point" | "comma";

const gap = /(?<=\d)[\s'’](?=\d{3}(?!\d))/g;
const commaAlone = /^[^\d]*(?:\d{1,3}(?:\.\d{3})+,\d+|\d+,(?:\d{1,2}|\d{4,}))[^\d.,]*$/;
const pointAlone = /^[^\d]*(?:\d{1,3}(?:,\d{2,3})+\.\d+|\d*\.(?:\d{1,2}|\d{4,}))[^\d.,]*$/;

/**
 * Finds the mark of a column: a comma where some cells can be read only so, such as `7,25` and `1.234,50`, and none only with a
 * point. Then `1.234` in the same column is 1234.
 */
export function findDecimalMark(cells: Iterable<JsonValue | undefined>): DecimalMark {
  let hasComma = false;
  for (const cell of cells) {
    if ((typeof cell !== "string" && typeof cell !== "number") || !/[.,．，]/.test(String(cell))) continue;
    const text = String(cell).slice(0, longest).normalize("NFKC").replace(gap, "");
    if (pointAlone.test(text)) return "point";
    hasComma ||= commaAlone.test(text);
  }
  return hasComma ? "comma" : "point";
}

/**
 * Reads a cell as people write numbers: `1,234.50`, `1 234.50`, `¥12`, `15%` (0.15), `(20)` (-20), `3万`. It is exact. Returns
 * undefined for everything else, also for `1.234,50` unless the mark of its column is a comma.
 */
export function readNumber(cell: JsonValue | undefined, mark: DecimalMark = "point"): CellNumber | undefined {
  // A parser may have taken 1.234 for a number already.
  const isDone = typeof cell === "number" && (mark === "point" || Number.isInteger(cell));
  if (isDone) return { value: readFraction(cell), isInterpreted: false };
  if ((typeof cell !== "string" && typeof cell !== "number") || String(cell).length > longest) return undefined;
  const shown = String(cell).normalize("NFKC").replaceAll("−", "-").trim();
  const plain = shown.replace(gap, "");
  const text = mark === "comma" ? plain.replace(/[.,]/g, (found) => (found === "," ? "." : ",")) : plain;
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
    isInterpreted: !/^-?[\d.]+$/.test(shown) || text !== shown,
    currency: before ?? after,
  };
}

/** Says by how many places each sign moves the point to the left. */
const powers = new Map([
  ["%", 2],
  ["千", -3],
  ["百万", -6],
  ["千万", -7],
  ["万", -4],
  ["亿", -8],
]);
