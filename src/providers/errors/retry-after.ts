/**
 * How long the other side asks to wait, in milliseconds: `retry-after-ms`, `retry-after` (seconds or a date), or what
 * Google writes into the body. Undefined when it does not say, or says nonsense or a time that has passed.
 */
export function readRetryAfter(headers: Headers | undefined, searchable: string, now = Date.now()): number | undefined {
  const milliseconds = number(headers?.get("retry-after-ms"));
  if (milliseconds !== undefined) return milliseconds;
  const value = headers?.get("retry-after");
  const seconds = number(value);
  if (seconds !== undefined) return seconds * 1000;
  const until = value ? Date.parse(value) - now : Number.NaN;
  if (until > 0) return until;
  const told = /"retryDelay":"([\d.]+)s"/.exec(searchable) ?? /retry in ([\d.]+)s/i.exec(searchable);
  const delay = number(told?.[1]);
  return delay === undefined ? undefined : Math.round(delay * 1000);
}

function number(text: string | null | undefined): number | undefined {
  if (!text || !/^\d+(\.\d+)?$/.test(text.trim())) return undefined;
  return Number(text);
}
