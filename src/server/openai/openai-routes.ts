import type { RunService } from "../../runs/run-service.ts";
import type { Route } from "../http/routes.ts";
import { createChat } from "./chat.ts";
import { createModelRoutes } from "./models.ts";

/** What programs that speak OpenAI's wire call: `/v1/chat/completions` and `/v1/models`. */
export function createOpenAiRoutes(service: RunService): Readonly<Record<string, Route>> {
  const models = createModelRoutes(Date.now());
  return {
    "/v1/chat/completions": { POST: createChat(service) },
    "/v1/models": { GET: models.list },
    "/v1/models/:id": { GET: models.one },
  };
}
