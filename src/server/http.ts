import type { Duet } from "../app.ts";
import type { Config } from "../config.ts";
import { createApi } from "./api/api.ts";
import { createFace, type FaceOptions } from "./face.ts";
import { readAddress } from "./http/address.ts";
import { openAuth } from "./http/auth/open-auth.ts";
import { chatPages } from "./http/chat-page.ts";
import { serveOverHttp } from "./http/serve.ts";
import { createOpenAiRoutes } from "./openai/openai.ts";
import { openOperations } from "./operations/operations.ts";
import { openRunRoom } from "./runs/room.ts";
import { tellWaiting } from "./tell-waiting.ts";

export interface HttpFaceOptions extends Omit<FaceOptions, "settings" | "asks" | "room"> {
  duet: Duet;
  config: Pick<Config, "serve" | "httpToken" | "tools">;
  /** `[HOST:]PORT`. */
  address: string;
  /** One line for the operator. */
  log(line: string): void;
  signal: AbortSignal;
}

/**
 * Serves the agent over HTTP until the signal aborts: MCP, the agent API, OpenAI's wire and the page, which share one set of
 * runs. Throws a `config` error for an address that is none.
 */
export async function serveDuetOverHttp({ duet, config, address, log, signal, ...options }: HttpFaceOptions) {
  const { locale } = duet;
  const { auth } = config.serve.http;
  const operations = openOperations();
  const room = openRunRoom(duet, { ...options, settings: config.serve, onBegin: operations.follow });
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
      routes: { ...createApi(room), ...createOpenAiRoutes(room), ...operations.routes },
      onChange(caller, listener) {
        const stop = [duet.gateway(caller).onChange(listener), face.runs.onChange(caller, () => listener("resources"))];
        return () => {
          for (const each of stop) each();
        };
      },
      isReady: async () => {
        await Promise.all([duet.models(), duet.store()]);
        return true;
      },
      locale,
      log,
      onListening: log,
      signal,
    });
  } finally {
    untell();
    operations.close();
  }
}
