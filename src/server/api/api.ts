import type { RunRoom } from "../../runs/run-service.ts";
import type { Route } from "../http/routes.ts";
import { type ApiTimes, openApiRoom, usualTimes } from "./api-context.ts";
import { chatRoute } from "./chat.ts";
import { conversationRoutes } from "./conversations.ts";
import { openApiRoute } from "./openapi/openapi-route.ts";
import { traceRoute } from "./run-trace.ts";
import { runRoutes } from "./runs.ts";
import { settingsRoute, type ToldConfig } from "./settings.ts";

/** The agent API of the contract's section 7: its routes by path. */
export function createApi(
  room: RunRoom,
  config: ToldConfig,
  times: ApiTimes = usualTimes,
): Readonly<Record<string, Route>> {
  const shared = openApiRoom(room, times);
  return {
    "/agent/chat": { POST: chatRoute(shared) },
    ...runRoutes(shared),
    "/agent/runs/:id/trace": traceRoute(room),
    ...conversationRoutes(room),
    "/agent/settings": settingsRoute(room, config),
    "/openapi.json": openApiRoute(room),
  };
}
