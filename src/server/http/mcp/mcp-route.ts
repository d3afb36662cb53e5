import { isLegacyRequest, type McpServer } from "@modelcontextprotocol/server";
import type { Caller } from "../../../core/caller.ts";
import type { FindRecords } from "../../../core/store/shared-records.ts";
import type { Locale } from "../../../kit/locale.ts";
import type { Message } from "../../mcp/check-message.ts";
import type { ConnectionDetails } from "../../mcp/mcp-interface.ts";
import type { Log } from "../../operations/log.ts";
import { readRequestBody, toFileBodyLimit } from "../request/read-body.ts";
import { readMessage } from "../request/read-message.ts";
import type { HttpRefusal } from "../response/dialects.ts";
import type { InFlight } from "../response/in-flight.ts";
import { closing, HttpRefusalError } from "../response/refusal.ts";
import type { RouteCall } from "../routes.ts";
import type { StopRuns } from "./abandoned-runs.ts";
import { createPassedMessages } from "./passed-messages.ts";
import { createRequests, type FollowResources, type OnChange } from "./requests.ts";
import { createSessions } from "./sessions.ts";
import { createSharedSessions } from "./shared-sessions.ts";

export interface McpRouteOptions {
  /** Creates one server for each session of the 2025 protocol and each request of the 2026 protocol. */
  createServer(caller: Caller, isOneRequest: boolean, details?: ConnectionDetails): Promise<McpServer>;
  onChange?: OnChange | undefined;
  followResources?: FollowResources | undefined;
  /** Limits one message, in bytes. */
  maxBody: number;
  maxSessions: number;
  inFlight: InFlight;
  /** Opens what machines share, where sessions are then known to all; absent where this one keeps its own. */
  findRecords?: FindRecords | undefined;
  /** Stops the runs of requests whose process no longer answers, where machines share them. */
  stopRuns?: StopRuns | undefined;
  sessionIdleMs: number;
  locale: Locale;
  log: Log;
}

/** Serves both eras of the protocol at `/mcp`. */
export interface McpRoute {
  handle(call: RouteCall): Promise<Response>;
  /** Ends all sessions, requests and streams. */
  close(): Promise<void>;
}

export function createMcpRoute(options: McpRouteOptions): McpRoute {
  const { createServer, onChange, followResources, inFlight, maxBody, maxSessions, sessionIdleMs, locale, log } =
    options;
  const { findRecords } = options;
  const shared = findRecords && {
    sessions: createSharedSessions(findRecords, sessionIdleMs),
    messages: createPassedMessages(findRecords),
    stopRuns: options.stopRuns,
  };
  const sessions = createSessions({ createServer, most: maxSessions, idleMs: sessionIdleMs, locale, shared });
  const requests = createRequests({ createServer, onChange, followResources, most: maxSessions, locale, log });
  let isClosed = false;

  /** Reads the body once, here, so that no later reader can exceed the limit. */
  async function readPost(call: Pick<RouteCall, "request" | "connection">): Promise<Message | HttpRefusal> {
    const text = await readRequestBody(call, toFileBodyLimit(maxBody));
    return typeof text === "string" ? readMessage(text) : text;
  }

  return {
    async handle({ request, caller, authInfo, connection }) {
      const read = request.method === "POST" ? await readPost({ request, connection }) : undefined;
      if (read !== undefined && "status" in read) throw new HttpRefusalError(read);
      if (isClosed) throw new HttpRefusalError(closing);
      if (read?.method === "subscriptions/listen") inFlight.exclude(connection);
      const exchange = { request, authInfo, message: read, connection };
      const isOld = await isLegacyRequest(request, read?.body);
      return isOld ? sessions.handle(exchange, caller) : requests.handle(exchange, caller);
    },
    async close() {
      isClosed = true;
      await Promise.all([sessions.close(), requests.close()]);
    },
  };
}
