import type { JsonValue } from "../../../kit/json.ts";

/**
 * Reads a cell's text. It becomes a number only if that number would be written the same way, with at most 15 digits, so that
 * 007, 1.50 and identity card numbers stay text.
 */
export function readCell(text: string): JsonValue {
  if (text === "true") return true;
  if (text === "false") return false;
  if (!/^-?\d+(\.\d+)?$/.test(text) || text.replace(/\D/g, "").length > 15) return text;
  const value = Number(text);
  return String(value) === text ? value : text;
}

/** Writes a value as cell text. Nested values become JSON, and missing ones become empty. */
export function writeCell(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
