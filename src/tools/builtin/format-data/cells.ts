import type { JsonValue } from "../../../kit/json.ts";

/**
 * What a cell's text means: a number only if it is written as that number would be, of at most 15 digits, so that 007, 1.50 and
 * the number of an identity card stay as they are.
 */
export function readCell(text: string): JsonValue {
  if (text === "true") return true;
  if (text === "false") return false;
  if (!/^-?\d+(\.\d+)?$/.test(text) || text.replace(/\D/g, "").length > 15) return text;
  const value = Number(text);
  return String(value) === text ? value : text;
}

/** A value as a cell shows it: nested ones as JSON, none as nothing. */
export function writeCell(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
