import { randomUUID } from "node:crypto";
import { type Model, type OnModelEvent, withCall } from "../../../core/model/model.ts";
import type { ModelSettings } from "../../../core/model/model-settings.ts";
import { openModelTransport } from "../../clouds/open-model-transport.ts";
import type { WireRequest } from "../../middleware/repair.ts";
import { readFileData } from "../file-data.ts";
import { toAddress } from "../request-address.ts";
import { streamTurn } from "../stream-turn.ts";
import { apiVersion } from "./api-version.ts";
import { toMessagesRequest } from "./request.ts";
import { MessageReader } from "./stream.ts";

/** Opens a model on Anthropic's Messages API. Each call makes one attempt; retries and the total time limit are wrappers. */
export function openMessagesModel(settings: ModelSettings): Model {
  const transport = openModelTransport(settings);
  // Addresses are often written down with "/v1".
  const baseUrl = settings.baseUrl.replace(/\/v1$/, "");
  const address = toAddress({ ...settings, baseUrl }, "/v1/messages", { "anthropic-version": apiVersion });
  return withCall({
    provider: settings.provider,
    model: settings.model,
    async stream({ quirks = settings.quirks, ...request }: WireRequest, onEvent: OnModelEvent, signal: AbortSignal) {
      const body = toMessagesRequest(request, { ...settings, quirks }, await readFileData(request));
      const reader = new MessageReader(settings, () => `toolu_${randomUUID().slice(0, 8)}`);
      const send = (stop: AbortSignal) => transport.post(address, body, stop);
      return streamTurn({ settings, request, reader, send }, onEvent, signal);
    },
  });
}
