import { isRecord } from "../../../src/kit/json.ts";
import { createSuccess, createTool } from "../../../src/tools/create-tool.ts";
import { type HttpDuet, type HttpDuetSettings, startHttpDuet } from "../../fakes/http-duet.ts";
import { call, messagesOf, modernHeaders, modernMeta } from "../../fakes/http-interface.ts";
import { type ScriptedTurn, scriptedModel } from "../../fakes/model.ts";
import { temporaryFolder } from "../../fakes/program.ts";
import { type EventReader, readEvents } from "../api/served-api.ts";

/** Scripts the two models of a replica, and says how long it may take to close. */
export interface Script extends Pick<HttpDuetSettings, "grace"> {
  decides?: ScriptedTurn[];
  answers?: ScriptedTurn[];
}

/** Serves two replicas of a database in this process, each with models of its own, and a tool that needs consent. */
export async function openReplicas(url: string, [first, second]: [Script, Script]) {
  const wiped: string[] = [];
  const prompts: Record<string, readonly unknown[]> = {};
  const open = async (name: string, { decides = [], answers = [], grace }: Script): Promise<Replica> => {
    const tool = createTool({
      name: "wipe_disk",
      description: "Wipes a disk.",
      source: "user",
      inputSchema: { type: "object", properties: { disk: { type: "string" } }, required: ["disk"] },
      annotations: { destructive: true },
      async run() {
        wiped.push(name);
        return createSuccess("wiped");
      },
    });
    const settings = { store: { url }, conversations: { store: "disk" } };
    const environment = { DUET_HOME: await temporaryFolder() };
    const functionCall = scriptedModel(decides, "decides");
    const models = { functionCall, answer: scriptedModel(answers, "answers") };
    prompts[name] = functionCall.requests;
    return openReplica(await startHttpDuet({ models, tools: [tool], settings, environment, grace }));
  };
  const [a, b] = await Promise.all([open("a", first), open("b", second)]);
  return { a, b, wiped, url, prompts };
}

export interface Replica extends Pick<HttpDuet, "origin" | "close"> {
  send(method: string, path: string, json?: unknown, headers?: Record<string, string>): Promise<Response>;
  get(path: string): Promise<Response>;
  post(path: string, json: unknown, headers?: Record<string, string>): Promise<Response>;
  stream(json: unknown, headers?: Record<string, string>): Promise<EventReader>;
  follow(runId: string, last?: number): Promise<EventReader>;
  /** Calls `agent_ask` as a host of the 2026 era that shows forms; undefined where the request is refused. */
  askModern(args: object, more?: object): Promise<Record<string, unknown> | undefined>;
  /** Calls another tool as such a host does. */
  callModern(name: string, args: object): Promise<Record<string, unknown> | undefined>;
}

const modernAsks = {
  ...modernMeta,
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

const events = { accept: "text/event-stream" };

export function openReplica({ origin, close }: Pick<HttpDuet, "origin" | "close">): Replica {
  const send: Replica["send"] = (method, path, json, headers = {}) =>
    fetch(`${origin}${path}`, {
      method,
      headers: { ...(json === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
  async function callModern(name: string, args: object, more: object = {}) {
    const message = call(1, name, args, modernAsks);
    const asked = { ...message, params: { ...message.params, ...more } };
    const answered = await send("POST", "/mcp", asked, modernHeaders("tools/call", name));
    const result = messagesOf(await answered.text()).at(-1)?.result;
    return isRecord(result) ? result : undefined;
  }
  return {
    origin,
    close,
    send,
    askModern: (args, more) => callModern("agent_ask", args, more),
    callModern,
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
