import type { Message } from "../../../src/core/model/messages.ts";
import type { ModelEvent, ModelRequest, Turn } from "../../../src/core/model/model.ts";
import type { ModelSettings, Quirks, WireName } from "../../../src/core/model/model-settings.ts";
import { toMessagesRequest } from "../../../src/providers/wires/anthropic-messages/request.ts";
import { MessageReader } from "../../../src/providers/wires/anthropic-messages/stream.ts";
import { toChatRequest } from "../../../src/providers/wires/openai-chat/request.ts";
import { ChatReader } from "../../../src/providers/wires/openai-chat/stream.ts";
import { toResponsesRequest } from "../../../src/providers/wires/openai-responses/request.ts";
import { ResponseReader } from "../../../src/providers/wires/openai-responses/stream.ts";
import { readStreamData } from "../../fakes/event-stream.ts";
import type { FakeTurn, JournalEntry } from "../../fakes/provider.ts";
import { createMemory, type Memory } from "../../fakes/provider-memory.ts";
import { responsePieces } from "../../fakes/provider-responses.ts";
import { checkChatRequest, checkMessagesRequest, type Refusal } from "../../fakes/provider-rules.ts";
import { checkReasoning } from "../../fakes/provider-rules-reasoning.ts";
import { checkResponsesRequest } from "../../fakes/provider-rules-responses.ts";
import { chatPieces, messagePieces, type Piece } from "../../fakes/provider-wires.ts";
import { settings } from "../reading.ts";

/** A model as one of the wires serves it, with the rules of its vendor. */
export interface WireCase {
  name: string;
  settings: ModelSettings;
}

function wireCase(name: string, wire: WireName, model: string, quirks: Quirks, more: Partial<ModelSettings> = {}) {
  return { name, settings: settings({ wire, provider: name, model, quirks, ...more }) };
}

const unsigned = { google: { thought_signature: "skip_thought_signature_validator" } };

export const wireCases: WireCase[] = [
  wireCase("chat", "openai-chat", "gpt-4o", {}),
  wireCase("deepseek", "openai-chat", "deepseek-flash", { echoReasoning: true }),
  wireCase("kimi", "openai-chat", "kimi-k3", { echoReasoning: true, noSampling: "always" }),
  wireCase("gemini", "openai-chat", "gemini-3.8-flash", { foreignCallExtra: unsigned }),
  wireCase("responses", "openai-responses", "gpt-6.1-terra", { noSampling: "always" }),
  wireCase(
    "anthropic",
    "anthropic-messages",
    "claude-sonnet-5-5",
    { adaptiveThinking: true, noSampling: "always" },
    { reasoningEffort: "high" },
  ),
  wireCase(
    "anthropic with a budget",
    "anthropic-messages",
    "claude-haiku-4-5",
    { budgetThinking: true, noSampling: "while-reasoning" },
    { reasoningEffort: "low" },
  ),
];

export const wirePairs = wireCases.flatMap((from) => wireCases.map((to) => ({ from, to })));

/** What a provider of the fakes would say to the request; undefined when it takes it. */
export function refusalOf(request: ModelRequest, { settings: to }: WireCase, memory: Memory): Refusal | undefined {
  const entry = entryOf(to, bodyOf(request, to));
  return checks[to.wire](entry) ?? checkReasoning(entry, memory.sent);
}

/** The body as it goes over the wire. */
export function bodyOf(request: ModelRequest, to: ModelSettings): Record<string, unknown> {
  return JSON.parse(JSON.stringify(bodies[to.wire](request, to)));
}

/** A turn as the model gives it out over its wire, read as ours. */
export function turnOf(turn: FakeTurn, { settings: author }: WireCase, memory: Memory, asked: Message[] = []): Turn {
  const entry = entryOf(author, { input: asked });
  let made = 0;
  const reader = readers[author.wire](author, () => `made_${++made}`);
  const out: ModelEvent[] = [];
  for (const { text } of pieces[author.wire](memory.sign(turn, entry), entry)) {
    for (const data of readStreamData(text)) reader.read({ data }, out);
  }
  return reader.finishTurn();
}

export { createMemory };

function entryOf({ wire, model }: ModelSettings, body: Record<string, unknown>): JournalEntry {
  const headers = { authorization: "Bearer x", "x-api-key": "x", "anthropic-version": "x" };
  return { wire, path: "", model, headers, body, at: 0, aborted: false };
}

const bodies: Record<WireName, (request: ModelRequest, to: ModelSettings) => object> = {
  "openai-chat": toChatRequest,
  "openai-responses": toResponsesRequest,
  "anthropic-messages": toMessagesRequest,
};

const readers: Record<
  WireName,
  (author: ModelSettings, newId: () => string) => ChatReader | ResponseReader | MessageReader
> = {
  "openai-chat": (author, newId) => new ChatReader(author, newId),
  "openai-responses": (author, newId) => new ResponseReader(author, newId),
  "anthropic-messages": (author, newId) => new MessageReader(author, newId),
};

const pieces: Record<WireName, (turn: FakeTurn, entry: JournalEntry) => Iterable<Piece>> = {
  "openai-chat": chatPieces,
  "openai-responses": responsePieces,
  "anthropic-messages": messagePieces,
};

const checks: Record<WireName, (entry: JournalEntry) => Refusal | undefined> = {
  "openai-chat": checkChatRequest,
  "openai-responses": checkResponsesRequest,
  "anthropic-messages": checkMessagesRequest,
};
