import { randomUUID } from "node:crypto";
import { requireKey, streamTurn } from "../call.ts";
import { failureOf, openClient } from "../openai-client.ts";
import type { WireModel } from "../repair.ts";
import type { ModelSettings } from "../settings.ts";
import { openTransport } from "../transport.ts";
import { toChatRequest } from "./request.ts";
import { ChatReader } from "./stream.ts";

/** A model on OpenAI's chat completions wire. One attempt a call: retries and the total limit are wrappers. */
export function openChatModel(settings: ModelSettings): WireModel {
  const transport = openTransport();
  const client = openClient(settings, transport);
  const headers = { authorization: settings.apiKey ? `Bearer ${settings.apiKey}` : null };
  return {
    provider: settings.provider,
    model: settings.model,
    async *stream(request, signal, quirks = settings.quirks) {
      requireKey(settings);
      const body = toChatRequest(request, { ...settings, quirks });
      const reader = new ChatReader(settings, () => `call_${randomUUID().slice(0, 8)}`);
      const send = (stop: AbortSignal) =>
        client.post("/chat/completions", { body, headers, signal: stop }).asResponse();
      yield* streamTurn({ settings, request, transport, reader, send, failureOf }, signal);
    },
  };
}
