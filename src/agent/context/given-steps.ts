import type { GivenStep } from "../../core/client-tools.ts";
import type { AssistantMessage, ToolCall, ToolMessage, UserMessage } from "../../core/model/messages.ts";
import type { TurnStep } from "../../core/store/conversations/conversation.ts";
import { type JsonObject, tryParseJson } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { fence } from "./fence.ts";

/** Returns calls that the asking program has kept, with their results, as models read them: what its tools returned is fenced. */
export function toTurnStep(
  { text, calls, results, messages }: GivenStep,
  { marker, language }: GivenStepReader,
): TurnStep {
  const toolCalls = calls.map((call): ToolCall => ({ ...call, arguments: parseArguments(call.argumentsText) }));
  const message: AssistantMessage = { role: "assistant", content: text, toolCalls };
  return {
    message,
    results: toolCalls.map((call): ToolMessage => {
      const found = results.find(({ callId }) => callId === call.id);
      const content = fence(found?.text ?? say(language, noResult), marker);
      return { role: "tool", callId: call.id, tool: call.name, content, ok: found !== undefined && !found.isError };
    }),
    ...(messages.length > 0 && { messages: messages.map((content): UserMessage => ({ role: "user", content })) }),
  };
}

function parseArguments(text: string): JsonObject | undefined {
  const value = tryParseJson(text);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
}

interface GivenStepReader {
  marker: string;
  language: Locale;
}

/** Is what a model reads where the program that asks gave no result for a call. */
export const noResult: Text = {
  zh: "提问的程序没有给出这个调用的结果。",
  en: "The program that asks gave no result for this call.",
};
