import { randomUUID } from "node:crypto";
import { OpenAI } from "openai/client";
import { requireKey, streamTurn } from "../call.ts";
import { failureOf, openClient } from "../openai-client.ts";
import type { WireModel } from "../repair.ts";
import type { ModelSettings } from "../settings.ts";
import { openTransport } from "../transport.ts";
import { type Extras, toResponsesRequest } from "./request.ts";
import { ResponseReader } from "./stream.ts";

/** A model on OpenAI's Responses wire. One attempt a call: retries and the total limit are wrappers. */
export function openResponsesModel(settings: ModelSettings): WireModel {
  const transport = openTransport();
  const client = openClient(settings, transport);
  const headers = { authorization: settings.apiKey ? `Bearer ${settings.apiKey}` : null };
  let extras: Extras = { summary: true, encryptedReasoning: true };
  return {
    provider: settings.provider,
    model: settings.model,
    async *stream(request, signal, quirks = settings.quirks) {
      requireKey(settings);
      const reader = new ResponseReader(settings, () => `call_${randomUUID().slice(0, 8)}`);
      // Calls run side by side: each judges a refusal by what it sent itself.
      let asked = extras;
      const post = (stop: AbortSignal) => {
        const body = toResponsesRequest(request, { ...settings, quirks }, asked);
        return client.post("/responses", { body, headers, signal: stop }).asResponse();
      };
      const send = async (stop: AbortSignal): Promise<Response> => {
        for (;;) {
          try {
            return await post(stop);
          } catch (thrown) {
            const fewer = withoutRefused(asked, thrown);
            if (!fewer) throw thrown;
            asked = fewer;
            extras = {
              summary: extras.summary && fewer.summary,
              encryptedReasoning: extras.encryptedReasoning && fewer.encryptedReasoning,
            };
          }
        }
      };
      yield* streamTurn({ settings, request, transport, reader, send, failureOf }, signal);
    },
  };
}

// Summaries are for verified organisations, encrypted reasoning is for models that reason; an answer needs neither.
function withoutRefused(extras: Extras, thrown: unknown): Extras | undefined {
  if (!(thrown instanceof OpenAI.APIError) || thrown.status !== 400) return undefined;
  if (extras.summary && thrown.param === "reasoning.summary") return { ...extras, summary: false };
  if (extras.encryptedReasoning && thrown.param === "include") return { ...extras, encryptedReasoning: false };
  return undefined;
}
