import type { AssistantMessage, Message, ToolCall } from "../../core/messages.ts";
import type { ModelSettings } from "../../core/model-settings.ts";
import { withValidCallIds } from "./call-ids.ts";
import { isBlank, pairHistory } from "./paired-history.ts";

/** Who gets the conversation. */
export type ReceivingModel = Pick<ModelSettings, "wire" | "provider" | "model" | "quirks">;

/**
 * A conversation as the given model takes it, whoever wrote it. Reasoning and `native` stay with their author and come
 * back to it unchanged; to others they are nothing. Calls and results stay what they are. What a vendor would refuse is
 * mended: one system message, first; then turns by turns, the first and the last not the assistant's; every call with its
 * own result, arguments that are JSON and an id that fits. Pure, and a second time changes nothing.
 */
export function convertHistory(messages: readonly Message[], to: ReceivingModel): Message[] {
  const readable = messages.filter((message) => message.role !== "system").map((message) => readableBy(message, to));
  return [...systemMessage(messages), ...inTurns(withValidCallIds(pairHistory(readable), to))];
}

// Claude has one place for it, and the templates of many open models refuse it anywhere but at the start.
function systemMessage(messages: readonly Message[]): Message[] {
  const said = messages.filter((message) => message.role === "system").filter(({ content }) => !isBlank(content));
  const content = said.map((message) => message.content.toWellFormed()).join("\n\n");
  return content === "" ? [] : [{ role: "system", content }];
}

function readableBy(message: Message, to: ReceivingModel): Message {
  const content = message.content.toWellFormed();
  if (message.role === "tool") return { ...message, content: isBlank(content) ? "(empty)" : content };
  if (message.role !== "assistant") return { ...message, content };
  const { reasoning, native, ...neutral } = message;
  const mended: AssistantMessage = {
    ...neutral,
    content: isBlank(content) ? "" : content,
    toolCalls: message.toolCalls.map(withSoundArguments),
  };
  if (!isAuthor(to, message)) return mended;
  return reasoning === undefined ? { ...mended, native } : { ...mended, reasoning, native };
}

function isAuthor({ wire, provider, model, quirks }: ReceivingModel, { native }: AssistantMessage): boolean {
  if (native === undefined || quirks.forgetsNative) return false;
  return native.wire === wire && native.provider === provider && native.model === model;
}

/** Broken arguments in the history make DashScope refuse every later request; the result says what was wrong with them. */
function withSoundArguments(call: ToolCall): ToolCall {
  const text = call.argumentsText.toWellFormed();
  if (call.arguments && text.trimStart().startsWith("{")) return { ...call, argumentsText: text };
  return { ...call, argumentsText: "{}", arguments: {} };
}

/**
 * Neighbours of the user become one message. Where two turns of the assistant meet, and where it would be the first or
 * the last, the user says a word: turns of several models are never made into one.
 */
function inTurns(messages: readonly Message[]): Message[] {
  const turns: Message[] = [];
  for (const message of messages) {
    const previous = turns.at(-1);
    if (message.role === "user" && previous?.role === "user") {
      turns[turns.length - 1] = { role: "user", content: `${previous.content}\n\n${message.content}` };
      continue;
    }
    if (message.role === "assistant" && (previous === undefined || previous.role === "assistant")) turns.push(goOn);
    turns.push(message);
  }
  const last = turns.at(-1);
  return last === undefined || last.role === "assistant" ? [...turns, goOn] : turns;
}

const goOn: Message = { role: "user", content: "(continue)" };
