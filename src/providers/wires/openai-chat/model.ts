import { randomUUID } from "node:crypto";
import { type Model, type OnModelEvent, withCall } from "../../../core/model/model.ts";
import type { ModelSettings } from "../../../core/model/model-settings.ts";
import { openModelTransport } from "../../clouds/open-model-transport.ts";
import type { WireRequest } from "../../middleware/repair.ts";
import { readFileData } from "../file-data.ts";
import { toAddress } from "../request-address.ts";
import { streamTurn } from "../stream-turn.ts";
import { toChatRequest } from "./request.ts";
import { ChatReader } from "./stream.ts";

/** Opens a model on OpenAI's chat completions API. Each call makes one attempt; retries and the total time limit are wrappers. */
export function openChatModel(settings: ModelSettings): Model {
  const transport = openModelTransport(settings);
  const address = toAddress(settings, "/chat/completions");
  return withCall({
    provider: settings.provider,
    model: settings.model,
    async stream({ quirks = settings.quirks, ...request }: WireRequest, onEvent: OnModelEvent, signal: AbortSignal) {
      const body = toChatRequest(request, { ...settings, quirks }, await readFileData(request));
      const reader = new ChatReader(settings, () => `call_${randomUUID().slice(0, 8)}`);
      const send = (stop: AbortSignal) => transport.post(address, body, stop);
      return streamTurn({ settings, request, reader, send }, onEvent, signal);
    },
  });
}
