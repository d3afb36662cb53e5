// How the built program answers requests that are wrong, over stdio and HTTP, in both eras of the protocol.
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { messagesOf, modernHeaders, modernMeta, openSession } from "../../fakes/http-interface.ts";
import { formQuestion } from "../../fakes/mcp-questions.ts";
import { collect, runProgram, startProgram, temporaryFolder } from "../../fakes/program.ts";

interface Reply {
  id?: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

/** A method, its wrong params, and what is answered. */
type Row = [method: string, params: unknown, code: number, message: string];

const aString = "is not allowed (allowed: a string)";
const argument = { name: "question", value: "x" };
const meta = (more: object) => ({ ...modernMeta, ...more });

const wrongParams: Row[] = [
  ["tools/list", { cursor: 5 }, -32602, `cursor: 5 ${aString}`],
  ["prompts/list", { cursor: [] }, -32602, `cursor: [] ${aString}`],
  ["resources/list", { cursor: {} }, -32602, `cursor: {} ${aString}`],
  ["resources/templates/list", { cursor: false }, -32602, `cursor: false ${aString}`],
  ["resources/read", { uri: 5 }, -32602, `uri: 5 ${aString}`],
  ["resources/read", {}, -32602, "uri is missing (allowed: a string)"],
  ["prompts/get", { name: null }, -32602, `name: null ${aString}`],
  ["prompts/get", { name: "ask", arguments: { question: 5 } }, -32602, `arguments.question: 5 ${aString}`],
  [
    ...(["completion/complete", {}, -32602] as const),
    "ref is missing (allowed: an object); argument is missing (allowed: an object)",
  ],
  [
    ...(["completion/complete", { ref: { type: "ref/tool" }, argument }, -32602] as const),
    'ref.type: "ref/tool" is not allowed (allowed: ref/prompt, or ref/resource)',
  ],
  [
    ...(["completion/complete", { ref: { type: "ref/resource", uri: 5 }, argument }, -32602] as const),
    `ref.uri: 5 ${aString}`,
  ],
  ["tools/call", { name: 5 }, -32602, `name: 5 ${aString}`],
  ["tools/call", { name: "agent_ask", arguments: [] }, -32602, "arguments: [] is not allowed (allowed: an object)"],
];

/** What the package takes for no message at all. */
const wrongFrames: Row[] = [
  ["tools/list", null, -32600, "params: null is not allowed (allowed: an object)"],
  ["tools/list", [1], -32600, "params: [1] is not allowed (allowed: an object)"],
  ["tools/call", { name: "agent_ask", _meta: 5 }, -32602, "_meta: 5 is not allowed (allowed: an object)"],
  [
    ...(["tools/call", { name: "agent_ask", _meta: meta({ progressToken: {} }) }, -32602] as const),
    "_meta.progressToken: {} is not allowed (allowed: a string, or an integer)",
  ],
  [
    ...(["tools/list", { _meta: meta({ "io.modelcontextprotocol/related-task": 5 }) }, -32602] as const),
    '_meta["io.modelcontextprotocol/related-task"]: 5 is not allowed (allowed: an object)',
  ],
];

/** What stands beside the fields of a request, and what is answered over stdio and HTTP. */
const wrongFields: [fields: object, message: string][] = [
  [{ extra: true }, "extra: true is not allowed (allowed: jsonrpc, id, method, params)"],
  [{ result: {} }, "result: {} is not allowed (allowed: jsonrpc, id, method, params)"],
];

/** Adds the `_meta` of the 2026 era to params that can have one, and have none. */
function inModernEra(params: unknown): unknown {
  const isPlain = typeof params === "object" && params !== null && !Array.isArray(params);
  return isPlain ? { _meta: modernMeta, ...params } : params;
}

function toReply([, , code, message]: Row): Reply["error"] {
  return { code, message };
}

/** Writes all of it to a new process, and gives what that has answered by its end. */
async function answersOverStdio(messages: readonly object[]): Promise<{ replies: Reply[]; stderr: string }> {
  const stdin = messages.map((each) => `${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`).join("");
  const { stdout, stderr } = await runProgram(["serve"], { stdin });
  const lines = stdout.split("\n").filter((line) => line !== "");
  return { replies: lines.map((line) => JSON.parse(line)), stderr };
}

function findError(replies: readonly Reply[], id: unknown): Reply["error"] {
  return replies.find((reply) => reply.id === id)?.error;
}

const hello = {
  ...{ id: "hello", method: "initialize" },
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "0" } },
};

test("over stdio each wrong request of the 2025 era gets one line that names the field, the value and what is allowed", async () => {
  const rows: Row[] = [
    ...wrongParams,
    [
      "logging/setLevel",
      { level: "loud" },
      -32602,
      'level: "loud" is not allowed (allowed: debug, info, notice, warning, error, critical, alert, emergency)',
    ],
    ["ping", null, -32600, "params: null is not allowed (allowed: an object)"],
    ...wrongFrames,
  ];
  const { replies } = await answersOverStdio([
    { id: "wrong hello", method: "initialize", params: { ...hello.params, protocolVersion: 5 } },
    hello,
    { method: "notifications/initialized" },
    ...rows.map(([method, params], id) => ({ id, method, params })),
  ]);
  expect(findError(replies, "wrong hello")).toEqual({ code: -32602, message: `protocolVersion: 5 ${aString}` });
  expect(rows.map((_, id) => findError(replies, id))).toEqual(rows.map(toReply));
});

test("over stdio each wrong request of the 2026 era gets one line that names the field, the value and what is allowed", async () => {
  const { "io.modelcontextprotocol/clientCapabilities": _, ...withoutCapabilities } = modernMeta;
  const rows: Row[] = [
    ...wrongParams,
    ...wrongFrames,
    [
      "tools/list",
      undefined,
      -32602,
      '_meta["io.modelcontextprotocol/protocolVersion"] is missing (allowed: a string)',
    ],
    [
      "tools/list",
      { _meta: meta({ "io.modelcontextprotocol/protocolVersion": 5 }) },
      -32602,
      `_meta["io.modelcontextprotocol/protocolVersion"]: 5 ${aString}`,
    ],
    [
      "tools/list",
      { _meta: withoutCapabilities },
      -32602,
      '_meta["io.modelcontextprotocol/clientCapabilities"] is missing (allowed: an object)',
    ],
  ];
  const { replies } = await answersOverStdio([
    { id: "hello", method: "tools/list", params: { _meta: modernMeta } },
    ...rows.map(([method, params], id) => ({ id, method, params: inModernEra(params) })),
  ]);
  expect(rows.map((_, id) => findError(replies, id))).toEqual(rows.map(toReply));
});

test("over stdio a request of another revision is refused at any time, and the connection goes on in its own", async () => {
  const other = { _meta: meta({ "io.modelcontextprotocol/protocolVersion": "2030-01-01" }) };
  const { replies } = await answersOverStdio([
    { id: 1, method: "tools/list", params: other },
    { id: 2, method: "tools/list", params: { _meta: modernMeta } },
    { id: 3, method: "tools/list", params: other },
    { id: 4, method: "tools/list", params: { _meta: modernMeta } },
  ]);
  const refused = {
    code: -32022,
    message: "Unsupported protocol version: 2030-01-01",
    data: { supported: ["2026-07-28"], requested: "2030-01-01" },
  };
  expect([1, 2, 3, 4].map((id) => findError(replies, id))).toEqual([refused, undefined, refused, undefined]);
  expect(replies.filter(({ result }) => result !== undefined)).toHaveLength(2);
});

test("a revision in the _meta of the 2025 era means nothing", async () => {
  const params = { _meta: { "io.modelcontextprotocol/protocolVersion": "2030-01-01" } };
  const { replies } = await answersOverStdio([hello, { id: 1, method: "ping", params }]);
  expect(replies.find(({ id }) => id === 1)).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
});

test("over stdio whatever has an id and is no message is answered, and nothing else is", async () => {
  const { replies, stderr } = await answersOverStdio([
    hello,
    { id: 1, method: "ping", jsonrpc: "1.0" },
    { id: 2.5, method: "ping" },
    { id: 3, method: 5 },
    { id: 4 },
    ...wrongFields.map(([more], index) => ({ id: `fields ${index}`, method: "ping", ...more })),
    { id: 6, result: 5 },
    { id: null, method: "ping" },
    { method: "notifications/cancelled", params: 5 },
    { id: 7, method: "ping" },
  ]);
  const errors = replies.flatMap(({ id, error }) => (error ? [[id, error.code, error.message]] : []));
  expect(errors).toEqual([
    [1, -32600, 'jsonrpc: "1.0" is not allowed (allowed: "2.0")'],
    [2.5, -32600, "id: 2.5 is not allowed (allowed: a string, or an integer)"],
    [3, -32600, "method: 5 is not allowed (allowed: a string)"],
    [4, -32600, 'the message has neither method nor result nor error (its fields: "jsonrpc", "id")'],
    ...wrongFields.map(([, message], index) => [`fields ${index}`, -32600, message]),
  ]);
  expect(replies.filter(({ result }) => result !== undefined).map(({ id }) => id)).toEqual(["hello", 7]);
  const told = stderr.split("\n").filter((line) => line.startsWith("duet: A message from the host was refused: "));
  expect(told).toHaveLength(9);
});

test("a response of the host that cannot be read fails the question that it is for", async () => {
  const config = join(await temporaryFolder(), "duet.config.json");
  const questions = { command: process.execPath, args: [resolve("test/fakes/mcp-questions.ts")] };
  await writeFile(config, JSON.stringify({ mcpServers: { questions } }));
  const child = await startProgram(["serve", "--expose", "tools", "--config", config]);
  const send = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({ ...hello, params: { ...hello.params, capabilities: { elicitation: {} } } });
  send({ method: "notifications/initialized" });
  const asks = { who: formQuestion() };
  send({ id: 1, method: "tools/call", params: { name: "questions__ask", arguments: { questions: asks } } });
  let answer: unknown;
  for await (const line of createInterface({ input: child.stdout })) {
    const { id, method, result } = JSON.parse(line);
    if (method === "elicitation/create") send({ id, result: "yes" });
    else if (id === 1) {
      answer = result;
      break;
    }
  }
  expect(JSON.stringify(answer)).toContain("No user could be asked");
});

test("over HTTP wrong requests of both eras get the same lines", async () => {
  const child = await startProgram(["serve", "--http", "0"]);
  const finished = collect(child);
  const [line = ""] = (await once(createInterface({ input: child.stderr }), "line")) as string[];
  const url = /http:\S+/.exec(line)?.[0] ?? "";
  const session = await openSession(url);
  const rows = [...wrongParams, ...wrongFrames];
  for (const row of rows) {
    const [method, params] = row;
    const old = await session.send({ jsonrpc: "2.0", id: 1, method, params });
    expect(messagesOf(await old.text())).toMatchObject([{ id: 1, error: toReply(row) }]);
    const { name, uri } = (params ?? {}) as { name?: unknown; uri?: unknown };
    const modern = await fetch(url, {
      method: "POST",
      headers: modernHeaders(method, String(name ?? uri ?? "")),
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: inModernEra(params) }),
    });
    expect(messagesOf(await modern.text())).toMatchObject([{ id: 1, error: toReply(row) }]);
  }
  for (const [more, message] of wrongFields) {
    const refused = await session.send({ jsonrpc: "2.0", id: 1, method: "ping", ...more });
    expect([refused.status, messagesOf(await refused.text())]).toMatchObject([
      400,
      [{ id: 1, error: { code: -32600, message } }],
    ]);
  }
  const { "mcp-session-id": _, ...headers } = modernHeaders("initialize") as Record<string, string>;
  delete headers["mcp-protocol-version"];
  const params = { ...hello.params, clientInfo: { name: "raw" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const refused = await fetch(url, { method: "POST", headers, body });
  const error = { code: -32602, message: "clientInfo.version is missing (allowed: a string)" };
  expect([refused.status, messagesOf(await refused.text())]).toMatchObject([400, [{ id: 1, error }]]);
  child.kill("SIGTERM");
  expect((await finished).code).toBe(0);
});
