import { isBlankContent, joinContents, mapTexts } from "../../core/model/message-content.ts";
import type { AssistantMessage, Message, ToolCall, ToolMessage } from "../../core/model/messages.ts";
import type { ModelSettings, WireName } from "../../core/model/model-settings.ts";

export type ReceivingModel = Pick<ModelSettings, "wire" | "provider" | "model" | "quirks">;

/**
 * Converts a conversation for the given model, whoever wrote it. Reasoning and `native` return to their author unchanged, and
 * are dropped for others. Calls and results are kept. What a vendor would refuse is repaired: one system message comes first,
 * turns alternate, and the first and the last are not the assistant's; every call has its own result, arguments that are JSON
 * and a valid id. Cache marks stay for vendors that read them. The function is pure and idempotent.
 */
export function convertHistory(messages: readonly Message[], to: ReceivingModel): Message[] {
  const readable = messages.filter((message) => message.role !== "system").map((message) => makeReadable(message, to));
  return [...joinSystemMessages(messages), ...groupTurns(withValidCallIds(pairHistory(readable), to))];
}

// Claude has one place for it, and the templates of many open models refuse it anywhere but at the start.
function joinSystemMessages(messages: readonly Message[]): Message[] {
  const said = messages.filter((message) => message.role === "system").filter(({ content }) => !isBlank(content));
  const content = said.map((message) => message.content.toWellFormed()).join("\n\n");
  return content === "" ? [] : [{ role: "system", content }];
}

function makeReadable(marked: Message, to: ReceivingModel): Message {
  const { cacheMark, ...unmarked } = marked;
  const message: Message = cacheMark && to.quirks.cacheMarks ? marked : unmarked;
  if (message.role === "system") return { ...message, content: message.content.toWellFormed() };
  if (message.role !== "assistant") {
    const readable = mapTexts(message.content, (text) => text.toWellFormed());
    return { ...message, content: message.role === "tool" && isBlankContent(readable) ? "(empty)" : readable };
  }
  const content = message.content.toWellFormed();
  const { reasoning, native, ...neutral } = message;
  const repaired: AssistantMessage = {
    ...neutral,
    content: isBlank(content) ? "" : content,
    toolCalls: message.toolCalls.map(withSoundArguments),
  };
  if (!isAuthor(to, message)) return repaired;
  return reasoning === undefined ? { ...repaired, native } : { ...repaired, reasoning, native };
}

function isAuthor({ wire, provider, model, quirks }: ReceivingModel, { native }: AssistantMessage): boolean {
  if (native === undefined || quirks.forgetsNative) return false;
  return native.wire === wire && native.provider === provider && native.model === model;
}

/**
 * Repairs broken arguments, because with them in the history DashScope refuses every later request. The result says what was
 * wrong with them.
 */
function withSoundArguments(call: ToolCall): ToolCall {
  const text = call.argumentsText.toWellFormed();
  if (call.arguments && text.trimStart().startsWith("{")) return { ...call, argumentsText: text };
  return { ...call, argumentsText: "{}", arguments: {} };
}

/**
 * Neighbours of the user become one message. Where two turns of the assistant meet, and where it would be the first or
 * the last, the user says a word: turns of several models are never made into one.
 */
function groupTurns(messages: readonly Message[]): Message[] {
  const turns: Message[] = [];
  for (const message of messages) {
    const previous = turns.at(-1);
    if (message.role === "user" && previous?.role === "user" && !previous.cacheMark) {
      turns[turns.length - 1] = { ...message, content: joinContents(previous.content, message.content) };
      continue;
    }
    if (message.role === "assistant" && (previous === undefined || previous.role === "assistant")) turns.push(goOn);
    turns.push(message);
  }
  const last = turns.at(-1);
  return last === undefined || last.role === "assistant" ? [...turns, goOn] : turns;
}

const goOn: Message = { role: "user", content: "(continue)" };

/**
 * Gives the calls of others, and their results, ids that the wire takes, each once in a conversation. Whoever wrote a
 * call gets it back under its own id. Takes a paired history.
 */
export function withValidCallIds(
  messages: readonly Message[],
  { wire, quirks }: Pick<ModelSettings, "wire" | "quirks">,
): Message[] {
  const form = quirks.nineLetterIds ? nineLetters : forms[wire];
  const taken = new Set(messages.flatMap(listOwnIds));
  let waiting: string[] = [];
  return messages.map((message) => {
    if (message.role === "tool") return { ...message, callId: waiting.shift() ?? message.callId };
    if (message.role !== "assistant") return message;
    const toolCalls = message.native
      ? message.toolCalls
      : message.toolCalls.map((call) => renameCall(call, form, taken));
    waiting = toolCalls.map((call) => call.id);
    return { ...message, toolCalls };
  });
}

interface IdForm {
  fits: RegExp;
  /** Returns the nth replacement, from 1 on, for an id that is invalid or taken. */
  instead(id: string, attempt: number): string;
}

const word: IdForm = {
  fits: /^[a-zA-Z0-9_-]{1,64}$/,
  instead(id, attempt) {
    const base = id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 32) || "call";
    return attempt === 1 ? base : `${base}-${attempt}`;
  },
};

const forms: Record<WireName, IdForm> = {
  // "Expected a string with maximum length 40"; of what it consists is not checked.
  "openai-chat": { ...word, fits: /^[\x21-\x7e]{1,40}$/ },
  "openai-responses": word,
  "anthropic-messages": word,
};

/** Mistral requires this: "Tool call id was ... but must be a-z, A-Z, 0-9, with a length of 9." */
const nineLetters: IdForm = {
  fits: /^[a-zA-Z0-9]{9}$/,
  instead(id, attempt) {
    const base = id
      .replace(/[^a-zA-Z0-9]/g, "")
      .slice(-9)
      .padStart(9, "0");
    const number = attempt === 1 ? "" : attempt.toString(36);
    return base.slice(0, 9 - number.length) + number;
  },
};

function listOwnIds(message: Message): string[] {
  return message.role === "assistant" && message.native ? message.toolCalls.map((call) => call.id) : [];
}

function renameCall(call: ToolCall, form: IdForm, taken: Set<string>): ToolCall {
  let id = call.id;
  for (let attempt = 1; taken.has(id) || !form.fits.test(id); attempt++) id = form.instead(call.id, attempt);
  taken.add(id);
  return id === call.id ? call : { ...call, id };
}

/**
 * Returns the conversation in the form that every vendor requires: each call is followed by exactly its own result, in the order
 * of the calls. A call that was never run gets a result that says so. A result without a call is removed, and so is an empty
 * message.
 */
export function pairHistory(messages: readonly Message[]): Message[] {
  const paired: (Message | Slot)[] = [];
  // Servers use an id again in later turns: then it means the later call.
  const open = new Map<string, Slot[]>();
  for (const message of messages) {
    if (message.role === "tool") {
      const slot = open.get(message.callId)?.shift();
      if (slot) slot.result = { ...message, tool: slot.call.name };
      continue;
    }
    const slots = message.role === "assistant" ? message.toolCalls.map((call): Slot => ({ call })) : [];
    if (slots.length === 0 && isBlankContent(message.content)) continue;
    paired.push(message, ...slots);
    for (const [id, sharing] of Map.groupBy(slots, ({ call }) => call.id)) open.set(id, sharing);
  }
  return paired.map((entry) => ("call" in entry ? (entry.result ?? toUnrunMessage(entry.call)) : entry));
}

/** Pairs a call with its result. */
interface Slot {
  call: ToolCall;
  result?: ToolMessage;
}

function toUnrunMessage(call: ToolCall): ToolMessage {
  return { role: "tool", callId: call.id, tool: call.name, content: "This call was not run.", ok: false };
}

/** Vendors check the names in the history too, and models make up names that break the rule. */
export function toWireToolName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unknown";
}

export function isBlank(text: string): boolean {
  return text.trim() === "";
}
