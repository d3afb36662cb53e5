import { randomUUID } from "node:crypto";
import { Anthropic } from "@anthropic-ai/sdk/client";
import { requireKey, streamTurn } from "../call.ts";
import type { HttpFailure } from "../errors.ts";
import type { WireModel } from "../repair.ts";
import type { ModelSettings } from "../settings.ts";
import { openTransport } from "../transport.ts";
import { toMessagesRequest } from "./request.ts";
import { MessageReader } from "./stream.ts";

/** A model on Anthropic's Messages wire. One attempt a call: retries and the total limit are wrappers. */
export function openMessagesModel(settings: ModelSettings): WireModel {
  const transport = openTransport();
  const client = new Anthropic({
    // Everything that the package would otherwise take from the environment is set.
    apiKey: settings.apiKey ?? "none",
    webhookKey: null,
    openTelemetry: false,
    // The package adds "/v1" itself; addresses are often written down with it.
    baseURL: settings.baseUrl.replace(/\/v1$/, ""),
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
      const body = toMessagesRequest(request, { ...settings, quirks });
      const reader = new MessageReader(settings, () => `toolu_${randomUUID().slice(0, 8)}`);
      const send = (stop: AbortSignal) => client.post("/v1/messages", { body, headers, signal: stop }).asResponse();
      yield* streamTurn({ settings, request, transport, reader, send, failureOf }, signal);
    },
  };
}

function failureOf(thrown: unknown): HttpFailure | undefined {
  if (!(thrown instanceof Anthropic.APIError) || thrown.status === undefined) return undefined;
  return { status: thrown.status, headers: thrown.headers, body: thrown.error ?? thrown.message.slice(4) };
}
