import type { Mode } from "../src/core/outcome.ts";

/** Holds parsed flags and arguments by name, as either reader returns them. */
export type Values = Readonly<Record<string, unknown>>;

export function toText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function toTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

export function readOutputFormat({ output }: Values): "json" | "text" {
  return output === "json" ? "json" : "text";
}

export function readMode({ mode }: Values): Mode | undefined {
  return mode === "chat" || mode === "agent" || mode === "plan" ? mode : undefined;
}
