import { randomUUID } from "node:crypto";
import { Anthropic } from "@anthropic-ai/sdk/client";
import type { ModelSettings } from "../../../core/model-settings.ts";
import type { WireModel } from "../../middleware/repair.ts";
import { signOnce } from "../sign-requests.ts";
import { streamTurn } from "../stream-turn.ts";
import { openTransport } from "../transport.ts";
import { toMessagesRequest } from "./request.ts";
import { MessageReader } from "./stream.ts";

/** Opens a model on Anthropic's Messages API. Each call makes one attempt; retries and the total time limit are wrappers. */
export function openMessagesModel(settings: ModelSettings): WireModel {
  const transport = openTransport();
  const client = new Anthropic({
    // Everything that the package would otherwise take from the environment is set.
    apiKey: settings.apiKey ?? "none",
    webhookKey: null,
    openTelemetry: false,
    // The package adds "/v1" itself; addresses are often written down with it.
    baseURL: settings.baseUrl.replace(/\/v1$/, ""),
    logLevel: "off",
  });
  const sign = signOnce(client, "/v1/messages", settings.apiKey);
  return {
    provider: settings.provider,
    model: settings.model,
    stream(request, signal, quirks = settings.quirks) {
      const body = toMessagesRequest(request, { ...settings, quirks });
      const reader = new MessageReader(settings, () => `toolu_${randomUUID().slice(0, 8)}`);
      const send = async (stop: AbortSignal) => transport.post(await sign(), body, stop);
      return streamTurn({ settings, request, reader, send }, signal);
    },
  };
}
