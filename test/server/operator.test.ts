import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";
import type { Caller } from "../../src/core/caller.ts";
import { guardRoutes, isLocalOperator } from "../../src/server/operator/check-operator.ts";
import { createConfigEditor } from "../../src/server/operator/settings-editor.ts";
import { createOperatorSettingsRoute } from "../../src/server/operator/settings-route.ts";
import { startHttpDuet } from "../fakes/http-duet.ts";
import { startHttpFace } from "../fakes/http-interface.ts";
import { temporaryFolder } from "../fakes/program.ts";
import { routes } from "../faults/http-routes.ts";

const json = async (response: Promise<Response> | Response) => JSON.parse(await (await response).text());

const opened = { serve: { http: { operator: "local" } } };

/** Every request that the operator can make. */
const requests = Object.values(routes)
  .filter(({ path }) => path.startsWith("/operator/"))
  .flatMap(({ path, methods, body = {} }) =>
    methods.map((method): [string, RequestInit] => [
      path,
      {
        method,
        ...(method !== "GET" && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      },
    ]),
  );

test("the operator sees the runs of all callers, what they cost, what failed and which tools are slow", async () => {
  const call = { id: "1", name: "calculator", input: { expression: "6*7" } };
  const { origin } = await startHttpDuet({ turns: [[call], "Forty-two."], settings: opened });
  const ask = (message: string) =>
    fetch(`${origin}/agent/chat`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ message }),
    });
  const { run_id } = await json(ask("How much is it?"));
  // The model has nothing more to say.
  const failed = await json(ask("And now?"));
  expect(failed.status).toBe("failed");
  const { runs, next_offset } = await json(fetch(`${origin}/operator/runs?limit=1&offset=1`));
  expect([runs, next_offset]).toMatchObject([
    [{ run_id, caller: null, status: "complete", tool_calls: 1, error_code: null }],
    null,
  ]);
  await expect
    .poll(async () => (await json(fetch(`${origin}/operator/usage?days=1`))).days)
    .toMatchObject([
      {
        day: new Date().toISOString().slice(0, 10),
        model: "fake/scripted",
        caller: null,
        unpriced_runs: expect.any(Number),
      },
    ]);
  const { models, callers, days, next_offset: more } = await json(fetch(`${origin}/operator/usage?limit=1`));
  const sums = { total_tokens: days[0].total_tokens, cost_known: false, is_rest: false, days: [{ day: days[0].day }] };
  expect(models).toMatchObject([{ name: "fake/scripted", ...sums }]);
  expect([callers, more]).toMatchObject([[{ name: null, ...sums }], null]);
  const { spans, left_out } = await json(fetch(`${origin}/operator/runs/${run_id}/spans`));
  expect([spans.map(({ kind, name }: Record<string, unknown>) => [kind, name]), left_out]).toEqual([
    [
      ["turn", "fake/scripted"],
      ["call", "calculator"],
      ["turn", "fake/scripted"],
    ],
    0,
  ]);
  expect((await fetch(`${origin}/operator/runs/run-0/spans`)).status).toBe(404);
  expect(await json(fetch(`${origin}/operator/problems`))).toMatchObject({
    errors: [{ run_id: failed.run_id, code: "internal" }],
    tools: [{ tool: "calculator", calls: 1, failed: 0 }],
  });
  expect(await json(fetch(`${origin}/operator/servers`))).toEqual({ servers: [] });
  expect((await fetch(`${origin}/operator/usage?days=91`)).status).toBe(400);
});

test("nobody else sees it: no request that a proxy has passed on, no page of another origin, no caller with a token of its own", async () => {
  const address = "127.0.0.1";
  const judge = (headers: Record<string, string>, caller: Caller = {}, from = address) =>
    isLocalOperator({
      request: new Request("http://localhost:3000/operator/runs", { headers: { host: "localhost:3000", ...headers } }),
      caller,
      connection: { address: from },
    });
  const local: Record<string, string>[] = [
    {},
    { origin: "http://localhost:3000" },
    { host: "[::1]:3000" },
    { host: "127.0.0.1:80" },
  ];
  expect(local.map((headers) => judge(headers))).toEqual(local.map(() => true));
  expect(judge({}, {}, "::ffff:127.0.0.1")).toBe(true);
  const foreign: Record<string, string>[] = [
    { "x-forwarded-for": "127.0.0.1" },
    { forwarded: "for=127.0.0.1" },
    { via: "1.1 proxy" },
    { "x-real-ip": "127.0.0.1" },
    { host: "duet.example:3000" },
    { host: "localhost.evil.example" },
    { origin: "http://localhost:4000" },
    { origin: "http://127.0.0.1:3000" },
    { origin: "https://localhost:3000" },
    ...["x-forwarded-port", "x-forwarded-server", "cf-connecting-ip", "true-client-ip", "x-client-ip"].map((name) => {
      return { [name]: "1" };
    }),
    { origin: "https://pages.example" },
    { origin: "null" },
  ];
  expect(foreign.map((headers) => judge(headers))).toEqual(foreign.map(() => false));
  expect([judge({}, { owner: "anna" }), judge({}, { tools: ["web_search"] }), judge({}, {}, "192.0.2.7")]).toEqual([
    false,
    false,
    false,
  ]);
  const { origin } = await startHttpDuet({ settings: opened });
  for (const [path, { headers, ...init }] of requests) {
    const passedOn = { ...headers, "x-forwarded-for": "203.0.113.9" };
    expect([path, init.method, (await fetch(origin + path, { ...init, headers: passedOn })).status]).toEqual([
      path,
      init.method,
      403,
    ]);
  }
});

test("a proxy that adds no header shows nobody the view, unless the settings say that there is none or that it adds one", async () => {
  const expected: [http: Record<string, unknown>, status: number][] = [
    [{}, 403],
    [{ operator: "local", publicUrl: "https://duet.example" }, 403],
    [{ operator: "local", allowedHosts: ["duet.example"] }, 403],
    [{ operator: "local", allowedOrigins: ["https://pages.example"] }, 403],
    [{ operator: "local" }, 200],
    [{ operator: "proxied", publicUrl: "https://duet.example" }, 200],
  ];
  for (const [http, status] of expected) {
    const { origin } = await startHttpDuet({ settings: { serve: { http } } });
    // What is open to the operator may refuse what there is not.
    for (const [path, init] of status === 403 ? requests : requests.filter(([, { method }]) => method === "GET")) {
      const found = (await fetch(origin + path, init)).status;
      expect([http, path, found === 404 ? 200 : found]).toEqual([http, path, status]);
    }
  }
});

/** Serves the settings of a file to its operator. */
async function serveSettings(before: string, environment: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  const file = join(folder, "duet.config.json");
  await writeFile(file, before, { mode: 0o640 });
  const config = await loadConfig({ config: file }, { HOME: folder, DUET_HOME: folder, ...environment }, folder);
  const lines: string[] = [];
  const { port, close } = await startHttpFace({
    routes: guardRoutes(config.serve.http, {
      "/operator/settings": createOperatorSettingsRoute(
        config,
        createConfigEditor(config, (line) => void lines.push(line)),
      ),
    }),
  });
  onTestFinished(close);
  const send = (body?: object, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}/operator/settings`, {
      headers: { "content-type": "application/json", ...headers },
      ...(body && { method: "PATCH", body: JSON.stringify(body) }),
    });
  return { folder, file, send, lines };
}

test("a setting is changed in the file, with its comments, by the rules of the file; keys and commands are not", async () => {
  const before =
    '{\n  // Mine.\n  "agent": { "maxIterations": 4 }, // four\n  "mcpServers": { "own": { "command": "CANARY", "env": { "K": "CANARY" } } },\n  "serve": { "http": { "operator": "local" } }\n}\n';
  const { folder, file, send } = await serveSettings(before);
  const find = async (answer: Promise<Response>, key: string) =>
    (await json(answer)).settings.find((each: { key: string }) => each.key === key);
  expect(await find(send(), "agent.maxIterations")).toMatchObject({
    value: 4,
    source: "file",
    editable: true,
    file_value: 4,
    schema: { type: "integer", maximum: 1000 },
  });
  expect(await (await send()).text()).not.toMatch(/CANARY|mcpServers/);
  const changed = await find(send({ set: { "agent.maxIterations": 6, "tools.ask": ["*"] } }), "agent.maxIterations");
  expect(changed).toMatchObject({ value: 4, file_value: 6 });
  const after = await readFile(file, "utf8");
  expect(after).toMatch(/\/\/ Mine\.\n {2}"agent": \{ "maxIterations": 6 \}, \/\/ four/);
  expect((await stat(file)).mode & 0o777).toBe(0o640);
  const refused = [
    { set: { "agent.maxIterations": 1001 } },
    { set: { "mcpServers.own.command": "rm" } },
    { set: { hooks: {} } },
    { set: { "providers.openai.apiKeyCommand": "rm" } },
    { set: { "tools.directory": "/tmp" } },
    { set: { "serve.http.requireToken": false } },
    { unset: ["mcpServers"] },
  ];
  for (const body of refused) expect([body, (await send(body)).status]).toEqual([body, 400]);
  expect((await json(send(refused[0]))).detail).toMatch(/^duet\.config\.json: agent\.maxIterations: 1001 .*1000/);
  expect((await send({ set: { locale: "zh" } }, { "x-forwarded-for": "203.0.113.9" })).status).toBe(403);
  expect([await readFile(file, "utf8"), await readdir(folder)]).toEqual([
    after,
    expect.not.arrayContaining([expect.stringMatching(/tmp$/)]),
  ]);
  await send({ unset: ["agent.maxIterations"] });
  expect(await readFile(file, "utf8")).toContain('"agent": {}, // four');
});

test("a model that is written in short is made an object, and a key that stands twice or a model of an address of its own is refused", async () => {
  const open = '"serve": { "http": { "operator": "local" } }';
  const short = await serveSettings(
    `{ "locale": "en", "models": { "functionCall": "openai/gpt-5", "answer": "openai/gpt-5" }, ${open} }`,
    { OPENAI_API_KEY: "sk-one", ANTHROPIC_API_KEY: "sk-two" },
  );
  expect((await short.send({ set: { "models.answer.temperature": 0.5 } })).status).toBe(200);
  expect(JSON.parse(await readFile(short.file, "utf8")).models).toEqual({
    functionCall: "openai/gpt-5",
    answer: { provider: "openai", model: "gpt-5", temperature: 0.5 },
  });
  expect(short.lines).toEqual(["the operator changed settings: models.answer.temperature"]);
  expect((await short.send({ set: { "models.answer.provider": "anthropic" } })).status).toBe(200);

  const twice = await serveSettings(`{ "locale": "en", ${open} }`);
  await writeFile(twice.file, `{ "agent": { "maxIterations": 4, "maxIterations": 5 }, ${open} }`);
  const doubled = await twice.send({ set: { "agent.maxIterations": 6 } });
  expect([doubled.status, (await json(doubled)).detail]).toEqual([
    400,
    expect.stringContaining('duplicate key "maxIterations"'),
  ]);

  const keys = { OPENAI_API_KEY: "sk-one", ANTHROPIC_API_KEY: "sk-two", MINE: "sk-three" };
  const provider = { set: { "models.functionCall.provider": "anthropic" } };
  for (const more of [{ baseUrl: "https://models.example/v1" }, { apiKeyEnv: "MINE" }]) {
    const model = JSON.stringify({ provider: "openai", model: "gpt-5", ...more });
    const { send, file } = await serveSettings(
      `{ "locale": "en", "models": { "functionCall": ${model} }, ${open} }`,
      keys,
    );
    const before = await readFile(file, "utf8");
    const answer = await send(provider);
    expect([answer.status, (await json(answer)).detail]).toEqual([400, expect.stringMatching(/provider.*baseUrl/)]);
    expect(await readFile(file, "utf8")).toBe(before);
  }
  const variable = await serveSettings(`{ "locale": "en", "models": { "functionCall": "openai/gpt-5" }, ${open} }`, {
    ...keys,
    AGENT_FUNCTION_CALL_MODEL: '{"provider":"openai","base_url":"https://models.example/v1"}',
  });
  expect((await variable.send(provider)).status).toBe(400);
});

test("changes that are asked for at once are all made", async () => {
  const { send, file, lines } = await serveSettings('{ "locale": "en", "serve": { "http": { "operator": "local" } } }');
  const keys = ["maxIterations", "maxToolCalls", "maxTokens", "maxExecutionTime"];
  const answers = await Promise.all(keys.map((key) => send({ set: { [`agent.${key}`]: 100 } })));
  expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200));
  expect(JSON.parse(await readFile(file, "utf8")).agent).toEqual(Object.fromEntries(keys.map((key) => [key, 100])));
  expect(lines).toHaveLength(keys.length);
});
