import type { Duet } from "../app.ts";
import type { Config } from "../config.ts";
import { createFace, type FaceOptions } from "./face.ts";
import { readAddress } from "./http/address.ts";
import { openAuth } from "./http/auth/open-auth.ts";
import { serveOverHttp } from "./http/serve.ts";
import { tellWaiting } from "./tell-waiting.ts";

export interface HttpFaceOptions extends Omit<FaceOptions, "settings" | "asks"> {
  duet: Duet;
  config: Pick<Config, "serve" | "httpToken" | "tools">;
  /** `[HOST:]PORT`. */
  address: string;
  /** One line for the operator. */
  log(line: string): void;
  signal: AbortSignal;
}

/** Serves the agent over HTTP until the signal aborts. Throws a `config` error for an address that is none. */
export async function serveDuetOverHttp({ duet, config, address, log, signal, ...options }: HttpFaceOptions) {
  const { locale } = duet;
  const { auth } = config.serve.http;
  const face = createFace(duet, { ...options, settings: config.serve, asks: config.tools.ask });
  const untell = tellWaiting({ gateway: duet.gateway(), locale, log });
  try {
    await serveOverHttp({
      ...readAddress(address),
      createServer: face.createServer,
      settings: config.serve.http,
      token: config.httpToken,
      openAuth: auth && ((resource) => openAuth(auth, { resource, locale, log })),
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
  }
}
