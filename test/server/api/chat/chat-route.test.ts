import { expect, test } from "vitest";
import { outcomeSchema } from "../../../../src/core/schemas/outcome-schema.ts";
import { DuetError } from "../../../../src/kit/errors.ts";
import { waitForEnd } from "../../../../src/runs/live/wait-until.ts";
import { outcomeIn, problemIn, serveApi } from "../served-api.ts";

const echo = { id: "1", name: "echo", input: { text: "hello" } };

test("POST /agent/chat answers with the object of docs/development/contract.md#result", async () => {
  const { chat } = await serveApi({ turns: [[echo], "It says hello."] });
  const response = await chat({ message: "echo hello" });
  const outcome = outcomeSchema.strict().parse(await response.json());
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("location")).toBe(`/agent/runs/${outcome.run_id}`);
  expect(outcome).toMatchObject({
    success: true,
    status: "complete",
    stop_reason: "answered",
    response: "It says hello.",
    tool_calls: [{ tool: "echo", arguments: { text: "hello" }, ok: true, cached: false }],
    citations: [],
    meta: { tool_calls_count: 1, iterations: 2, mode: "agent" },
    error: null,
  });
});

test("the request and the answer of docs/development/tool-calling.md#api-服务 are understood to the letter", async () => {
  const { chat } = await serveApi({ turns: [[echo], "Found.", "Again."] });
  const request = { message: "搜索包含 calculator 的文件", max_tool_calls: 5, max_tokens: 2000 };
  const first = await outcomeIn(chat(request));
  expect(first).toMatchObject({
    success: true,
    response: "Found.",
    conversation_id: expect.stringMatching(/^conv-/),
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    tool_calls: [{ tool: "echo", arguments: { text: "hello" }, result: expect.anything() }],
    meta: { total_tokens: 40, tool_calls_count: 1, latency_ms: expect.any(Number) },
  });
  const { conversation_id } = first;
  const second = await outcomeIn(chat({ message: "Again?", conversation_id }));
  expect(second).toMatchObject({ response: "Again.", conversation_id });
});

test("a run that fails is an answer that says so", async () => {
  const error = new DuetError({ code: "auth", text: { zh: "密钥无效", en: "the key is not valid" } });
  const { chat } = await serveApi({ turns: [{ error }] });
  const response = await chat({ message: "Hello" });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    success: false,
    status: "failed",
    error: { code: "auth", message: expect.stringContaining("the key is not valid") },
  });
});

test("go_on where there is no run to go on with asks no model and says why, and goes on where there is one", async () => {
  const { chat, model } = await serveApi({ turns: ["Done.", [echo, { ...echo, id: "2" }], "Half.", "The rest."] });
  const { conversation_id } = await outcomeIn(chat({ message: "Hello" }));
  const refused = [
    [{}, "conversation_id is missing"],
    [{ conversation_id: "conv-of-nobody" }, 'conversation "conv-of-nobody" was not found'],
    [{ conversation_id }, `the last run of conversation "${conversation_id}" is complete`],
  ] as const;
  for (const [place, why] of refused)
    expect(await outcomeIn(chat({ message: "Go on", go_on: true, ...place }))).toMatchObject({
      status: "failed",
      error: {
        code: "invalid_request",
        message: expect.stringContaining(`go_on: there is no run to go on with: ${why}`),
      },
    });
  expect(model.requests).toHaveLength(1);
  const limited = await outcomeIn(chat({ message: "Echo", conversation_id, max_tool_calls: 1 }));
  expect(limited.status).toBe("partial");
  const rest = await outcomeIn(chat({ message: "Go on", conversation_id, go_on: true }));
  expect(rest).toMatchObject({ status: "complete", response: "The rest." });
});

test("go_on says of a plan that it waits, and of the beginning of a conversation that no run is there", async () => {
  const steps = [{ step: 1, description: "echo", tool: "echo", parameters: { text: "hello" } }];
  const { chat, model } = await serveApi({
    turns: [JSON.stringify({ steps })],
    settings: { agent: { plan: { unattended: "stop" } } },
  });
  const planned = await outcomeIn(chat({ message: "Echo", mode: "plan" }));
  expect(planned.status).toBe("needs_confirmation");
  const { conversation_id } = planned;
  for (const [place, why] of [
    [{}, `the last run of conversation "${conversation_id}" waits for a confirmation (allowed: `],
    [{ parent: 0 }, `conversation "${conversation_id}" has no run before this question (allowed: `],
  ] as const) {
    const { error } = await outcomeIn(chat({ message: "Go on", conversation_id, go_on: true, ...place }));
    expect(error?.message).toContain(`go_on: there is no run to go on with: ${why}`);
  }
  expect(model.requests).toHaveLength(1);
});

test("go_on goes on with a run that failed", async () => {
  const error = new DuetError({ code: "auth", text: { zh: "密钥无效", en: "the key is not valid" } });
  const { chat } = await serveApi({ turns: [{ error }, "Done."] });
  const { conversation_id, status } = await outcomeIn(chat({ message: "Hello" }));
  expect(status).toBe("failed");
  expect(await outcomeIn(chat({ message: "Go on", conversation_id, go_on: true }))).toMatchObject({
    status: "complete",
    response: "Done.",
  });
});

test("a run goes on with one that is complete and has used up its calls, also behind a turn that is named", async () => {
  const { chat } = await serveApi({ turns: [[echo], "All of it.", "More.", "Still more."] });
  const first = await outcomeIn(chat({ message: "Echo", max_tool_calls: 1 }));
  expect(first).toMatchObject({ status: "complete", limit: { argument: "max_tool_calls" } });
  const { conversation_id } = first;
  for (const [place, response] of [
    [{}, "More."],
    [{ parent: 1 }, "Still more."],
  ] as const) {
    const rest = await outcomeIn(chat({ message: "Go on", conversation_id, go_on: true, ...place }));
    expect(rest).toMatchObject({ status: "complete", response });
  }
});

test("a run that goes on when wait_s is over can be asked for later, and goes on without its caller", async () => {
  const gate = Promise.withResolvers<void>();
  const { chat, send, service } = await serveApi({ turns: ["Done."], gate: gate.promise });
  const response = await chat({ message: "Hello", wait_s: 0 });
  const begun = await outcomeIn(response);
  expect(response.status).toBe(202);
  expect(begun).toMatchObject({ success: true, status: "running", stop_reason: "running" });
  const path = `/agent/runs/${begun.run_id}`;
  expect(response.headers.get("location")).toBe(path);
  expect(await (await send(path)).json()).toMatchObject({ status: "running", waits_for: null });
  expect(await (await send("/agent/runs")).json()).toMatchObject({
    runs: [{ run_id: begun.run_id, question: "Hello", status: "running" }],
  });
  gate.resolve();
  const run = service.runs.find(begun.run_id, {});
  if (run) await waitForEnd(run, AbortSignal.timeout(20_000));
  expect(await (await send(path)).json()).toMatchObject({ status: "complete", response: "Done.", waits_for: null });
});

test("a run that waits for a yes is told as such where it is read, with a token that counts", async () => {
  const wipe = [{ id: "1", name: "wipe_disk", input: { disk: "a" } }];
  const { chat, send, wiped } = await serveApi({ turns: [wipe, "Wiped."] });
  const { run_id } = await outcomeIn(chat({ message: "Wipe it." }));
  const listed = await (await send("/agent/runs")).json();
  expect(listed).toMatchObject({ runs: [{ run_id, waits: true }], next_offset: null });
  const read = await outcomeIn(send(`/agent/runs/${run_id}`));
  expect(read).toMatchObject({ status: "needs_confirmation", waits_for: { kind: "call", tool: "wipe_disk" } });
  const confirmed = await outcomeIn(chat({ message: "yes", confirmation: read.confirmation?.token }));
  expect(confirmed).toMatchObject({ status: "complete", run_id });
  expect(wiped).toHaveLength(1);
});

test("runs are listed page by page, the newest first", async () => {
  const { chat, send } = await serveApi({ turns: ["One.", "Two.", "Three."] });
  for (const message of ["First?", "Second?", "Third?"]) await outcomeIn(chat({ message }));
  const list = async (query: string): Promise<unknown> => (await send(`/agent/runs?${query}`)).json();
  expect(await list("limit=2")).toMatchObject({
    runs: [{ question: "Third?" }, { question: "Second?" }],
    next_offset: 2,
  });
  expect(await list("limit=2&offset=2")).toMatchObject({ runs: [{ question: "First?" }], next_offset: null });
  const refused = await problemIn(send("/agent/runs?limit=0"));
  expect(refused.detail).toBe('limit: "0" is not allowed (allowed: one whole number from 1 to 100)');
});

test("what is missing, and a conversation that no address could name, are told in one plain line", async () => {
  const { chat } = await serveApi();
  const detail = async (body: object): Promise<string> => (await problemIn(chat(body))).detail;
  expect(await detail({})).toBe("message: is missing (a string of 1 to 100000 characters)");
  expect(await detail({ message: "Hello", conversation_id: ".." })).toBe(
    'conversation_id: ".." is not allowed (allowed: any ID except "." and "..")',
  );
});

test("a run belongs to its caller's trace, and names its language", async () => {
  const { chat } = await serveApi({
    turns: [{ error: new DuetError({ code: "auth", text: { zh: "坏", en: "bad" } }) }],
  });
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const outcome = await outcomeIn(chat({ message: "Hello", locale: "zh" }, { headers: { traceparent } }));
  expect(outcome).toMatchObject({ trace_id: "0af7651916cd43dd8448eb211c80319c", error: { message: "坏" } });
});

test("models are chosen from those that there are, by name only", async () => {
  const { chat } = await serveApi({ turns: ["By itself."] });
  const json = '{"provider":"openai","base_url":"http://198.51.100.7/v1"}';
  for (const name of ["openai/none", json, ""]) {
    const response = await chat({ message: "Hello", models: { answer: name } });
    expect(response.status).toBe(400);
    expect((await problemIn(response)).detail).toContain("models.answer");
  }
  const response = await chat({ message: "1+1?", models: { function_call: "offline", answer: "offline" } });
  expect(await response.json()).toMatchObject({
    status: "complete",
    meta: { models: { answer: { provider: "offline" } } },
  });
});

test("parameters that a model does not take are refused before a run begins", async () => {
  const { chat, service } = await serveApi();
  const response = await chat({ message: "Hello", parameters: { answer: { temperature: 1 } } });
  expect(response.status).toBe(400);
  expect((await problemIn(response)).detail).toMatch(/answer|function_call/);
  expect([...service.runs.listRuns({})]).toEqual([]);
});

const refused: [unknown, string][] = [
  [{}, "message: is missing (a string of 1 to 100000 characters)"],
  [[], "object"],
  ["text", "object"],
  [null, "object"],
  [{ message: "" }, 'message: "" is not allowed (allowed: a string of 1 to 100000 characters)'],
  [{ message: " \n" }, "message: "],
  [{ message: 5 }, "message: 5 is not allowed (allowed: a string of 1 to 100000 characters)"],
  [{ message: "x".repeat(100_001) }, "100000"],
  [{ message: "x", mode: "wild" }, 'mode: "wild" is not allowed (allowed: agent, plan, chat)'],
  [{ message: "x", search: "yes" }, "search: "],
  [{ message: "x", tools: "echo" }, "tools: "],
  [{ message: "x", tools: ["a**("] }, "tools[0]: "],
  [{ message: "x", max_iterations: 11 }, "max_iterations: 11 is not allowed (allowed: an integer from 1 to 10)"],
  [{ message: "x", max_tool_calls: 0 }, "max_tool_calls: 0 is not allowed (allowed: an integer from 1 to 50)"],
  [{ message: "x", max_tokens: 1.5 }, "max_tokens: 1.5 is not allowed (allowed: an integer of at least 1)"],
  [{ message: "x", timeout_s: 9 }, "timeout_s: 9 is not allowed (allowed: an integer from 10 to 300)"],
  [{ message: "x", wait_s: -1 }, "wait_s: -1 is not allowed (allowed: a number, 0 <= wait_s <= 3600)"],
  [{ message: "x", conversation_id: "c".repeat(201) }, "(allowed: a string of at most 200 characters)"],
  [{ message: "x", locale: "fr" }, 'locale: "fr" is not allowed (allowed: zh, en)'],
  [{ message: "x", asks: 1 }, "asks: "],
  [
    { message: "x", images: ["no base64!"] },
    'images[0]: "no base64!" is not allowed (allowed: base64, or a data: address in base64)',
  ],
  [{ message: "x", images: [`${"QUJD".repeat(200)}!`] }, 'images[0]: "…" is not allowed (allowed: base64'],
  [{ message: "x", images: Array(21).fill("QUJD") }, "images: […] is not allowed (allowed: a list of at most 20"],
  [{ message: "x", attachments: [{ data: "data:image/png,raw" }] }, "attachments[0].data: "],
  [{ message: "x", attachments: [{ name: "a" }] }, "attachments[0].data: is missing"],
  [{ message: "x", models: "offline" }, "models: "],
  [
    { message: "x", models: { both: "offline" } },
    "models.both: this field is not allowed (allowed: function_call, answer)",
  ],
  [{ message: "x", parameters: { answer: { heat: 1 } } }, "parameters.answer.heat: this field is not allowed"],
  [{ message: "x", question: "y" }, "question: this field is not allowed (allowed: message, "],
  [{ message: "x", question: "y" }, "models, parameters, …)"],
  [{ message: "x", confirmation: "made up" }, "confirmation"],
];

test("a caller that asks for a stream by a field is told which header does it", async () => {
  const { chat } = await serveApi();
  const problem = await problemIn(await chat({ message: "x", stream: true }));
  expect(problem.detail).toMatch(/^stream: this field is not allowed/);
  expect(problem.hint).toContain("Accept: text/event-stream");
  expect((await problemIn(await chat({ message: "x", question: "y" }))).hint).toBeNull();
});

test("bad input is one line that shows the value and what is allowed, and no run", async () => {
  const { chat, service } = await serveApi();
  for (const [body, line] of refused) {
    const response = await chat(body);
    const problem = await problemIn(response);
    expect([response.status, response.headers.get("content-type")]).toEqual([400, "application/problem+json"]);
    expect(problem).toMatchObject({ status: 400, title: "Bad Request", code: "invalid_request" });
    expect(problem.detail).toContain(line);
    expect(problem.detail).not.toContain("\n");
  }
  expect([...service.runs.listRuns({})]).toEqual([]);
});

test("a text in place of a list is told once, however long it is", async () => {
  const { chat } = await serveApi();
  const { detail } = await problemIn(await chat({ message: "x", images: "QUJD".repeat(100) }));
  expect(detail).toBe('images: "…" is not allowed (allowed: a list of at most 20 entries)');
});

test("a body that is no JSON, has a key twice or is too long is refused", async () => {
  const { send } = await serveApi({ settings: { serve: { http: { maxBody: 1024 } } } });
  const status = async (body: string) => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    return (await send("/agent/chat", init)).status;
  };
  expect(await status("{")).toBe(400);
  expect(await status('{"message":"a","message":"b"}')).toBe(400);
  // A request that may carry files may have eight times as much.
  expect(await status(JSON.stringify({ message: "x".repeat(8000) }))).toBe(200);
  expect(await status(JSON.stringify({ message: "x".repeat(8200) }))).toBe(413);
});

test("a run that is one too many is refused as overloaded", async () => {
  const gate = Promise.withResolvers<void>();
  const { chat } = await serveApi({ turns: ["A"], settings: { serve: { maxRuns: 1 } }, gate: gate.promise });
  await chat({ message: "Hello", wait_s: 0 });
  const response = await chat({ message: "Hello" });
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ code: "overloaded", detail: expect.stringContaining("serve.maxRuns") });
});

test("of a long question the list of runs tells the beginning", async () => {
  const { chat, send } = await serveApi({ turns: ["Done."] });
  await outcomeIn(chat({ message: "word ".repeat(10_000) }));
  const listed = await (await send("/agent/runs")).text();
  expect(listed).toContain("word word");
  expect(listed.length).toBeLessThan(1000);
});
