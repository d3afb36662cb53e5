import { onTestFinished } from "vitest";
import type { Duet } from "../../../src/app/duet.ts";
import { openDuet } from "../../../src/app/open-duet.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import type { Caller } from "../../../src/core/caller.ts";
import type { Model } from "../../../src/core/model/model.ts";
import { openRunService, type RunService } from "../../../src/runs/run-service.ts";
import { createApi } from "../../../src/server/api/api.ts";
import { createResponsesRoutes } from "../../../src/server/responses/responses-routes.ts";
import { startHttpFace } from "../../fakes/http-interface.ts";

export interface ApiForCallers {
  duet: Duet;
  service: RunService;
  /** As `who`, an owner; the operator when absent. */
  call(path: string, who?: string, method?: "GET" | "DELETE"): Promise<Response>;
  post(path: string, who: string, body: object): Promise<Response>;
}

/** The agent API and the Responses API for callers who say who they are, on a real socket; `known` may use fewer tools. */
export async function serveCallers(model: Model, known: readonly Caller[] = []): Promise<ApiForCallers> {
  const search = { searxng: { url: "http://127.0.0.1:9" } };
  const settings = { conversations: { store: "memory" }, locale: "en", search };
  const config = await loadConfig({}, {}, "/nowhere", { name: "test", settings });
  const duet = await openDuet(config, { models: { functionCall: model, answer: model } });
  const service = openRunService(duet, { settings: config.serve });
  const face = await startHttpFace({
    routes: { ...createApi(service, config), ...createResponsesRoutes(service) },
    async authenticate({ headers }) {
      const owner = headers.get("authorization") ?? undefined;
      return { caller: known.find((caller) => caller.owner === owner) ?? { owner } };
    },
  });
  onTestFinished(async () => {
    await face.close();
    await duet.close();
  });
  const { origin } = new URL(face.url);
  return {
    duet,
    service,
    post: (path, who, body) =>
      fetch(`${origin}${path}`, {
        method: "POST",
        headers: { authorization: who, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    call: (path, who, method = "GET") =>
      fetch(`${origin}${path}`, { method, headers: who === undefined ? {} : { authorization: who } }),
  };
}
