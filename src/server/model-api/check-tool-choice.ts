import type { Duet } from "../../app/duet.ts";
import type { ClientTools } from "../../core/client-tools.ts";
import type { Text } from "../../kit/locale.ts";
import type { AnswerRequest } from "./answer/answer-request.ts";
import { fieldRefusedError } from "./field-refused-error.ts";

/**
 * Throws `HttpRefusalError` (400) where a request wants a tool to be called that neither its program nor Duet has. A run that waits is
 * asked the same as a new one, and would not say so.
 */
export async function checkToolChoice(
  duet: Pick<Duet, "inventory">,
  { toolChoice, mode, fields }: Pick<AnswerRequest, "toolChoice" | "mode" | "fields">,
  { clientTools, signal }: { clientTools: ClientTools; signal: AbortSignal },
): Promise<void> {
  if (typeof toolChoice !== "object") return;
  const wanted = toolChoice.tool;
  const names = clientTools.tools.map(({ name }) => name);
  if (names.includes(wanted)) return;
  const own = mode === "chat" ? [] : (await duet.inventory(signal)).tools.map(({ name }) => name);
  if (!own.includes(wanted)) throw fieldRefusedError(fields.toolChoice, describeNoTool(wanted, [...names, ...own]));
}

/** Says that there is no tool of this name, and which there are. */
export function describeNoTool(name: string, names: readonly string[]): Text {
  const shown = JSON.stringify(name.slice(0, 80));
  const allowed = names.slice(0, 20).join(", ") || "auto, none";
  return { zh: `没有工具 ${shown}（允许：${allowed}）`, en: `there is no tool ${shown} (allowed: ${allowed})` };
}
