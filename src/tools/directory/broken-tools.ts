import type { Tool } from "../../core/tools/tool.ts";
import { DuetError, toDuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { shortLine } from "../../kit/text/short-line.ts";
import type { DroppedTool } from "../collect-tools.ts";

/** What a directory of the user's own gives: tools, and what cannot be used and why. */
export interface Loaded {
  tools: Tool[];
  dropped: DroppedTool[];
}

/** The longest line about one file, in characters. */
const longestLine = 400;

/** Refuses a file in one line that names it. */
export function refuse(file: string, why: Text, cause?: unknown): DuetError {
  return new DuetError({ code: "config", text: { zh: `${file}: ${why.zh}`, en: `${file}: ${why.en}` }, cause });
}

/** What was thrown, as a refusal of that file. */
export function toRefusal(file: string, thrown: unknown): DuetError {
  if (thrown instanceof DuetError && thrown.code === "config") return thrown;
  return refuse(file, toDuetError(thrown).text, thrown);
}

/** What was refused, as the list of tools shows it. */
export function broken(file: string, source: "user" | "skills", { text }: DuetError): DroppedTool {
  const line = { zh: shortLine(text.zh, longestLine), en: shortLine(text.en, longestLine) };
  return { name: shortLine(file, 100), source, reason: "broken", text: line };
}
