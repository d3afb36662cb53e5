import { randomUUID } from "node:crypto";
import { OpenAI } from "openai/client";
import { requireKey, streamTurn } from "../call.ts";
import type { HttpFailure } from "../errors.ts";
import type { WireModel } from "../repair.ts";
import type { ModelSettings } from "../settings.ts";
import { openTransport } from "../transport.ts";
import { toChatRequest } from "./request.ts";
import { ChatReader } from "./stream.ts";

/** A model on OpenAI's chat completions wire. One attempt a call: retries and the total limit are wrappers. */
export function openChatModel(settings: ModelSettings): WireModel {
  const transport = openTransport();
  const client = new OpenAI({
    // Everything that the package would otherwise take from the environment is set.
    apiKey: settings.apiKey ?? "none",
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: settings.baseUrl,
    fetch: transport.fetch,
    logLevel: "off",
    maxRetries: 0,
    timeout: 2 ** 31 - 1,
  });
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
      yield* streamTurn({ settings, transport, reader, send, failureOf }, signal);
    },
  };
}

function failureOf(thrown: unknown): HttpFailure | undefined {
  if (!(thrown instanceof OpenAI.APIError) || thrown.status === undefined) return undefined;
  return { status: thrown.status, headers: thrown.headers, body: thrown.error ?? thrown.message.slice(4) };
}
