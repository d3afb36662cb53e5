import { onTestFinished } from "vitest";
import * as z from "zod";
import type { DuetOverrides } from "../../../src/app/ask/ask-request.ts";
import { openDuet } from "../../../src/app/open-duet.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { outcomeSchema } from "../../../src/core/schemas/outcome-schema.ts";
import { waitAbortable } from "../../../src/kit/async/timeout.ts";
import { openRunService, type RunService } from "../../../src/runs/run-service.ts";
import { createApi } from "../../../src/server/api/api.ts";
import { type ApiTimes, defaultTimes } from "../../../src/server/api/api-context.ts";
import { createSuccess, createTool } from "../../../src/tools/create-tool.ts";
import { startHttpFace } from "../../fakes/http-interface.ts";
import { type ScriptedModel, type ScriptedTurn, scriptedModel } from "../../fakes/model.ts";

export interface ServedApi {
  /** Asks one path; who asks is `as`. */
  send(path: string, init?: RequestInit & { json?: unknown; as?: string }): Promise<Response>;
  /** `POST /agent/chat`. */
  chat(json: unknown, init?: RequestInit & { as?: string }): Promise<Response>;
  /** The same as a stream of events. */
  stream(json: unknown, init?: RequestInit & { as?: string }): Promise<EventReader>;
  /** The events of a run. */
  follow(runId: string, lastId?: number | string): Promise<EventReader>;
  port: number;
  model: ScriptedModel;
  service: RunService;
  /** What the dangerous tool was called with. */
  wiped: unknown[];
  /** The same agent, served by a process that remembers nothing. */
  restart(): Promise<ServedApi>;
}

export interface ApiSettings {
  turns?: ScriptedTurn[];
  settings?: Record<string, unknown>;
  times?: Partial<ApiTimes>;
  /** The model says nothing before this resolves. */
  gate?: Promise<void>;
  /** In place of the scripted model. */
  models?: DuetOverrides["models"];
  /** When a sign-in runs out, in seconds since 1970. */
  signedInUntil?: () => number;
}

/** The agent API on a real socket, with one scripted model and a tool that needs consent: `wipe_disk`. */
export async function serveApi({
  turns = [],
  settings = {},
  times,
  gate,
  models,
  signedInUntil,
}: ApiSettings = {}): Promise<ServedApi> {
  const model = scriptedModel(turns);
  const wiped: unknown[] = [];
  const all = { conversations: { store: "memory" }, locale: "en", ...settings };
  const config = await loadConfig({}, {}, "/nowhere", { name: "test", settings: all });
  const wipe = createTool({
    name: "wipe_disk",
    description: "Wipes a disk.",
    source: "user",
    inputSchema: { type: "object", properties: { disk: { type: "string" } }, required: ["disk"] },
    annotations: { destructive: true },
    async run(args) {
      wiped.push(args);
      return createSuccess("wiped");
    },
  });
  const gated: ScriptedModel = {
    ...model,
    async stream(request, onEvent, signal) {
      if (gate) await waitAbortable(gate, signal);
      return model.stream(request, onEvent, signal);
    },
  };
  const duet = await openDuet(config, { models: models ?? { functionCall: gated, answer: gated }, tools: [wipe] });
  onTestFinished(() => duet.close());

  async function serve(): Promise<ServedApi> {
    const service = openRunService(duet, { settings: config.serve });
    const { port, close } = await startHttpFace({
      routes: createApi(service, config, { ...defaultTimes, ...times }),
      authenticate: async ({ headers }) => ({
        caller: { owner: headers.get("x-owner") ?? undefined },
        authInfo: signedInUntil && { token: "", clientId: "", scopes: [], expiresAt: signedInUntil() },
      }),
    });
    onTestFinished(close);
    const send: ServedApi["send"] = (path, { json, as, headers, ...init } = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        ...(json === undefined ? {} : { method: "POST", body: JSON.stringify(json) }),
        headers: {
          ...(json === undefined ? {} : { "content-type": "application/json" }),
          ...(as === undefined ? {} : { "x-owner": as }),
          ...headers,
        },
        ...init,
      });
    return {
      send,
      chat: (json, init) => send("/agent/chat", { json, ...init }),
      async stream(json, { headers, ...init } = {}) {
        return readEvents(await send("/agent/chat", { json, headers: { ...events, ...headers }, ...init }));
      },
      async follow(runId, lastId) {
        const last = lastId === undefined ? undefined : { "last-event-id": String(lastId) };
        return readEvents(await send(`/agent/runs/${runId}`, { headers: { ...events, ...last } }));
      },
      port,
      model,
      service,
      wiped,
      restart: serve,
    };
  }
  return serve();
}

/** What a response says of a run (docs/development/contract.md#result). */
export async function outcomeIn(response: Promise<Response> | Response) {
  return told.parse(await (await response).json());
}

const told = outcomeSchema.extend({ waits_for: z.record(z.string(), z.unknown()).nullish() });

export async function problemIn(response: Promise<Response> | Response) {
  return problem.parse(await (await response).json());
}

const problem = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  hint: z.string().nullable(),
  retry_after_s: z.number().optional(),
});

const events = { accept: "text/event-stream" };

export interface SentEvent {
  id?: string;
  event?: string;
  comment?: string;
  data?: Record<string, unknown>;
}

export interface EventReader {
  response: Response;
  /** Reads on until the event is one of this type, and gives it; undefined at the end. */
  until(type: string): Promise<SentEvent | undefined>;
  /** All from here on. */
  rest(): Promise<SentEvent[]>;
  /** What was read so far. */
  seen: SentEvent[];
  leave(): Promise<void>;
}

/** Reads a stream of server-sent events as a client does. */
export function readEvents(response: Response): EventReader {
  let reader: ReadableStreamDefaultReader<string> | undefined;
  const seen: SentEvent[] = [];
  const waiting: SentEvent[] = [];
  let text = "";

  async function next(): Promise<SentEvent | undefined> {
    reader ??= response.body?.pipeThrough(new TextDecoderStream()).getReader();
    while (waiting.length === 0) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) return undefined;
      const blocks = (text + value).split("\n\n");
      text = blocks.pop() ?? "";
      waiting.push(...blocks.map(parse));
    }
    const event = waiting.shift();
    if (event) seen.push(event);
    return event;
  }

  return {
    response,
    seen,
    async until(type) {
      for (let event = await next(); event !== undefined; event = await next())
        if (event.event === type || event.comment === type) return event;
      return undefined;
    },
    async rest() {
      const all: SentEvent[] = [];
      for (let event = await next(); event !== undefined; event = await next()) all.push(event);
      return all;
    },
    leave: async () => (reader ?? response.body)?.cancel(),
  };
}

function parse(block: string): SentEvent {
  const field = (name: string): string | undefined => new RegExp(`^${name}: ?([^\\n]*)$`, "m").exec(block)?.[1];
  const data = field("data");
  return { id: field("id"), event: field("event"), comment: field(""), data: data && JSON.parse(data) };
}
