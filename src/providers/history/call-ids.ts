import type { Message, ToolCall } from "../../core/messages.ts";
import type { ModelSettings, WireName } from "../../core/model-settings.ts";

/**
 * Gives the calls of others, and their results, ids that the wire takes, each once in a conversation. Whoever wrote a
 * call gets it back under its own id. Takes a paired history.
 */
export function withValidCallIds(
  messages: readonly Message[],
  { wire, quirks }: Pick<ModelSettings, "wire" | "quirks">,
): Message[] {
  const form = quirks.nineLetterIds ? nineLetters : forms[wire];
  const taken = new Set(messages.flatMap(ownIds));
  let waiting: string[] = [];
  return messages.map((message) => {
    if (message.role === "tool") return { ...message, callId: waiting.shift() ?? message.callId };
    if (message.role !== "assistant") return message;
    const toolCalls = message.native ? message.toolCalls : message.toolCalls.map((call) => renamed(call, form, taken));
    waiting = toolCalls.map((call) => call.id);
    return { ...message, toolCalls };
  });
}

interface IdForm {
  fits: RegExp;
  /** The nth id to try instead of one that does not fit, or is taken; from 1. */
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

/** Mistral: "Tool call id was ... but must be a-z, A-Z, 0-9, with a length of 9." */
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

function ownIds(message: Message): string[] {
  return message.role === "assistant" && message.native ? message.toolCalls.map((call) => call.id) : [];
}

function renamed(call: ToolCall, form: IdForm, taken: Set<string>): ToolCall {
  let id = call.id;
  for (let attempt = 1; taken.has(id) || !form.fits.test(id); attempt++) id = form.instead(call.id, attempt);
  taken.add(id);
  return id === call.id ? call : { ...call, id };
}
