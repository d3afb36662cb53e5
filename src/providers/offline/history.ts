import { toPlainText } from "../../core/model/message-content.ts";
import type { AssistantMessage, Message } from "../../core/model/messages.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../kit/json.ts";
import { removeFence } from "./result-text.ts";

/** Holds the question of this run and the results of its tools so far. */
export interface OfflineQuestion {
  question: string;
  done: FinishedCall[];
}

export interface FinishedCall {
  tool: string;
  arguments: JsonObject;
  result: string;
  ok: boolean;
}

/** Reads the messages from the last question on. A call without a result counts as failed, so it is not made again. */
export function readHistory(messages: readonly Message[]): OfflineQuestion {
  const start = messages.findLastIndex((message) => message.role === "user");
  const last = messages[start];
  if (last === undefined) return { question: "", done: [] };
  const asked = readHandOver(toPlainText(last.content, "en"));
  for (const [offset, message] of messages.slice(start + 1).entries()) {
    if (message.role === "assistant") asked.done.push(...listCalls(message, messages.slice(start + 2 + offset)));
  }
  return asked;
}

function listCalls(turn: AssistantMessage, after: readonly Message[]): FinishedCall[] {
  return turn.toolCalls.map((call) => {
    const answer = after.find((message) => message.role === "tool" && message.callId === call.id);
    const made = { tool: call.name, arguments: call.arguments ?? {} };
    if (answer?.role !== "tool") return { ...made, result: "", ok: false };
    return { ...made, result: removeFence(toPlainText(answer.content, "en")), ok: answer.ok };
  });
}

/**
 * The answer turn gets the question and the other model's work as one text, in parts with a title. A result is "### tool {arguments}"
 * and its text between fences.
 */
function readHandOver(content: string): OfflineQuestion {
  const blocks = [...content.matchAll(/^### (\S+) (.*)\n<<<result (\S+)\n([\s\S]*?)\n?result \3>>>/gm)];
  const done = blocks.map(([, tool = "", args = "", , result = ""]) => ({
    tool,
    arguments: parseArguments(args),
    result,
    ok: true,
  }));
  const [question = ""] = content.split(/\n\n[^\n]+[:：]\n\n(?=### |- |<<<result )/);
  return { question: question.trim(), done };
}

function parseArguments(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value) && Object.values(value).every(isJson);
}

function isJson(value: unknown): value is JsonValue {
  if (Array.isArray(value)) return value.every(isJson);
  return value === null || ["string", "number", "boolean"].includes(typeof value) || isJsonObject(value);
}
