import type { Duet } from "../../app/open-duet.ts";
import type { Config } from "../../config/load-config.ts";
import { say } from "../../kit/locale.ts";
import { openRunRoom, type RunRoom } from "../../runs/run-service.ts";
import { createApi } from "../api/api.ts";
import type { ToldConfig } from "../api/settings.ts";
import { createFace, type FaceOptions } from "../mcp/mcp-interface.ts";
import { tellWaiting } from "../mcp/report-unapproved.ts";
import { createOpenAiRoutes } from "../openai/openai-routes.ts";
import { finishRuns } from "../operations/finish-runs.ts";
import type { Log } from "../operations/log.ts";
import { type Operations, openOperations } from "../operations/operations.ts";
import { findReadiness } from "../operations/readiness.ts";
import { readAddress } from "./address.ts";
import { openAuth } from "./auth/open-auth.ts";
import { chatPages } from "./chat-page.ts";
import { pageLine } from "./page-line.ts";
import type { Route } from "./routes.ts";
import { serveOverHttp } from "./serve-http.ts";

export interface HttpFaceOptions extends Omit<FaceOptions, "settings" | "asks" | "room"> {
  duet: Duet;
  config: Pick<Config, "serve" | "models" | "httpToken" | "tools"> & ToldConfig;
  /** `[HOST:]PORT`. */
  address: string;
  log: Log;
  signal: AbortSignal;
  /** Aborts when what goes on then is no longer to be waited for. */
  hurry?: AbortSignal | undefined;
}

/**
 * Serves the agent over HTTP until the signal aborts: MCP, the agent API, OpenAI's wire and the page, which share one set of
 * runs. Throws a `config` error for an address that is none.
 */
export async function serveDuetOverHttp({ duet, config, address, log, signal, hurry, ...options }: HttpFaceOptions) {
  const { locale } = duet;
  const { auth, grace } = config.serve.http;
  const operations = openOperations();
  const room = openRunRoom(duet, {
    ...options,
    settings: config.serve,
    onBegin(run) {
      operations.follow(run);
      options.onBegin?.(run);
    },
    onEnd(run) {
      operations.ended(run);
      options.onEnd?.(run);
    },
  });
  const face = createFace(duet, { ...options, settings: config.serve, asks: config.tools.ask, room });
  const untell = tellWaiting({ gateway: duet.gateway(), locale, log });
  try {
    await serveOverHttp({
      ...readAddress(address),
      createServer: face.createServer,
      settings: config.serve.http,
      token: config.httpToken,
      openAuth: auth && ((resource) => openAuth(auth, { resource, locale, log })),
      open: chatPages(),
      routes: joinRoutes(room, config, operations),
      onChange(caller, listener) {
        const stop = [duet.gateway(caller).onChange(listener), face.runs.onChange(caller, () => listener("resources"))];
        return () => {
          for (const each of stop) each();
        };
      },
      readiness: () => findReadiness(duet, config),
      onAnswer: operations.answered,
      finish: (inFlight) => finishRuns({ runs: room.runs, inFlight, graceMs: grace * 1000, hurry, locale, log }),
      locale,
      log,
      onListening(url) {
        log(url);
        log(say(locale, pageLine(config, url)));
      },
      signal,
    });
  } finally {
    untell();
    operations.close();
  }
}

/** What is served by path, beside MCP, health and the page. */
export function joinRoutes(room: RunRoom, config: ToldConfig, operations: Pick<Operations, "routes">): RoutesByPath {
  return { ...createApi(room, config), ...createOpenAiRoutes(room), ...operations.routes };
}

type RoutesByPath = Readonly<Record<string, Route>>;
