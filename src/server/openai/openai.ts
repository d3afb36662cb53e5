import type { Route } from "../http/routes.ts";
import type { RunRoom } from "../runs/room.ts";

/** What programs that speak OpenAI's wire call: `/v1/chat/completions` and `/v1/models`. */
export function createOpenAiRoutes(_room: RunRoom): Readonly<Record<string, Route>> {
  return {};
}
