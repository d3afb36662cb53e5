import type { Mode } from "../../../core/outcome.ts";
import { findPermitProblem } from "../../../core/tools/tool-pattern.ts";
import type { Text } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";

export interface PromptArguments {
  question: string;
  mode?: Mode | undefined;
  conversation_id?: string | undefined;
  server?: string | undefined;
}

export type ArgumentName = keyof PromptArguments;

export const modes = ["agent", "plan", "chat"] as const satisfies Mode[];

/** Is the same limit as in `agent_ask`. */
const longestQuestion = 100_000;
const longestId = 200;

/** Reads what came from a host, or says what is wrong; only the arguments in `known` are allowed, and an empty one is not there. */
export function readPromptArguments(
  args: Readonly<Record<string, string>>,
  known: readonly ArgumentName[],
): PromptArguments | { problem: Text } {
  for (const [name, value] of Object.entries(args))
    if (!known.some((each) => each === name)) return toArgumentProblem(name, value, known.join(", "));
  // Hosts fill optional arguments with "".
  const readArgument = (name: ArgumentName): string | undefined => args[name]?.trim() || undefined;

  const question = readArgument("question");
  if (question === undefined || question.length > longestQuestion)
    return toArgumentProblem("question", question, describeLengths(longestQuestion));
  const mode = modes.find((each) => each === readArgument("mode"));
  if (mode === undefined && readArgument("mode") !== undefined)
    return toArgumentProblem("mode", readArgument("mode"), modes.join(", "));
  const conversationId = readArgument("conversation_id");
  if (conversationId !== undefined && conversationId.length > longestId)
    return toArgumentProblem("conversation_id", conversationId, describeLengths(longestId));
  const server = readArgument("server");
  if (server !== undefined && !canBePattern(server)) return toArgumentProblem("server", server, nameOfServer);
  return { question, mode, conversation_id: conversationId, server };
}

export function toServerPattern(server: string): string {
  return `${server}__*`;
}

function canBePattern(server: string): boolean {
  return (
    !server.includes("*") && server.length <= longestId && findPermitProblem(toServerPattern(server)) === undefined
  );
}

/** Renders one line with the value as it came, cut if it is long, and what is allowed. */
export function toArgumentProblem(name: string, value: string | undefined, allowed: Text | string): { problem: Text } {
  const shown = `${toShortLine(name, 80)}: ${JSON.stringify(toShortLine(value ?? "", 80))}`;
  const { zh, en } = typeof allowed === "string" ? { zh: allowed, en: allowed } : allowed;
  return { problem: { zh: `${shown}（允许：${zh}）`, en: `${shown} (allowed: ${en})` } };
}

function describeLengths(most: number): Text {
  return { zh: `1 到 ${most} 个字符`, en: `1 to ${most} characters` };
}

const nameOfServer: Text = {
  zh: "已配置的 MCP 服务器的名称，不含空格、冒号、括号和 *",
  en: "the name of a configured MCP server, without spaces, colons, brackets and *",
};
