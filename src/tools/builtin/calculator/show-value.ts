import { checkFinite } from "./finite.ts";
import { type Fraction, toNumber, type Value } from "./fraction.ts";

/** Significant digits of a decimal; whole numbers are written out. */
const mostDigits = 30;

/** `= 98`, or `≈ 0.33333333333333` where not every digit is shown or known. */
export function showValue(value: Value): string {
  const exact = typeof value === "number" ? undefined : writeExact(value);
  if (exact !== undefined) return `= ${exact}`;
  const double = toNumber(value);
  const isTooSmall = typeof value !== "number" && double === 0;
  const rounded = Number(checkFinite(isTooSmall ? Number.POSITIVE_INFINITY : double).toPrecision(14));
  // A double of few digits is what it was meant to be, but for noise in its last ones.
  const isKnown = typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER && digitsOf(rounded) <= 12;
  return `${isKnown ? "=" : "≈"} ${rounded === 0 ? 0 : rounded}`;
}

function digitsOf(value: number): number {
  return String(value)
    .replace(/e.*$/, "")
    .replace(/\D/g, "")
    .replace(/^0+|0+$/g, "").length;
}

/** Every digit; undefined where they do not end, or not soon. */
function writeExact({ top, bottom }: Fraction): string | undefined {
  if (bottom === 1n) return String(top);
  const places = decimalsOf(bottom);
  if (places === undefined) return undefined;
  const digits = String(((top < 0n ? -top : top) * 10n ** BigInt(places)) / bottom);
  if (digits.length > mostDigits) return undefined;
  const sign = top < 0n ? "-" : "";
  const exponent = digits.length - 1 - places;
  if (exponent < -7) return `${sign}${digits.replace(/^(\d)(?=\d)/, "$1.")}e${exponent}`;
  const padded = digits.padStart(places + 1, "0");
  return `${sign}${padded.slice(0, -places)}.${padded.slice(-places)}`;
}

/** How many decimals a fraction over this has; undefined where they do not end. */
function decimalsOf(bottom: bigint): number | undefined {
  let rest = bottom;
  const count = [2n, 5n].map((factor) => {
    let times = 0;
    for (; rest % factor === 0n; times++) rest /= factor;
    return times;
  });
  return rest === 1n ? Math.max(...count) : undefined;
}
