/**
 * Reads a `Retry-After` header (RFC 9110, 10.2.3), which holds seconds or a date, as milliseconds from now. Returns undefined for one that
 * is invalid or in the past.
 */
export function readRetryAfterHeader(value: string | null | undefined, now = Date.now()): number | undefined {
  if (!value) return undefined;
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const left = Date.parse(text) - now;
  return left > 0 ? left : undefined;
}
