import { randomUUID } from "node:crypto";
import { type Model, type OnModelEvent, withCall } from "../../../core/model/model.ts";
import type { ModelSettings } from "../../../core/model/model-settings.ts";
import { isRecord } from "../../../kit/json.ts";
import { openModelTransport } from "../../clouds/open-model-transport.ts";
import type { WireRequest } from "../../middleware/repair.ts";
import { readFileData } from "../file-data.ts";
import { toAddress } from "../request-address.ts";
import { streamTurn } from "../stream-turn.ts";
import { HttpRefusal, type TransportResponse } from "../transport.ts";
import { type Extras, toResponsesRequest } from "./request.ts";
import { ResponseReader } from "./stream.ts";

/** Opens a model on OpenAI's Responses API. Each call makes one attempt; retries and the total time limit are wrappers. */
export function openResponsesModel(settings: ModelSettings): Model {
  const transport = openModelTransport(settings);
  const address = toAddress(settings, "/responses");
  let extras: Extras = { summary: true, encryptedReasoning: true };
  return withCall({
    provider: settings.provider,
    model: settings.model,
    async stream({ quirks = settings.quirks, ...request }: WireRequest, onEvent: OnModelEvent, signal: AbortSignal) {
      const data = await readFileData(request);
      const reader = new ResponseReader(settings, () => `call_${randomUUID().slice(0, 8)}`);
      // Calls run side by side: each judges a refusal by what it sent itself.
      let asked = extras;
      const post = (stop: AbortSignal) =>
        transport.post(address, toResponsesRequest(request, { ...settings, quirks }, asked, data), stop);
      const send = async (stop: AbortSignal): Promise<TransportResponse> => {
        for (;;) {
          try {
            return await post(stop);
          } catch (thrown) {
            const fewer = removeRefused(asked, thrown);
            if (!fewer) throw thrown;
            asked = fewer;
            extras = {
              summary: extras.summary && fewer.summary,
              encryptedReasoning: extras.encryptedReasoning && fewer.encryptedReasoning,
            };
          }
        }
      };
      return streamTurn({ settings, request, reader, send }, onEvent, signal);
    },
  });
}

// Summaries are for verified organisations, encrypted reasoning is for models that reason; an answer needs neither.
function removeRefused(extras: Extras, thrown: unknown): Extras | undefined {
  if (!(thrown instanceof HttpRefusal) || thrown.status !== 400) return undefined;
  const param = findRefusedParameter(thrown.body);
  if (extras.summary && param === "reasoning.summary") return { ...extras, summary: false };
  if (extras.encryptedReasoning && param === "include") return { ...extras, encryptedReasoning: false };
  return undefined;
}

function findRefusedParameter(body: string): unknown {
  try {
    const said: unknown = JSON.parse(body);
    return isRecord(said) && isRecord(said.error) ? said.error.param : undefined;
  } catch {
    return undefined;
  }
}
