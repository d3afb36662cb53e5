import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, expect, test } from "vitest";
import { createStoreMonitor } from "../../../../src/app/conversations/store-monitor.ts";
import { openDuet } from "../../../../src/app/open-duet.ts";
import { loadConfig } from "../../../../src/config/load-config.ts";
import type { UserQuestion } from "../../../../src/core/questions/user-question.ts";
import type { AgentEvent } from "../../../../src/core/run/events.ts";
import type { Outcome } from "../../../../src/core/run/outcome.ts";
import { isRecord } from "../../../../src/kit/json.ts";
import { createQuestionQueue } from "../../../../src/runs/questions/question-queue.ts";
import { openRunService } from "../../../../src/runs/run-service.ts";
import { describeApi } from "../../../../src/server/api/openapi/document.ts";
import { toQuestionJson } from "../../../../src/server/api/reply.ts";
import { createHealthPages } from "../../../../src/server/http/health.ts";
import { joinRoutes } from "../../../../src/server/http/serve-duet.ts";
import { openOperations } from "../../../../src/server/operations/operations.ts";
import { parseStreamData } from "../../../fakes/event-stream.ts";
import { startHttpDuet } from "../../../fakes/http-duet.ts";

const ajv = new Ajv2020({ strict: false, validateFormats: false });

beforeAll(() => {
  const document = sealed(JSON.parse(JSON.stringify(describeApi("/"))));
  if (isRecord(document)) ajv.addSchema(document, "api");
});

/** The same, where what it does not know is a fault: the document itself lets answers grow. */
function sealed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sealed);
  if (!isRecord(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, sealed(each)]));
  const isObject = inner.type === "object" && isRecord(inner.properties);
  return isObject && inner.additionalProperties === undefined ? { ...inner, additionalProperties: false } : inner;
}

/** What of a value does not fit the schema of that name. */
function faultsOf(name: string, value: unknown): unknown {
  const check = ajv.getSchema(`api#/components/schemas/${name}`);
  if (check === undefined) throw new Error(`no schema ${name}`);
  return check(value) ? [] : check.errors;
}

test("the document is valid OpenAPI 3.1, and is served with the address that others reach", async () => {
  const { origin } = await startHttpDuet({ settings: { serve: { http: { publicUrl: "https://duet.example/a/" } } } });
  const answer = await fetch(`${origin}/openapi.json`);
  expect(answer.headers.get("content-type")).toBe("application/json");
  const text = await answer.text();
  const document: ReturnType<typeof describeApi> = JSON.parse(text);
  expect(document).toMatchObject({ openapi: "3.1.0", servers: [{ url: "https://duet.example/a" }] });
  const schemes = {
    apiKey: { in: "header", name: "x-api-key" },
    session: { in: "cookie", name: "__Secure-duet-session" },
  };
  expect(document.components.securitySchemes).toMatchObject({ bearer: { scheme: "bearer" }, ...schemes });
  const { paths }: { paths: Record<string, { post?: { security?: object[] } }> } = JSON.parse(text);
  const waysOf = (path: string) => paths[path]?.post?.security?.flatMap((way) => Object.keys(way));
  expect([waysOf("/v1/messages"), waysOf("/agent/chat")]).toEqual([["apiKey", "bearer", "session"], undefined]);
  const found = await new Validator().validate(document);
  expect(found).toEqual({ valid: true });
});

test("every path and method that is served stands in it, and nothing else does", async () => {
  const config = await loadConfig({}, {}, "/nowhere", {
    name: "test",
    settings: { conversations: { store: "memory" } },
  });
  const duet = await openDuet(config);
  const operations = openOperations({ metrics: duet.metrics, readStore: () => createStoreMonitor().status });
  const routes = joinRoutes(openRunService(duet, { settings: config.serve }), config, operations, () => {});
  await duet.close();
  const readiness = async () => ({ isReady: true, details: {} });
  const authenticate = async () => ({ caller: {} });
  const { signal } = new AbortController();
  const open = Object.keys(createHealthPages({ readiness, authenticate, signal })).map((path) => `GET ${path}`);
  const served = Object.entries(routes).flatMap(([path, route]) =>
    Object.keys({ ...route, isStream: undefined }).flatMap((method) =>
      method === "isStream" ? [] : `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`,
    ),
  );
  const described = Object.entries(describeApi("/").paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described.sort()).toEqual([...served, ...open].sort());
});

test("what the server answers is as the document says", async () => {
  const echo = { id: "1", name: "echo", input: { text: "hello" } };
  const { origin } = await startHttpDuet({
    turns: [[echo], "It says hello.", "Hello.", "Hi!", "Hello.", [echo], "It says hello."],
  });
  const ask = (path: string, body: object, accept = "application/json") =>
    fetch(`${origin}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", accept },
      body: JSON.stringify(body),
    });
  const read = async (path: string): Promise<unknown> => (await fetch(`${origin}${path}`)).json();

  const outcome: Outcome = JSON.parse(await (await ask("/agent/chat", { message: "echo hello" })).text());
  expect(outcome).toMatchObject({ status: "complete", tool_calls: [{ ok: true }] });
  expect(faultsOf("Outcome", outcome)).toEqual([]);
  const { conversation_id, run_id } = outcome;
  expect(faultsOf("Conversation", await read(`/agent/conversations/${conversation_id}`))).toEqual([]);
  expect(faultsOf("ConversationList", await read("/agent/conversations"))).toEqual([]);
  expect(faultsOf("Run", await read(`/agent/runs/${run_id}`))).toEqual([]);
  expect(faultsOf("Trace", await read(`/agent/runs/${run_id}/trace`))).toEqual([]);
  expect(faultsOf("RunList", await read("/agent/runs"))).toEqual([]);
  expect(faultsOf("Settings", await read("/agent/settings"))).toEqual([]);
  expect(faultsOf("ModelList", await read("/v1/models"))).toEqual([]);
  expect(faultsOf("Model", await read("/v1/models/duet-chat"))).toEqual([]);

  for (const refused of [await ask("/agent/chat", { message: 1 }), await fetch(`${origin}/agent/runs/run-0`)])
    expect(faultsOf("Problem", await refused.json())).toEqual([]);
  expect(faultsOf("OpenAiError", await (await ask("/v1/chat/completions", {})).json())).toEqual([]);

  const messages = [{ role: "user", content: "Hi?" }];
  const completion = await ask("/v1/chat/completions", { model: "duet-chat", messages });
  expect(faultsOf("ChatCompletion", await completion.json())).toEqual([]);
  const message = await ask("/v1/messages", { model: "duet-chat", max_tokens: 100, messages });
  expect(faultsOf("AnthropicMessage", await message.json())).toEqual([]);
  const count = await ask("/v1/messages/count_tokens", { model: "duet-chat", messages });
  expect(faultsOf("AnthropicTokenCount", await count.json())).toEqual([]);
  expect(faultsOf("AnthropicError", await (await ask("/v1/messages", {})).json())).toEqual([]);

  const response = await (
    await ask("/v1/responses", { model: "duet-chat", input: "Hi?", metadata: { a: "b" } })
  ).json();
  expect(faultsOf("Response", response)).toEqual([]);
  const path = `/v1/responses/${isRecord(response) ? response.id : ""}`;
  expect(faultsOf("Response", await read(path))).toEqual([]);
  expect(faultsOf("ResponseItemList", await read(`${path}/input_items`))).toEqual([]);
  const replayed = await (await fetch(`${origin}${path}?stream=true`)).text();
  for (const event of parseStreamData(replayed)) expect(faultsOf("ResponseEvent", event)).toEqual([]);
  expect(faultsOf("DeletedResponse", await (await fetch(`${origin}${path}`, { method: "DELETE" })).json())).toEqual([]);

  const stream = await (await ask("/agent/chat", { message: "echo hello again" }, "text/event-stream")).text();
  const events: AgentEvent[] = parseStreamData(stream);
  expect(events.at(-1)?.type).toBe("run-end");
  for (const event of events) expect(faultsOf("AgentEvent", event)).toEqual([]);
});

test("a body of which the document says that it is none is refused, and the other way round", async () => {
  const { origin } = await startHttpDuet({ turns: [] });
  const bodies = [
    {},
    { message: "" },
    { message: "x", max_tool_calls: 51 },
    { message: "x", timeout_s: 9 },
    { message: "x", mode: "fast" },
    { message: "x", locale: "fr" },
    { message: "x", unknown: 1 },
    { message: "x", parameters: { answer: { max_tokens: 0 } } },
  ];
  for (const body of bodies) {
    expect(faultsOf("ChatRequest", body)).not.toEqual([]);
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${origin}/agent/chat`, { method: "POST", headers, body: JSON.stringify(body) });
    expect(answer.status).toBe(400);
  }
  expect(faultsOf("ChatRequest", { message: "x", max_tool_calls: 50, timeout_s: 10, mode: "plan" })).toEqual([]);
});

test.each<UserQuestion>([
  { kind: "call", tool: "wipe", arguments: { disk: "a" }, rule: "tools.ask: *", onlyOnce: true },
  { kind: "plan", steps: [{ step: 1, description: "Wipe it", tool: "", parameters: {}, state: "pending" }] },
  { kind: "form", from: "travel", message: "Who?", schema: { type: "object", properties: {} } },
  { kind: "url", from: "travel", message: "Pay.", url: "https://a.example/" },
])(
  "a question of kind $kind has all its fields in the API, and fits the schema that describes it",
  async (question) => {
    const queue = createQuestionQueue(60_000, () => {});
    void queue.ask(question, new AbortController().signal);
    const json = queue.open && toQuestionJson(queue.open, "en");
    queue.open?.withdraw();
    const { onlyOnce, message, ...fields } = { onlyOnce: undefined, message: undefined, ...question };
    expect(json).toMatchObject({ ...fields, ...(onlyOnce === undefined ? {} : { only_once: onlyOnce }) });
    expect(faultsOf("Question", json)).toEqual([]);
  },
);
