import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { toHttpConnection } from "./connection.ts";
import { sendStream } from "./response/send-stream.ts";
import type { Routes } from "./routes.ts";

/** What is served here must not change the whole process: the globals stay as they are. */
const ours = { overrideGlobalObjects: false };

/** Joins Node's requests to web-standard ones. */
export function createListener(routes: Routes): RequestListener {
  async function respond(request: Request, incoming: IncomingMessage, outgoing: ServerResponse): Promise<Response> {
    const response = await routes.fetch(request, { connection: toHttpConnection(incoming, outgoing) });
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
    // What the package would say in its place has the cause in it.
    await sendStream(response, outgoing).catch(() => outgoing.destroy());
    return RESPONSE_ALREADY_SENT;
  }
  return (incoming, outgoing) => {
    const answer = getRequestListener((request) => respond(request, incoming, outgoing), ours);
    void answer(incoming, outgoing);
  };
}
