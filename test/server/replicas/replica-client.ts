import { isRecord } from "../../../src/kit/json.ts";
import { call, messagesOf, modernHeaders, modernMeta } from "../../fakes/http-interface.ts";
import { type EventReader, readEvents } from "../api/served-api.ts";

/** Asks one replica. */
export interface ReplicaClient {
  send(method: string, path: string, json?: unknown, headers?: Record<string, string>): Promise<Response>;
  get(path: string): Promise<Response>;
  post(path: string, json: unknown, headers?: Record<string, string>): Promise<Response>;
  stream(json: unknown, headers?: Record<string, string>): Promise<EventReader>;
  follow(runId: string, last?: number): Promise<EventReader>;
  /** Calls `agent_ask` as a host of the 2026 era that shows forms; undefined where the request is refused. */
  askModern(args: object, more?: object): Promise<Record<string, unknown> | undefined>;
}

const modernAsks = {
  ...modernMeta,
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

const events = { accept: "text/event-stream" };

export function createReplicaClient(origin: string): ReplicaClient {
  const send: ReplicaClient["send"] = (method, path, json, headers = {}) =>
    fetch(`${origin}${path}`, {
      method,
      headers: { ...(json === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
  return {
    send,
    async askModern(args, more = {}) {
      const message = call(1, "agent_ask", args, modernAsks);
      const asked = { ...message, params: { ...message.params, ...more } };
      const answered = await send("POST", "/mcp", asked, modernHeaders("tools/call", "agent_ask"));
      const result = messagesOf(await answered.text()).at(-1)?.result;
      return isRecord(result) ? result : undefined;
    },
    get: (path) => send("GET", path),
    post: (path, json, headers) => send("POST", path, json, headers),
    stream: async (json, headers) => readEvents(await send("POST", "/agent/chat", json, { ...events, ...headers })),
    follow: async (runId, last) =>
      readEvents(
        await send("GET", `/agent/runs/${runId}`, undefined, {
          ...events,
          ...(last === undefined ? {} : { "last-event-id": String(last) }),
        }),
      ),
  };
}
