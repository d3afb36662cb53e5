import { type Vendor, type WireName, wires } from "../../core/model/model-settings.ts";
import type { DuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { missingError, notAllowedError } from "../config-errors.ts";

/** Returns the value, like all the checks here, or throws a `config` error with its `path`, what it is and what is allowed. */
export function checkTemperature(
  value: number | undefined,
  bound: Vendor["temperature"],
  path: string,
): number | undefined {
  const isBelow = "below" in bound;
  const range = describeRange(isBelow ? `0 <= temperature < ${bound.below}` : `0 <= temperature <= ${bound.atMost}`);
  const isAllowed = (heat: number) => heat >= 0 && (isBelow ? heat < bound.below : heat <= bound.atMost);
  return checkWithin(value, isAllowed, path, range);
}

export function checkEffort(value: string | undefined, { efforts }: Vendor, path: string): string | undefined {
  if (value !== undefined && efforts && !efforts.includes(value))
    throw invalidSettingError(path, value, efforts.join(", "));
  return value;
}

export function toTimeoutMs(seconds: number | undefined, path: string): number | undefined {
  const checked = checkWithin(
    seconds,
    (value) => value > 0 && value <= 86_400,
    path,
    describeRange("0 < timeout <= 86400"),
  );
  return checked === undefined ? undefined : Math.max(1, Math.round(checked * 1000));
}

export function checkTopP(value: number | undefined, path: string, name: string): number | undefined {
  return checkWithin(value, (number) => number > 0 && number <= 1, path, describeRange(`0 < ${name} <= 1`));
}

export function checkPositiveInteger(value: number | undefined, path: string): number | undefined {
  return checkWithin(value, (number) => Number.isSafeInteger(number) && number >= 1, path, {
    zh: "不小于 1 的整数",
    en: "an integer of at least 1",
  });
}

function describeRange(range: string): Text {
  return { zh: `数字，${range}`, en: `a number, ${range}` };
}

function checkWithin(value: number | undefined, ok: (value: number) => boolean, path: string, allowed: Text) {
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !ok(value)) throw invalidSettingError(path, value, allowed);
  return value;
}

export function checkWireName(value: string, path: string): WireName {
  const wire = wires.find((name) => name === value);
  if (!wire) throw invalidSettingError(path, value, wires.join(", "));
  return wire;
}

export function checkAddress(value: string, path: string): string {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol)) throw invalidSettingError(path, value, "http(s)://...");
  return value.replace(/\/+$/, "");
}

export function invalidSettingError(path: string, value: unknown, allowed: string | Text): DuetError {
  const text = typeof allowed === "string" ? { zh: allowed, en: allowed } : allowed;
  return value === undefined ? missingError(path, text) : notAllowedError(path, JSON.stringify(value), text);
}
