import { createServer, type ServerResponse } from "node:http";
import type { Locale } from "../../kit/locale.ts";
import { callbackHeaders, renderCallbackPage } from "./callback-page.ts";

/** Where the browser comes back to, on this machine only. */
export interface CallbackListener {
  readonly redirectUrl: string;
  /** The parameters of the first call that `isOurs` takes. */
  readonly called: Promise<URLSearchParams>;
  /** Tells the browser how it ended, and closes. */
  close(outcome: "done" | "failed"): Promise<void>;
}

const path = "/callback";

/** Listens on a port, or on any free one when that is undefined. Rejects with what the system says. */
export async function listenForCallback(
  port: number | undefined,
  { isOurs, locale }: { isOurs(parameters: URLSearchParams): boolean; locale: Locale },
): Promise<CallbackListener> {
  const { promise: called, resolve } = Promise.withResolvers<URLSearchParams>();
  let waiting: ServerResponse | undefined;
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? "", "http://127.0.0.1");
    if (request.method !== "GET" || url?.pathname !== path) return void response.writeHead(404).end();
    if (waiting !== undefined || !isOurs(url.searchParams)) {
      return void response.writeHead(400, callbackHeaders).end(renderCallbackPage("stranger", locale));
    }
    waiting = response;
    resolve(url.searchParams);
  });
  await new Promise<void>((done, fail) => server.once("error", fail).listen(port ?? 0, "127.0.0.1", done));
  server.on("error", () => {});
  const address = server.address();
  const taken = typeof address === "object" && address !== null ? address.port : port;
  return {
    redirectUrl: `http://127.0.0.1:${taken}${path}`,
    called,
    async close(outcome) {
      const page = waiting;
      if (page !== undefined && !page.destroyed) {
        page.writeHead(outcome === "done" ? 200 : 400, callbackHeaders);
        await new Promise<void>((done) => page.once("close", done).end(renderCallbackPage(outcome, locale)));
      }
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}
