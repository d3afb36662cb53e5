import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import type { McpInterface } from "../../src/server/mcp/mcp-interface.ts";
import { written } from "../agent/plan/planning.ts";
import { openFace } from "./mcp-interface.ts";

const wipe = { id: "1", name: "wipe_disk", input: { disk: "a" } };
const extension = "io.modelcontextprotocol/tasks";

type Sent = Record<string, unknown> & { resultType?: string; taskId?: string; status?: string };

/** Sends a request, with other capabilities than those of the connection where it has some of its own. */
type Send = (method: string, params: object, capabilities?: object) => Promise<Sent>;

/** A host of the 2026 era that declares the tasks extension, or does not; the official client takes no task, so it speaks below it. */
async function connect(mcp: McpInterface, usual: object): Promise<Send> {
  const [above, below] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(() => mcp.createServer(), { transport: below });
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(above);
  onTestFinished(async () => {
    await client.close();
    await handle.close();
  });
  const handed = above.onmessage;
  const waiting = new Map<string, PromiseWithResolvers<Sent>>();
  above.onmessage = (message, extra) => {
    const { id, result, error } = z
      .looseObject({ id: z.unknown().optional(), result: z.looseObject({}).optional(), error: z.unknown().optional() })
      .parse(message);
    const ours = waiting.get(String(id));
    if (ours === undefined) return handed?.(message, extra);
    if (result === undefined) ours.reject(error);
    else ours.resolve(result);
  };
  let count = 0;
  return (method, params, capabilities = usual) => {
    const id = `ours-${count++}`;
    const answer = Promise.withResolvers<Sent>();
    waiting.set(id, answer);
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": capabilities,
    };
    void above.send({ jsonrpc: "2.0", id, method, params: { ...params, _meta } });
    return answer.promise;
  };
}

const withTasks = { elicitation: { form: {} }, extensions: { [extension]: {} } };

async function poll(send: Send, taskId: string, status: string): Promise<Sent> {
  return expect
    .poll(() => send("tasks/get", { taskId }))
    .toMatchObject({ status })
    .then(() => send("tasks/get", { taskId }));
}

test("a request that declares the tasks extension gets a task, whose question is answered and whose result is the call's", async () => {
  const { mcp, wiped } = await openFace({ turns: [[wipe], "Done."] });
  const send = await connect(mcp, withTasks);
  const task = await send("tools/call", { name: "agent_ask", arguments: { question: "Wipe disk a." } });
  expect(task).toMatchObject({ resultType: "task", pollIntervalMs: 1000, ttlMs: 3_600_000 });
  const taskId = String(task.taskId);
  const asked = await poll(send, taskId, "input_required");
  const [[name = "", question] = []] = Object.entries(z.record(z.string(), z.unknown()).parse(asked.inputRequests));
  expect(question).toMatchObject({ method: "elicitation/create" });
  const reply = (scope: string) => ({ [name]: { action: "accept", content: { scope } } });
  await expect(send("tasks/update", { taskId, inputResponses: reply("zzz") })).rejects.toMatchObject({
    code: -32602,
    message: 'invalid value "zzz" for scope (allowed: once, conversation).',
  });
  const inputResponses = reply("once");
  expect(await send("tasks/update", { taskId, inputResponses })).toMatchObject({ resultType: "complete" });
  const done = await poll(send, taskId, "completed");
  expect(done.result).toMatchObject({ structuredContent: { status: "complete", response: "Done.", run_id: taskId } });
  expect(wiped).toEqual([{ disk: "a" }]);
});

test("a task whose result cannot be told, because the store cannot be read, is the one that the same request gets again", async () => {
  const { mcp, duet } = await openFace({
    turns: [written({ tool: "echo", parameters: { text: "one" } })],
    config: { agent: { plan: { unattended: "stop" } } },
  });
  // Who can be asked in a form is asked about the plan, and gets no token.
  const send = await connect(mcp, { extensions: withTasks.extensions });
  const ask = () => send("tools/call", { name: "agent_ask", arguments: { question: "Say it.", mode: "plan" } });
  const { taskId } = await ask();
  await expect.poll(() => mcp.runs.find(String(taskId), {})?.outcome?.status).toBe("needs_confirmation");
  vi.spyOn(duet, "store").mockRejectedValueOnce(new Error("the disk is full"));
  await expect(send("tasks/get", { taskId })).rejects.toMatchObject({ code: -32603 });
  expect(await ask()).toMatchObject({ taskId });
  const { result } = await send("tasks/get", { taskId });
  expect(result).toMatchObject({ structuredContent: { status: "needs_confirmation", confirmation: { kind: "plan" } } });
});

test("a task that joins a run which goes on with another one has the answers of both", async () => {
  const released = Promise.withResolvers<void>();
  const echo = (text: string) => ({ id: text, name: "echo", input: { text } });
  const { mcp, model } = await openFace({
    turns: [[echo("Rome"), echo("Bari")], "It is Rome.", [echo("Bari")], "It is Bari, too."],
    config: { agent: { maxToolCalls: 1 } },
    holds: ({ requests }) => (requests.length < 2 ? undefined : released.promise),
  });
  const ask = { name: "agent_ask", arguments: { question: "Where is it?", wait_s: 3 } };
  const send = await connect(mcp, withTasks);
  const asks = { elicitation: { form: {} } };
  const { inputRequests, requestState } = await send("tools/call", ask, asks);
  const [name = ""] = Object.keys(z.record(z.string(), z.unknown()).parse(inputRequests));
  const reply = { inputResponses: { [name]: { action: "accept", content: {} } }, requestState };
  const going = await send("tools/call", { ...ask, arguments: { ...ask.arguments, wait_s: 0 }, ...reply }, asks);
  expect(going).toMatchObject({ structuredContent: { status: "running" } });
  const { taskId } = await send("tools/call", ask);
  released.resolve();
  const { result } = await poll(send, String(taskId), "completed");
  expect(result).toMatchObject({
    structuredContent: { response: expect.stringMatching(/^It is Rome\.\n\nIt is Bari, too\./) },
  });
  expect(model.requests).toHaveLength(4);
});

test("a task is cancelled by its id", async () => {
  const { mcp } = await openFace({ turns: ["Never."], gate: new Promise(() => {}) });
  const send = await connect(mcp, withTasks);
  const { taskId } = await send("tools/call", { name: "agent_ask", arguments: { question: "What is it?" } });
  expect(await send("tasks/cancel", { taskId })).toMatchObject({ resultType: "complete" });
  expect(await poll(send, String(taskId), "cancelled")).toMatchObject({ taskId, status: "cancelled" });
});

test("without the extension there is no task, and asking for one says what is missing", async () => {
  const { mcp } = await openFace({ turns: ["Forty-two."] });
  const send = await connect(mcp, {});
  const result = await send("tools/call", { name: "agent_ask", arguments: { question: "What is it?" } });
  expect(result).toMatchObject({ resultType: "complete", structuredContent: { status: "complete" } });
  const { run_id: taskId } = z.looseObject({ run_id: z.string() }).parse(result.structuredContent);
  await expect(send("tasks/get", { taskId })).rejects.toMatchObject({ code: -32021 });
  await expect((await connect(mcp, withTasks))("tasks/get", { taskId: "run-0" })).rejects.toMatchObject({
    code: -32602,
  });
});
