import type { RunService } from "../../runs/run-service.ts";
import { readJsonBody, toFileBodyLimit } from "../http/request/read-body.ts";
import type { Handle, Route } from "../http/routes.ts";
import { waitForAnswer } from "../model-api/answer/answer-events.ts";
import { openAnswer } from "../model-api/answer/open-answer.ts";
import { streamAnswer } from "../model-api/answer/stream-answer.ts";
import { withAsker } from "../model-api/find-asker.ts";
import { toConversation } from "../model-api/to-conversation.ts";
import { createChunkWriter } from "./chunk-writer.ts";
import { createCompletionId, toCompletion } from "./completion.ts";
import { createModelRoutes } from "./model-routes.ts";
import { readChat } from "./read-chat.ts";
import { readMessages } from "./read-messages.ts";

/** Serves programs that use OpenAI's API: `/v1/chat/completions` and `/v1/models`. */
export function createOpenAiRoutes(service: RunService): Readonly<Record<string, Route>> {
  const models = createModelRoutes(Date.now());
  return {
    "/v1/chat/completions": { POST: createChat(service) },
    "/v1/models": { GET: models.list },
    "/v1/models/:id": { GET: models.one },
  };
}

/** Serves `POST /v1/chat/completions`. */
export function createChat(service: RunService): Handle {
  return async (given) => {
    const asked = readChat(await readJsonBody(given, toFileBodyLimit(service.settings.http.maxBody)));
    const call = withAsker(given, service.settings.modelApi, asked.user);
    const conversation = toConversation(readMessages(asked.messages), asked.fields);
    const opened = await openAnswer(service, { ...asked, conversation }, call);
    const { run, locale } = opened;
    const naming = createCompletionId(opened.id, asked.model);
    if (asked.isStreamed)
      return streamAnswer(opened, createChunkWriter({ naming, includesUsage: asked.includesUsage, locale }));
    const headers = { "x-request-id": run.id };
    return Response.json(toCompletion(naming, await waitForAnswer(opened)), { headers });
  };
}
