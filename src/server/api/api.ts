import type { RunService } from "../../runs/run-service.ts";
import type { Route } from "../http/routes.ts";
import { type ApiTimes, defaultTimes, openApiContext } from "./api-context.ts";
import { createChatRoute } from "./chat.ts";
import { createConversationRoutes } from "./conversations.ts";
import { createOpenApiRoute } from "./openapi/openapi-route.ts";
import { createTraceRoute } from "./run-trace.ts";
import { createRunRoutes } from "./runs.ts";
import { createSettingsRoute, type ExposedConfig } from "./settings.ts";

/** The agent API of the contract's section 7: its routes by path. */
export function createApi(
  service: RunService,
  config: ExposedConfig,
  times: ApiTimes = defaultTimes,
): Readonly<Record<string, Route>> {
  const shared = openApiContext(service, times);
  return {
    "/agent/chat": { POST: createChatRoute(shared) },
    ...createRunRoutes(shared),
    "/agent/runs/:id/trace": createTraceRoute(service),
    ...createConversationRoutes(service),
    "/agent/settings": createSettingsRoute(service, config),
    "/openapi.json": createOpenApiRoute(service),
  };
}
